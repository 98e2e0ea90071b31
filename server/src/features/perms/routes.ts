import {
  asset,
  type Field,
  type Fields,
  type GrantedSystemUser,
  isUuid,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { withNeighbors } from '../../http/page.ts';
import { parameter, route } from '../../http/route.ts';
import type { Shape } from '../../http/shapes.ts';
import { GRANTED_ACCOUNTS, GRANTED_ASSETS, GRANTED_NODES, TREE } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Engines } from '../../resources/engines.ts';
import { setCondition } from '../../resources/resource-set.ts';
import { allOf } from '../../resources/scope.ts';
import { nodeLeaf } from '../assets/index.ts';
import type { GrantedAccount } from './grants/accounts.ts';
import { listGrantedAssets } from './grants/assets.ts';
import type { GrantedNode, GrantService } from './grants/service.ts';
import {
  allGrantedNodes,
  FAVORITE_ID,
  findGrantedNodes,
  grantedLeaves,
  grantedTree,
  isFavoriteOf,
  wholeTree,
} from './grants/tree.ts';
import { isGrouped, isUngrouped, UNGROUPED_ID } from './grants/ungrouped.ts';
import { mountRuleRoutes } from './rule-routes.ts';
import {
  ASSET_ID,
  isAsset,
  keyOfNode,
  matchesSearch,
  type Narrowing,
  NO_ASSET,
  onNode,
} from './store.ts';
import { subjectsOf } from './subjects.ts';

export interface GrantRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
  readonly settings: SettingsService;
}

const GRANTED_COLUMNS: Fields = Object.fromEntries(
  (
    [
      'id',
      'hostname',
      'ip',
      'protocols',
      'os',
      'domain',
      'platform',
      'comment',
      'org_id',
      'org_name',
    ] as const
  ).map((name) => {
    const { filter, order, ...field }: Field = { ...asset.fields[name], mode: 'readonly' };
    const isFilter = ['id', 'hostname', 'ip', 'comment'].includes(name);
    return [
      name,
      {
        ...field,
        ...(isFilter && { filter: true }),
        ...(['hostname', 'ip'].includes(name) && { order: true }),
      },
    ];
  }),
);

const toWire = ({ mask, rules, validUntil, ...account }: GrantedAccount): GrantedSystemUser =>
  account;

/**
 * Mounts the granted assets, nodes and system users of users and groups. `users/…` covers the
 * caller in all organizations. `users/{id}/…` and `user-groups/{id}/…` cover the current one.
 */
export function mountGrantRoutes(app: FastifyInstance, options: GrantRouteOptions): void {
  const { db, grants, settings, engines } = options;
  const sortBy = () => settings.get('TERMINAL_ASSET_LIST_SORT_BY');

  const uuidParameter = (context: Context, name: string): string => {
    const id = parameter(context, name);
    if (!isUuid(id)) throw notFound();
    return id;
  };

  for (const { prefix, access, subject, own } of subjectsOf(engines)) {
    const view = async (context: Context) => grants.view(await subject(context));
    const favoritesOf = ({ actor }: Context) => (own ? actor.userId : undefined);
    const get = (
      path: string,
      summary: string,
      answer: Shape,
      handler: (context: Context) => Promise<unknown>,
    ) =>
      route(app, {
        method: 'GET',
        url: `${prefix}${path}`,
        access,
        summary,
        answer,
        ...(answer === GRANTED_ASSETS && { columns: GRANTED_COLUMNS }),
        handler,
      });

    const wantsAll = ({ query }: Context) => ['1', 'true', 'all'].includes(query.get('all') ?? '');
    const placeOf = async (context: Context, id: string): Promise<Narrowing> => {
      if (id === FAVORITE_ID)
        return { condition: own ? isFavoriteOf(context.actor.userId) : NO_ASSET };
      const grantView = await view(context);
      if (id === UNGROUPED_ID)
        return { condition: grantView.ungroups ? isUngrouped(grantView) : NO_ASSET };
      const narrowing = onNode(id, wantsAll(context));
      const grouped = isGrouped(grantView);
      return grouped ? { condition: allOf([narrowing.condition, grouped]) } : narrowing;
    };

    const list = async (context: Context, place: Narrowing | undefined) => {
      const chosen = await setCondition(context.query, context, db, ASSET_ID);
      const narrowed = chosen ? { condition: allOf([place?.condition, chosen]) } : place;
      return withNeighbors(
        context,
        await listGrantedAssets(db, await view(context), context.query, sortBy(), narrowed),
      );
    };

    get('assets/', 'The assets that are granted.', GRANTED_ASSETS, async (context) => {
      const node = context.query.get('node');
      return list(
        context,
        node ? (isUuid(node) ? await placeOf(context, node) : { condition: NO_ASSET }) : undefined,
      );
    });
    get('nodes/:node/assets/', 'The granted assets on a node.', GRANTED_ASSETS, async (context) =>
      list(context, await placeOf(context, uuidParameter(context, 'node'))),
    );
    get(
      'assets/:asset/system-users/',
      'The accounts that are granted for an asset.',
      GRANTED_ACCOUNTS,
      async (context) =>
        (await grants.accounts(await subject(context), uuidParameter(context, 'asset'))).map(
          toWire,
        ),
    );
    get('assets/tree/', 'Granted assets as leaves, by search or id.', TREE, async (context) => {
      const id = context.query.get('id');
      if (id) return isUuid(id) ? grantedLeaves(db, await view(context), isAsset(id), 1) : [];
      return grantedLeaves(
        db,
        await view(context),
        matchesSearch(context.query.get('search') ?? ''),
        200,
      );
    });
    const flat = ({ id, key, value, org_id, assets_amount }: GrantedNode) => ({
      id,
      name: value,
      key,
      value,
      org_id,
      assets_amount,
    });
    get('nodes/', 'The granted nodes, flat.', GRANTED_NODES, async (context) =>
      (await allGrantedNodes(db, await view(context), context.language)).map(flat),
    );
    get('nodes/tree/', 'The granted nodes as a tree, all at once.', TREE, async (context) =>
      (await allGrantedNodes(db, await view(context), context.language)).map((node) =>
        nodeLeaf(node),
      ),
    );
    get(
      'nodes/children/',
      'The granted nodes below one, or the roots and one level.',
      GRANTED_NODES,
      async (context) => {
        const above = await keyOf(context);
        const isListed = (key: string) =>
          above === undefined
            ? key.split(':').length <= 2
            : key.includes(':') && key.slice(0, key.lastIndexOf(':')) === above;
        return (await allGrantedNodes(db, await view(context), context.language))
          .filter(({ key }) => isListed(key))
          .map(flat);
      },
    );
    get(
      'nodes-with-assets/tree/',
      'The whole tree of what is granted, assets included: for clients that load it at once.',
      TREE,
      async (context) => wholeTree(db, await view(context), favoritesOf(context), context.language),
    );
    for (const [path, withAssets] of [
      ['nodes/children/tree/', false],
      ['nodes/children-with-assets/tree/', true],
    ] as const) {
      const summary = `One level of the tree of what is granted.${withAssets ? '' : ' `search` finds nodes by names of their paths, with all above them.'}`;
      get(path, summary, TREE, async (context) => {
        const search = context.query.getAll('search').at(-1)?.trim();
        if (search && !withAssets) return findGrantedNodes(db, await view(context), search);
        return grantedTree(db, await view(context), {
          key: await keyOf(context),
          withAssets,
          favoritesOf: favoritesOf(context),
          language: context.language,
        });
      });
    }
  }

  route(app, {
    method: 'GET',
    url: '/api/v1/perms/system-users-permission/',
    access: Permission.USE,
    summary: 'The accounts that permissions give the caller, on whatever assets.',
    answer: GRANTED_ACCOUNTS,
    handler: async ({ actor }) => (await grants.accountsAnywhere(actor.userId)).map(toWire),
  });

  /** Key of the node in the query, which has a key or an id; an empty key if the id is unknown. */
  async function keyOf({ query }: Context): Promise<string | undefined> {
    const keyOrId = query.get('key') || query.get('id') || undefined;
    if (keyOrId === undefined || !isUuid(keyOrId))
      return keyOrId?.replaceAll('\u0000', '').slice(0, 255);
    return (await keyOfNode(keyOrId, db)) ?? '';
  }

  mountRuleRoutes(app, options);
}
