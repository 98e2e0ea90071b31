import { type Sql, sql } from '../../platform/db/sql.ts';
import { allOf } from '../../resources/read/scope.ts';
import { ADMIN_SCORE, STORED_SCORE } from '../assets/index.ts';

/** Selects accounts of assets. Conditions use the aliases `a` (asset) and `row` (account). */
export interface AccountSelection {
  readonly organizationId: string;
  readonly assets: readonly Sql[];
  readonly rows: readonly Sql[];
  /**
   * Id of an admin user or system user: only its accounts and stored secrets with the same
   * usernames.
   */
  readonly preferred?: string | undefined;
  /** Only the best account per username and asset. */
  readonly isLatest: boolean;
  /** Possible origins; absent for all. */
  readonly origins?: readonly Origin[] | undefined;
}

/** Origins of accounts. */
export const ORIGINS = ['db', 'admin_user', 'system_user', 'system_user_dynamic'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Permissions that reach an asset `a`. */
export const RULES = sql`(
  select link.asset_permission_id from asset_permission_assets link where link.asset_id = a.id
  union all
  select link.asset_permission_id from asset_ancestor above
    join asset_permission_nodes link on link.node_id = above.node_id where above.asset_id = a.id)`;

const SYSTEM_USER = sql`'system_user'::text, s.id, s.name, s.username, 0, s.priority,
  s.login_mode = 'auto' and coalesce(s.password, s.private_key) is not null,
  s.comment, s.created_by, s.date_created, s.date_updated, s.date_secret_changed`;
/** True if an asset `a` has the protocol of a system user `s`. */
const IS_OFFERED = sql`exists (select 1 from unnest(a.protocols) offered
  where split_part(offered, '/', 1) = s.protocol)`;

/** Accounts of an asset `a` by origin: stored secrets, its admin user, granted system users. */
const ACCOUNTS: Readonly<Record<Origin, Sql>> = {
  db: sql`
  select r.id::text || '_' || a.id as id, 'db'::text as backend, r.id as origin_id, r.origin,
    r.username, r.version, ${sql.lit(STORED_SCORE)} + r.version as score,
    true as has_secret, r.comment, r.created_by, r.date_created, r.date_updated,
    case when r.version > 1 then r.date_created end
  from asset_user r where r.asset_id = a.id`,
  admin_user: sql`
  select u.id::text || '_' || a.id, 'admin_user', u.id, u.name, u.username, 0,
    ${sql.lit(ADMIN_SCORE)}, coalesce(u.password, u.private_key) is not null,
    u.comment, u.created_by, u.date_created, u.date_updated, u.date_secret_changed
  from admin_user u where u.id = a.admin_user_id`,
  system_user: sql`
  select s.id::text || '_' || a.id, ${SYSTEM_USER} from system_account s
  where not s.username_same_with_user and ${IS_OFFERED} and s.id in (
    select used.system_user_id from asset_permission_system_users used
    where used.asset_permission_id in ${RULES})`,
  system_user_dynamic: sql`
  select distinct on (s.id, p.id) s.id::text || '_' || a.id || '_' || p.id, 'system_user_dynamic',
    s.id, s.name, p.username, 0, s.priority,
    s.login_mode = 'auto' and coalesce(s.password, s.private_key) is not null, s.comment,
      s.created_by, s.date_created, s.date_updated, s.date_secret_changed
  from asset_permission_system_users used join system_account s on s.id = used.system_user_id
    and s.username_same_with_user and ${IS_OFFERED}
    join lateral (
      select link.user_id from asset_permission_users link
      where link.asset_permission_id = used.asset_permission_id
      union
      select member.user_id from asset_permission_user_groups link
        join user_group_users member on member.user_group_id = link.user_group_id
      where link.asset_permission_id = used.asset_permission_id
    ) person on true join account p on p.id = person.user_id and p.is_active
  where used.asset_permission_id in ${RULES}`,
};

/** Accounts of an asset `a`, as table `found`. */
const accountsOf = (origins: readonly Origin[] = ORIGINS): Sql =>
  sql`(${sql.join(
    ORIGINS.filter((origin) => origins.length === 0 || origins.includes(origin)).map(
      (origin) => ACCOUNTS[origin],
    ),
    sql` union all `,
  )}) found (id, backend, origin_id, origin, username, version, score, has_secret, comment,
    created_by, date_created, date_updated, date_secret_changed)`;

/** Query for account counts per asset: in total, per distinct username, and of each origin. */
export const countsOf = (organizationId: string, assets: Sql): Sql => sql`
  select a.id, array[count(*), count(distinct found.username), ${sql.join(
    ORIGINS.map((origin) => sql`count(*) filter (where found.backend = ${origin})`),
  )}]::integer[] as amounts
  from asset a cross join lateral ${accountsOf()}
  where a.org_id = ${organizationId} and ${assets} group by a.id`;

/** Condition for the assets `a` of a selection. */
export const assetsOf = ({ organizationId, assets }: AccountSelection): Sql =>
  allOf([sql`a.org_id = ${organizationId}`, ...assets]);

/**
 * The `from … where …` clauses of the selected accounts. Assets are walked in list order, and
 * accounts are computed per asset.
 */
export function accountsFrom(selection: AccountSelection): Sql {
  const { rows, preferred, isLatest, origins } = selection;
  const accounts = accountsOf(origins);
  const kept = preferred
    ? sql`(select found.*, bool_or(found.origin_id = ${preferred}::uuid)
      over (partition by found.username) as is_preferred from ${accounts}) found
        where found.is_preferred and (found.origin_id = ${preferred}::uuid or found.backend = 'db')`
    : accounts;
  return sql`
    from asset a cross join lateral (
      select found.*, row_number() over (partition by found.username
        order by found.has_secret desc, found.score desc, found.id) as place from ${kept}
    ) row
    where ${allOf([assetsOf(selection), ...rows, isLatest ? sql`row.place = 1` : undefined])}`;
}

/** Sessions of an asset among which the last use of an account is searched. */
const RECENT_SESSIONS = 50;

/** Start of the last session of an account, among the recent ones of its asset. */
const LAST_USED = sql`(
  select max(used.date_start) from (
    select s.date_start, s.system_user_id, s.user_id from session s
    where s.org_id = a.org_id and s.asset_id = a.id::text
    order by s.date_start desc, s.id desc limit ${sql.lit(RECENT_SESSIONS)}) used
  where used.system_user_id in (select s.id::text from system_account s
    where s.org_id = a.org_id and s.username = row.username and not s.username_same_with_user)
    or (row.backend = 'system_user_dynamic' and used.system_user_id = row.origin_id::text
      and used.user_id = split_part(row.id, '_', 3)))`;

/** Result of the last finished change of the account's secret by a plan. */
const ROTATION = sql`(
  select json_build_array(t.is_success, extract(epoch from t.date_finished))
  from change_auth_subtask t
  where t.asset_id = a.id and t.username = row.username and t.is_success is not null
    and t.date_finished is not null
  order by t.date_finished desc, t.id desc limit 1)`;

const ACCOUNT_COLUMNS = sql`
  row.id, a.id as asset, a.hostname, a.ip, row.username, row.backend, row.origin, row.origin_id,
    row.place = 1 and row.has_secret as is_best, row.has_secret,
  row.version, row.comment, row.created_by, row.date_created, row.date_updated,
  row.date_secret_changed, a.org_id, ${LAST_USED} as date_last_used, ${ROTATION} as rotation,
  (select json_build_array(c.status, extract(epoch from c.date), c.reason, c.signed_in,
    c.runs_commands, c.serves_files)
    from account_connectivity c
    where c.asset_id = a.id and c.username = row.username) as connectivity`;

/** Query for the selected accounts as {@link StoredAccount}, without an order. */
export const selectAccounts = (selection: AccountSelection): Sql =>
  sql`select ${ACCOUNT_COLUMNS} ${accountsFrom(selection)}`;

/** Order of accounts within an asset. */
export const WITHIN_ASSET = sql`row.username, row.place, row.id`;
