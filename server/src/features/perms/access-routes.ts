import type { Readable } from 'node:stream';
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
  type Resource,
  reference,
  systemUser,
  type UserAccess,
  user,
  userGroup,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { neighbors } from '../../http/page.ts';
import { wantsFile } from '../../http/resources/csv.ts';
import { parameter, route } from '../../http/route.ts';
import type { Shape } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/page.ts';
import { likePattern } from '../../resources/search-text.ts';
import { type AccessHeaders, ASSET_HEADERS, accessFile, USER_HEADERS } from './access-file.ts';
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

/** The part of a list that is read at once. */
interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly search: string;
}

/** A list of accesses: how it is found, and what it is a list of. */
interface AccessList<Row extends ExplainedAccess> {
  readonly url: string;
  /** The parameter of the path with the id of what the list is about. */
  readonly about: string;
  readonly resource: Resource;
  readonly summary: string;
  readonly read: (
    id: string,
    part: Part,
    context: Context,
  ) => Promise<{ readonly count: number; readonly rows: readonly (Omit<Row, keyof ExplainedAccess> & { readonly paths: readonly GrantPath[] })[] }>;
}

/** Explains to administrators who reaches what in their organization, and why, or why not. */
export function mountAccessRoutes(app: FastifyInstance, { db, engines, grants }: AccessRouteOptions): void {
  const mountList = <Row extends UserAccess | AssetAccess>(shape: Shape, headers: AccessHeaders, { url, about, resource, summary, read }: AccessList<Row>) =>
    route(app, {
      method: 'GET',
      url: `/api/v1/perms/access/${url}`,
      access: Permission.ADMIN,
      summary,
      answer: shape,
      async handler(context): Promise<Page<ExplainedAccess> | Readable> {
        const { id } = await engineOf(engines, resource).reader.retrieve(parameter(context, about), context);
        const page = async (part: Part) => {
          const { count, rows } = await read(String(id), part, context);
          return { count, results: rows.map(({ paths, ...row }) => ({ ...row, ...describe(paths, context.zone) })) };
        };
        const search = searchText(context.query);
        if (wantsFile(context)) return accessFile(headers, (offset, limit) => page({ search, offset, limit }), context);
        const { limit = DEFAULT_ROWS, offset } = readPaging(context.query, MAX_ROWS);
        const { count, results } = await page({ search, limit, offset });
        return { count, ...neighbors(context, limit, offset, count), results };
      },
    });

  const withPaths = <One extends { readonly id: string }>(rows: readonly One[], paths: readonly GrantPath[], end: 'user' | 'asset') => {
    const byId = Map.groupBy(paths, (path) => path[end]);
    return rows.map((row) => ({ ...row, paths: byId.get(row.id) ?? [] }));
  };
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const organizationOf = ({ actor }: Context) => actor.organization.id;

  const covered =
    (covering: typeof coveringNode): AccessList<UserAccess>['read'] =>
    async (id, { search, ...page }, context) => {
      const reaching = covering(id, organizationOf(context));
      const { count, users } = await usersCovered(reaching, { ...page, search: likePattern(search) }, db);
      return { count, rows: withPaths(users, await pathsCovered(reaching, idsOf(users), db), 'user') };
    };
  const reached =
    (isGroup: boolean, pathsTo: (id: string, assets: readonly string[], organization: string) => Promise<GrantPath[]>): AccessList<AssetAccess>['read'] =>
    async (id, { limit, offset, search }, context) => {
      const organization = organizationOf(context);
      const view = await grants.view({ userId: id, isGroup, organizationId: organization });
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset), search });
      const found = await listGrantedAssets(db, view, query, 'hostname');
      const { count, results } = Array.isArray(found) ? { count: found.length, results: found } : found;
      const assets = results.map(({ id: assetId, hostname, ip }) => ({ id: assetId, hostname, ip }));
      return { count, rows: withPaths(assets, await pathsTo(id, idsOf(assets), organization), 'asset') };
    };

  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'assets/:asset/users/',
    about: 'asset',
    resource: asset,
    summary: 'Who can reach an asset now, with which system users, by which permissions, and until when.',
    async read(id, { search, ...page }, context) {
      const organization = organizationOf(context);
      const { count, users } = await usersReaching(id, organization, { ...page, search: likePattern(search) }, db);
      return { count, rows: withPaths(users, await pathsBetween(idsOf(users), [id], organization, db), 'user') };
    },
  });
  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'nodes/:id/users/',
    about: 'id',
    resource: node,
    summary: 'Who can reach something at or below a node now, with which system users, by which permissions, and until when.',
    read: covered(coveringNode),
  });
  mountList<UserAccess>(USER_ACCESS, USER_HEADERS, {
    url: 'system-users/:id/users/',
    about: 'id',
    resource: systemUser,
    summary: 'Who can use a system user now, by which permissions, and until when.',
    read: covered(coveringAccount),
  });
  mountList<AssetAccess>(ASSET_ACCESS, ASSET_HEADERS, {
    url: 'users/:user/assets/',
    about: 'user',
    resource: user,
    summary: 'What a user can reach now, with which system users, by which permissions, and until when.',
    read: reached(false, (id, assets, organization) => pathsBetween([id], assets, organization, db)),
  });
  mountList<AssetAccess>(ASSET_ACCESS, ASSET_HEADERS, {
    url: 'user-groups/:group/assets/',
    about: 'group',
    resource: userGroup,
    summary: 'What the members of a group can reach now because of it, with which system users, by which permissions, and until when.',
    read: reached(true, (id, assets, organization) => pathsOfGroup(id, assets, organization, db)),
  });

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
