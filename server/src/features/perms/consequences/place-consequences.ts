import {
  asset,
  assetPermission,
  type Consequence,
  domain,
  gateway,
  node,
  session,
  systemUser,
  user,
} from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import {
  inForce,
  permissionsNaming,
  permissionsReaching,
  usersNamedBy,
} from './access-consequences.ts';
import { appPermissions, appUsersOf } from './app-consequences.ts';
import type { PlannedChange } from './change.ts';
import { openSessionsOf, openSessionsOnAssets, sessionsLosingGrant } from './sessions.ts';

/** Consequences of deleting, disabling, enabling, moving or adding assets. */
export async function assetConsequences(change: PlannedChange): Promise<Consequence[]> {
  const { action, ids } = change;
  if (action === 'move' || action === 'add') return placedAssetConsequences(change);
  const people = usersNamedBy(permissionsReaching(ids));
  if (action === 'enable') return [await change.objects('people_gaining', user, people)];
  return [
    await change.objects('sessions_cut', session, openSessionsOnAssets(ids)),
    ...(action === 'delete'
      ? [
          await change.objects(
            'permissions_naming',
            assetPermission,
            permissionsNaming('asset', ids),
          ),
        ]
      : []),
    await change.objects('people_losing', user, people),
  ];
}

/** Consequences of adding assets to a node, or of moving them there from all other nodes. */
async function placedAssetConsequences(change: PlannedChange): Promise<Consequence[]> {
  const { ids, db, target } = change;
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
  const gains = await change.objects(
    'permissions_gained',
    assetPermission,
    inForce(permissionsNaming('node', gained ?? [])),
  );
  if (change.action === 'add') return [gains];
  return [
    await change.objects(
      'sessions_cut',
      session,
      sessionsLosingGrant(change.caller.actor.organization.id, {
        place: sql`not (above.asset_id = any (${ids}::uuid[])
          and above.node_id <> all (${ancestors}::uuid[]))`,
        alsoReached: sql`(s.asset_uuid = any (${ids}::uuid[])
          and exists (select 1 from asset_permission_nodes link
          where link.asset_permission_id = p.id and link.node_id = any (${ancestors}::uuid[])))`,
      }),
    ),
    await change.objects(
      'permissions_lost',
      assetPermission,
      inForce(permissionsNaming('node', lost ?? [])),
    ),
    gains,
  ];
}

/** Consequences of deleting or moving nodes. */
export async function nodeConsequences(change: PlannedChange): Promise<Consequence[]> {
  const { ids, db, target } = change;
  if (change.action === 'delete') {
    return [
      await change.objects(
        'nodes_blocking',
        node,
        sql`select child.id from node child where child.parent_id = any (${ids}::uuid[])`,
      ),
      await change.objects(
        'assets_blocking',
        asset,
        sql`select held.asset_id as id from node_assets held
          where held.node_id = any (${ids}::uuid[])`,
      ),
      await change.objects('permissions_naming', assetPermission, permissionsNaming('node', ids)),
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
  // An asset can also be elsewhere below a node of the old path. Then it stays reachable there.
  const moving = sql`(select sum(below.times) from asset_ancestor below
    where below.asset_id = above.asset_id and below.node_id = any (${ids}::uuid[]))`;
  return [
    await change.objects(
      'sessions_cut',
      session,
      sessionsLosingGrant(change.caller.actor.organization.id, {
        place: sql`not (above.node_id = any (${lost}::uuid[])
          and above.times <= coalesce(${moving}, 0))`,
        alsoReached: sql`(exists (select 1 from asset_permission_nodes link
          where link.asset_permission_id = p.id and link.node_id = any (${gained}::uuid[]))
          and ${isBelow(sql`s.asset_uuid`)})`,
      }),
    ),
    await change.rows(
      'assets_moved',
      sql`(select distinct below.asset_id from asset_ancestor below
        where below.node_id = any (${ids}::uuid[])) moved`,
    ),
    await change.objects(
      'permissions_lost',
      assetPermission,
      inForce(permissionsNaming('node', lost)),
    ),
    await change.objects(
      'permissions_gained',
      assetPermission,
      inForce(permissionsNaming('node', gained)),
    ),
  ];
}

/** Consequences of deleting system users. */
export async function systemUserConsequences(change: PlannedChange): Promise<Consequence[]> {
  const naming = permissionsNaming('system_user', change.ids);
  return [
    await change.objects('sessions_cut', session, openSessionsOf('system_user_id', change.ids)),
    await change.objects('permissions_naming', assetPermission, naming),
    await appPermissions(change, 'app_permissions_naming', 'system_user'),
    await change.objects(
      'people_concerned',
      user,
      sql`${usersNamedBy(inForce(naming))} union all ${appUsersOf(change.ids)}`,
    ),
  ];
}

const assetsWith = (column: string, ids: readonly string[]) =>
  sql`select a.id from asset a where ${sql.ref(`a.${column}`)} = any (${ids}::uuid[])`;

/**
 * Consequences of deleting domains. Their assets, and the gateways of the domains behind them, are
 * then reached without a gateway.
 */
export async function domainConsequences(change: PlannedChange): Promise<Consequence[]> {
  return [
    await change.objects('assets_direct', asset, assetsWith('domain_id', change.ids)),
    await change.objects(
      'domains_direct',
      domain,
      sql`select d.id from domain d where d.through_id = any (${change.ids}::uuid[])
        and d.id <> all (${change.ids}::uuid[])`,
    ),
    await change.objects(
      'gateways_deleted',
      gateway,
      sql`select g.id from gateway g where g.domain_id = any (${change.ids}::uuid[])`,
    ),
  ];
}

/**
 * Consequences of deleting or disabling gateways. A domain whose remaining gateways are all
 * disabled makes its assets and those behind it unreachable; a domain without gateways is reached
 * directly.
 */
export async function gatewayConsequences(change: PlannedChange): Promise<Consequence[]> {
  if (change.action === 'enable') return [];
  const { action, ids } = change;
  const another = (condition: Sql) =>
    sql`exists (select 1 from gateway o where o.domain_id = g.domain_id
      and o.id <> all (${ids}::uuid[]) and ${condition})`;
  const domainsOf = (condition: Sql) =>
    sql`select g.domain_id from gateway g where g.id = any (${ids}::uuid[]) and ${condition}`;
  const isLeft = action === 'disable' ? sql`true` : another(sql`true`);
  const closed = domainsOf(sql`not ${another(sql`o.is_active`)} and ${isLeft}`);
  const open = domainsOf(sql`not ${isLeft}`);
  return [
    await change.objects(
      'assets_unreachable',
      asset,
      sql`select a.id from asset a where a.domain_id in (select behind.id from domain behind
        where exists (select 1 from domain_route(behind.id) step
          where step.domain_id in (${closed})))`,
    ),
    ...(action === 'delete'
      ? [
          await change.objects(
            'assets_direct',
            asset,
            sql`select a.id from asset a where a.domain_id in (${open})`,
          ),
          await change.objects(
            'domains_direct',
            domain,
            sql`select d.id from domain d where d.through_id in (${open})`,
          ),
        ]
      : []),
  ];
}

export async function labelConsequences(change: PlannedChange): Promise<Consequence[]> {
  return [
    await change.objects(
      'assets_labelled',
      asset,
      sql`select link.asset_id as id from label_assets link
        where link.label_id = any (${change.ids}::uuid[])`,
    ),
  ];
}

/** Assets that prevent the deletion of admin users. */
export async function adminUserConsequences(change: PlannedChange): Promise<Consequence[]> {
  return [await change.objects('assets_blocking', asset, assetsWith('admin_user_id', change.ids))];
}

/** Assets that prevent the deletion of platforms. */
export async function platformConsequences(change: PlannedChange): Promise<Consequence[]> {
  const used = sql`select a.id from asset a
    where a.platform in (select p.name from platform p where p.id = any (${change.ids}::uuid[]))`;
  // Platforms belong to the installation. Assets of other organizations count but are not objects.
  return [await change.rows('assets_blocking', sql`(${used}) used`)];
}

/** Consequences of deleting or disabling command filters. */
export async function commandFilterConsequences(change: PlannedChange): Promise<Consequence[]> {
  if (change.action === 'enable') return [];
  const bound = sql`select link.system_user_id as id from command_filter_system_users link
    where link.command_filter_id = any (${change.ids}::uuid[])`;
  return [
    ...(change.action === 'delete'
      ? [
          await change.rows(
            'rules_deleted',
            sql`command_filter_rule r where r.filter_id = any (${change.ids}::uuid[])`,
          ),
        ]
      : []),
    await change.objects('accounts_unfiltered', systemUser, bound),
    await change.objects(
      'sessions_unfiltered',
      session,
      sql`select s.id from session s where not s.is_finished
        and s.system_user_id in (select b.id::text from (${bound}) b)`,
    ),
  ];
}
