import { Permission, type RestoredObject } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { restoreDeleted } from './store.ts';

interface DeletedObjectOptions {
  readonly db: Db;
  readonly engines: Engines;
}

const MOST_VALUE = 256;

/** @throws Invalid for values that are no texts */
function namesIn(values: unknown): Record<string, string> {
  const names: Record<string, string> = {};
  if (values === undefined || values === null) return names;
  if (typeof values !== 'object' || Array.isArray(values)) throw invalid('values', 'invalid');
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || value.length > MOST_VALUE) throw invalid('values', 'invalid');
    names[name] = value;
  }
  return names;
}

/** Mounts the restoration of a deleted object. */
export function mountDeletedObjects(app: FastifyInstance, { db, engines }: DeletedObjectOptions) {
  route(app, {
    method: 'POST',
    url: '/api/v1/common/deleted-objects/:id/restore/',
    access: Permission.ADMIN,
    area: 'changes',
    summary:
      'Restore a deleted object under its id, with the rights to create and delete such objects. `values` replaces unique names that are taken. The answer names links that did not come back.',
    bodyShape: samples({}, { values: { hostname: 'web-prod-01-restored' } }),
    answer: samples<RestoredObject>({
      id: exampleId('asset'),
      resource: 'asset',
      name: 'web-prod-01',
      missing: ['Node: Shanghai'],
    }),
    async handler(context): Promise<RestoredObject> {
      const { values } = (context.request.body ?? {}) as { readonly values?: unknown };
      const { row, missing, resource } = await restoreDeleted(parameter(context, 'id'), {
        db,
        engineOf: (one) => engineOf(engines, one),
        caller: context,
        other: namesIn(values),
      });
      return {
        id: String(row.id),
        resource: resource.name,
        name: String(row[resource.labelField] ?? row.id),
        missing,
      };
    },
  });
}
