import {
  asset,
  type Fields,
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
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { fileOf, listOf, pagedListOf, rowOf, samples } from '../../http/shapes.ts';
import { TREE } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter, ResourceServices } from '../../resources/hooks.ts';
import { assetIdsOn, assetsOn, findNode, levelBelow, withNodesAbove } from './node-store.ts';
import { placeOnNode } from './placing.ts';
import { addChild, lockNode, moveNodes, type NodeRow, type Placement, rootOf } from './tree.ts';
import { assetLeaf, nodeLeaf } from './tree-nodes.ts';

export interface NodeRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

const PREFIX = '/api/v1/assets/nodes/';

const CHILD: Fields = {
  value: { ...nodeResource.fields.value, required: false },
  id: nodeResource.fields.id,
};
const MOVED: Fields = { nodes: many({ label: nodeResource.title, to: 'node', minItems: 1 }) };
const PLACED: Fields = {
  assets: many({ label: { en: 'Assets', zh: '资产' }, to: 'asset', minItems: 1 }),
};

/** Mounts the routes of the asset tree: read levels, add children, move nodes, place assets. */
export function mountNodeRoutes(
  app: FastifyInstance,
  { db, engines, audit, lockGrants }: NodeRouteOptions,
): void {
  const ADMIN = Permission.ADMIN;
  const idOf = (context: Context): string => {
    const id = parameter(context, 'id');
    if (!isUuid(id)) throw notFound();
    return id;
  };
  const rowsOf = async (ids: readonly string[], context: Context) =>
    engineOf(engines, nodeResource).reader.rows(ids, context);

  const find = async (context: Context): Promise<NodeRow | undefined> => {
    const keyOrId = context.query.get('key') || context.query.get('id') || undefined;
    if (keyOrId === undefined) return undefined;
    const row = await findNode(keyOrId, context.actor.organization.id, db);
    if (!row) throw notFound();
    return row;
  };
  route(app, {
    method: 'GET',
    url: `${PREFIX}children/tree/`,
    access: ADMIN,
    summary:
      'The tree level by level: without a key the root and its children, with one its children. `search` finds nodes, with all above them.',
    answer: TREE,
    async handler(context): Promise<TreeNode[]> {
      const search = context.query.getAll('search').at(-1)?.trim();
      if (search) {
        const query = new URLSearchParams({ search, fields: 'id', limit: String(TREE_FOUND_MAX) });
        const matches = await engineOf(engines, nodeResource).reader.list(query, context);
        const ids = (matches && 'results' in matches ? matches.results : []).map(({ id }) =>
          String(id),
        );
        return (await withNodesAbove(ids, context.actor.organization.id, db)).map(nodeLeaf);
      }
      const chosen = await find(context);
      const parent = chosen ?? (await rootOf(context.actor.organization, db));
      const all = ['all', '1'].includes(context.query.get('all') ?? '');
      const rows = await levelBelow(parent, { withParent: !chosen, all }, db);
      const withAssets = context.query.get('assets') === '1';
      const nodes = rows.map((row) =>
        nodeLeaf({
          ...row,
          has_children: row.has_children || (withAssets && row.assets_amount > 0),
        }),
      );
      return withAssets
        ? [
            ...nodes,
            ...(await assetsOn(parent, context.actor.organization.name, db)).map((one) =>
              assetLeaf(one, parent.key),
            ),
          ]
        : nodes;
    },
  });

  for (const url of [`${PREFIX}:id/children/`, `${PREFIX}children/`]) {
    route(app, {
      method: 'GET',
      url,
      access: ADMIN,
      summary: 'The nodes below a node.',
      answer: listOf(rowOf(nodeResource)),
      async handler(context) {
        const own = parameter(context, 'id');
        const parent = own
          ? await engineOf(engines, nodeResource).reader.retrieve(own, context)
          : undefined;
        const chosen = parent
          ? await findNode(String(parent.id), context.actor.organization.id, db)
          : await find(context);
        const start = chosen ?? (await rootOf(context.actor.organization, db));
        const rows = await levelBelow(
          start,
          { withParent: !chosen, all: context.query.get('all') === 'all', byKey: true },
          db,
        );
        return rowsOf(
          rows.map((row) => row.id),
          context,
        );
      },
    });
    route(app, {
      method: 'POST',
      url,
      access: ADMIN,
      summary: 'Add a node below a node.',
      body: CHILD,
      answer: rowOf(nodeResource),
      status: 201,
      async handler(context) {
        const { value } = readBody(context);
        const parent = parameter(context, 'id')
          ? { id: idOf(context) }
          : ((await find(context)) ?? (await rootOf(context.actor.organization, db)));
        const id = await transact(db, async (tx) => {
          await lockGrants(nodeResource, tx);
          const child = await addChild(
            await lockNode(parent.id, context, tx),
            value as string | undefined,
            context,
            tx,
          );
          const row = await engineOf(engines, nodeResource).reader.retrieve(child, context, tx);
          await audit(tx, context, {
            action: 'create',
            resourceType: 'node',
            resource: String(row.full_value),
            resourceId: child,
          });
          return child;
        });
        context.reply.code(201);
        return engineOf(engines, nodeResource).reader.retrieve(id, context);
      },
    });
  }

  route(app, {
    method: 'PUT',
    url: `${PREFIX}:id/children/add/`,
    access: ADMIN,
    summary: 'Move nodes, with all below them, under this one.',
    body: MOVED,
    answer: fileOf('text/plain', 'OK'),
    async handler(context) {
      const { nodes } = readBody(context);
      const target = idOf(context);
      await transact(db, async (tx) => {
        await lockGrants(nodeResource, tx);
        const before = await engineOf(engines, nodeResource).reader.rows(
          nodes as string[],
          context,
          tx,
        );
        if (before.length !== (nodes as string[]).length) throw notFound();
        await moveNodes(nodes as string[], target, context, tx);
        const after = await engineOf(engines, nodeResource).reader.rows(
          nodes as string[],
          context,
          tx,
        );
        for (const [index, row] of after.entries()) {
          await audit(tx, context, {
            action: 'update',
            resourceType: 'node',
            resource: String(row.full_value),
            resourceId: String(row.id),
            changes: { full_value: [before[index]?.full_value, row.full_value] },
          });
        }
      });
      return 'OK';
    },
  });

  route(app, {
    method: 'GET',
    url: `${PREFIX}:id/assets/`,
    access: ADMIN,
    summary: 'The assets on a node.',
    answer: pagedListOf(rowOf(asset)),
    async handler(context) {
      const { id } = await engineOf(engines, nodeResource).reader.retrieve(idOf(context), context);
      context.query.set('node_id', String(id));
      context.query.set('show_current_asset', context.query.has('all') ? '0' : '1');
      return answerList({ resource: asset, ...engineOf(engines, asset).reader }, context);
    },
  });

  for (const placement of ['add', 'replace', 'remove'] as const satisfies readonly Placement[]) {
    route(app, {
      method: ['PUT', 'PATCH'],
      url: `${PREFIX}:id/assets/${placement}/`,
      access: ADMIN,
      summary: {
        add: 'Put assets on this node too.',
        replace: 'Put assets on this node only.',
        remove: 'Take assets off this node.',
      }[placement],
      body: PLACED,
      answer: samples({ assets: [exampleId('asset')], org_id: '', org_name: 'DEFAULT' }),
      async handler(context) {
        const { assets } = readBody(context);
        const id = idOf(context);
        await placeOnNode({ db, audit, lockGrants }, id, assets as string[], placement, context);
        return {
          assets: await assetIdsOn(id, db),
          org_id: context.actor.organization.id,
          org_name: context.actor.organization.name,
        };
      },
    });
  }
}
