import { sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { defineCounter } from '../../platform/metrics/counters.ts';
import type { FinishedRecording, Recordings } from '../../platform/storage/recordings.ts';
import { recordingDiscarded, recordingMoved } from '../terminal/store.ts';
import { bucketOf, storageOfTerminal } from './elsewhere.ts';

export interface UploaderOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly recordings: Pick<Recordings, 'finished'>;
  /** Names this server. */
  readonly holder: string;
  readonly log: Logger;
}

/** Moves the finished recordings of this server to its storage. */
export interface Uploader {
  /** Moves what is there; a run that is asked for while one runs is that one. */
  run(): Promise<void>;
  /** Whether the storage took everything at the last run. */
  isWell(): boolean;
  /** How many finished recordings are still on the disk and belong into a bucket. */
  waiting(): Promise<number>;
}

export const storageErrors = defineCounter(
  'sallyport_storage_errors_total',
  'Runs in which a storage did not take everything.',
);

const PROBLEM_MAX = 300;
/** More are counted as so many. */
const MOST_COUNTED = 10_000;

/**
 * Makes the uploader of a server. A recording stays on the disk until the storage gives back what
 * it was given and the row of the session names it.
 */
export function createUploader({ db, vault, recordings, holder, log }: UploaderOptions): Uploader {
  /** Of the last run, and as the row of the terminal has it. */
  let problem = '';
  let written = '';
  let running: Promise<void> | undefined;

  const move = async () => {
    const storage = await storageOfTerminal(db, holder);
    if (!storage || storage.type === 'server') return;
    const bucket = bucketOf(storage, vault);
    for await (const recording of recordings.finished()) {
      if (!(await isEnded(db, recording))) continue;
      if (bucket) {
        await recording.copyTo(bucket);
        await recordingMoved(db, recording.sessionId, storage.id);
        await recording.remove();
      } else if (await isYounger(db, recording, holder)) {
        await recordingDiscarded(db, recording.sessionId);
        await recording.remove();
      }
    }
  };
  const run = async () => {
    let found = '';
    try {
      await move();
    } catch (error) {
      found = (error instanceof Error ? error.message : String(error)).slice(0, PROBLEM_MAX);
      storageErrors.add({ storage: 'recordings' });
      log.error(
        { problem: found },
        'recordings could not be moved to their storage; they stay on the disk, and the next run tries again',
      );
    }
    // First here: who reads it in the row finds the health of the server in agreement.
    problem = found;
    if (found === written) return;
    await sql`update terminal set storage_problem = ${found} where holder = ${holder}`.execute(db);
    written = found;
  };
  return {
    run: () => {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    },
    isWell: () => problem === '',
    async waiting() {
      const storage = await storageOfTerminal(db, holder);
      if (!storage || storage.type === 'server' || storage.type === 'null') return 0;
      let count = 0;
      for await (const _recording of recordings.finished()) {
        count += 1;
        if (count === MOST_COUNTED) break;
      }
      return count;
    },
  };
}

/** Whether a session began after its server was set to keep no recordings: earlier ones stay. */
async function isYounger(
  db: Db,
  { sessionId }: FinishedRecording,
  holder: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from session s, terminal t
      where s.id = ${sessionId} and t.holder = ${holder} and s.date_start >=
      t.date_storage`.execute(db);
  return rows.length > 0;
}

/** Retention removes what belongs to no session; what still runs is not finished. */
async function isEnded(db: Db, { sessionId }: FinishedRecording): Promise<boolean> {
  return (
    (await sql`select 1 from session where id = ${sessionId} and is_finished`.execute(db)).rows
      .length > 0
  );
}
