import {
  type AccessBranch,
  type AssetLeaf,
  actionNames,
  asset,
  assetPermission,
  type Fields,
  formatDatetime,
  isUuid,
  node,
  type Page,
  Permission,
  type Resource,
  reference,
  systemUser,
  type UserLeaf,
  user,
  userGroup,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { neighbors } from '../../http/page.ts';
import { parameter, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/read/page.ts';
import type { AccessRouteOptions } from './access-routes.ts';
import { ACCESS_TREE, ASSET_LEAVES, USER_LEAVES } from './access-shapes.ts';
import {
  assetsOfBranch,
  branchesToAssets,
  branchesToUsers,
  type GrantBranch,
  type Part,
  usersOfBranch,
} from './grants/access-tree.ts';
import { describeCondition } from './grants/conditions.ts';
import { coveringAccount, coveringAsset, coveringNode } from './grants/covering-permissions.ts';

const MAX_ROWS = 200;
const DEFAULT_ROWS = 50;

const GROUP: Fields = {
  group: reference({ label: userGroup.title, to: 'user_group', required: false }),
};
const NODE: Fields = { node: reference({ label: node.title, to: 'node', required: false }) };

type TreeOptions = Pick<AccessRouteOptions, 'db' | 'engines'>;

/** A tree: the branches of one kind of object. */
interface Tree {
  /** Path with the id of the object. */
  readonly url: string;
  readonly resource: Resource;
  readonly summary: string;
  readonly read: (
    id: string,
    organization: string,
    part: Part,
    db: Db,
  ) => Promise<{ readonly count: number; readonly branches: readonly GrantBranch[] }>;
}

const readUsers =
  (covering: typeof coveringAsset): Tree['read'] =>
  (id, organization, part, db) =>
    branchesToUsers(covering(id, organization), part, db);

const TREES: readonly Tree[] = [
  {
    url: 'assets/:asset/users',
    resource: asset,
    summary:
      'The users who can reach an asset now, as a tree of permissions, groups and nodes with counts.',
    read: readUsers(coveringAsset),
  },
  {
    url: 'nodes/:id/users',
    resource: node,
    summary: 'The users who can reach assets on or below a node now, as a tree.',
    read: readUsers(coveringNode),
  },
  {
    url: 'system-users/:id/users',
    resource: systemUser,
    summary: 'The users who can use a system user now, as a tree.',
    read: readUsers(coveringAccount),
  },
  {
    url: 'users/:user/assets',
    resource: user,
    summary:
      'The targets that a user can reach now, as a tree of permissions, groups and nodes with counts.',
    read: (id, organization, part, db) => branchesToAssets({ user: id }, organization, part, db),
  },
  {
    url: 'user-groups/:group/assets',
    resource: userGroup,
    summary: 'The targets that the members of a group can reach now through it, as a tree.',
    read: (id, organization, part, db) => branchesToAssets({ group: id }, organization, part, db),
  },
];

function partOf({ query }: Context): Part & { readonly limit: number } {
  const { limit = DEFAULT_ROWS, offset } = readPaging(query, MAX_ROWS);
  return { limit, offset };
}

const toPage = <Row>(
  context: Context,
  { limit, offset }: Part,
  { count, rows }: { readonly count: number; readonly rows: readonly Row[] },
): Page<Row> => ({ count, ...neighbors(context, limit, offset, count), results: [...rows] });

/** Lists the branches of a tree. */
async function listBranches(
  { db, engines }: TreeOptions,
  context: Context,
  { url, resource, read }: Tree,
): Promise<Page<AccessBranch>> {
  const { reader } = engineOf(engines, resource);
  const name = /:(\w+)/.exec(url)?.[1] ?? '';
  const { id } = await reader.retrieve(parameter(context, name), context);
  const part = partOf(context);
  const organization = context.actor.organization.id;
  const { count, branches } = await read(String(id), organization, part, db);
  const rows = branches.map((branch) => toAccessBranch(branch, context));
  return toPage(context, part, { count, rows });
}

/** Id of the permission in the path. Permissions of other organizations are not found. */
async function permissionIn({ engines }: TreeOptions, context: Context): Promise<string> {
  const { reader } = engineOf(engines, assetPermission);
  return String((await reader.retrieve(parameter(context, 'permission'), context)).id);
}

/** Lists the users of a branch. */
async function listUsers(options: TreeOptions, context: Context): Promise<Page<UserLeaf>> {
  const part = partOf(context);
  const permission = await permissionIn(options, context);
  const group = idIn(context, 'group');
  const { count, leaves } = await usersOfBranch(permission, group, part, options.db);
  return toPage(context, part, { count, rows: leaves });
}

/** Lists the assets of a branch. */
async function listAssets(options: TreeOptions, context: Context): Promise<Page<AssetLeaf>> {
  const part = partOf(context);
  const permission = await permissionIn(options, context);
  const place = idIn(context, 'node');
  const { count, leaves } = await assetsOfBranch(permission, place, part, options.db);
  return toPage(context, part, { count, rows: leaves });
}

/**
 * Mounts access lists as trees: branches with their number of leaves, and the leaves of a branch.
 */
export function mountAccessTreeRoutes(app: FastifyInstance, options: TreeOptions): void {
  for (const tree of TREES)
    route(app, {
      method: 'GET',
      url: `/api/v1/perms/access/${tree.url}/tree/`,
      access: Permission.ADMIN,
      area: 'permissions',
      summary: tree.summary,
      answer: ACCESS_TREE,
      handler: (context) => listBranches(options, context, tree),
    });
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/permissions/:permission/users/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary: 'List the active users of a permission, named directly or by a group.',
    query: GROUP,
    answer: USER_LEAVES,
    handler: (context) => listUsers(options, context),
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/permissions/:permission/assets/',
    access: Permission.ADMIN,
    area: 'permissions',
    summary: 'List the active assets of a permission, named directly or by a node.',
    query: NODE,
    answer: ASSET_LEAVES,
    handler: (context) => listAssets(options, context),
  });
}

/** Returns an id from the query string, or null if it is absent. @throws Invalid */
function idIn({ query }: Context, name: string): string | null {
  const value = (query.getAll(name).at(-1) ?? '').trim();
  if (value === '') return null;
  if (!isUuid(value)) throw invalid(name, 'not_uuid', { value: value.slice(0, 64) });
  return value;
}

function toAccessBranch(
  {
    permission,
    permissionName,
    validUntil,
    group,
    groupName,
    node: place,
    nodeName,
    accounts,
    count,
    terms,
    needsApproval,
    needsWatcher,
  }: GrantBranch,
  { zone, language }: Context,
): AccessBranch {
  return {
    permission: { id: permission, name: permissionName },
    valid_until: formatDatetime(validUntil, zone),
    group: group === null ? null : { id: group, name: groupName ?? '' },
    node: place === null ? null : { id: place, name: nodeName ?? '' },
    condition: terms && describeCondition(terms, language),
    needs_approval: needsApproval,
    needs_watcher: needsWatcher,
    accounts: accounts.map(({ mask, ...account }) => ({ ...account, actions: actionNames(mask) })),
    count,
  };
}
