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
import type { Shape } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { likePattern } from '../../resources/search-text.ts';
import { type AccessHeaders, ASSET_HEADERS, USER_HEADERS } from './access-file.ts';
import { type AccessList, checkAccess, mountAccessList, withPaths } from './access-list.ts';
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
};

export interface AccessRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
}

/**
 * Mounts the lists of access that administrators read for an asset, node, system user, user or
 * group, and the access check.
 */
export function mountAccessRoutes(
  app: FastifyInstance,
  { db, engines, grants }: AccessRouteOptions,
): void {
  const mountList = <Row extends UserAccess | AssetAccess>(
    shape: Shape,
    headers: AccessHeaders,
    list: AccessList<Row>,
  ) => mountAccessList(app, engines, shape, headers, list);
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const organizationOf = ({ actor }: Context) => actor.organization.id;

  const readCovered =
    (covering: typeof coveringNode): AccessList<UserAccess>['read'] =>
    async (id, { search, ...page }, context) => {
      const reaching = covering(id, organizationOf(context));
      const { count, users } = await usersCovered(
        reaching,
        { ...page, search: likePattern(search) },
        db,
      );
      return {
        count,
        rows: withPaths(users, await pathsCovered(reaching, idsOf(users), db), 'user'),
      };
    };
  const readReached =
    (
      isGroup: boolean,
      pathsTo: (
        id: string,
        assets: readonly string[],
        organization: string,
      ) => Promise<GrantPath[]>,
    ): AccessList<AssetAccess>['read'] =>
    async (id, { limit, offset, search }, context) => {
      const organization = organizationOf(context);
      const view = await grants.view({ userId: id, isGroup, organizationId: organization });
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset), search });
      const page = await listGrantedAssets(db, view, query, 'hostname');
      const { count, results } = Array.isArray(page) ? { count: page.length, results: page } : page;
      const assets = results.map(({ id: assetId, hostname, ip }) => ({
        id: assetId,
        hostname,
        ip,
      }));
      return {
        count,
        rows: withPaths(assets, await pathsTo(id, idsOf(assets), organization), 'target'),
      };
    };

  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'assets/:asset/users/',
    about: 'asset',
    resource: asset,
    summary:
      'Who can reach an asset now, with which system users, by which permissions, and until when.',
    async read(id, { search, ...page }, context) {
      const organization = organizationOf(context);
      const { count, users } = await usersReaching(
        id,
        organization,
        { ...page, search: likePattern(search) },
        db,
      );
      return {
        count,
        rows: withPaths(users, await pathsBetween(idsOf(users), [id], organization, db), 'user'),
      };
    },
  });
  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'nodes/:id/users/',
    about: 'id',
    resource: node,
    summary:
      'Who can reach something at or below a node now, with which system users, by which permissions, and until when.',
    read: readCovered(coveringNode),
  });
  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'system-users/:id/users/',
    about: 'id',
    resource: systemUser,
    summary: 'Who can use a system user now, by which permissions, and until when.',
    read: readCovered(coveringAccount),
  });
  mountList<AssetAccess>(ASSET_ACCESS, ASSET_HEADERS, {
    url: 'users/:user/assets/',
    about: 'user',
    resource: user,
    summary:
      'What a user can reach now, with which system users, by which permissions, and until when.',
    read: readReached(false, (id, assets, organization) =>
      pathsBetween([id], assets, organization, db),
    ),
  });
  mountList<AssetAccess>(ASSET_ACCESS, ASSET_HEADERS, {
    url: 'user-groups/:group/assets/',
    about: 'group',
    resource: userGroup,
    summary:
      'What the members of a group can reach now because of it, with which system users, by which permissions, and until when.',
    read: readReached(true, (id, assets, organization) =>
      pathsOfGroup(id, assets, organization, db),
    ),
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/check/',
    access: Permission.ADMIN,
    summary: 'Whether a user can reach an asset and why, or what is in the way.',
    query: CHECK_QUERY,
    answer: ACCESS_CHECK,
    async handler(context): Promise<AccessCheck> {
      const person = await engineOf(engines, user).reader.retrieve(
        context.query.get('user') ?? '',
        context,
      );
      const target = await engineOf(engines, asset).reader.retrieve(
        context.query.get('asset') ?? '',
        context,
      );
      const [userId, assetId, organization] = [
        String(person.id),
        String(target.id),
        context.actor.organization.id,
      ];
      return checkAccess(
        ASSETS,
        { userId, targetId: assetId, organization, zone: context.zone },
        db,
      );
    },
  });
}
