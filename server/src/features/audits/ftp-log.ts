import { ERRORS, type ErrorCode, ftpLog, say } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql, writePrepared } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { named } from '../../resources/relations/named-objects.ts';

/** One file operation. */
export interface FtpEntry {
  readonly organizationId: string;
  readonly user: string;
  readonly userId: string;
  readonly remoteAddress: string;
  readonly asset: string;
  readonly assetId: string;
  readonly systemUser: string;
  readonly systemUserId: string;
  readonly account: string;
  readonly session: string;
  /** A choice of the field `operate`. */
  readonly operate: string;
  readonly filename: string;
  readonly size: number | null;
  readonly sha256: string | null;
  /** Error code. Empty if the operation was completed. */
  readonly reason: ErrorCode | '';
  /** Date of the operation if the entry is written later. */
  readonly date?: Date;
}

/** Adds entries in order, in one statement. */
export async function writeFtpLog(db: Db | Tx, entries: readonly FtpEntry[]): Promise<void> {
  const rows = JSON.stringify(
    entries.map((entry, number) => ({ ...entry, number, date: entry.date ?? null })),
  );
  await writePrepared(
    sql`
    insert into ftp_log (org_id, "user", user_id, remote_addr, asset, asset_id, "system_user",
      system_user_id, account, session, operate, filename, size, sha256, is_success, reason,
      date_start)
    select e."organizationId", e."user", e."userId", e."remoteAddress", e.asset, e."assetId",
      e."systemUser", e."systemUserId", e.account, e.session, e.operate, e.filename, e.size,
      e.sha256, e.reason = '', e.reason, coalesce(e.date, now())
    from jsonb_to_recordset(${rows}::jsonb) as e (number integer, "organizationId" text,
      "user" text, "userId" uuid, "remoteAddress" text, asset text, "assetId" uuid,
      "systemUser" text, "systemUserId" uuid, account text, session uuid, operate text,
      filename text, size bigint, sha256 text, reason text, date timestamptz)
    order by e.number`,
    db,
  );
}

/** The right for each operation, for the text of an error. */
const ACTIONS: Readonly<Record<string, { en: string; zh: string }>> = {
  Download: { en: 'Download file', zh: '下载文件' },
};
const UPLOAD = { en: 'Upload file', zh: '上传文件' };

/** Selects a value of the session. Null without a session. */
const ofSession = (value: Sql): Sql => sql`(select ${value} from session s where s.id = t.session)`;

/** The hooks of the file-transfer log. An organization sees the operations on its assets. */
export const ftpLogHooks = hooksFor(ftpLog, {
  columns: {
    offset_seconds: () =>
      ofSession(
        sql`greatest(extract(epoch from t.date_start - s.date_start), 0)::double precision`,
      ),
    can_replay: () => sql`coalesce(${ofSession(sql`s.is_finished and s.has_replay`)}, false)`,
    links: () =>
      sql`jsonb_build_object('user', ${named('user', sql`t.user_id`)}, 'asset',
        jsonb_build_object('resource', coalesce(${ofSession(sql`s.target_kind`)}, 'asset'), 'id',
        t.asset_id), 'system_user', ${named('system_user', sql`t.system_user_id`)})`,
  },
  ids: ['session'],
  present(rows, { caller: { language } }) {
    for (const row of rows) {
      const code = String(row.reason ?? '');
      const text = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
      row.reason_display = text
        ? say(text, language, { action: ACTIONS[String(row.operate)] ?? UPLOAD })
        : code;
    }
  },
});
