import { assetPermission } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { isOrIsNot } from '../../resources/read/list-query.ts';
import { attentionFilter } from '../../resources/read/scope.ts';
import { ASSETS } from './grants/kind.ts';
import {
  assertDates,
  firstNames,
  inherits,
  PERMISSION_ATTENTION,
  ruleConditions,
  uuidOr,
  VALID,
  VALIDITY,
} from './rule-hooks.ts';

const { ofUser, ofGroup, ofSystemUser } = ruleConditions(ASSETS);

const ofAsset = (assets: Sql, query: URLSearchParams): Sql => sql`(
  exists (select 1 from asset_permission_assets link
    where link.asset_permission_id = t.id and link.asset_id in ${assets})
  or ${inherits(query)} and exists (
    select 1 from asset_permission_nodes link
      join asset_ancestor above on above.node_id = link.node_id
    where link.asset_permission_id = t.id and above.asset_id in ${assets}))`;

const ofNode = (nodes: Sql, query: URLSearchParams): Sql => sql`exists (
  select 1 from asset_permission_nodes link join node n on n.id in ${nodes}
  where link.asset_permission_id = t.id
    and (link.node_id = n.id or ${inherits(query)} and link.node_id = any (n.ancestors)))`;

const FIRST_NAMES = firstNames(ASSETS, {
  assets: { table: 'asset', name: sql`o.hostname` },
  nodes: { table: 'node', name: sql`o.value` },
});

export const assetPermissionHooks = hooksFor(assetPermission, {
  columns: {
    is_valid: () => VALID,
    validity: () => VALIDITY,
    first_names: () => FIRST_NAMES,
    is_expired: () => sql`not (t.date_start <= now() and t.date_expired > now())`,
  },
  filters: {
    attention: attentionFilter(PERMISSION_ATTENTION),
    is_valid: (value) => isOrIsNot('is_valid', value, VALID),
    user_id: (value, _caller, query) => uuidOr(value, (id) => ofUser(sql`(${id}::uuid)`, query)),
    username: (value, _caller, query) => ofUser(sql`(account_named(${value}))`, query),
    user_group_id: (value) => uuidOr(value, (id) => ofGroup(sql`(${id}::uuid)`)),
    user_group: (value, { actor }) =>
      ofGroup(
        sql`(select g.id from user_group g where g.name = ${value}
          and g.org_id = ${actor.organization.id})`,
      ),
    asset_id: (value, _caller, query) => uuidOr(value, (id) => ofAsset(sql`(${id}::uuid)`, query)),
    hostname: (value, { actor }, query) =>
      ofAsset(
        sql`(select a.id from asset a where a.hostname = ${value}
          and a.org_id = ${actor.organization.id})`,
        query,
      ),
    ip: (value, { actor }, query) =>
      ofAsset(
        sql`(select a.id from asset a where a.ip = ${value}
          and a.org_id = ${actor.organization.id})`,
        query,
      ),
    node_id: (value, _caller, query) => uuidOr(value, (id) => ofNode(sql`(${id}::uuid)`, query)),
    node: (value, { actor }, query) =>
      ofNode(
        sql`(select n.id from node n where n.value = ${value}
          and n.org_id = ${actor.organization.id})`,
        query,
      ),
    system_user_id: (value) => uuidOr(value, (id) => ofSystemUser(sql`(${id}::uuid)`)),
    system_user: (value, { actor }) =>
      ofSystemUser(
        sql`(select s.id from system_account s where s.name = ${value}
          and s.org_id = ${actor.organization.id})`,
      ),
  },
  beforeSave: (values, previous) => assertDates(values, previous),
});
