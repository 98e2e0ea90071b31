import {
  type AccessCheck,
  type AssetAccess,
  asset,
  type Fields,
  node,
  Permission,
  reference,
  systemUser,
  type UserAccess,
  user,
  userGroup,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { likePattern } from '../../resources/read/search.ts';
import {
  type AccessList,
  ASSET_HEADERS,
  checkAccess,
  MOMENT_QUERY,
  momentOf,
  mountAccessList,
  USER_HEADERS,
  withPaths,
} from './access-list.ts';
import { ACCESS_CHECK, ASSET_ACCESS, USER_ACCESS } from './access-shapes.ts';
import { listGrantedAssets } from './grants/assets.ts';
import {
  coveringAccount,
  coveringNode,
  pathsCovered,
  usersCovered,
} from './grants/covering-permissions.ts';
import { ASSETS } from './grants/kind.ts';
import { type GrantPath, pathsBetween, pathsOfGroup, usersReaching } from './grants/paths.ts';
import type { GrantService } from './grants/service.ts';

const CHECK_QUERY: Fields = {
  user: reference({ label: { en: 'User', zh: '用户' }, to: 'user' }),
  asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
  ...MOMENT_QUERY,
};

export interface AccessRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

type ReadUsers = AccessList<UserAccess>['read'];
type ReadAssets = AccessList<AssetAccess>['read'];

/** Reads the users who reach an asset. */
const readReaching =
  (db: Db): ReadUsers =>
  async (id, { search, ...page }, { actor }) => {
    const organization = actor.organization.id;
    const part = { ...page, search: likePattern(search) };
    const { count, users } = await usersReaching(id, part, { organization }, db);
    const paths = await pathsBetween(idsOf(users), [id], { organization }, db);
    return { count, rows: withPaths(users, paths, 'user') };
  };

/** Reads the users with permissions on a node or a system user. */
const readCovered =
  (covering: typeof coveringNode, db: Db): ReadUsers =>
  async (id, { search, ...page }, { actor }) => {
    const reaching = covering(id, actor.organization.id);
    const part = { ...page, search: likePattern(search) };
    const { count, users } = await usersCovered(reaching, part, db);
    return {
      count,
      rows: withPaths(users, await pathsCovered(reaching, idsOf(users), db), 'user'),
    };
  };

type PathsTo = (
  id: string,
  assets: readonly string[],
  organization: string,
) => Promise<GrantPath[]>;

/** Reads the assets that a user or a group reaches. */
const readReached =
  (isGroup: boolean, { db, grants }: AccessRouteOptions, pathsTo: PathsTo): ReadAssets =>
  async (id, { limit, offset, search }, { actor }) => {
    const organization = actor.organization.id;
    const view = await grants.view({ userId: id, isGroup, organizationId: organization });
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset), search });
    const page = await listGrantedAssets(db, view, query, { sortBy: 'hostname' });
    const { count, results } = Array.isArray(page) ? { count: page.length, results: page } : page;
    const assets = results.map(({ id: assetId, hostname, ip }) => ({ id: assetId, hostname, ip }));
    const paths = await pathsTo(id, idsOf(assets), organization);
    return { count, rows: withPaths(assets, paths, 'target') };
  };

/** Lists of users, by the object that they reach. */
const userLists = ({ db }: AccessRouteOptions): AccessList<UserAccess>[] => {
  const file = { shape: USER_ACCESS, headers: USER_HEADERS };
  return [
    {
      ...file,
      url: 'assets/:asset/users/',
      about: 'asset',
      resource: asset,
      summary:
        'List the users who can reach an asset now, with system users, permissions and end dates.',
      read: readReaching(db),
    },
    {
      ...file,
      url: 'nodes/:id/users/',
      about: 'id',
      resource: node,
      summary:
        'List the users who can reach assets on or below a node now, with system users, permissions and end dates.',
      read: readCovered(coveringNode, db),
    },
    {
      ...file,
      url: 'system-users/:id/users/',
      about: 'id',
      resource: systemUser,
      summary: 'List the users who can use a system user now, with permissions and end dates.',
      read: readCovered(coveringAccount, db),
    },
  ];
};

/** Lists of assets, by the user or group that reaches them. */
const assetLists = (options: AccessRouteOptions): AccessList<AssetAccess>[] => {
  const { db } = options;
  const file = { shape: ASSET_ACCESS, headers: ASSET_HEADERS };
  return [
    {
      ...file,
      url: 'users/:user/assets/',
      about: 'user',
      resource: user,
      summary:
        'List the targets that a user can reach now, with system users, permissions and end dates.',
      read: readReached(false, options, (id, assets, organization) =>
        pathsBetween([id], assets, { organization }, db),
      ),
    },
    {
      ...file,
      url: 'user-groups/:group/assets/',
      about: 'group',
      resource: userGroup,
      summary:
        'List the targets that the members of a group can reach now through it, with system users, permissions and end dates.',
      read: readReached(true, options, (id, assets, organization) =>
        pathsOfGroup(id, assets, { organization }, db),
      ),
    },
  ];
};

/** Explains why a user reaches an asset, or does not. */
async function check({ db, engines }: AccessRouteOptions, context: Context): Promise<AccessCheck> {
  const find = (resource: typeof user | typeof asset, name: string) =>
    engineOf(engines, resource).reader.retrieve(context.query.get(name) ?? '', context);
  const userId = String((await find(user, 'user')).id);
  const targetId = String((await find(asset, 'asset')).id);
  const organization = context.actor.organization.id;
  const moment = momentOf(context);
  return checkAccess(
    ASSETS,
    { userId, targetId, organization, context, ...(moment && { moment }) },
    db,
  );
}

/**
 * Mounts the lists of access that administrators read for an asset, node, system user, user or
 * group, and the access check.
 */
export function mountAccessRoutes(app: FastifyInstance, options: AccessRouteOptions): void {
  for (const list of userLists(options)) mountAccessList(app, options.engines, list);
  for (const list of assetLists(options)) mountAccessList(app, options.engines, list);
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/check/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary: 'Explain why a user can or cannot reach an asset.',
    query: CHECK_QUERY,
    answer: ACCESS_CHECK,
    handler: (context) => check(options, context),
  });
}
