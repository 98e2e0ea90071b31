import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import type { Expiry } from '../../module.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import {
  type KnownRecording,
  type Recordings,
  StorageError,
} from '../../platform/storage/recordings.ts';
import type { AuditChains } from '../audits/index.ts';
import { removeFinishedSessions } from '../sessions/index.ts';
import { keptAtLeast } from '../settings/index.ts';

export interface RetentionOptions {
  readonly db: Db;
  readonly chains: AuditChains;
  readonly log: Logger;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly jobs: Pick<Jobs, 'forget'>;
  readonly recordings: Pick<Recordings, 'upTo'>;
  readonly expiries: readonly Expiry[];
  /** Minimum days of logs; shorter settings do not apply to them. */
  readonly keepAtLeast: Config['keepAtLeast'];
}

/** Numbers of removed objects. */
export interface Removed {
  readonly sessions: number;
  readonly jobs: number;
  /** Numbers of the rows of features, by their noun. */
  readonly expired: Readonly<Record<string, number>>;
  readonly recordings: number;
  /** Recordings that their storage did not delete. Each run tries again. */
  readonly keptRecordings: number;
  readonly logs: Readonly<Record<ChainedLog, number>>;
}

const DAY = 86_400_000;
/** Recordings whose sessions are looked up at once. */
const BATCH = 500;

/**
 * Deletes data at the end of its retention period: the beginnings of logs, ended sessions with
 * their commands and recordings on this server, ended jobs, and the rows of features that expire.
 */
export async function removeOld(options: RetentionOptions): Promise<Removed> {
  const { settings } = options;
  const minimums = minimumsOf(options);
  const [sessionDays, logDays] = [sessionDaysOf(options), settings.get('LOGIN_LOG_KEEP_DAYS')];
  const logs = {
    operate_log: 0,
    login_log: 0,
    password_change_log: 0,
    ftp_log: 0,
    session_digest: 0,
  };
  for (const log of CHAINED_LOGS)
    logs[log] = await shorten(
      options,
      log,
      log === 'session_digest' ? sessionDays : Math.max(logDays, minimums[log] ?? 0),
    );
  // Sessions are deleted after their digests, which prove them.
  const sessions = await removeFinishedSessions(options.db, sessionDays);
  const expired: Record<string, number> = {};
  for (const { rows, like, remove } of options.expiries)
    expired[rows] = await remove(
      like === 'session' ? sessionDays : Math.max(logDays, (like && minimums[like]) ?? 0),
    );
  const jobs = await options.jobs.forget(settings.get('JOB_KEEP_DAYS'));
  return { sessions, logs, jobs, expired, ...(await removeRecordings(options)) };
}

type Retentions = Pick<RetentionOptions, 'settings' | 'keepAtLeast'>;

const minimumsOf = ({ settings, keepAtLeast }: Retentions) =>
  keptAtLeast(keepAtLeast, settings.get('COMPLIANCE_PRESET'));

const sessionDaysOf = (options: Retentions) =>
  Math.max(
    options.settings.get('TERMINAL_SESSION_KEEP_DURATION'),
    minimumsOf(options).session_digest ?? 0,
  );

/** Shortens a log day by day, as writers wait while rows are deleted. */
async function shorten(
  { db, chains, log: logger }: RetentionOptions,
  log: ChainedLog,
  days: number,
): Promise<number> {
  let removed = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await sql<{
      age: number | null;
    }>`select floor(extract(epoch from now() - min(datetime)) / 86400)::integer as age
      from ${sql.table(log)}`.execute(db);
    const age = rows[0]?.age ?? 0;
    if (age < days) return removed;
    // A log that fails verification is evidence, and is never shortened.
    const [verdict] = isFirst ? await chains.verify([log]) : [];
    if (verdict && verdict.first_break !== null) {
      logger.error(
        { log, row: verdict.first_break },
        `an audit log is not intact, so nothing of it is removed; run: ${COMMAND} audit verify`,
      );
      return removed;
    }
    const gone = await chains.forget(log, Math.max(age, days));
    removed += gone;
    // The oldest row may not be the first of the chain, and only the beginning can be removed.
    if (gone === 0) return removed + (age > days ? await chains.forget(log, days) : 0);
  }
}

/**
 * Deletes recordings on this server without a session. Also cleans up after a crash between the two
 * deletions.
 */
export async function removeRecordings({
  db,
  log,
  settings,
  keepAtLeast,
  recordings,
}: Pick<RetentionOptions, 'db' | 'log' | 'settings' | 'keepAtLeast' | 'recordings'>): Promise<
  Pick<Removed, 'recordings' | 'keptRecordings'>
> {
  const last = new Date(Date.now() - sessionDaysOf({ settings, keepAtLeast }) * DAY)
    .toISOString()
    .slice(0, 10);
  let removed = 0;
  let kept = 0;
  let problem = '';
  const remove = async (recording: KnownRecording) => {
    try {
      await recording.remove();
      removed += 1;
    } catch (error) {
      // A retention lock, or an account without the right. The others are deleted.
      if (!(error instanceof StorageError)) throw error;
      kept += 1;
      problem ||= error.message;
    }
  };
  let batch: KnownRecording[] = [];
  const removeUnknown = async () => {
    const { rows } = await sql<{
      id: string;
    }>`select id from session
      where id = any(${batch.map(({ sessionId }) => sessionId)}::uuid[])`.execute(db);
    const known = new Set(rows.map(({ id }) => id));
    for (const recording of batch.filter(({ sessionId }) => !known.has(sessionId)))
      await remove(recording);
    batch = [];
  };
  for await (const recording of recordings.upTo(last))
    if (batch.push(recording) >= BATCH) await removeUnknown();
  await removeUnknown();
  if (kept > 0)
    log.warn(
      { recordings: kept, problem },
      'expired recordings could not be deleted; the next run tries again',
    );
  return { recordings: removed, keptRecordings: kept };
}
