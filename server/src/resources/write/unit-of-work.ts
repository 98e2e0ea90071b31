import type { Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { isTransient, retryTransient, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, notFound, Unavailable } from '../../platform/errors.ts';
import type { RunningJob } from '../../platform/jobs/definition.ts';
import { Operation, type Registry, type ResourceServices, type RestoredRow } from '../hooks.ts';
import { scopeOf } from '../read/scope.ts';
import type { Names } from '../relations/names.ts';
import { refusalOfDatabase } from './problems.ts';

/** The job that runs a long write: it shows progress and may be canceled. */
type WriteJob = Pick<RunningJob<undefined>, 'progress' | 'signal' | 'once'>;

/** Stages of a write, in order. */
const STAGES = ['rules', 'row', 'effects', 'answer', 'record'] as const;

/**
 * Returns a function that reports progress; each stage counts the same. The function throws if the
 * job was stopped.
 */
export function createProgress(
  total: number,
  job: WriteJob | undefined,
): (stage: (typeof STAGES)[number], rows: number) => void {
  const passed = new Map<string, number>();
  return (stage, rows) => {
    if (job?.signal.aborted) throw stopped(job);
    passed.set(stage, Math.min(total, (passed.get(stage) ?? 0) + rows));
    const all = [...passed.values()].reduce((sum, count) => sum + count, 0);
    job?.progress(Math.floor(all / STAGES.length), total);
  };
}

/** Returns the error of a stopped write: canceled by a user, or stopped with the server. */
export function stopped({ signal }: Pick<WriteJob, 'signal'>): Conflict | Unavailable {
  return signal.reason === 'stopping'
    ? new Unavailable('unavailable')
    : new Conflict('job_canceled');
}

export interface WriteOptions {
  /** Run everything, return the real result, then roll back. */
  readonly dryRun?: boolean;
  /** The job of the write. Canceling it rolls back. */
  readonly job?: WriteJob | undefined;
  /** Query parameters next to the bodies. */
  readonly query?: URLSearchParams;
  /** The job whose deletions are restored together. */
  readonly batch?: string;
  /** The deleted object that the only body creates again. */
  readonly restored?: RestoredRow;
  /** An open transaction to join. Its owner rolls back after an error. */
  readonly tx?: Tx;
  /** Objects that bodies link to by name, one entry per body. */
  readonly names?: readonly Names[];
  /** Called last in the transaction, with the ids of saved rows. */
  saved?(ids: readonly string[], operation: Operation): Promise<void>;
  /** Called when the rows to delete are locked; returns the rows to keep. */
  spared?(ids: readonly string[], operation: Operation): Promise<ReadonlySet<string>>;
}

/**
 * Runs `work` in a transaction and commits if its result allows it; by default unless it throws. On
 * a deadlock the work runs again, so it must not depend on memory of an earlier attempt.
 */
export type UnitOfWork = <T>(
  caller: Caller,
  options: WriteOptions,
  work: (operation: Operation) => Promise<T>,
  keeps?: (result: T) => boolean,
) => Promise<T>;

/**
 * Builds the transaction of every write: first locks, then the operation; database errors become
 * problems of fields.
 */
export function createUnitOfWork(
  resource: Resource,
  registry: Registry,
  services: Pick<ResourceServices, 'db' | 'lockGrants'>,
): UnitOfWork {
  return async (caller, options, work, keeps = () => true) => {
    const { dryRun = false, query = new URLSearchParams(), job, restored } = options;
    const run = async (tx: Tx) => {
      await services.lockGrants(resource, tx);
      await lockParent(resource, registry, caller, tx);
      return work(new Operation({ caller, tx, dryRun, query, restored }));
    };
    const attempt = async () => {
      const tx = await services.db.begin();
      try {
        const result = await run(tx);
        // After this point the job cannot be canceled; an earlier cancellation rolls back.
        if (job && keeps(result) && !(await job.once(tx))) throw stopped(job);
        // A dry run does everything except commit.
        await (keeps(result) && !dryRun ? tx.commit() : tx.rollback());
        return result;
      } catch (error) {
        await tx.rollback();
        throw error;
      }
    };
    const { tx } = options;
    return (tx ? run(tx) : retryTransient(attempt)).catch((error: unknown) => {
      // The owner of the transaction repeats all of it.
      if (tx && isTransient(error)) throw error;
      throw refusalOfDatabase(error, resource) ?? error;
    });
  };
}

/**
 * Locks the parent object against deletion while its children are written. @throws NotFound if it
 * was deleted
 */
async function lockParent(
  { name, parent }: Resource,
  registry: Registry,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  const id = caller.within?.[name];
  const above = parent && registry.get(parent.resource.name);
  if (!above || id === undefined) return;
  const { rows } = await sql`
    select 1 from ${sql.table(above.resource.table)} t
    where t.id = ${id} and ${scopeOf(above, caller)} for key share of t`.execute(tx);
  if (rows.length === 0) throw notFound();
}
