import { type Histogram, isUuid, MAX_ITEMS, type Resource, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../platform/actor.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import { pickFrom } from '../../resources/read/columns.ts';
import type { Reader } from '../../resources/read/reader.ts';
import { rememberImport } from '../../resources/write/imported-rows.ts';
import type { WriteOptions } from '../../resources/write/unit-of-work.ts';
import { readIds } from '../../resources/write/writer.ts';
import type { Context } from '../context.ts';
import { parameter, route } from '../route.ts';
import { samples } from '../shapes.ts';
import { answerList } from './answer-list.ts';
import { importCsv } from './csv.ts';
import type { Imports } from './import-job.ts';
import { describeResource } from './metadata.ts';

/** Bytes; holds a batch of ten thousand rows. */
const BATCH_LIMIT = 10 * 1024 * 1024;

/** A resource and the function that adds one of its routes. */
interface Mounting {
  readonly engine: ResourceEngine;
  readonly imports: Imports;
  readonly listUrl: string;
  readonly itemUrl: string;
  readonly add: (options: Parameters<typeof route>[1] & { readonly access: number }) => void;
}

const optionsOf = ({ query }: Context): WriteOptions => ({
  query,
  dryRun: query.get('dry_run') === '1',
});

/**
 * Adds the routes of a resource: list, create, retrieve, update, delete, and metadata. A verb
 * without declared access gets no route. The list URL accepts arrays and applies them all or none.
 * Routes below a parent load the parent's object first.
 */
export function mountResource(
  app: FastifyInstance,
  engine: ResourceEngine,
  engines: Engines,
  imports: Imports,
): void {
  const { resource } = engine;
  const listUrl = `/api/v1/${resource.path.replace(/\{(\w+)\}/g, ':$1')}/`;
  const add: Mounting['add'] = (options) =>
    route(app, {
      ...options,
      access: accessBelow(resource, options.access),
      ...(resource.area && { area: resource.area }),
      handler: async (context) =>
        options.handler(
          await callerBelow(
            resource,
            context,
            (field) => parameter(context, field),
            (above) => engineOf(engines, above),
          ),
        ),
    });
  const mounting = { engine, imports, listUrl, itemUrl: `${listUrl}:id/`, add };
  mountReads(mounting);
  mountCreation(mounting);
  mountUpdates(mounting);
  mountRemoval(mounting);
}

/**
 * Returns the permission bits for a resource and all its parents: reading a child requires reading
 * its parents.
 */
function accessBelow(resource: Resource, access: number): number {
  const { parent } = resource;
  return parent
    ? accessBelow(parent.resource, access | (parent.resource.access.read ?? 0))
    : access;
}

/**
 * Returns the caller, limited to the parent objects of the path; each must be visible. @throws
 * NotFound
 */
async function callerBelow<C extends Caller>(
  resource: Resource,
  caller: C,
  idOf: (field: string) => string,
  engineOf: (resource: Resource) => { readonly reader: Pick<Reader, 'retrieve'> },
): Promise<C> {
  const { parent } = resource;
  if (!parent) return caller;
  const above = await callerBelow(parent.resource, caller, idOf, engineOf);
  const id = idOf(parent.field);
  if (!isUuid(id)) throw notFound();
  const row = await engineOf(parent.resource).reader.retrieve(id, above);
  return { ...above, within: { ...above.within, [resource.name]: String(row.id) } };
}

/** Imports a CSV file, as a job if it is large. */
function importFile({ engine, imports }: Mounting, context: Context, mode: 'create' | 'replace') {
  const { resource } = engine;
  return imports(context, resource, (job) =>
    importCsv(engine, context, mode, {
      ...optionsOf(context),
      job,
      // Objects with a parent can only be deleted below the parent's path.
      ...(job &&
        mode === 'create' &&
        !resource.parent &&
        context.query.get('dry_run') !== '1' && {
          saved: (ids, operation) => rememberImport(job.id, resource, ids, operation),
        }),
    }),
  );
}

const RANGE = {
  date_from: text({
    label: {
      en: 'From this date on; 30 days before the end if absent',
      zh: '起始日期，默认结束前 30 天',
    },
    max: 40,
    required: false,
  }),
  date_to: text({
    label: { en: 'Up to this date; now if absent', zh: '结束日期，默认当前时间' },
    max: 40,
    required: false,
  }),
};

const EXAMPLE_HISTOGRAM: Histogram = {
  date_from: '2026-01-31 00:00:00 +0800',
  date_to: '2026-01-31 23:59:59 +0800',
  is_exact: true,
  bars: [
    { date: '2026-01-31 00:00:00 +0800', count: 12, marked: 0 },
    { date: '2026-01-31 12:00:00 +0800', count: 40, marked: 3 },
  ],
};

/** List, object and metadata. */
function mountReads({ engine: { resource, reader }, listUrl, itemUrl, add }: Mounting): void {
  const { access } = resource;
  if (access.read === undefined || resource.readByFeature) return;
  add({
    method: 'GET',
    url: listUrl,
    access: access.read,
    handler: (context) => answerList({ resource, ...reader }, context),
  });
  if (resource.histogram)
    add({
      method: 'GET',
      url: `${listUrl}histogram/`,
      access: access.read,
      summary: `Rows of the list over time, by ${resource.dateField}; takes its search and filters.`,
      query: RANGE,
      answer: samples<Histogram>(EXAMPLE_HISTOGRAM),
      handler: (context) => reader.histogram(context.query, context),
    });
  add({
    method: 'GET',
    url: itemUrl,
    access: access.read,
    handler: async (context) =>
      pickFrom(await reader.retrieve(parameter(context, 'id'), context), resource, context.query),
  });
  add({
    method: 'OPTIONS',
    url: listUrl,
    access: access.read,
    handler: (context) => describeResource(resource, context, false),
  });
  add({
    method: 'OPTIONS',
    url: itemUrl,
    access: access.read,
    handler: async (context) => {
      // Metadata of missing objects would reveal which objects exist.
      await reader.retrieve(parameter(context, 'id'), context);
      return describeResource(resource, context, true);
    },
  });
}

/** Creation of one object, of an array, or from a file. */
function mountCreation(mounting: Mounting): void {
  const { engine, listUrl, add } = mounting;
  const { writer, resource } = engine;
  const { access } = resource;
  if (access.create === undefined) return;
  add({
    method: 'POST',
    url: listUrl,
    access: access.create,
    bodyLimit: BATCH_LIMIT,
    takesCsv: true,
    handler: async (context) => {
      const { body } = context.request;
      const created = Buffer.isBuffer(body)
        ? await importFile(mounting, context, 'create')
        : Array.isArray(body)
          ? await writer.createMany(body, context, optionsOf(context))
          : await writer.create(body, context, { query: context.query });
      context.reply.code(201);
      return created;
    },
  });
}

/** Replacement and change of one object or of an array. */
function mountUpdates(mounting: Mounting): void {
  const { engine, listUrl, itemUrl, add } = mounting;
  const { writer, resource } = engine;
  const { access } = resource;
  if (access.update === undefined) return;
  add({
    method: 'PUT',
    url: itemUrl,
    access: access.update,
    handler: (context) =>
      writer.replace(parameter(context, 'id'), context.request.body, context, {
        query: context.query,
      }),
  });
  add({
    method: 'PATCH',
    url: itemUrl,
    access: access.update,
    handler: (context) =>
      writer.change(parameter(context, 'id'), context.request.body, context, {
        query: context.query,
      }),
  });
  for (const [method, mode] of [
    ['PUT', 'replace'],
    ['PATCH', 'change'],
  ] as const) {
    add({
      method,
      url: listUrl,
      access: access.update,
      bodyLimit: BATCH_LIMIT,
      ...(mode === 'replace' && { takesCsv: true as const }),
      handler: (context) => {
        const { body } = context.request;
        if (Buffer.isBuffer(body) && mode === 'replace') return importFile(mounting, context, mode);
        if (!Array.isArray(body)) throw invalid('non_field_errors', 'not_list');
        return writer.updateMany(body, mode, context, optionsOf(context));
      },
    });
  }
}

/** Deletion of one object, or of those that a filter matches. */
function mountRemoval({
  engine: { resource, reader, writer },
  listUrl,
  itemUrl,
  add,
}: Mounting): void {
  const { access } = resource;
  if (access.delete === undefined) return;
  add({
    method: 'DELETE',
    url: listUrl,
    access: access.delete,
    handler: async (context) => {
      const ids = await reader.matchingIds(context.query, context);
      // Without a set or ids, the filter must match one row: a forgotten filter must not empty a
      // list.
      const isNamed = Boolean(
        context.query.get('spm') || context.query.getAll('ids').at(-1)?.trim(),
      );
      if (!isNamed && ids.length !== 1) throw invalid('non_field_errors', 'too_many_matches');
      if (ids.length > MAX_ITEMS)
        throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
      await writer.remove(ids, context);
      context.reply.code(204);
      return null;
    },
  });
  add({
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
