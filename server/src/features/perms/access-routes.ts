import {
  type AccessCheck,
  type AccessPath,
  type AssetAccess,
  asset,
  type ExplainedAccess,
  type Fields,
  formatDatetime,
  node,
  type Page,
  Permission,
  reference,
  systemUser,
  type UserAccess,
  user,
  userGroup,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { neighbors } from '../../http/page.ts';
import { parameter, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/page.ts';
import { likePattern } from '../../resources/search-text.ts';
import { ACCESS_CHECK, ASSET_ACCESS, USER_ACCESS } from './access-shapes.ts';
import { listGrantedAssets } from './grants/assets.ts';
import { coveringAccount, coveringNode, pathsCovered, usersCovered } from './grants/covering.ts';
import { generalObstacles, nearestPermissions } from './grants/obstacles.ts';
import { accountsOf, type GrantPath, pathsBetween, pathsOfGroup, usersReaching } from './grants/paths.ts';
import type { GrantService } from './grants/service.ts';
import { searchText } from './store.ts';

/** Rows of a page at the most: each is explained. */
const MAX_ROWS = 100;
const DEFAULT_ROWS = 15;

/** About whom and what a check is. */
const ASKED: Fields = {
  user: reference({ label: { en: 'User', zh: '用户' }, to: 'user' }),
  asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
};

export interface AccessRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
}

/** Explains to administrators who reaches what in their organization, and why, or why not. */
export function mountAccessRoutes(app: FastifyInstance, { db, engines, grants }: AccessRouteOptions): void {
  const paging = ({ query }: Context) => {
    const { limit, offset } = readPaging(query, MAX_ROWS);
    return { limit: limit ?? DEFAULT_ROWS, offset, search: searchText(query) };
  };
  const answer = <Row>(context: Context, count: number, results: Row[]): Page<Row> => {
    const { limit, offset } = paging(context);
    return { count, ...neighbors(context, limit, offset, count), results };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/assets/:asset/users/',
    access: Permission.ADMIN,
    summary: 'Who can reach an asset now, with which system users, by which permissions, and until when.',
    answer: USER_ACCESS,
    async handler(context): Promise<Page<UserAccess>> {
      const { id } = await engineOf(engines, asset).reader.retrieve(parameter(context, 'asset'), context);
      const { search, ...page } = paging(context);
      const organization = context.actor.organization.id;
      const { count, users } = await usersReaching(String(id), organization, { ...page, search: likePattern(search) }, db);
      const paths = await pathsBetween(
        users.map((one) => one.id),
        [String(id)],
        organization,
        db,
      );
      return answer(
        context,
        count,
        users.map((one) => ({
          ...one,
          ...describe(
            paths.filter((path) => path.user === one.id),
            context.zone,
          ),
        })),
      );
    },
  });

  const COVERED = [
    {
      name: 'nodes',
      resource: node,
      covering: coveringNode,
      summary: 'Who can reach something at or below a node now, with which system users, by which permissions, and until when.',
    },
    { name: 'system-users', resource: systemUser, covering: coveringAccount, summary: 'Who can use a system user now, by which permissions, and until when.' },
  ];
  for (const { name, resource, covering, summary } of COVERED) {
    route(app, {
      method: 'GET',
      url: `/api/v1/perms/access/${name}/:id/users/`,
      access: Permission.ADMIN,
      summary,
      answer: USER_ACCESS,
      async handler(context): Promise<Page<UserAccess>> {
        const { id } = await engineOf(engines, resource).reader.retrieve(parameter(context, 'id'), context);
        const { search, ...page } = paging(context);
        const reaching = covering(String(id), context.actor.organization.id);
        const { count, users } = await usersCovered(reaching, { ...page, search: likePattern(search) }, db);
        const paths = await pathsCovered(
          reaching,
          users.map((one) => one.id),
          db,
        );
        return answer(
          context,
          count,
          users.map((one) => ({
            ...one,
            ...describe(
              paths.filter((path) => path.user === one.id),
              context.zone,
            ),
          })),
        );
      },
    });
  }

  const REACHING = [
    {
      url: '/api/v1/perms/access/users/:user/assets/',
      parameterName: 'user',
      resource: user,
      summary: 'What a user can reach now, with which system users, by which permissions, and until when.',
      paths: (id: string, assets: readonly string[], organization: string) => pathsBetween([id], assets, organization, db),
    },
    {
      url: '/api/v1/perms/access/user-groups/:group/assets/',
      parameterName: 'group',
      resource: userGroup,
      summary: 'What the members of a group can reach now because of it, with which system users, by which permissions, and until when.',
      paths: (id: string, assets: readonly string[], organization: string) => pathsOfGroup(id, assets, organization, db),
    },
  ];
  for (const { url, parameterName, resource, summary, paths: pathsTo } of REACHING) {
    route(app, {
      method: 'GET',
      url,
      access: Permission.ADMIN,
      summary,
      answer: ASSET_ACCESS,
      async handler(context): Promise<Page<AssetAccess>> {
        const { id } = await engineOf(engines, resource).reader.retrieve(parameter(context, parameterName), context);
        const organization = context.actor.organization.id;
        const { limit, offset, search } = paging(context);
        const view = await grants.view({ userId: String(id), isGroup: resource === userGroup, organizationId: organization });
        const query = new URLSearchParams({ limit: String(limit), offset: String(offset), search });
        const found = await listGrantedAssets(db, view, query, 'hostname');
        const { count, results } = Array.isArray(found) ? { count: found.length, results: found } : found;
        const paths = await pathsTo(
          String(id),
          results.map((one) => one.id),
          organization,
        );
        return answer(
          context,
          count,
          results.map(({ id: assetId, hostname, ip }) => ({
            id: assetId,
            hostname,
            ip,
            ...describe(
              paths.filter((path) => path.asset === assetId),
              context.zone,
            ),
          })),
        );
      },
    });
  }

  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/check/',
    access: Permission.ADMIN,
    summary: 'Whether a user can reach an asset and why, or what is in the way.',
    query: ASKED,
    answer: ACCESS_CHECK,
    async handler(context): Promise<AccessCheck> {
      const person = await engineOf(engines, user).reader.retrieve(context.query.get('user') ?? '', context);
      const target = await engineOf(engines, asset).reader.retrieve(context.query.get('asset') ?? '', context);
      const [userId, assetId, organization] = [String(person.id), String(target.id), context.actor.organization.id];
      const paths = (await pathsBetween([userId], [assetId], organization, db)).filter(({ accounts }) => accounts.length > 0);
      if (paths.length > 0) return { granted: true, access: describe(paths, context.zone), general: [], near: [] };
      const near = await nearestPermissions(userId, assetId, organization, db);
      return {
        granted: false,
        access: null,
        general: await generalObstacles(userId, assetId, db),
        near: near.map(({ id, name, obstacles, date_start, date_expired }) => ({
          permission: { id, name },
          obstacles,
          date_start: formatDatetime(date_start, context.zone),
          date_expired: formatDatetime(date_expired, context.zone),
        })),
      };
    },
  });
}

/** Paths as an answer names them. */
function describe(paths: readonly GrantPath[], zone: string): ExplainedAccess {
  const named = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });
  const until = (path: GrantPath) => formatDatetime(path.validUntil, zone);
  const last = paths.reduce<GrantPath | undefined>((latest, path) => (latest && latest.validUntil >= path.validUntil ? latest : path), undefined);
  return {
    accounts: accountsOf(paths),
    paths: paths.map(
      (path): AccessPath => ({
        permission: { id: path.permission, name: path.permissionName },
        valid_until: until(path),
        group: named(path.group, path.groupName),
        node: named(path.node, path.nodeName),
      }),
    ),
    valid_until: last ? until(last) : '',
  };
}
