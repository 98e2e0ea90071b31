import { type Fields, type GrantedSystemUser, isUuid, Permission, reference, user, userGroup } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { neighbours, readPaging, withNeighbours } from '../../http/page.ts';
import { notFound } from '../../http/problem.ts';
import type { Sql } from '../../http/resource/hooks.ts';
import { likePattern } from '../../http/resource/list-query.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { setCondition } from '../../http/resource/resource-set.ts';
import { allOf } from '../../http/resource/scope.ts';
import { parameter, route } from '../../http/route.ts';
import { type Shape, samples } from '../../http/shapes.ts';
import { GRANTED_ACCOUNTS, GRANTED_ASSETS, GRANTED_NODES, namesOf, TREE } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { nodeLeaf } from '../assets/tree-nodes.ts';
import type { SettingsService } from '../settings/service.ts';
import { listGrantedAssets } from './grants/assets.ts';
import type { GrantedAccount, GrantService, Whose } from './grants/service.ts';
import { allGrantedNodes, FAVORITE_ID, type GrantedNode, grantedLeaves, grantedTree, isFavoriteOf } from './grants/tree.ts';

export interface GrantRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
  readonly settings: SettingsService;
}

/** About whom and what a question is; without a user about the caller. */
const ASKED: Fields = {
  asset_id: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
  system_user_id: reference({ label: { en: 'System user', zh: '系统用户' }, to: 'system_user' }),
  user_id: reference({ label: { en: 'User', zh: '用户' }, to: 'user', required: false }),
};

const toWire = ({ mask, rules, validUntil, ...account }: GrantedAccount): GrantedSystemUser => account;

/**
 * What people are granted (permissions reference §3): `users/…` for the caller in all organizations, `users/{id}/…` for an administrator
 * who asks about somebody in the current organization, `user-groups/{id}/…` for what a group gives to those in it.
 */
export function mountGrantRoutes(app: FastifyInstance, options: GrantRouteOptions): void {
  const { db, grants, settings, engines } = options;
  const sortBy = () => settings.get('TERMINAL_ASSET_LIST_SORT_BY');

  const caller = async ({ actor }: Context): Promise<Whose> => ({ userId: actor.userId, organizationId: undefined });
  const somebody = async (context: Context): Promise<Whose> => {
    // 404 for people outside the organization.
    const row = await engineOf(engines, user).reader.retrieve(parameter(context, 'user'), context);
    return { userId: String(row.id), organizationId: context.actor.organization.id };
  };
  const group = async (context: Context): Promise<Whose> => {
    const row = await engineOf(engines, userGroup).reader.retrieve(parameter(context, 'group'), context);
    return { userId: String(row.id), isGroup: true, organizationId: context.actor.organization.id };
  };

  const uuidParameter = (context: Context, name: string): string => {
    const id = parameter(context, name);
    if (!isUuid(id)) throw notFound();
    return id;
  };

  for (const { prefix, access, whose, own } of [
    { prefix: '/api/v1/perms/users/', access: Permission.USE, whose: caller, own: true },
    { prefix: '/api/v1/perms/users/:user/', access: Permission.ADMIN, whose: somebody, own: false },
    { prefix: '/api/v1/perms/user-groups/:group/', access: Permission.ADMIN, whose: group, own: false },
  ]) {
    const view = async (context: Context) => grants.view(await whose(context));
    const favoritesOf = ({ actor }: Context) => (own ? actor.userId : undefined);
    const get = (path: string, summary: string, answer: Shape, handler: (context: Context) => Promise<unknown>) =>
      route(app, { method: 'GET', url: `${prefix}${path}`, access, summary, answer, handler });

    const onNode = async (context: Context, id: string, all: boolean) => {
      if (id === FAVORITE_ID) return own ? isFavoriteOf(context.actor.userId) : sql`false`;
      return all
        ? sql`a.id in (select below.asset_id from asset_ancestor below where below.node_id = ${id}::uuid)`
        : sql`a.id in (select held.asset_id from node_assets held where held.node_id = ${id}::uuid)`;
    };
    const wantsAll = ({ query }: Context) => ['1', 'true', 'all'].includes(query.get('all') ?? '');

    const list = async (context: Context, place: Sql | undefined) => {
      const chosen = await setCondition(context, db, sql`a.id`);
      const narrowed = place || chosen ? allOf([place, chosen]) : undefined;
      return withNeighbours(context, await listGrantedAssets(db, await view(context), context.query, sortBy(), narrowed));
    };

    get('assets/', 'The assets that are granted.', GRANTED_ASSETS, async (context) => {
      const node = context.query.get('node');
      return list(context, node ? (isUuid(node) ? await onNode(context, node, wantsAll(context)) : sql`false`) : undefined);
    });
    get('nodes/:node/assets/', 'The granted assets on a node.', GRANTED_ASSETS, async (context) =>
      list(context, await onNode(context, uuidParameter(context, 'node'), wantsAll(context))),
    );
    get('assets/:asset/system-users/', 'The accounts that are granted for an asset.', GRANTED_ACCOUNTS, async (context) =>
      (await grants.accounts(await whose(context), uuidParameter(context, 'asset'))).map(toWire),
    );
    get('assets/tree/', 'Granted assets as leaves, by search or id.', TREE, async (context) => {
      const id = context.query.get('id');
      if (id) return isUuid(id) ? grantedLeaves(db, await view(context), sql`a.id = ${id}`, 1) : [];
      const terms = (context.query.get('search') ?? '')
        .replaceAll('\u0000', '')
        .slice(0, 256)
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean);
      const condition = sql.join([sql`true`, ...terms.slice(0, 10).map((term) => sql`a.search_text like ${likePattern(term)}`)], sql` and `);
      return grantedLeaves(db, await view(context), condition, 200);
    });
    const flat = ({ id, key, value, org_id, assets_amount }: GrantedNode) => ({ id, name: value, key, value, org_id, assets_amount });
    get('nodes/', 'The granted nodes, flat.', GRANTED_NODES, async (context) => (await allGrantedNodes(db, await view(context))).map(flat));
    get('nodes/tree/', 'The granted nodes as a tree, all at once.', TREE, async (context) =>
      (await allGrantedNodes(db, await view(context))).map((node) => nodeLeaf(node)),
    );
    get('nodes/children/', 'The granted nodes below one, or the roots and one level.', GRANTED_NODES, async (context) => {
      const above = await keyOf(context);
      const isWanted = (key: string) => (above === undefined ? key.split(':').length <= 2 : key.replace(/:?\d+$/, '') === above);
      return (await allGrantedNodes(db, await view(context))).filter(({ key }) => isWanted(key)).map(flat);
    });
    for (const [path, withAssets] of [
      ['nodes/children/tree/', false],
      ['nodes/children-with-assets/tree/', true],
    ] as const) {
      get(path, 'One level of the tree of what is granted.', TREE, async (context) =>
        grantedTree(db, await view(context), { key: await keyOf(context), withAssets, favoritesOf: favoritesOf(context), language: context.language }),
      );
    }
  }

  /** The key of the node a request names by key or by id. */
  async function keyOf({ query }: Context): Promise<string | undefined> {
    const wanted = query.get('key') || query.get('id') || undefined;
    if (wanted === undefined || !isUuid(wanted)) return wanted?.replaceAll('\u0000', '').slice(0, 255);
    const { rows } = await sql<{ key: string }>`select key from node where id = ${wanted}`.execute(db);
    return rows[0]?.key ?? '';
  }

  const RULES = '/api/v1/perms/asset-permissions/';
  const people = (id: string) => sql`(
    select u.id as "user", u.name || '(' || u.username || ')' as user_display from account u where u.id in (
      select link.user_id from asset_permission_users link where link.asset_permission_id = ${id}
      union select member.user_id from asset_permission_user_groups link join user_group_users member on member.user_group_id = link.user_group_id where link.asset_permission_id = ${id}))`;
  const assets = (id: string) => sql`(
    select a.id as asset, a.hostname || '(' || a.ip || ')' as asset_display from asset a where a.id in (
      select link.asset_id from asset_permission_assets link where link.asset_permission_id = ${id}
      union select below.asset_id from asset_permission_nodes link join asset_ancestor below on below.node_id = link.node_id where link.asset_permission_id = ${id}))`;
  for (const [path, display, source, summary, answer] of [
    ['users/all/', 'user_display', people, 'Everybody a rule names, directly or through groups.', namesOf('user', 'user', 'Li Wei(li.wei)')],
    ['assets/all/', 'asset_display', assets, 'Every asset a rule reaches, directly or through nodes.', namesOf('asset', 'asset', 'web-prod-01(10.20.30.41)')],
  ] as const) {
    route(app, {
      method: 'GET',
      url: `${RULES}:id/${path}`,
      access: Permission.ADMIN,
      summary,
      answer,
      async handler(context) {
        const id = uuidParameter(context, 'id');
        await assertRule(id, context);
        const search = (context.query.get('search') ?? '').replaceAll('\u0000', '').slice(0, 256);
        const { limit, offset } = readPaging(context.query, 1_000);
        const found = sql`from ${source(id)} found where ${sql.ref(display)} ilike ${likePattern(search)}`;
        if (limit === undefined) return (await sql`select * ${found} order by 2 limit 10000`.execute(db)).rows;
        const { rows } = await sql`select * ${found} order by 2 limit ${limit} offset ${offset}`.execute(db);
        const counted = await sql<{ count: number }>`select count(*) as count ${found}`.execute(db);
        const count = counted.rows[0]?.count ?? 0;
        return { count, ...neighbours(context, limit, offset, count), results: rows };
      },
    });
  }

  async function assertRule(id: string, { actor }: Context): Promise<void> {
    const { rows } = await sql`select 1 from asset_permission where id = ${id} and org_id = ${actor.organization.id}`.execute(db);
    if (rows.length === 0) throw notFound();
  }

  // The reference lets any valid user ask about anybody; here people ask about themselves and administrators about their organization.
  const asked = async (context: Context) => {
    const { query, actor } = context;
    const userId = query.get('user_id') || actor.userId;
    const assetId = query.get('asset_id') ?? '';
    const systemUserId = query.get('system_user_id') ?? '';
    if (![userId, assetId, systemUserId].every((id) => isUuid(id))) return undefined;
    if (userId !== actor.userId) {
      if ((actor.permissions & Permission.ADMIN) === 0) return undefined;
      await engineOf(engines, user).reader.retrieve(userId, context);
    }
    return grants.check(userId, assetId, systemUserId);
  };
  route(app, {
    method: 'GET',
    url: `${RULES}user/validate/`,
    access: Permission.USE,
    summary: 'Whether somebody may do something on an asset with an account, and which rules say so.',
    query: ASKED,
    answer: samples({ msg: true, rules: [exampleId('asset_permission')] }),
    async handler(context) {
      const account = await asked(context);
      const action = context.query.get('action_name') || 'connect';
      const granted = account?.actions.includes(action) ?? false;
      if (!granted) context.reply.code(403).header('x-error-code', 'permission_denied');
      return granted ? { msg: true, rules: account?.rules } : { msg: false };
    },
  });
  route(app, {
    method: 'GET',
    url: `${RULES}user/actions/`,
    access: Permission.USE,
    summary: 'What somebody may do on an asset with an account.',
    query: ASKED,
    answer: samples<{ actions: readonly string[] | null }>({ actions: ['connect'] }, { actions: null }),
    handler: async (context) => ({ actions: (await asked(context))?.actions ?? null }),
  });
}
