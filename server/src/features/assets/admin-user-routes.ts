import { adminUser, asset, isUuid, MAX_ITEMS, many, node, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { assetIdsBelow } from './node-store.ts';

const NODES = { nodes: many({ label: node.title, to: 'node', minItems: 1 }) };

/** Mounts the route that sets the admin user of all assets at and below nodes. */
export function mountAdminUserRoutes(app: FastifyInstance, db: Db, engines: Engines): void {
  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/assets/admin-users/:id/nodes/',
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'Set this admin user for all assets on and below these nodes.',
    body: NODES,
    answer: samples({ msg: 'ok' }),
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      const adminUserId = (await engineOf(engines, adminUser).reader.retrieve(id, context)).id;
      const { nodes } = readBody(context, NODES);
      const known = await engineOf(engines, node).reader.rows(nodes, context);
      const missing = nodes.find((nodeId) => !known.some((row) => row.id === nodeId));
      if (missing) throw invalid('nodes', 'unknown_object', { value: missing });
      const assets = await assetIdsBelow(nodes, MAX_ITEMS + 1, db);
      if (assets.length > MAX_ITEMS) throw invalid('nodes', 'list_too_long', { max: MAX_ITEMS });
      const changes = assets.map((assetId) => ({ id: assetId, admin_user: adminUserId }));
      await engineOf(engines, asset).writer.updateMany(changes, 'change', context);
      return { msg: 'ok' };
    },
  });
}
