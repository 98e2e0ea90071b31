import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import {
  type FinishedRecording,
  type Recordings,
  StorageError,
} from '../../platform/storage/recordings.ts';
import { DEAD_AFTER_SECONDS, serverOf } from '../servers/index.ts';
import { recordingDiscarded, recordingMoved } from '../sessions/index.ts';
import { bucketsOf, storageOfTerminal } from './replay-storages.ts';

export interface UploaderOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly recordings: Pick<Recordings, 'finished'>;
  /** The id of this server. */
  readonly holder: string;
  readonly log: Logger;
  readonly state: UploadState;
  /** Deletes the copy that was made while a session ran. */
  readonly removeCopy: (sessionId: string) => Promise<void>;
}

export interface Uploader {
  /** Moves all finished recordings. Concurrent calls share one run. Never rejects. */
  run(): Promise<void>;
  /** Counts the finished recordings on the disk that wait for a bucket. */
  waiting(): Promise<number>;
}

export const storageErrors = defineCounter(
  'sallyport_storage_errors_total',
  'Runs in which a storage did not take everything.',
);

const PROBLEM_MAX = 300;

/** The ways into the storage of a server. */
type Way = 'copies' | 'uploads';

/** The problem of the storage of a server, in its health and in the row of its terminal. */
export class UploadState {
  private readonly problems = new Map<Way, string>();
  /** The problem in the row. */
  private written = '';
  private readonly write: (problem: string) => Promise<unknown>;

  constructor(db: Db, holder: string) {
    this.write = (problem) =>
      sql`update terminal set storage_problem = ${problem} where holder = ${holder}`.execute(db);
  }

  /** The first problem; '' for none. */
  get problem(): string {
    return this.problems.get('uploads') || this.problems.get('copies') || '';
  }

  /** Stores the problem of a way; '' for none. */
  async report(way: Way, problem: string): Promise<void> {
    // Set before the row, so that the health of the server agrees with the row.
    this.problems.set(way, problem.slice(0, PROBLEM_MAX));
    const now = this.problem;
    if (now === this.written) return;
    await this.write(now);
    this.written = now;
  }
}
/** Returns true for problems that one object may have while the storage takes the next one. */
const isOfOneObject = (error: unknown): error is StorageError =>
  error instanceof StorageError && (error.code === 'retained' || error.code === 'damaged');

/** Counting stops at this number. */
const MOST_COUNTED = 10_000;

/**
 * Creates the uploader of a server. A recording stays on the disk until the storage has confirmed
 * it and the row of its session names the storage.
 */
export function createUploader({
  db,
  vault,
  recordings,
  holder,
  log,
  state,
  removeCopy,
}: UploaderOptions): Uploader {
  let running: Promise<void> | undefined;

  const move = async () => {
    const storage = await storageOfTerminal(db, holder);
    if (!storage || storage.type === 'server') return;
    const bucket = bucketsOf(storage, vault);
    let failure: StorageError | undefined;
    for await (const recording of recordings.finished()) {
      if (!(await isEnded(db, recording, holder))) continue;
      if (bucket)
        try {
          await recording.copyTo(bucket);
          await recordingMoved(db, recording.sessionId, storage.id);
          await recording.remove();
          await removeCopy(recording.sessionId);
        } catch (error) {
          if (!isOfOneObject(error)) throw error;
          failure ??= error;
        }
      else if (await isYounger(db, recording, holder)) {
        await recordingDiscarded(db, recording.sessionId);
        await recording.remove();
      }
    }
    if (failure) throw failure;
  };
  const run = async () => {
    let failure = '';
    try {
      await move();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      storageErrors.add({ storage: 'recordings' });
      log.error(
        { problem: failure },
        'recordings could not be moved to their storage; they stay on the disk, and the next run tries again',
      );
    }
    await state.report('uploads', failure);
  };
  return {
    run: () => {
      running ??= run()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the state of the storage could not be written'),
        )
        .finally(() => {
          running = undefined;
        });
      return running;
    },
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

/**
 * Returns true if a session began after its server was set to keep no recordings. Earlier
 * recordings stay.
 */
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

/**
 * Excludes running sessions, copies of recordings of a running server, and recordings without a
 * session: retention deletes those.
 */
async function isEnded(db: Db, { sessionId }: FinishedRecording, holder: string): Promise<boolean> {
  return (
    (
      await sql`select 1 from session where id = ${sessionId} and is_finished
      and not awaits_holder
      and (${serverOf(sql`session.holder`)} is not distinct from ${holder} or not exists (
        select from server where id = session.holder and date_seen > now() -
        make_interval(secs => ${DEAD_AFTER_SECONDS})))`.execute(db)
    ).rows.length > 0
  );
}
