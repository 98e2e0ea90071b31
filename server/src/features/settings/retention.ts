import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { type AuditChains, CHAINED_LOGS, type ChainedLog } from '../audits/chain.ts';
import type { SettingsService } from './service.ts';

export interface RetentionOptions {
  readonly db: Db;
  readonly chains: AuditChains;
  readonly log: Logger;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly recordingsDirectory: string;
}

/** What was removed. */
export interface Removed {
  readonly sessions: number;
  readonly recordings: number;
  readonly logs: Readonly<Record<ChainedLog, number>>;
}

const NAME = 'retention';
/** Few enough that nobody who works meanwhile waits for a lock. */
const BATCH = 500;
const DAY_FOLDER = /^\d{4}-\d{2}-\d{2}$/;
const RECORDING = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.cast\.gz$/;
const DAY = 86_400_000;

/**
 * Removes what was kept long enough, once a day whatever number of servers there are: sessions that ended, with their commands, and the beginnings of the
 * logs. Recordings lie beside the server that made them, so each server removes its own. Undefined when today's turn was somebody else's.
 */
export async function removeOld(options: RetentionOptions): Promise<Removed | undefined> {
  const { settings } = options;
  const result = await once(options.db, async () => {
    const sessions = await removeSessions(options.db, settings.get('TERMINAL_SESSION_KEEP_DURATION'));
    const days = settings.get('LOGIN_LOG_KEEP_DAYS');
    const logs = { operate_log: 0, login_log: 0, password_change_log: 0 };
    for (const log of CHAINED_LOGS) logs[log] = await shorten(options, log, days);
    return { sessions, logs };
  });
  const recordings = await removeRecordings(options);
  return result && { ...result, recordings };
}

/** Does daily work if it is due and nobody else is at it. */
async function once<T>(db: Db, work: () => Promise<T>): Promise<T | undefined> {
  return db.connection().execute(async (holder) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(hashtext(${`sallyport ${NAME}`})) as mine`.execute(holder);
    if (!rows[0]?.mine) return undefined;
    try {
      const due = await sql`
        insert into housekeeping (name) values (${NAME}) on conflict (name) do update set date_run = now()
        where housekeeping.date_run < now() - interval '23 hours' returning name`.execute(holder);
      return due.rows.length > 0 ? await work() : undefined;
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${`sallyport ${NAME}`}))`.execute(holder);
    }
  });
}

async function removeSessions(db: Db, days: number): Promise<number> {
  let removed = 0;
  for (;;) {
    // Its commands go with a session; one that still runs is no log yet.
    const { numAffectedRows = 0n } = await sql`
      delete from session where id in (
        select id from session where date_start < now() - make_interval(days => ${days}) and is_finished order by date_start limit ${BATCH})`.execute(db);
    removed += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return removed;
  }
}

/** Day by day: while rows go, whoever writes to the log waits. */
async function shorten({ db, chains, log: told }: RetentionOptions, log: ChainedLog, days: number): Promise<number> {
  let removed = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await sql<{
      age: number | null;
    }>`select floor(extract(epoch from now() - min(datetime)) / 86400)::integer as age from ${sql.table(log)}`.execute(db);
    const age = rows[0]?.age ?? 0;
    if (age < days) return removed;
    // What somebody worked on stays: it is evidence, and behind a new beginning it could not be told any more.
    const [verdict] = isFirst ? await chains.verify([log]) : [];
    if (verdict && verdict.first_break !== null) {
      told.error({ log, row: verdict.first_break }, 'an audit log is not intact, so nothing of it is removed; run: npm run sallyport -- audit verify');
      return removed;
    }
    const gone = await chains.forget(log, Math.max(age, days));
    removed += gone;
    // The oldest date need not stand at the beginning of the chain, and only a beginning goes.
    if (gone === 0) return removed + (age > days ? await chains.forget(log, days) : 0);
  }
}

/** Recordings of sessions that are no more. A crash between the rows and the files leaves nothing behind for good. */
async function removeRecordings({ db, settings, recordingsDirectory }: RetentionOptions): Promise<number> {
  const before = new Date(Date.now() - settings.get('TERMINAL_SESSION_KEEP_DURATION') * DAY).toISOString().slice(0, 10);
  let removed = 0;
  for (const day of await readdir(recordingsDirectory).catch(() => [])) {
    if (!DAY_FOLDER.test(day) || day > before) continue;
    const folder = join(recordingsDirectory, day);
    const files = (await readdir(folder)).flatMap((name) => {
      const id = RECORDING.exec(name)?.[1];
      return id ? [{ id, name }] : [];
    });
    const { rows } = await sql<{ id: string }>`select id from session where id = any(${files.map(({ id }) => id)}::uuid[])`.execute(db);
    const known = new Set(rows.map(({ id }) => id));
    for (const { name } of files.filter(({ id }) => !known.has(id))) {
      await rm(join(folder, name), { force: true });
      removed += 1;
    }
    // Only an empty folder goes.
    await rmdir(folder).catch(() => undefined);
  }
  return removed;
}
