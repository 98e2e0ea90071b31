import type { RemoteWork } from '../../../features/connections/index.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { defineHousekeeping, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { Logger } from '../../../platform/log.ts';
import { problemOf } from '../../refusal.ts';
import { Boundary } from '../../sessions/files/boundary.ts';
import { fileRefusal } from '../../sessions/files/file-context.ts';
import { removePart } from '../../sessions/files/kept-parts.ts';
import { decodeName, shownName } from '../../sessions/files/paths.ts';
import { IS_FREE } from './kept-uploads.ts';

/** Accounts per run, and parts of an account. */
const ACCOUNTS = 50;
const PARTS = 100;
const EVERY_MINUTES = 10;
/** Seconds for one account. */
const ACCOUNT_SECONDS = 60;
/** Failed attempts after which the server gives up: with growing pauses, about a month. */
const MAX_ATTEMPTS = 35;
/** Maximum hours between two attempts. */
const MAX_PAUSE_HOURS = 24;

interface RemovalOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly remote: Pick<RemoteWork, 'openFiles'>;
  readonly stopping: AbortSignal;
}

interface Account {
  readonly asset_id: string;
  readonly system_user_id: string;
  readonly account: string;
}

/**
 * Removes the expired parts of interrupted uploads from their targets. A target that cannot be
 * reached is tried again with growing pauses; in the end the log names the file.
 */
export function createRemovalJob(options: RemovalOptions): JobDefinition<void> {
  const { db, stopping } = options;
  return defineHousekeeping({
    name: 'remove-kept-uploads',
    title: { en: 'Remove interrupted uploads', zh: '清理中断的上传' },
    everyMinutes: EVERY_MINUTES,
    timeoutSeconds: 3600,
    async run() {
      const { rows } = await sql<Account>`
        select distinct k.asset_id, k.system_user_id, k.account from kept_upload k
        where ${isDue()} limit ${ACCOUNTS}`.execute(db);
      for (const account of rows) {
        if (stopping.aborted) return;
        await removeOf(account, options);
      }
    },
  });
}

const isDue = () => sql`k.date_expired <= now() and ${IS_FREE}
  and (k.date_tried is null or k.date_tried < now() - least(
    make_interval(mins => ${EVERY_MINUTES}) * power(2, least(k.attempts, 10)),
    make_interval(hours => ${MAX_PAUSE_HOURS})))`;

async function removeOf(account: Account, options: RemovalOptions): Promise<void> {
  const { db, remote, stopping } = options;
  const { rows } = await sql<{ part: Buffer }>`
    select k.part from kept_upload k
    where (k.asset_id, k.system_user_id, k.account)
        = (${account.asset_id}, ${account.system_user_id}, ${account.account}) and ${isDue()}
    order by k.date_expired limit ${PARTS}`.execute(db);
  const left = new Set(rows.map(({ part }) => part));
  let reason = 'file_failed';
  try {
    const { files, root } = await remote.openFiles(
      {
        assetId: account.asset_id,
        systemUserId: account.system_user_id,
        username: account.account,
      },
      AbortSignal.any([stopping, AbortSignal.timeout(ACCOUNT_SECONDS * 1000)]),
    );
    try {
      const boundary = await Boundary.open(files, root);
      for (const part of left) {
        // An upload may have opened the part since.
        if (!(await isStillDue(account, part, db))) {
          left.delete(part);
          continue;
        }
        const problem = await removePart(files, boundary, part).catch(
          (error: unknown) => problemOf(fileRefusal(error)).code,
        );
        if (problem) reason = problem;
        else {
          left.delete(part);
          await forget(account, part, db);
        }
      }
    } finally {
      files.close();
    }
  } catch (error) {
    reason = problemOf(error).code;
  }
  if (!stopping.aborted) for (const part of left) await failed(account, part, reason, options);
}

const rowOf = ({ asset_id, system_user_id, account }: Account, part: Buffer) =>
  sql`(k.asset_id, k.system_user_id, k.account, k.part)
    = (${asset_id}, ${system_user_id}, ${account}, ${part})`;

async function isStillDue(account: Account, part: Buffer, db: Db): Promise<boolean> {
  const { rows } = await sql<{ part: Buffer }>`
    select k.part from kept_upload k where ${rowOf(account, part)} and ${isDue()}`.execute(db);
  return rows.length === 1;
}

async function forget(account: Account, part: Buffer, db: Db): Promise<void> {
  await sql`delete from kept_upload k where ${rowOf(account, part)}`.execute(db);
}

async function failed(
  account: Account,
  part: Buffer,
  reason: string,
  { db, log }: RemovalOptions,
): Promise<void> {
  const { rows } = await sql<{ attempts: number }>`
    update kept_upload k set attempts = k.attempts + 1, date_tried = now()
    where ${rowOf(account, part)} returning k.attempts`.execute(db);
  const attempts = rows[0]?.attempts ?? 0;
  if (attempts !== 1 && attempts < MAX_ATTEMPTS) return;
  const isLast = attempts >= MAX_ATTEMPTS;
  log.warn(
    {
      asset: account.asset_id,
      account: account.account,
      file: shownName(decodeName(part, 'utf8')),
      reason,
    },
    isLast
      ? 'the part of an interrupted upload could not be removed and stays on the asset'
      : 'the part of an interrupted upload could not be removed yet',
  );
  if (isLast) await forget(account, part, db);
}
