import { SETTING_FIELDS } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { PRESET } from '../settings/index.ts';

/** The newest change of the preset in the operate log. */
export interface LastChange {
  readonly date: Date;
  readonly user: string;
  /** The preset before and after the change, and the settings that it changed. */
  readonly before: string;
  readonly after: string;
  readonly settings: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
}

/** Entries that the index finds by date; transactions may end in another order than they began. */
const RECENT = 20;

/** Returns the newest change if it put the active preset into force. */
export async function lastChange(on: Db | Tx, active: string): Promise<LastChange | undefined> {
  if (active === '') return undefined;
  const { rows } = await sql<{
    date: Date;
    user: string;
    changes: Record<string, readonly [unknown, unknown]> | null;
  }>`select date, "user", changes from (
      select datetime as date, "user", changes, sequence from operate_log
      where resource_type = 'setting' and resource_id = ${PRESET}
      order by datetime desc limit ${RECENT}) recent
    order by sequence desc limit 1`.execute(on);
  const [row] = rows;
  const { [PRESET]: preset, ...settings } = row?.changes ?? {};
  if (!row || !preset || preset[1] !== active) return undefined;
  const [before, after] = preset.map(String);
  return { date: row.date, user: row.user, before: before ?? '', after: after ?? '', settings };
}

/** Returns the earlier values of settings that still have the value of the change. */
export function valuesBefore(
  { settings }: LastChange,
  current: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, [before, after]]) =>
      SETTING_FIELDS.has(name) && current[name] === after ? [[name, before]] : [],
    ),
  );
}

/** Returns the newest row of the operate log. Undefined for an empty log. */
export async function operateLogHead(
  db: Db,
): Promise<{ readonly sequence: number; readonly digest: string } | undefined> {
  const { rows } = await sql<{ sequence: number; digest: string }>`
    select sequence, encode(digest, 'hex') as digest from audit_chain
    where log = 'operate_log'`.execute(db);
  return rows[0];
}
