import { asset, type Field, type Fields, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { withLaterPrefix } from '../../http/later-prefix.ts';
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
  mountOwnNodes(app, options);
}

/** A read of grants. */
interface Read {
  readonly path: string;
  readonly summary: string;
  readonly answer: Shape;
  readonly handler: (granted: Granted, context: Context) => Promise<unknown>;
}

const ASSET_READS: readonly Read[] = [
  {
    path: 'assets/',
    summary: 'The assets that are granted.',
    answer: GRANTED_ASSETS,
    handler: (granted, context) => listAssets(granted, context),
  },
  {
    path: 'nodes/:node/assets/',
    summary: 'The granted assets on a node.',
    answer: GRANTED_ASSETS,
    handler: listAssetsOnNode,
  },
  {
    path: 'assets/:asset/system-users/',
    summary: 'The accounts that are granted for an asset.',
    answer: GRANTED_ACCOUNTS,
    handler: listAccounts,
  },
  {
    path: 'assets/tree/',
    summary: 'Granted assets as leaves, by search or id.',
    answer: TREE,
    handler: findLeaves,
  },
];

const NODE_READS: readonly Read[] = [
  {
    path: 'nodes/',
    summary: 'The granted nodes, flat.',
    answer: GRANTED_NODES,
    handler: listNodes,
  },
  {
    path: 'nodes/tree/',
    summary: 'The granted nodes as a tree, all at once.',
    answer: TREE,
    handler: listNodeLeaves,
  },
  {
    path: 'nodes/children/',
    summary: 'The granted nodes below one, or the roots and one level.',
    answer: GRANTED_NODES,
    handler: listNodesBelow,
  },
  {
    path: 'nodes-with-assets/tree/',
    summary: 'The whole tree of grants, assets included: for clients that load it at once.',
    answer: TREE,
    handler: showWholeTree,
  },
  {
    path: 'nodes/children/tree/',
    summary:
      'One level of the tree of grants. `search` finds nodes by names of their paths, with all above them.',
    answer: TREE,
    handler: (granted, context) => showLevel(granted, context, false),
  },
  {
    path: 'nodes/children-with-assets/tree/',
    summary: 'One level of the tree of grants.',
    answer: TREE,
    handler: (granted, context) => showLevel(granted, context, true),
  },
];

/** Mounts the routes about one kind of subject. */
function mountSubject(
  app: FastifyInstance,
  { prefix, access, subject, own }: SubjectRoutes,
  options: GrantRouteOptions,
): void {
  const granted: Granted = { ...options, subject, own };
  for (const { path, summary, answer, handler } of [...ASSET_READS, ...NODE_READS])
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
}

/** Mounts the nodes of the caller at their path of versions 3 and 4. The rows are the same. */
function mountOwnNodes(app: FastifyInstance, options: GrantRouteOptions): void {
  const own = subjectsOf(options.engines).find((subject) => subject.own);
  if (!own) return;
  const granted: Granted = { ...options, ...own };
  for (const prefix of withLaterPrefix('/api/v1/perms/users/self/'))
    for (const { path, summary, answer, handler } of NODE_READS)
      route(app, {
        method: 'GET',
        url: `${prefix}${path}`,
        access: own.access,
        summary,
        answer,
        handler: (context) => handler(granted, context),
      });
}
