import { assetPermission, isUuid } from '@sallyport/contract';
import { sql } from 'kysely';
import { invalid } from '../../platform/errors.ts';
import { hooksFor, type Sql } from '../../resources/hooks.ts';
import { isOrIsNot } from '../../resources/list-query.ts';

const VALID = sql`(t.is_active and t.date_start <= now() and t.date_expired > now())`;

/** `all` is on unless it is switched off: filters then also find what is inherited. */
const inherits = (query: URLSearchParams) => !query.has('all') || query.get('all') === '1';
const uuidOr = (value: string, found: (id: string) => Sql): Sql => (isUuid(value) ? found(value) : sql`false`);

const ofUser = (users: Sql, query: URLSearchParams): Sql => sql`(
  exists (select 1 from asset_permission_users link where link.asset_permission_id = t.id and link.user_id in ${users})
  or ${inherits(query)} and exists (
    select 1 from asset_permission_user_groups link join user_group_users member on member.user_group_id = link.user_group_id
    where link.asset_permission_id = t.id and member.user_id in ${users}))`;

const ofAsset = (assets: Sql, query: URLSearchParams): Sql => sql`(
  exists (select 1 from asset_permission_assets link where link.asset_permission_id = t.id and link.asset_id in ${assets})
  or ${inherits(query)} and exists (
    select 1 from asset_permission_nodes link join asset_ancestor above on above.node_id = link.node_id
    where link.asset_permission_id = t.id and above.asset_id in ${assets}))`;

const ofNode = (nodes: Sql, query: URLSearchParams): Sql => sql`exists (
  select 1 from asset_permission_nodes link join node n on n.id in ${nodes}
  where link.asset_permission_id = t.id and (link.node_id = n.id or ${inherits(query)} and link.node_id = any (n.ancestors)))`;

const ofGroup = (groups: Sql): Sql =>
  sql`exists (select 1 from asset_permission_user_groups link where link.asset_permission_id = t.id and link.user_group_id in ${groups})`;
const ofSystemUser = (accounts: Sql): Sql =>
  sql`exists (select 1 from asset_permission_system_users link where link.asset_permission_id = t.id and link.system_user_id in ${accounts})`;

/** The first of the objects that a permission names with a field, by name. */
const firstOf = (field: string, other: string, table: string, name: Sql, condition: Sql = sql`true`): Sql => sql`(
  select jsonb_build_object('id', o.id, 'name', ${name}) from ${sql.table(`asset_permission_${field}`)} link join ${sql.table(table)} o on o.id = ${sql.ref(`link.${other}_id`)}
  where link.asset_permission_id = t.id and ${condition} order by ${name} limit 1)`;

/** The accounts (alias `o`) that the organization of a permission may know. */
const MEMBER = sql`(t.org_id = '' or exists (select 1 from organization_member member where member.user_id = o.id and member.organization_id::text = t.org_id))`;

const FIRST_NAMES = sql`jsonb_build_object(
  'users', ${firstOf('users', 'user', 'account', sql`o.name`, MEMBER)},
  'user_groups', ${firstOf('user_groups', 'user_group', 'user_group', sql`o.name`)},
  'assets', ${firstOf('assets', 'asset', 'asset', sql`o.hostname`)},
  'nodes', ${firstOf('nodes', 'node', 'node', sql`o.value`)},
  'system_users', ${firstOf('system_users', 'system_user', 'system_account', sql`o.name`)})`;

/** The hooks of asset permissions. */
export const assetPermissionHooks = hooksFor(assetPermission, {
  columns: {
    is_valid: () => VALID,
    first_names: () => FIRST_NAMES,
    is_expired: () => sql`not (t.date_start <= now() and t.date_expired > now())`,
  },
  filters: {
    is_valid: (value) => isOrIsNot('is_valid', value, VALID),
    user_id: (value, _caller, query) => uuidOr(value, (id) => ofUser(sql`(${id}::uuid)`, query)),
    username: (value, _caller, query) => ofUser(sql`(select u.id from account u where u.username = ${value})`, query),
    user_group_id: (value) => uuidOr(value, (id) => ofGroup(sql`(${id}::uuid)`)),
    user_group: (value, { actor }) => ofGroup(sql`(select g.id from user_group g where g.name = ${value} and g.org_id = ${actor.organization.id})`),
    asset_id: (value, _caller, query) => uuidOr(value, (id) => ofAsset(sql`(${id}::uuid)`, query)),
    hostname: (value, { actor }, query) => ofAsset(sql`(select a.id from asset a where a.hostname = ${value} and a.org_id = ${actor.organization.id})`, query),
    ip: (value, { actor }, query) => ofAsset(sql`(select a.id from asset a where a.ip = ${value} and a.org_id = ${actor.organization.id})`, query),
    node_id: (value, _caller, query) => uuidOr(value, (id) => ofNode(sql`(${id}::uuid)`, query)),
    node: (value, { actor }, query) => ofNode(sql`(select n.id from node n where n.value = ${value} and n.org_id = ${actor.organization.id})`, query),
    system_user_id: (value) => uuidOr(value, (id) => ofSystemUser(sql`(${id}::uuid)`)),
    system_user: (value, { actor }) => ofSystemUser(sql`(select s.id from system_account s where s.name = ${value} and s.org_id = ${actor.organization.id})`),
  },
  beforeSave(values, previous) {
    const start = values.date_start ?? previous?.date_start ?? new Date();
    const end = values.date_expired ?? previous?.date_expired;
    if ((values.date_start || values.date_expired) && end && end <= start) throw invalid('date_expired', 'date_order');
  },
});
