import { MAX_ITEMS, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import type { Engines } from '../../resources/engines.ts';
import { storeSet } from '../../resources/read/resource-set.ts';
import { exampleId } from '../openapi/examples.ts';
import { assertAccess, readBody, route } from '../route.ts';
import { samples } from '../shapes.ts';

const MATCHING = {
  resource: text({ label: { en: 'Resource', zh: '资源' }, max: 64 }),
  query: text({
    label: { en: 'Query of its list', zh: '列表查询条件' },
    max: 8_192,
    required: false,
    defaultValue: '',
  }),
};

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/** Stores a set of ids for its creator (conformance 7.6). */
export function mountResourceSets(app: FastifyInstance, db: Db, engines: Engines): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/common/resources/cache/',
    access: Permission.USE,
    area: 'own',
    reads: true,
    summary: 'Store a set of ids and return its name for spm.',
    bodyShape: samples({ resources: [exampleId('asset')] }),
    answer: samples({ spm: exampleId('resource_set') }),
    async handler({ request, actor }) {
      const { resources = [] } = (request.body ?? {}) as { resources?: unknown };
      // A single select sends one bare id. Selects of platforms and storages send names; other
      // values match nothing.
      const ids: unknown[] = [resources].flat();
      if (ids.length > MAX_ITEMS) throw invalid('resources', 'list_too_long', { max: MAX_ITEMS });
      if (ids.some((id) => !SCALARS.has(typeof id))) throw invalid('resources', 'not_string');
      return { spm: await storeSet(ids, actor.userId, db) };
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/common/resources/matching/',
    access: Permission.USE,
    area: 'own',
    reads: true,
    summary: 'Store all objects that match a list and return the name for spm.',
    bodyShape: samples({ resource: 'asset', query: 'search=web' }),
    answer: samples({ spm: exampleId('resource_set'), count: 23_000 }),
    async handler(context) {
      const { resource: name, query = '' } = readBody(context, MATCHING);
      const engine = engines.get(name);
      // Nested resources can only be listed below their parent.
      if (!engine || engine.resource.parent || engine.resource.access.read === undefined)
        throw invalid('resource', 'not_choice', { value: name });
      assertAccess(engine.resource.access.read, context.actor, context.language);
      return engine.reader.nameMatching(new URLSearchParams(query), context);
    },
  });
}
