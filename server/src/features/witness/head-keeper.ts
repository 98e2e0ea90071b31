import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { type Bucket, StorageError } from '../../platform/storage/recordings.ts';
import {
  type ComparedHeads,
  compareOutside,
  type DatabaseInstance,
  declareOutsideFailover,
  instanceOf,
  isAnother,
  type SeenHeads,
} from '../audits/index.ts';
import { bucketOf, storageOfTerminal } from '../storages/index.ts';
import { type BucketHeads, putHeads, readBucketHeads } from './bucket-heads.ts';

/** Objects of former servers are deleted after this time, once newer rows cover theirs. */
const FORMER_MILLISECONDS = 7 * 86_400_000;

export interface HeadKeeperOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Logger;
  /** The id of this server. */
  readonly server: string;
  /** Returns the newest rows that this server has seen. */
  readonly seen: () => SeenHeads | undefined;
}

const ignoreStorage = (error: unknown) => {
  if (!(error instanceof StorageError)) throw error;
};

type Compared = ComparedHeads & { readonly outside: BucketHeads };

/** The database that a place has seen, and the logs that lack its rows. */
interface Step {
  readonly before: DatabaseInstance;
  readonly place: Compared;
}

/**
 * Creates the keeper of the newest rows in the bucket of this server. Another server, or a
 * verification after the loss of this one, compares the logs with them. It also declares the
 * failover that no server has seen before it was lost.
 */
export function createHeadKeeper({ db, vault, log, server, seen }: HeadKeeperOptions) {
  let written = '';
  let problem = '';
  /** Places of the last run whose rows another database lacks. */
  let suspected: ReadonlySet<string> = new Set();

  const bucketOfServer = async (): Promise<Bucket | undefined> => {
    const storage = await storageOfTerminal(db, server);
    return storage && bucketOf(storage, vault);
  };
  const compared = async (): Promise<readonly Compared[]> => {
    const places = await readBucketHeads(db, vault);
    const kept = places.filter((place): place is BucketHeads => 'storage' in place);
    const results = await compareOutside(db, kept);
    return kept.flatMap((outside, index) => {
      const result = results[index];
      return result ? [{ ...result, outside }] : [];
    });
  };
  const declare = async ({ before, place: { outside, lacking } }: Step) => {
    const after = await instanceOf(db);
    if (!after || !isAnother(before, after)) return;
    if (!(await declareOutsideFailover(db, { before, after }, { outside, lacking }))) return;
    log.error(
      { server: outside.seen?.server, logs: lacking },
      'the database went back: a standby has taken over that lacks rows which a server had kept in a bucket',
    );
  };
  const declareFailovers = async (places: readonly Compared[]) => {
    const instance = await instanceOf(db);
    const steps = places.flatMap((place): Step[] => {
      const before = place.outside.seen?.instance;
      const isLost = place.state === 'missing' && before && instance;
      return isLost && isAnother(before, instance) ? [{ before, place }] : [];
    });
    // A server that lives declares what it has seen itself, within seconds.
    const known = steps.find(({ place }) => suspected.has(place.outside.key));
    if (known) await declare(known);
    suspected = new Set(steps.map(({ place }) => place.outside.key));
  };
  const removeFormer = async (places: readonly Compared[], now: number) => {
    for (const { outside, state } of places)
      if (
        state === 'present' &&
        outside.seen?.server !== server &&
        outside.date.getTime() < now - FORMER_MILLISECONDS
      )
        // Retention of the bucket may keep it.
        await outside.storage.delete(outside.key).catch(ignoreStorage);
  };
  const run = async () => {
    const newest = seen();
    const bucket = await bucketOfServer();
    if (!newest || !bucket) return;
    const text = JSON.stringify(newest);
    if (text === written && suspected.size === 0) return;
    const places = await compared();
    await declareFailovers(places);
    // Rows that are missing stay as a proof.
    if (places.some(({ outside, state }) => outside.seen?.server === server && state === 'missing'))
      return;
    const date = new Date();
    await putHeads(vault, bucket, { server, seen: newest, date });
    written = text;
    await removeFormer(places, date.getTime());
  };
  return {
    /** Writes the newest rows, and compares those that other servers have written. */
    async run(): Promise<void> {
      try {
        await run();
        problem = '';
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        if (problem !== error.message)
          log.warn(
            { problem: error.message },
            'the newest rows of the audit logs could not be written into the storage; the next run tries again',
          );
        problem = error.message;
      }
    },
  };
}
