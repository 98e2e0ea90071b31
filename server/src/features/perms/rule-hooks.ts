import {
  clusterPermission,
  databaseAppPermission,
  isUuid,
  remoteAppPermission,
} from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { isOrIsNot } from '../../resources/read/list-query.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';
import { lacksApprovers } from './approvers.ts';
import {
  ASSETS,
  CLUSTERS,
  DATABASE_APPS,
  type GrantKind,
  linksOf,
  REMOTE_APPS,
  ruleIn,
} from './grants/kind.ts';
import { isUnused } from './unused/store.ts';

const endsSoon = () =>
  sql`(t.is_active and t.date_expired between now() and now() + interval '7 days')`;

/** Application permissions that end within a week, and those that no user can approve. */
export const REMOTE_APP_PERMISSION_ATTENTION = {
  remote_app_permissions_ending: endsSoon,
  remote_app_permissions_without_reviewers: () =>
    lacksApprovers(REMOTE_APPS, sql`t.needs_approval`),
} satisfies AttentionConditions;
export const DATABASE_APP_PERMISSION_ATTENTION = {
  database_app_permissions_ending: endsSoon,
  database_app_permissions_without_reviewers: () =>
    lacksApprovers(DATABASE_APPS, sql`t.needs_approval`),
} satisfies AttentionConditions;

/** Asset permissions that end within a week, lack reviewers, or were not used recently. */
export const PERMISSION_ATTENTION = {
  permissions_ending: endsSoon,
  permissions_without_reviewers: () =>
    lacksApprovers(ASSETS, sql`(t.needs_approval or t.needs_watcher)`),
  unused_permissions: () => sql`t.id in (select p.id from asset_permission p where ${isUnused()})`,
} satisfies AttentionConditions;

/** True if a permission (alias `t`) is in force. */
export const VALID = sql`(t.is_active and t.date_start <= now() and t.date_expired > now())`;

/** The state of a permission (alias `t`), as `validityOf` of the contract returns it. */
export const VALIDITY = sql`case when t.date_expired <= now() then 'expired'
  when not t.is_active then 'disabled' when t.date_start > now() then 'not_started'
  else 'valid' end`;

/** Returns true if filters include inherited matches, which `all=0` turns off. */
export const inherits = (query: URLSearchParams) => !query.has('all') || query.get('all') === '1';
/** Builds a condition on an id. A malformed id matches no row. */
export const uuidOr = (value: string, condition: (id: string) => Sql): Sql =>
  isUuid(value) ? condition(value) : sql`false`;

/** Filter conditions that all kinds of permission share. */
export function ruleConditions(kind: GrantKind) {
  const rule = ruleIn(kind, 'link');
  return {
    ofUser: (users: Sql, query: URLSearchParams): Sql => sql`(
      exists (select 1 from ${linksOf(kind, 'users')} link
        where ${rule} = t.id and link.user_id in ${users})
      or ${inherits(query)} and exists (
        select 1 from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
        where ${rule} = t.id and member.user_id in ${users}))`,
    ofGroup: (groups: Sql): Sql =>
      sql`exists (select 1 from ${linksOf(kind, 'user_groups')} link
        where ${rule} = t.id and link.user_group_id in ${groups})`,
    ofSystemUser: (accounts: Sql): Sql =>
      sql`exists (select 1 from ${linksOf(kind, 'system_users')} link
        where ${rule} = t.id and link.system_user_id in ${accounts})`,
  };
}

/** True if an account (alias `o`) is a member of the permission's organization. */
const MEMBER = sql`(t.org_id = ''
  or exists (select 1 from organization_member member
  where member.user_id = o.id and member.organization_id::text = t.org_id))`;

/** The objects of a field (alias `o`). */
interface LinkedTable {
  readonly table: string;
  /** Prefix of the link column; by default the table. */
  readonly other?: string;
  readonly name?: Sql;
  readonly condition?: Sql;
}

/**
 * A JSON object with the alphabetically first object of each field of a permission. `own` are the
 * fields that only this kind has.
 */
export function firstNames(
  kind: GrantKind,
  own: Readonly<Record<string, { readonly table: string; readonly name: Sql }>>,
): Sql {
  const firstOf = (
    field: string,
    { table, other = table, name = sql`o.name`, condition = sql`true` }: LinkedTable,
  ): Sql => sql`${sql.lit(field)}, (
    select jsonb_build_object('id', o.id, 'name', ${name})
    from ${sql.table(`${kind.rule}_${field}`)} link
      join ${sql.table(table)} o on o.id = ${sql.ref(`link.${other}_id`)}
    where ${ruleIn(kind, 'link')} = t.id and ${condition} order by ${name} limit 1)`;
  return sql`jsonb_build_object(${sql.join([
    firstOf('users', { table: 'account', other: 'user', condition: MEMBER }),
    firstOf('user_groups', { table: 'user_group' }),
    ...Object.entries(own).map(([field, linked]) => firstOf(field, linked)),
    firstOf('system_users', { table: 'system_account', other: 'system_user' }),
  ])})`;
}

/** Checks that a permission ends after it begins. @throws Invalid */
export function assertDates(
  values: { readonly date_start?: Date; readonly date_expired?: Date },
  previous?: { date_start: Date; date_expired: Date },
): void {
  const start = values.date_start ?? previous?.date_start ?? databaseClock.date();
  const end = values.date_expired ?? previous?.date_expired;
  if ((values.date_start || values.date_expired) && end && end <= start)
    throw invalid('date_expired', 'date_order');
}

/** Columns and filters of application permissions. */
function partsOf(kind: GrantKind) {
  const { ofUser, ofGroup, ofSystemUser } = ruleConditions(kind);
  const app = kind.target;
  return {
    columns: {
      is_valid: () => VALID,
      validity: () => VALIDITY,
      is_expired: () => sql`not (t.date_start <= now() and t.date_expired > now())`,
      first_names: () => firstNames(kind, { [`${app}s`]: { table: app, name: sql`o.name` } }),
    },
    filters: {
      is_valid: (value: string) => isOrIsNot('is_valid', value, VALID),
      user_id: (value: string, _caller: unknown, query: URLSearchParams) =>
        uuidOr(value, (id) => ofUser(sql`(${id}::uuid)`, query)),
      username: (value: string, _caller: unknown, query: URLSearchParams) =>
        ofUser(sql`(account_named(${value}))`, query),
      user_group_id: (value: string) => uuidOr(value, (id) => ofGroup(sql`(${id}::uuid)`)),
      user_group: (value: string) =>
        ofGroup(
          sql`(select g.id from user_group g where g.name = ${value} and g.org_id = t.org_id)`,
        ),
      system_user_id: (value: string) => uuidOr(value, (id) => ofSystemUser(sql`(${id}::uuid)`)),
      system_user: (value: string) =>
        ofSystemUser(
          sql`(select s.id from system_account s where s.name = ${value} and s.org_id = t.org_id)`,
        ),
    },
    ofApp: (value: string) =>
      uuidOr(
        value,
        (id) =>
          sql`exists (select 1 from ${sql.table(`${kind.rule}_${app}s`)} link
            where ${ruleIn(kind, 'link')} = t.id and ${sql.ref(`link.${app}_id`)} = ${id})`,
      ),
  };
}

const remote = partsOf(REMOTE_APPS);
/** Hooks of remote-app permissions. Creating one requires a license, as for remote apps. */
export const createRemoteAppPermissionHooks = ({
  isLicensed,
}: {
  readonly isLicensed: () => boolean;
}) =>
  hooksFor(remoteAppPermission, {
    columns: remote.columns,
    filters: {
      ...remote.filters,
      attention: attentionFilter(REMOTE_APP_PERMISSION_ATTENTION),
      remote_app_id: remote.ofApp,
    },
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      assertDates(values, previous);
    },
  });

const database = partsOf(DATABASE_APPS);
export const databaseAppPermissionHooks = hooksFor(databaseAppPermission, {
  columns: database.columns,
  filters: {
    ...database.filters,
    attention: attentionFilter(DATABASE_APP_PERMISSION_ATTENTION),
    database_app_id: database.ofApp,
  },
  beforeSave: (values, previous) => assertDates(values, previous),
});

const clusters = partsOf(CLUSTERS);
export const clusterPermissionHooks = hooksFor(clusterPermission, {
  columns: clusters.columns,
  filters: { ...clusters.filters, cluster_id: clusters.ofApp },
  beforeSave: (values, previous) => assertDates(values, previous),
});
