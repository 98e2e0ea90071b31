import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export interface Control {
  readonly user_name: string;
  readonly date_started: Date;
  readonly allows_break_glass: boolean;
}

/** Most administrators who hear of a change set. */
const MOST_ADMINISTRATORS = 100;

/** Returns the control of an organization; undefined if it is off. */
export async function controlOf(organization: string, on: Db | Tx): Promise<Control | undefined> {
  const { rows } = await sql<Control>`
    select user_name, date_started, allows_break_glass from change_control
    where org_id = ${organization}`.execute(on);
  return rows[0];
}

/** Serializes decisions and proposals of an organization. Returns false if its control is off. */
export async function lockControl(organization: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select 1 from change_control where org_id = ${organization} for update`.execute(tx);
  return rows.length > 0;
}

export async function startControl(
  organization: string,
  {
    user,
    allowsBreakGlass,
  }: {
    readonly user: { readonly id: string; readonly name: string };
    readonly allowsBreakGlass: boolean;
  },
  tx: Tx,
): Promise<boolean> {
  const { rowCount } = await sql`
    insert into change_control (org_id, user_id, user_name, allows_break_glass)
    values (${organization}, ${user.id}, ${user.name}, ${allowsBreakGlass})
    on conflict do nothing`.execute(tx);
  return (rowCount ?? 0) > 0;
}

export async function endControl(organization: string, tx: Tx): Promise<void> {
  await sql`delete from change_control where org_id = ${organization}`.execute(tx);
}

/** Returns the valid administrators of an organization other than a user. */
export async function otherAdministrators(
  organization: string,
  userId: string,
  tx: Tx,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from account a where a.id <> ${userId} and a.is_active
      and coalesce(a.date_expired > now(), true)
      and (a.role = 'Admin' or exists (select 1 from organization_member m
        where m.organization_id::text = ${organization} and m.user_id = a.id
        and m.role = 'Admin'))
    order by a.id limit ${MOST_ADMINISTRATORS}`.execute(tx);
  return rows.map(({ id }) => id);
}
