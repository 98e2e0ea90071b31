import {
  asset,
  isUuid,
  many,
  node as nodeResource,
  Permission,
  TREE_FOUND_MAX,
  type TreeNode,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { pageOf } from '../../http/page.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { fileOf, pagedListOf, rowOf, samples } from '../../http/shapes.ts';
import { TREE } from '../../http/wire-shapes.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter, ResourceServices } from '../../resources/hooks.ts';
import {
  assetIdsOn,
  assetLeaf,
  assetsOn,
  findNode,
  levelBelow,
  nodeLeaf,
  withNodesAbove,
} from './node-store.ts';
import {
  addChild,
  lockNode,
  moveNodes,
  type NodeRow,
  type Placement,
  placeOnNode,
  rootOf,
} from './tree.ts';

export interface NodeRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

const PREFIX = '/api/v1/assets/nodes/';

const CHILD = {
  value: { ...nodeResource.fields.value, required: false },
  id: nodeResource.fields.id,
};
const MOVED = { nodes: many({ label: nodeResource.title, to: 'node', minItems: 1 }) };
const PLACED = {
  assets: many({ label: { en: 'Assets', zh: '资产' }, to: 'asset', minItems: 1 }),
};

const nodesOf = ({ engines }: NodeRouteOptions) => engineOf(engines, nodeResource).reader;

/** Returns the id in the path. @throws NotFound */
function idOf(context: Context): string {
  const id = parameter(context, 'id');
  if (!isUuid(id)) throw notFound();
  return id;
}

/** Returns the node that the parameters choose, by key or by id. @throws NotFound */
async function findChosen(context: Context, db: Db): Promise<NodeRow | undefined> {
  const keyOrId = context.query.get('key') || context.query.get('id') || undefined;
  if (keyOrId === undefined) return undefined;
  const row = await findNode(keyOrId, context.actor.organization.id, db);
  if (!row) throw notFound();
  return row;
}

/** Finds nodes by their names, with all above them. */
async function searchTree(options: NodeRouteOptions, context: Context, search: string) {
  const query = new URLSearchParams({ search, fields: 'id', limit: String(TREE_FOUND_MAX) });
  const matches = await nodesOf(options).list(query, context);
  const ids = (matches && 'results' in matches ? matches.results : []).map(({ id }) => String(id));
  return (await withNodesAbove(ids, context.actor.organization.id, options.db)).map(nodeLeaf);
}

/** Shows one level of the tree, or the result of a search. */
async function showTree(options: NodeRouteOptions, context: Context): Promise<TreeNode[]> {
  const { db } = options;
  const { query } = context;
  const { organization } = context.actor;
  const search = query.getAll('search').at(-1)?.trim();
  if (search) return searchTree(options, context, search);
  const chosen = await findChosen(context, db);
  const parent = chosen ?? (await rootOf(organization, db));
  const all = ['all', '1'].includes(query.get('all') ?? '');
  const rows = await levelBelow(parent, { withParent: !chosen, all }, db);
  const withAssets = query.get('assets') === '1';
  const nodes = rows.map((row) =>
    nodeLeaf({ ...row, has_children: row.has_children || (withAssets && row.assets_amount > 0) }),
  );
  if (!withAssets) return nodes;
  const assets = await assetsOn(parent, organization.name, db);
  return [...nodes, ...assets.map((one) => assetLeaf(one, parent.key))];
}

/** Shows all nodes, without assets. */
async function showAllNodes({ db }: NodeRouteOptions, context: Context): Promise<TreeNode[]> {
  const root = await rootOf(context.actor.organization, db);
  const rows = await levelBelow(root, { withParent: true, all: true, byKey: true }, db);
  return rows.map((row) => nodeLeaf(row));
}

/** Lists the nodes below the node of the path or of the parameters. */
async function listChildren(options: NodeRouteOptions, context: Context) {
  const { db } = options;
  const { organization } = context.actor;
  const own = parameter(context, 'id');
  const parent = own ? await nodesOf(options).retrieve(own, context) : undefined;
  const chosen = parent
    ? await findNode(String(parent.id), organization.id, db)
    : await findChosen(context, db);
  const start = chosen ?? (await rootOf(organization, db));
  const all = context.query.get('all') === 'all';
  const rows = await levelBelow(start, { withParent: !chosen, all, byKey: true }, db);
  const ids = rows.map(({ id }) => id);
  return pageOf(context, await nodesOf(options).rows(ids, context));
}

/** Creates a node below the node of the path or of the parameters. */
async function createChild(options: NodeRouteOptions, context: Context) {
  const { db, audit, lockGrants } = options;
  const { value } = readBody(context, CHILD);
  const parent = parameter(context, 'id')
    ? { id: idOf(context) }
    : ((await findChosen(context, db)) ?? (await rootOf(context.actor.organization, db)));
  const id = await transact(db, async (tx) => {
    await lockGrants(nodeResource, tx);
    const child = await addChild(await lockNode(parent.id, context, tx), { value }, context, tx);
    const row = await nodesOf(options).retrieve(child, context, tx);
    await audit(tx, context, {
      action: 'create',
      resourceType: 'node',
      resource: String(row.full_value),
      resourceId: child,
    });
    return child;
  });
  context.reply.code(201);
  return nodesOf(options).retrieve(id, context);
}

/** Moves nodes under the node of the path. */
async function moveUnder(options: NodeRouteOptions, context: Context): Promise<string> {
  const { db, audit, lockGrants } = options;
  const { nodes } = readBody(context, MOVED);
  const target = idOf(context);
  await transact(db, async (tx) => {
    await lockGrants(nodeResource, tx);
    const before = await nodesOf(options).rows(nodes, context, tx);
    if (before.length !== nodes.length) throw notFound();
    await moveNodes(nodes, target, context, tx);
    const after = await nodesOf(options).rows(nodes, context, tx);
    for (const [index, row] of after.entries())
      await audit(tx, context, {
        action: 'update',
        resourceType: 'node',
        resource: String(row.full_value),
        resourceId: String(row.id),
        changes: { full_value: [before[index]?.full_value, row.full_value] },
      });
  });
  return 'OK';
}

/** Lists the assets on the node of the path. */
async function listAssets(options: NodeRouteOptions, context: Context) {
  const { id } = await nodesOf(options).retrieve(idOf(context), context);
  context.query.set('node_id', String(id));
  context.query.set('show_current_asset', context.query.has('all') ? '0' : '1');
  return answerList({ resource: asset, ...engineOf(options.engines, asset).reader }, context);
}

/** Puts assets on the node of the path, or takes them off. */
async function placeAssets(options: NodeRouteOptions, context: Context, placement: Placement) {
  const { assets } = readBody(context, PLACED);
  const id = idOf(context);
  await placeOnNode(options, id, { assets, placement }, context);
  const { organization } = context.actor;
  return {
    assets: await assetIdsOn(id, options.db),
    org_id: organization.id,
    org_name: organization.name,
  };
}

/** Mounts the routes of the asset tree: read levels, add children, move nodes, place assets. */
export function mountNodeRoutes(app: FastifyInstance, options: NodeRouteOptions): void {
  route(app, {
    method: 'GET',
    url: `${PREFIX}children/tree/`,
    access: Permission.ADMIN,
    area: 'assets',
    summary:
      'The tree level by level: without a key the root and its children, with one its children. `search` finds nodes, with all above them.',
    answer: TREE,
    handler: (context) => showTree(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${PREFIX}tree/`,
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'All nodes as a tree.',
    answer: TREE,
    handler: (context) => showAllNodes(options, context),
  });
  for (const url of [`${PREFIX}:id/children/`, `${PREFIX}children/`])
    mountChildren(app, url, options);
  route(app, {
    method: ['PUT', 'PATCH'],
    url: `${PREFIX}:id/children/add/`,
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'Move nodes, with all below them, under this one.',
    body: MOVED,
    answer: fileOf('text/plain', 'OK'),
    handler: (context) => moveUnder(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${PREFIX}:id/assets/`,
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'The assets on a node.',
    answer: pagedListOf(rowOf(asset)),
    handler: (context) => listAssets(options, context),
  });
  for (const placement of ['add', 'replace', 'remove'] as const)
    route(app, {
      method: ['PUT', 'PATCH'],
      url: `${PREFIX}:id/assets/${placement}/`,
      access: Permission.ADMIN,
      area: 'assets',
      summary: {
        add: 'Put assets on this node too.',
        replace: 'Put assets on this node only.',
        remove: 'Take assets off this node.',
      }[placement],
      body: PLACED,
      answer: samples({ assets: [exampleId('asset')], org_id: '', org_name: 'DEFAULT' }),
      handler: (context) => placeAssets(options, context, placement),
    });
}

function mountChildren(app: FastifyInstance, url: string, options: NodeRouteOptions): void {
  route(app, {
    method: 'GET',
    url,
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'The nodes below a node.',
    answer: pagedListOf(rowOf(nodeResource)),
    handler: (context) => listChildren(options, context),
  });
  route(app, {
    method: 'POST',
    url,
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'Add a node below a node.',
    body: CHILD,
    answer: rowOf(nodeResource),
    status: 201,
    handler: (context) => createChild(options, context),
  });
}
