import {
  asset,
  node,
  type PermissionSummary,
  type Resource,
  type SomeNames,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';

/** Resources of the fields of a permission. */
const NAMED = {
  users: user,
  user_groups: userGroup,
  assets: asset,
  nodes: node,
  system_users: systemUser,
} as const satisfies Record<string, Resource>;

/** Ids of a permission's objects, by field. */
export type NamedIds = Readonly<Record<keyof typeof NAMED, readonly string[]>>;

/** Names per field: as many as fit into one sentence. */
const NAMES = 3;

/**
 * Counts and names the objects of an unsaved permission, and counts the users and assets in total.
 * Ignores objects that the caller may not see.
 */
export async function summaryOf(
  named: NamedIds,
  { engines, caller, db }: { engines: Engines; caller: Caller; db: Db },
): Promise<PermissionSummary> {
  const scope = (resource: Resource) => scopeOf(engineOf(engines, resource), caller);
  const known = (field: keyof NamedIds): Sql => {
    const resource = NAMED[field];
    return sql`${sql.table(resource.table)} t
      where t.id = any (${named[field]}::uuid[]) and ${scope(resource)}`;
  };
  const some = (field: keyof NamedIds): Sql => {
    // Node names go without their paths, which are too long for a sentence.
    const name = sql.ref(`t.${field === 'nodes' ? 'value' : NAMED[field].labelField}`);
    return sql`(
      select jsonb_build_object('count', count(*), 'names',
        coalesce(to_jsonb((array_agg(${name} order by ${name}))[1:${sql.lit(NAMES)}]), '[]'))
      from ${known(field)})`;
  };
  const reached = sql`
    select t.id from ${known('assets')}
    union select below.asset_id from asset_ancestor below
    where below.node_id in (select t.id from ${known('nodes')})`;
  const { rows } = await sql<
    Record<keyof NamedIds, SomeNames> & Pick<PermissionSummary, 'people' | 'reached' | 'unoffered'>
  >`
    select ${sql.join(
      Object.keys(NAMED).map(
        (field) => sql`${some(field as keyof NamedIds)} as
      ${sql.ref(field)}`,
      ),
    )},
      (select count(*)::int from account t where ${scope(user)}
        and (t.id = any (${named.users}::uuid[]) or t.id in (
        select link.user_id from user_group_users link
        where link.user_group_id in (select t.id from ${known('user_groups')})))) as people,
      (select count(*)::int from (${reached}) found) as reached,
      ${unofferedTo(reached, known('system_users'))} as unoffered`.execute(db);
  const [summary] = rows;
  if (!summary) throw new Error('a query for one row answered none');
  return summary;
}

/** Query for the protocols of `accounts` (alias `t`) that no asset of `reached` offers. */
const unofferedTo = (reached: Sql, accounts: Sql): Sql => sql`(
  with found as materialized (${reached})
  select coalesce(jsonb_agg(jsonb_build_object(
    'protocol', spoken.protocol,
    'accounts', jsonb_build_object('count', spoken.count, 'names', spoken.names)
    ) order by spoken.protocol), '[]')
  from (
    select t.protocol, count(*), to_jsonb((array_agg(t.name order by t.name))[1:${sql.lit(NAMES)}])
      as names from ${accounts} group by t.protocol) spoken
  where exists (select 1 from found) and not exists (
    select 1 from found join asset on asset.id = found.id, unnest(asset.protocols) offered
    where split_part(offered, '/', 1) = spoken.protocol))`;
