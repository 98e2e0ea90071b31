import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type CopiedRecording,
  type RecordingDigest,
  type Recordings,
  recordingKindOf,
  StorageError,
} from '../../platform/storage/recordings.ts';
import { DEAD_AFTER_SECONDS, serverOf } from '../servers/index.ts';
import { recordingRestored, restoredText, SIGNED_RESTORED } from '../sessions/index.ts';
import { bucketsOf, storageById, storageOfTerminal } from './replay-storages.ts';
import { storageErrors, type UploadState } from './upload.ts';

export interface CopierOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly recordings: Pick<Recordings, 'copies'>;
  /** The id of this server. */
  readonly holder: string;
  readonly log: Logger;
  readonly state: UploadState;
}

/** A copy may take this long before the storage counts as too slow. */
const SLOW_MS = 10_000;
const SLOW =
  'the storage takes too long for the copies of running sessions; they are on the disk of the server';
/** Recordings that are restored in one run. */
const RESTORED_AT_ONCE = 20;

/**
 * Copies the running recordings of this process into the bucket of its server. Sessions do not wait
 * for it: while the bucket fails, they continue on the disk.
 */
export function createCopier({ db, vault, recordings, holder, log, state }: CopierOptions) {
  const { copies } = recordings;
  let running: Promise<void> | undefined;
  /** The next run finds out whether the problem has ended, although nothing may wait. */
  let hasFailed = false;
  const copy = async () => {
    const storage = await storageOfTerminal(db, holder);
    const bucket = storage && bucketsOf(storage, vault);
    if (!bucket) return;
    try {
      await copies.copy(storage.id, bucket);
    } finally {
      // Parts that reached the bucket count, whatever failed after them.
      const grown = copies.unnoted();
      if (grown.length > 0) {
        const noted = new Set(await noteCopies(db, storage.id, grown));
        copies.note(grown.filter(({ sessionId }) => noted.has(sessionId)));
      }
    }
  };
  const run = async () => {
    const reportSlow = () =>
      state
        .report('copies', SLOW)
        .catch((error: unknown) =>
          log.warn({ error: String(error) }, 'the state of the storage could not be written'),
        );
    const slow = setTimeout(() => void reportSlow(), SLOW_MS);
    try {
      await copy();
      clearTimeout(slow);
      await state.report('copies', '');
      hasFailed = false;
    } catch (error) {
      clearTimeout(slow);
      hasFailed = true;
      if (!(error instanceof StorageError)) throw error;
      storageErrors.add({ storage: 'recordings' });
      await state.report('copies', error.message);
      log.error(
        { problem: error.message },
        'running recordings could not be copied to their storage; they stay on the disk, and the next run tries again',
      );
    }
  };
  return {
    /** Copies what waits. Concurrent calls share one run. */
    async run(): Promise<void> {
      if (!copies.isBehind && !hasFailed) return;
      running ??= run().finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}

/** Stores how much of running recordings is in a bucket. Returns the sessions that have a row. */
async function noteCopies(
  db: Db,
  storage: string,
  copies: ReturnType<Recordings['copies']['unnoted']>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ session: string }>`
    insert into recording_copy as c (session, storage, parts, size)
    select g."sessionId", ${storage}, g.parts, g.size
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb)
      as g ("sessionId" uuid, parts integer, size bigint)
      join session s on s.id = g."sessionId"
    on conflict (session) do update set storage = excluded.storage, parts = excluded.parts,
      size = excluded.size, date_copied = now()
    returning c.session`.execute(db);
  return rows.map(({ session }) => session);
}

interface CopyRow {
  readonly session: string;
  readonly start: Date;
  readonly protocol: string;
  readonly storage: string;
  readonly parts: number;
}

/** A recording of a dead server that this one restores. */
export interface RestorableRecording {
  readonly copied: CopiedRecording;
  /** Stores the restored recording in the row of its session, unless its server has returned. */
  restored(digest: RecordingDigest): Promise<boolean>;
  /** Stores why the parts could not be put together. */
  failed(problem: string): Promise<void>;
}

/**
 * Claims recordings of dead servers that have parts in a bucket and no recording. Other servers
 * leave them to this one while it lives.
 */
export async function claimCopies({
  db,
  vault,
  holder,
}: Pick<CopierOptions, 'db' | 'vault' | 'holder'>): Promise<readonly RestorableRecording[]> {
  const { rows } = await sql<CopyRow>`
    update recording_copy c set restored_by = ${holder}
    from session s where s.id = c.session and c.session in (
      select c.session from recording_copy c join session s on s.id = c.session
      where c.restored_sha256 is null and s.is_finished and s.awaits_holder
        and ${serverOf(sql`s.holder`)} <> ${holder}
        and (c.restored_by is null or c.restored_by = ${holder} or not exists (
          select from server where id = c.restored_by
            and date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS})))
      order by c.problem is not null, c.session
      limit ${RESTORED_AT_ONCE} for update of c skip locked)
    returning c.session, s.date_start as start, s.protocol, c.storage, c.parts`.execute(db);
  const claimed: RestorableRecording[] = [];
  for (const row of rows) {
    const copied = await copiedOf({ db, vault }, row);
    if (copied) claimed.push(restorable({ db, vault }, row, copied));
  }
  return claimed;
}

async function copiedOf(
  { db, vault }: Pick<CopierOptions, 'db' | 'vault'>,
  { session, start, protocol, storage, parts }: CopyRow,
): Promise<CopiedRecording | undefined> {
  const row = await storageById(db, storage);
  const bucket = row && bucketsOf(row, vault);
  return (
    bucket && { id: session, startedAt: start, kind: recordingKindOf(protocol), bucket, parts }
  );
}

const restorable = (
  { db, vault }: Pick<CopierOptions, 'db' | 'vault'>,
  { session, storage }: CopyRow,
  copied: CopiedRecording,
): RestorableRecording => ({
  copied,
  restored: (digest) =>
    db.transaction(async (tx) => {
      if (!(await recordingRestored(tx, session, storage))) return false;
      const signature = vault.sign(restoredText(session, digest), SIGNED_RESTORED);
      await sql`update recording_copy set problem = null, restored_size = ${digest.size},
        restored_sha256 = ${digest.sha256}, restored_signature = ${signature}
        where session = ${session}`.execute(tx);
      return true;
    }),
  async failed(problem) {
    await sql`update recording_copy set problem = ${problem} where session = ${session}
      and problem is distinct from ${problem}`.execute(db);
  },
});

/**
 * Deletes the parts of a recording that is in its bucket as a whole. Parts that the bucket retains
 * stay until the session is deleted.
 */
export async function removeCopy(
  { db, vault, recordings, log }: Pick<CopierOptions, 'db' | 'vault' | 'recordings' | 'log'>,
  session: string,
): Promise<void> {
  const { rows } = await sql<CopyRow>`
    select c.session, s.date_start as start, s.protocol, c.storage, c.parts
    from recording_copy c join session s on s.id = c.session
    where c.session = ${session}`.execute(db);
  const [row] = rows;
  const copied = row && (await copiedOf({ db, vault }, row));
  if (!copied) return;
  await sql`delete from recording_copy where session = ${session}`.execute(db);
  await recordings.copies.remove(copied).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    log.warn(
      { session, problem: error.message },
      'the copy of a recording could not be deleted; retention deletes it with its session',
    );
  });
}
