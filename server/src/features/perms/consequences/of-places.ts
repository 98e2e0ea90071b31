import {
  asset,
  assetPermission,
  type Consequence,
  gateway,
  node,
  session,
  systemUser,
  user,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Ask } from './ask.ts';
import { appPermissions, peopleUsingOnApps } from './of-apps.ts';
import { inForce, peopleNamedBy, permissionsNaming, permissionsReaching } from './permissions.ts';
import { openSessionsOf, openSessionsOnAssets, sessionsLosingGrant } from './sessions.ts';

/** What follows for assets that are deleted, disabled or enabled. */
export async function ofAssets(ask: Ask): Promise<Consequence[]> {
  const { action, ids } = ask;
  if (action === 'move' || action === 'add') return ofPlacedAssets(ask);
  const people = peopleNamedBy(permissionsReaching(ids));
  if (action === 'enable') return [await ask.named('people_gaining', user, people)];
  return [
    await ask.named('sessions_cut', session, openSessionsOnAssets(ids)),
    ...(action === 'delete'
      ? [await ask.named('permissions_naming', assetPermission, permissionsNaming('asset', ids))]
      : []),
    await ask.named('people_losing', user, people),
  ];
}

/** What follows for assets that are added to a node, or moved there from all their other nodes. */
async function ofPlacedAssets(ask: Ask): Promise<Consequence[]> {
  const { ids, db, target } = ask;
  const { rows } = await sql<{
    ancestors: string[];
    lost: string[] | null;
    gained: string[] | null;
  }>`
    with held as materialized (
      select above.node_id as id, count(*) as assets from asset_ancestor above
      where above.asset_id = any (${ids}::uuid[]) group by 1
    )
    select n.ancestors,
      (select array_agg(held.id) from held where held.id <> all (n.ancestors)) as lost,
      (select array_agg(above.id) from unnest(n.ancestors) above (id) left join held using (id)
        where coalesce(held.assets, 0) < ${ids.length}) as gained
    from node n where n.id = ${target}::uuid`.execute(db);
  const { ancestors = [], lost, gained } = rows[0] ?? {};
  const gains = await ask.named(
    'permissions_gained',
    assetPermission,
    inForce(permissionsNaming('node', gained ?? [])),
  );
  if (ask.action === 'add') return [gains];
  return [
    await ask.named(
      'sessions_cut',
      session,
      sessionsLosingGrant(ask.caller.actor.organization.id, {
        place: sql`not (above.asset_id = any (${ids}::uuid[])
          and above.node_id <> all (${ancestors}::uuid[]))`,
        alsoReached: sql`(s.asset_uuid = any (${ids}::uuid[])
          and exists (select 1 from asset_permission_nodes link
          where link.asset_permission_id = p.id and link.node_id = any (${ancestors}::uuid[])))`,
      }),
    ),
    await ask.named(
      'permissions_lost',
      assetPermission,
      inForce(permissionsNaming('node', lost ?? [])),
    ),
    gains,
  ];
}

/** What follows for nodes that are deleted or moved. */
export async function ofNodes(ask: Ask): Promise<Consequence[]> {
  const { ids, db, target } = ask;
  if (ask.action === 'delete') {
    return [
      await ask.named(
        'nodes_blocking',
        node,
        sql`select child.id from node child where child.parent_id = any (${ids}::uuid[])`,
      ),
      await ask.named(
        'assets_blocking',
        asset,
        sql`select held.asset_id as id from node_assets held
          where held.node_id = any (${ids}::uuid[])`,
      ),
      await ask.named('permissions_naming', assetPermission, permissionsNaming('node', ids)),
    ];
  }
  const { rows } = await sql<{ lost: string[] | null; gained: string[] | null }>`
    with old as (select distinct unnest(n.ancestors) as id from node n
      where n.id = any (${ids}::uuid[])),
      fresh as (select unnest(n.ancestors) as id from node n where n.id = ${target}::uuid)
    select (select array_agg(id) from old where id <> all (${ids}::uuid[])
      and id not in (select id from fresh)) as lost,
      (select array_agg(id) from fresh where id not in (select id from old)) as gained`.execute(db);
  const { lost, gained } = { lost: rows[0]?.lost ?? [], gained: rows[0]?.gained ?? [] };
  const isBelow = (assetId: ReturnType<typeof sql>) =>
    sql`exists (select 1 from asset_ancestor below
      where below.asset_id = ${assetId} and below.node_id = any (${ids}::uuid[]))`;
  // An asset may be below a node of the old path by another place, too: then it stays there.
  const moving = sql`(select sum(below.times) from asset_ancestor below
    where below.asset_id = above.asset_id and below.node_id = any (${ids}::uuid[]))`;
  return [
    await ask.named(
      'sessions_cut',
      session,
      sessionsLosingGrant(ask.caller.actor.organization.id, {
        place: sql`not (above.node_id = any (${lost}::uuid[])
          and above.times <= coalesce(${moving}, 0))`,
        alsoReached: sql`(exists (select 1 from asset_permission_nodes link
          where link.asset_permission_id = p.id and link.node_id = any (${gained}::uuid[]))
          and ${isBelow(sql`s.asset_uuid`)})`,
      }),
    ),
    await ask.counted(
      'assets_moved',
      sql`(select distinct below.asset_id from asset_ancestor below
        where below.node_id = any (${ids}::uuid[])) moved`,
    ),
    await ask.named('permissions_lost', assetPermission, inForce(permissionsNaming('node', lost))),
    await ask.named(
      'permissions_gained',
      assetPermission,
      inForce(permissionsNaming('node', gained)),
    ),
  ];
}

/** What follows for system users that are deleted. */
export async function ofSystemUsers(ask: Ask): Promise<Consequence[]> {
  const naming = permissionsNaming('system_user', ask.ids);
  return [
    await ask.named('sessions_cut', session, openSessionsOf('system_user_id', ask.ids)),
    await ask.named('permissions_naming', assetPermission, naming),
    await appPermissions(ask, 'app_permissions_naming', 'system_user'),
    await ask.named(
      'people_concerned',
      user,
      sql`${peopleNamedBy(inForce(naming))} union all ${peopleUsingOnApps(ask.ids)}`,
    ),
  ];
}

const assetsWith = (column: string, ids: readonly string[]) =>
  sql`select a.id from asset a where ${sql.ref(`a.${column}`)} = any (${ids}::uuid[])`;

/** What follows for domains that are deleted: their assets are connected to directly. */
export async function ofDomains(ask: Ask): Promise<Consequence[]> {
  return [
    await ask.named('assets_direct', asset, assetsWith('domain_id', ask.ids)),
    await ask.named(
      'gateways_deleted',
      gateway,
      sql`select g.id from gateway g where g.domain_id = any (${ask.ids}::uuid[])`,
    ),
  ];
}

/**
 * What follows for gateways that are deleted or disabled: without the last active one nothing in
 * the domain can be reached while others, disabled, are left.
 */
export async function ofGateways(ask: Ask): Promise<Consequence[]> {
  if (ask.action === 'enable') return [];
  const others = (isActive: ReturnType<typeof sql>) =>
    sql`exists (select 1 from gateway o where o.domain_id = g.domain_id
      and o.id <> all (${ask.ids}::uuid[]) and ${isActive})`;
  const assets = (domains: ReturnType<typeof sql>) =>
    sql`select a.id from asset a
      where a.domain_id in (select g.domain_id from gateway g
      where g.id = any (${ask.ids}::uuid[]) and not ${others(sql`o.is_active`)} and ${domains})`;
  const leavesSome = ask.action === 'disable' ? sql`true` : others(sql`true`);
  return [
    await ask.named('assets_unreachable', asset, assets(leavesSome)),
    ...(ask.action === 'delete'
      ? [await ask.named('assets_direct', asset, assets(sql`not ${leavesSome}`))]
      : []),
  ];
}

/** What follows for labels that are deleted. */
export async function ofLabels(ask: Ask): Promise<Consequence[]> {
  return [
    await ask.named(
      'assets_labelled',
      asset,
      sql`select link.asset_id as id from label_assets link
        where link.label_id = any (${ask.ids}::uuid[])`,
    ),
  ];
}

/** What keeps admin users from being deleted. */
export async function ofAdminUsers(ask: Ask): Promise<Consequence[]> {
  return [await ask.named('assets_blocking', asset, assetsWith('admin_user_id', ask.ids))];
}

/** What keeps platforms from being deleted. */
export async function ofPlatforms(ask: Ask): Promise<Consequence[]> {
  const used = sql`select a.id from asset a
    where a.platform in (select p.name from platform p where p.id = any (${ask.ids}::uuid[]))`;
  // Platforms belong to the installation: assets of other organizations count, without their names.
  return [await ask.counted('assets_blocking', sql`(${used}) used`)];
}

/** What follows for command filters that are deleted or disabled. */
export async function ofCommandFilters(ask: Ask): Promise<Consequence[]> {
  if (ask.action === 'enable') return [];
  const bound = sql`select link.system_user_id as id from command_filter_system_users link
    where link.command_filter_id = any (${ask.ids}::uuid[])`;
  return [
    ...(ask.action === 'delete'
      ? [
          await ask.counted(
            'rules_deleted',
            sql`command_filter_rule r where r.filter_id = any (${ask.ids}::uuid[])`,
          ),
        ]
      : []),
    await ask.named('accounts_unfiltered', systemUser, bound),
    await ask.named(
      'sessions_unfiltered',
      session,
      sql`select s.id from session s where not s.is_finished
        and s.system_user_id in (select b.id::text from (${bound}) b)`,
    ),
  ];
}
