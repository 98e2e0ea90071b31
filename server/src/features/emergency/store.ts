import { actionMask, DEFAULT_ORGANIZATION_NAME, type EmergencyAccount } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { likePattern } from '../../resources/read/search.ts';
import { type GrantService, IS_VALID_USER, mayWatch } from '../perms/index.ts';

/** An asset to which a user can open emergency access by one rule. */
export interface ReachedAsset {
  readonly rule: string;
  readonly rule_name: string;
  readonly asset: string;
  readonly hostname: string;
  readonly ip: string;
  /** System users that can be used there, the highest priority first. */
  readonly accounts: readonly Omit<EmergencyAccount, 'is_new'>[];
  readonly mask: number;
  readonly max_minutes: number;
  readonly org_id: string;
  readonly org_name: string;
  /** End of the user's open access to the asset, and its ticket. */
  readonly active_until: Date | null;
  readonly ticket: string | null;
}

/** Filter and page of a list. */
export interface ReachPage {
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
}

/** SQL for the name of an organization. */
export const organizationName = (id: Sql): Sql =>
  sql`case when ${id} = '' then ${DEFAULT_ORGANIZATION_NAME} else
    coalesce((select o.name from organization o where o.id::text = ${id}), '') end`;

/** Condition: the permission of the activation `act` is in force. */
const IS_OPEN: Sql = sql`exists (select 1 from asset_permission p where p.id = act.permission_id
  and p.is_active and p.date_expired > now())`;

/** Filters accounts to those that can sign in, and watch and replay sessions of an organization. */
export async function ableToReview(
  ids: readonly string[],
  organizationId: string,
  on: Db | Tx,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select u.id from account u where u.id = any (${ids}::uuid[])
      and ${IS_VALID_USER} and ${mayWatch(sql`${organizationId}`)}`.execute(on);
  return new Set(rows.map(({ id }) => id));
}

/**
 * The active rules (table `rule`) that name a user or a group of the user, in organizations of the
 * user.
 */
const rulesFor = (userId: string, ruleId: string | undefined): Sql => sql`
  rule as materialized (
    select e.* from emergency_access e
    where e.is_active ${ruleId === undefined ? sql`` : sql`and e.id = ${ruleId}`}
      and exists (select 1 from account u where u.id = ${userId} and ${IS_VALID_USER})
      and (e.org_id = '' or exists (select 1 from organization_member m
        where m.user_id = ${userId} and m.organization_id::text = e.org_id))
      and (exists (select 1 from emergency_access_users link where link.emergency_access_id = e.id
        and link.user_id = ${userId})
        or exists (
          select 1 from emergency_access_user_groups link
            join user_group_users member on member.user_group_id = link.user_group_id
          where link.emergency_access_id = e.id and member.user_id = ${userId})))`;

/** The assets of the rules, with at least one usable system user of the rule. */
const reached = (assetId: string | undefined): Sql => sql`
  place as materialized (
    select link.emergency_access_id as rule_id, link.asset_id from emergency_access_assets link
      join rule on rule.id = link.emergency_access_id
    union
    select link.emergency_access_id, above.asset_id from emergency_access_nodes link
      join rule on rule.id = link.emergency_access_id
      join asset_ancestor above on above.node_id = link.node_id
  ), found as (
    select rule.id as rule, rule.name as rule_name, a.id as asset, a.hostname, a.ip,
      usable.accounts, rule.actions as mask, rule.max_minutes, rule.org_id
    from rule join place on place.rule_id = rule.id
      join asset a on a.id = place.asset_id and a.is_active
        and a.org_id = rule.org_id ${assetId === undefined ? sql`` : sql`and a.id = ${assetId}`}
      cross join lateral (
        select json_agg(
            json_build_object('id', s.id, 'name', s.name) order by s.priority desc, s.name
          ) as accounts
        from emergency_access_system_users link join system_account s on s.id = link.system_user_id
        where link.emergency_access_id = rule.id
          and exists (select 1 from unnest(a.protocols) offered
          where split_part(offered, '/', 1) = s.protocol)
      ) usable
    where usable.accounts is not null)`;

const COLUMNS = (
  userId: string,
): Sql => sql`found.*, ${organizationName(sql.ref('found.org_id'))} as org_name,
  act.date_expired as active_until, act.ticket_id as ticket
  from found left join lateral (
    select act.ticket_id, p.date_expired from emergency_activation act
      join asset_permission p on p.id = act.permission_id and p.is_active and p.date_expired > now()
    where act.user_id = ${userId} and act.emergency_access_id = found.rule
      and act.asset_id = found.asset
    order by p.date_expired desc limit 1) act on true`;

/** A page of the assets to which a user can open access, by host name, and their total. */
export async function reachOf(
  userId: string,
  { search, limit, offset }: ReachPage,
  db: Db,
): Promise<{ readonly count: number; readonly rows: ReachedAsset[] }> {
  const matches =
    search === ''
      ? sql`true`
      : sql`lower(found.hostname || ' ' || found.ip || ' ' || found.rule_name)
        like ${likePattern(search.toLowerCase())}`;
  const { rows } =
    await sql<ReachedAsset>`with ${rulesFor(userId, undefined)}, ${reached(undefined)}
    select ${COLUMNS(userId)} where ${matches} order by found.hostname, found.rule_name, found.rule,
      found.asset limit ${limit} offset ${offset}`.execute(db);
  const counted = await sql<{
    count: number;
  }>`with ${rulesFor(userId, undefined)}, ${reached(undefined)}
    select count(*)::int as count from found where ${matches}`.execute(db);
  return { count: counted.rows[0]?.count ?? 0, rows };
}

/**
 * Returns an asset of a rule if the user may open access to it. Locks the rule until the
 * transaction ends, so that parallel requests cannot open it twice.
 */
export async function lockReached(
  userId: string,
  ruleId: string,
  assetId: string,
  tx: Tx,
): Promise<ReachedAsset | undefined> {
  await sql`select 1 from emergency_access where id = ${ruleId} for update`.execute(tx);
  const { rows } = await sql<ReachedAsset>`with ${rulesFor(userId, ruleId)},
      ${reached(assetId)} select ${COLUMNS(userId)}`.execute(tx);
  return rows[0];
}

/** End of the access of a user by other permissions, by asset and system user. */
export interface StandingAccess {
  endOf(assetId: string, systemUserId: string): Date | undefined;
}

/**
 * Finds the accounts that a user may connect with now without any emergency access. Permissions
 * with a condition do not count, because they may refuse at any time.
 */
export async function standingAccess(
  userId: string,
  assetIds: readonly string[],
  { db, grants }: { readonly db: Db; readonly grants: Pick<GrantService, 'accountsOn'> },
): Promise<StandingAccess> {
  const granted = await grants.accountsOn({ userId, organizationId: undefined }, assetIds);
  const rules = [...new Set(granted.flatMap((account) => account.rules))];
  const { rows } = await sql<{ id: string; end: Date }>`
    select p.id, p.date_expired as "end" from asset_permission p
    where p.id = any (${rules}::uuid[]) and p.condition_id is null
      and p.actions & ${actionMask(['connect'])}::integer <> 0
      and not exists (select from emergency_activation act where act.permission_id = p.id)`.execute(
    db,
  );
  const ends = new Map(rows.map(({ id, end }) => [id, end]));
  return {
    endOf(assetId, systemUserId) {
      const account = granted.find(({ target, id }) => target === assetId && id === systemUserId);
      const own = (account?.rules ?? []).flatMap((rule) => ends.get(rule) ?? []);
      return own.toSorted((one, other) => other.getTime() - one.getTime())[0];
    },
  };
}

/** Users who can currently review the access of a user by a rule. Excludes that user. */
export async function reviewersFor(
  { rule, org_id }: Pick<ReachedAsset, 'rule' | 'org_id'>,
  userId: string,
  tx: Tx,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from emergency_access_reviewers link join account u on u.id = link.user_id
    where link.emergency_access_id = ${rule} and u.id <> ${userId} and ${IS_VALID_USER} and
      ${mayWatch(sql`${org_id}`)} order by u.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Counts the open activations of a user. */
export async function openOf(userId: string, tx: Tx): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from emergency_activation act
    where act.user_id = ${userId} and ${IS_OPEN}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A new activation. */
export interface NewActivation {
  readonly ticketId: string;
  readonly userId: string;
  readonly reached: ReachedAsset;
  readonly permissionId: string;
  readonly minutes: number;
  readonly start: Date;
  readonly end: Date;
}

export async function keepActivation(
  { ticketId, userId, reached: found, permissionId, minutes, start, end }: NewActivation,
  tx: Tx,
): Promise<void> {
  await sql`
    insert into emergency_activation (ticket_id, org_id, emergency_access_id, rule_name, user_id,
      asset_id, asset_display, permission_id, minutes, date_start, date_expired)
    values (${ticketId}, ${found.org_id}, ${found.rule}, ${found.rule_name}, ${userId},
      ${found.asset}, ${`${found.hostname}(${found.ip})`}, ${permissionId},
      ${minutes}, ${start}, ${end})`.execute(tx);
}
