import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { IS_VALID_USER } from '../../perms/index.ts';

/** A user who may decide for a reviewer now. */
export interface ActiveDeputy {
  readonly id: string;
  readonly reviewerId: string;
  /** The reviewer, as tickets and logs name users. */
  readonly reviewer: string;
}

/**
 * Returns the deputies of reviewers at this time: members of the organization who can sign in, not
 * the requester. Deputies have no deputies themselves.
 */
export async function deputiesOf(
  reviewers: readonly string[],
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string | null },
  on: Db | Tx,
): Promise<readonly ActiveDeputy[]> {
  if (reviewers.length === 0) return [];
  const { rows } = await sql<ActiveDeputy>`
    select u.id, d.user_id as "reviewerId", ${userName('reviewer')} as reviewer
    from review_deputy d join account u on u.id = d.deputy_id
      join account reviewer on reviewer.id = d.user_id
    where d.user_id = any (${reviewers}::uuid[]) and d.date_start <= now() and d.date_end > now()
      and ${IS_VALID_USER} and u.id is distinct from ${userId}::uuid
      and (${organizationId} = '' or exists (select 1 from organization_member m
        where m.user_id = u.id and m.organization_id::text = ${organizationId}))
    order by d.user_id`.execute(on);
  return rows;
}

/** A stored deputy with both names. */
export interface StoredDeputy {
  readonly user: string;
  readonly user_display: string;
  readonly deputy: string;
  readonly deputy_display: string;
  readonly date_start: Date;
  readonly date_end: Date;
  readonly is_active: boolean;
}

/**
 * Returns the present and coming deputyships in which a user takes part. `organizationId` limits
 * them to deputyships with members of that organization; empty for all.
 */
export async function deputyshipsOf(
  userId: string,
  organizationId: string,
  on: Db | Tx,
): Promise<readonly StoredDeputy[]> {
  const { rows } = await sql<StoredDeputy>`
    select d.user_id as "user", ${userName('u')} as user_display, d.deputy_id as deputy,
      ${userName('deputy')} as deputy_display, d.date_start, d.date_end,
      d.date_start <= now() as is_active
    from review_deputy d join account u on u.id = d.user_id
      join account deputy on deputy.id = d.deputy_id
    where ${userId}::uuid in (d.user_id, d.deputy_id) and d.date_end > now()
      and (${organizationId} = '' or 2 = (select count(*) from organization_member m
        where m.user_id in (d.user_id, d.deputy_id)
          and m.organization_id::text = ${organizationId}))
    order by d.date_start, d.user_id`.execute(on);
  return rows;
}

/**
 * Returns the id of a possible deputy: another user who can sign in, of an organization of the
 * user. Users without organizations can name every user.
 */
export async function possibleDeputy(
  userId: string,
  username: string,
  on: Db | Tx,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select u.id from account u where u.id = account_named(${username})
      and u.id <> ${userId}::uuid and ${IS_VALID_USER}
      and (not exists (select 1 from organization_member m where m.user_id = ${userId}::uuid)
        or exists (select 1 from organization_member own join organization_member other
            on other.organization_id = own.organization_id
          where own.user_id = ${userId}::uuid and other.user_id = u.id))`.execute(on);
  return rows[0]?.id;
}

interface NewDeputy {
  readonly userId: string;
  readonly deputyId: string;
  readonly start: Date;
  readonly end: Date;
}

/** Stores the deputy of a user in place of the one before. */
export async function keepDeputy(
  { userId, deputyId, start, end }: NewDeputy,
  tx: Tx,
): Promise<void> {
  await sql`insert into review_deputy (user_id, deputy_id, date_start, date_end)
    values (${userId}, ${deputyId}, ${start}, ${end})
    on conflict (user_id) do update set deputy_id = excluded.deputy_id,
      date_start = excluded.date_start, date_end = excluded.date_end`.execute(tx);
}

/** Ends the deputyship for a user. */
export async function removeDeputy(userId: string, tx: Tx): Promise<void> {
  await sql`delete from review_deputy where user_id = ${userId}`.execute(tx);
}
