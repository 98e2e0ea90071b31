import type { Resource } from '@sallyport/contract';
import type { Caller } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { isTransient, retryTransient } from '../platform/db/retry.ts';
import { refusalOfDatabase } from './database-refusal.ts';
import type { Registry, ResourceServices } from './hooks.ts';
import type { Names } from './names.ts';
import { Operation } from './operation.ts';
import { lockParent } from './parent.ts';
import { stopped, type WriteJob } from './progress.ts';

/** How a write is done. */
export interface WriteOptions {
  /** Everything is done, answered, and then taken back: the verdict is the real one. */
  readonly dryRun?: boolean;
  /** The job that the write is; when it is canceled, everything is taken back. */
  readonly job?: WriteJob | undefined;
  /** What the caller sent in addition to the bodies. */
  readonly query?: URLSearchParams;
  /** A transaction that the write becomes a part of. The caller that opened it rolls it back after an error. */
  readonly tx?: Tx;
  /** Objects that bodies link to by what files call them, by body. */
  readonly names?: readonly Names[];
  /** Called last in the transaction, with the ids of what was saved. */
  saved?(ids: readonly string[], operation: Operation): Promise<void>;
  /** Called when the rows to delete are locked: those that shall stay. */
  spared?(ids: readonly string[], operation: Operation): Promise<ReadonlySet<string>>;
}

/**
 * Runs some work in one transaction, and keeps what it did when its result says so; by default unless it throws. Work that had to give way to another
 * transaction is done again: it must not depend on what an earlier attempt left in memory.
 */
export type UnitOfWork = <T>(
  caller: Caller,
  options: WriteOptions,
  work: (operation: Operation) => Promise<T>,
  keeps?: (result: T) => boolean,
) => Promise<T>;

/** Builds what every write of a resource and of its links runs in: the locks that come first, the operation, and errors of the database in words. */
export function createUnitOfWork(
  resource: Resource,
  registry: Registry,
  services: Pick<ResourceServices, 'db' | 'lockGrants'>,
): UnitOfWork {
  return async (caller, options, work, keeps = () => true) => {
    const { dryRun = false, query = new URLSearchParams(), job } = options;
    const run = async (tx: Tx) => {
      await services.lockGrants(resource, tx);
      await lockParent(resource, registry, caller, tx);
      return work(new Operation({ caller, tx, dryRun, query }));
    };
    const attempt = async () => {
      const tx = await services.db.startTransaction().execute();
      try {
        const result = await run(tx);
        // From here on it can no longer be canceled; a cancellation that came first takes everything back.
        if (job && keeps(result) && !(await job.once(tx))) throw stopped(job);
        // A dry run goes the whole way and leaves nothing behind.
        await (keeps(result) && !dryRun ? tx.commit() : tx.rollback()).execute();
        return result;
      } catch (error) {
        // Where the session has ended before, nothing is left to take back.
        await (tx.isCommitted || tx.isRolledBack
          ? Promise.resolve()
          : tx.rollback().execute()
        ).catch(() => undefined);
        throw error;
      }
    };
    const { tx } = options;
    return (tx ? run(tx) : retryTransient(attempt)).catch((error: unknown) => {
      // The caller that opened the transaction does all of it again.
      if (tx && isTransient(error)) throw error;
      throw refusalOfDatabase(error, resource) ?? error;
    });
  };
}
