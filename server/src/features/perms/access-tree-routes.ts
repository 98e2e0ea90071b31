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
import { invalid } from '../../platform/errors.ts';
import { engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/page.ts';
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
import { coveringAccount, coveringAsset, coveringNode } from './grants/covering-permissions.ts';

const MAX_ROWS = 200;
const DEFAULT_ROWS = 50;

const GROUP: Fields = {
  group: reference({ label: userGroup.title, to: 'user_group', required: false }),
};
const NODE: Fields = { node: reference({ label: node.title, to: 'node', required: false }) };

/**
 * Mounts access lists as trees: branches with their number of leaves, and the leaves of a branch.
 */
export function mountAccessTreeRoutes(
  app: FastifyInstance,
  { db, engines }: Pick<AccessRouteOptions, 'db' | 'engines'>,
): void {
  const partOf = (context: Context): Part & { readonly limit: number } => {
    const { limit = DEFAULT_ROWS, offset } = readPaging(context.query, MAX_ROWS);
    return { limit, offset };
  };
  const toPage = <Row>(
    context: Context,
    { limit, offset }: Part,
    count: number,
    results: readonly Row[],
  ): Page<Row> => ({
    count,
    ...neighbors(context, limit, offset, count),
    results: [...results],
  });

  const mountTree = (
    url: string,
    resource: Resource,
    summary: string,
    read: (
      id: string,
      organization: string,
      part: Part,
    ) => Promise<{ readonly count: number; readonly branches: readonly GrantBranch[] }>,
  ) =>
    route(app, {
      method: 'GET',
      url: `/api/v1/perms/access/${url}/tree/`,
      access: Permission.ADMIN,
      summary,
      answer: ACCESS_TREE,
      async handler(context): Promise<Page<AccessBranch>> {
        const { id } = await engineOf(engines, resource).reader.retrieve(
          parameter(context, /:(\w+)/.exec(url)?.[1] ?? ''),
          context,
        );
        const part = partOf(context);
        const { count, branches } = await read(String(id), context.actor.organization.id, part);
        return toPage(
          context,
          part,
          count,
          branches.map((branch) => toAccessBranch(branch, context.zone)),
        );
      },
    });

  const toUsers =
    (covering: typeof coveringAsset) => (id: string, organization: string, part: Part) =>
      branchesToUsers(covering(id, organization), part, db);
  mountTree(
    'assets/:asset/users',
    asset,
    'Who can reach an asset now, as branches: by which permission, group and node, and how many users.',
    toUsers(coveringAsset),
  );
  mountTree(
    'nodes/:id/users',
    node,
    'Who can reach something at or below a node now, as branches.',
    toUsers(coveringNode),
  );
  mountTree(
    'system-users/:id/users',
    systemUser,
    'Who can use a system user now, as branches.',
    toUsers(coveringAccount),
  );
  mountTree(
    'users/:user/assets',
    user,
    'What a user can reach now, as branches: by which permission, group and node, and how many assets.',
    (id, organization, part) => branchesToAssets({ user: id }, organization, part, db),
  );
  mountTree(
    'user-groups/:group/assets',
    userGroup,
    'What the members of a group can reach now because of it, as branches.',
    (id, organization, part) => branchesToAssets({ group: id }, organization, part, db),
  );

  /** Id of the permission in the path. Permissions of other organizations are not found. */
  const permissionOf = async (context: Context): Promise<string> =>
    String(
      (
        await engineOf(engines, assetPermission).reader.retrieve(
          parameter(context, 'permission'),
          context,
        )
      ).id,
    );
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/permissions/:permission/users/',
    access: Permission.ADMIN,
    summary: 'The active users whom a permission names itself, or by one of its groups.',
    query: GROUP,
    answer: USER_LEAVES,
    async handler(context): Promise<Page<UserLeaf>> {
      const part = partOf(context);
      const { count, leaves } = await usersOfBranch(
        await permissionOf(context),
        idIn(context, 'group'),
        part,
        db,
      );
      return toPage(context, part, count, leaves);
    },
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/access/permissions/:permission/assets/',
    access: Permission.ADMIN,
    summary:
      'The active assets that a permission names itself, or that are at or below one of its nodes.',
    query: NODE,
    answer: ASSET_LEAVES,
    async handler(context): Promise<Page<AssetLeaf>> {
      const part = partOf(context);
      const { count, leaves } = await assetsOfBranch(
        await permissionOf(context),
        idIn(context, 'node'),
        part,
        db,
      );
      return toPage(context, part, count, leaves);
    },
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
  }: GrantBranch,
  zone: string,
): AccessBranch {
  return {
    permission: { id: permission, name: permissionName },
    valid_until: formatDatetime(validUntil, zone),
    group: group === null ? null : { id: group, name: groupName ?? '' },
    node: place === null ? null : { id: place, name: nodeName ?? '' },
    accounts: accounts.map(({ mask, ...account }) => ({ ...account, actions: actionNames(mask) })),
    count,
  };
}
