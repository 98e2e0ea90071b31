import { isUuid, MAX_ITEMS, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { storeSet } from '../../resources/resource-set.ts';
import { exampleId } from '../openapi/examples.ts';
import { route } from '../route.ts';
import { samples } from '../shapes.ts';

/** Names a set of ids for its maker (conformance 7.6). */
export function mountResourceSets(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/common/resources/cache/',
    access: Permission.USE,
    summary: 'Give a set of ids a name to use as spm.',
    bodyShape: samples({ resources: [exampleId('asset')] }),
    answer: samples({ spm: exampleId('resource_set') }),
    async handler({ request, actor }) {
      const { resources = [] } = (request.body ?? {}) as { resources?: unknown };
      // A single select sends its one id bare.
      const ids: unknown[] = [resources].flat();
      if (ids.length > MAX_ITEMS) throw invalid('resources', 'list_too_long', { max: MAX_ITEMS });
      const wrong = ids.find((id) => !isUuid(id));
      if (wrong !== undefined) throw invalid('resources', 'not_uuid', { value: typeof wrong === 'string' ? wrong.slice(0, 64) : '…' });
      return { spm: await storeSet(ids, actor.userId, db) };
    },
  });
}
