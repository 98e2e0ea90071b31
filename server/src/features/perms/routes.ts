import { asset, type Field, type Fields, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { pageOf } from '../../http/page.ts';
import { route } from '../../http/route.ts';
import type { Shape } from '../../http/shapes.ts';
import { GRANTED_ACCOUNTS, GRANTED_ASSETS, GRANTED_NODES, TREE } from '../../http/wire-shapes.ts';
import {
  findLeaves,
  type Granted,
  type GrantRouteOptions,
  listAccounts,
  listAssets,
  listAssetsOnNode,
  listNodeLeaves,
  listNodes,
  listNodesBelow,
  showLevel,
  showWholeTree,
  toWire,
} from './granted.ts';
import { mountRuleRoutes } from './rule-routes.ts';
import { type SubjectRoutes, subjectsOf } from './subjects.ts';

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

/**
 * Mounts the granted assets, nodes and system users of users and groups. `users/…` covers the
 * caller in all organizations. `users/{id}/…` and `user-groups/{id}/…` cover the current one.
 */
export function mountGrantRoutes(app: FastifyInstance, options: GrantRouteOptions): void {
  for (const subject of subjectsOf(options.engines)) mountSubject(app, subject, options);
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/system-users-permission/',
    access: Permission.USE,
    summary: 'List the accounts that permissions give the caller on any asset.',
    answer: GRANTED_ACCOUNTS,
    handler: async (context) =>
      pageOf(context, (await options.grants.accountsAnywhere(context.actor.userId)).map(toWire)),
  });
  mountRuleRoutes(app, options);
}

type Handler = (granted: Granted, context: Context) => Promise<unknown>;

/** Mounts the routes about one kind of subject. */
function mountSubject(
  app: FastifyInstance,
  { prefix, access, subject, own }: SubjectRoutes,
  options: GrantRouteOptions,
): void {
  const granted: Granted = { ...options, subject, own };
  const get = (path: string, summary: string, answer: Shape, handler: Handler) =>
    route(app, {
      method: 'GET',
      url: `${prefix}${path}`,
      access,
      ...(!own && { area: 'permissions' }),
      summary,
      answer,
      ...(answer === GRANTED_ASSETS && { columns: GRANTED_COLUMNS }),
      handler: (context) => handler(granted, context),
    });

  get('assets/', 'The assets that are granted.', GRANTED_ASSETS, listAssets);
  get('nodes/:node/assets/', 'The granted assets on a node.', GRANTED_ASSETS, listAssetsOnNode);
  get(
    'assets/:asset/system-users/',
    'The accounts that are granted for an asset.',
    GRANTED_ACCOUNTS,
    listAccounts,
  );
  get('assets/tree/', 'Granted assets as leaves, by search or id.', TREE, findLeaves);
  get('nodes/', 'The granted nodes, flat.', GRANTED_NODES, listNodes);
  get('nodes/tree/', 'The granted nodes as a tree, all at once.', TREE, listNodeLeaves);
  get(
    'nodes/children/',
    'The granted nodes below one, or the roots and one level.',
    GRANTED_NODES,
    listNodesBelow,
  );
  get(
    'nodes-with-assets/tree/',
    'The whole tree of what is granted, assets included: for clients that load it at once.',
    TREE,
    showWholeTree,
  );
  get(
    'nodes/children/tree/',
    'One level of the tree of what is granted. `search` finds nodes by names of their paths, with all above them.',
    TREE,
    (_granted, context) => showLevel(granted, context, false),
  );
  get(
    'nodes/children-with-assets/tree/',
    'One level of the tree of what is granted.',
    TREE,
    (_granted, context) => showLevel(granted, context, true),
  );
}
