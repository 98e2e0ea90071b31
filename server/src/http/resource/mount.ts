import { MAX_ITEMS, RESOURCES, type Resource } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../problem.ts';
import { parameter, route } from '../route.ts';
import { answerList } from './answer-list.ts';
import { importCsv } from './csv/routes.ts';
import type { MountedResource, Registry, ResourceHooks, ResourceServices } from './hooks.ts';
import { describeResource } from './metadata.ts';
import { pickFrom } from './pick.ts';
import { createReader, type Reader } from './read.ts';
import { createWriter, readIds, type Writer } from './write.ts';

/** Bytes of a batch: ten thousand rows fit. */
const BATCH_LIMIT = 10 * 1024 * 1024;

/** A resource as the program's own code uses it. */
export interface ResourceEngine extends MountedResource {
  readonly reader: Reader;
  readonly writer: Writer;
}

export type Engines = ReadonlyMap<string, ResourceEngine>;

/** Builds the engines of all declared resources. `hooks` are by resource name; a name that is no resource is a mistake and throws. */
export function createEngines(hooks: Readonly<Record<string, ResourceHooks>>, services: ResourceServices): Engines {
  const registry: Registry = new Map(RESOURCES.map((resource) => [resource.name, { resource, hooks: hooks[resource.name] ?? {} }]));
  const stray = Object.keys(hooks).find((name) => !registry.has(name));
  if (stray) throw new Error(`hooks for ${stray}, which is no resource`);
  return new Map(
    [...registry].map(([name, mounted]) => {
      const reader = createReader(mounted, registry, services);
      return [name, { ...mounted, reader, writer: createWriter(mounted, registry, services, reader) }];
    }),
  );
}

/** The engine of a resource by name. */
export function engineOf(engines: Engines, resource: Resource): ResourceEngine {
  const engine = engines.get(resource.name);
  if (!engine) throw new Error(`${resource.name} is not mounted`);
  return engine;
}

/**
 * Adds the routes of a resource: list, create, retrieve, update, delete, and the metadata of both URLs. A verb without declared
 * access gets no route. On the list URL, bodies may be lists: they apply whole or not at all.
 */
export function mountResource(app: FastifyInstance, engine: ResourceEngine): void {
  const { resource, reader, writer } = engine;
  const listUrl = `/api/v1/${resource.path}/`;
  const itemUrl = `${listUrl}:id/`;
  const { access } = resource;
  if (access.read !== undefined) {
    route(app, {
      method: 'GET',
      url: listUrl,
      access: access.read,
      handler: (context) => answerList({ resource, ...reader }, context),
    });
    route(app, {
      method: 'GET',
      url: itemUrl,
      access: access.read,
      handler: async (context) => pickFrom(await reader.retrieve(parameter(context, 'id'), context), resource, context),
    });
    route(app, {
      method: 'OPTIONS',
      url: listUrl,
      access: access.read,
      handler: (context) => describeResource(resource, context, false),
    });
    route(app, {
      method: 'OPTIONS',
      url: itemUrl,
      access: access.read,
      handler: async (context) => {
        // Metadata of an object that is not there would tell that others are.
        await reader.retrieve(parameter(context, 'id'), context);
        return describeResource(resource, context, true);
      },
    });
  }
  if (access.create !== undefined) {
    route(app, {
      method: 'POST',
      url: listUrl,
      access: access.create,
      bodyLimit: BATCH_LIMIT,
      takesCsv: true,
      handler: async (context) => {
        const { body } = context.request;
        const created = Buffer.isBuffer(body)
          ? await importCsv(engine, context, 'create')
          : Array.isArray(body)
            ? await writer.createMany(body, context)
            : await writer.create(body, context);
        context.reply.code(201);
        return created;
      },
    });
  }
  if (access.update !== undefined) {
    route(app, {
      method: 'PUT',
      url: itemUrl,
      access: access.update,
      handler: (context) => writer.update(parameter(context, 'id'), context.request.body, 'replace', context),
    });
    route(app, {
      method: 'PATCH',
      url: itemUrl,
      access: access.update,
      handler: (context) => writer.update(parameter(context, 'id'), context.request.body, 'change', context),
    });
  }
  if (access.update !== undefined) {
    for (const [method, mode] of [
      ['PUT', 'replace'],
      ['PATCH', 'change'],
    ] as const) {
      route(app, {
        method,
        url: listUrl,
        access: access.update,
        bodyLimit: BATCH_LIMIT,
        ...(mode === 'replace' && { takesCsv: true as const }),
        handler: (context) => {
          const { body } = context.request;
          if (Buffer.isBuffer(body) && mode === 'replace') return importCsv(engine, context, mode);
          if (!Array.isArray(body)) throw invalid('non_field_errors', 'not_list');
          return writer.updateMany(body, mode, context);
        },
      });
    }
  }
  if (access.delete !== undefined) {
    route(app, {
      method: 'DELETE',
      url: listUrl,
      access: access.delete,
      handler: async (context) => {
        const ids = await reader.matchingIds(context);
        // Without a set or ids only a filter that finds one row is meant; a forgotten filter must not empty a list.
        const isNamed = Boolean(context.query.get('spm') || context.query.getAll('ids').at(-1)?.trim());
        if (!isNamed && ids.length !== 1) throw invalid('non_field_errors', 'too_many_matches');
        if (ids.length > MAX_ITEMS) throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
        await writer.remove(ids, context);
        context.reply.code(204);
        return null;
      },
    });
    route(app, {
      method: 'DELETE',
      url: itemUrl,
      access: access.delete,
      handler: async (context) => {
        await writer.remove(readIds(parameter(context, 'id')), context);
        context.reply.code(204);
        return null;
      },
    });
  }
}
