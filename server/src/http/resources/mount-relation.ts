import { isUuid, type Relation } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { invalid, notFound } from '../../platform/errors.ts';
import type { Registry, ResourceServices } from '../../resources/hooks.ts';
import { draftsOf } from '../../resources/relations/pair-changes.ts';
import { createPairs, type Pairs } from '../../resources/relations/pairs.ts';
import type { Context } from '../context.ts';
import { METADATA } from '../openapi/responses.ts';
import { pairShapesOf } from '../openapi/schemas.ts';
import { parameter, route } from '../route.ts';
import { answerList } from './answer-list.ts';
import { describeResource } from './metadata.ts';

/** Bytes; holds a batch of ten thousand pairs. */
const BATCH_LIMIT = 4 * 1024 * 1024;

/**
 * Adds the routes of a relation: list, add or change one or many, read, remove by number or by both
 * ends, metadata.
 */
export function mountRelation(
  app: FastifyInstance,
  relation: Relation,
  registry: Registry,
  services: ResourceServices,
): void {
  const pairs = createPairs(relation, registry, services);
  const { pair, owner, other } = relation;
  const { read = 0, create = 0 } = pair.access;
  const inArea = pair.area && { area: pair.area };
  const listUrl = `/api/v1/${relation.path}/`;
  const itemUrl = `${listUrl}:id/`;
  const what = pair.title.en.toLowerCase();
  const shapes = pairShapesOf(pair);
  route(app, {
    method: 'GET',
    url: listUrl,
    access: read,
    ...inArea,
    summary: `List pairs: ${what}.`,
    answer: shapes.list,
    handler: (context) => answerList(pairs.list(), context),
  });
  route(app, {
    method: 'GET',
    url: itemUrl,
    access: read,
    ...inArea,
    summary: `Read a pair: ${what}.`,
    answer: shapes.one,
    handler: (context) => pairs.one({ id: number(context) }, context),
  });
  route(app, {
    method: 'OPTIONS',
    url: listUrl,
    access: read,
    ...inArea,
    summary: `Metadata of pairs: ${what}.`,
    answer: METADATA,
    handler: (context) => describeResource(pair, context, false),
  });
  route(app, {
    method: 'POST',
    url: listUrl,
    access: create,
    ...inArea,
    bodyLimit: BATCH_LIMIT,
    summary: `Add one pair or several: ${what}.`,
    bodyShape: shapes.sent,
    answer: shapes.oneOrMany,
    status: 201,
    async handler(context) {
      const { body } = context.request;
      const added = Array.isArray(body)
        ? await pairs.add(body, context, false)
        : (await pairs.add([body], context, true))[0];
      context.reply.code(201);
      return added;
    },
  });
  mountChanges(app, relation, pairs);
  route(app, {
    method: 'DELETE',
    url: listUrl,
    access: create,
    ...inArea,
    summary: `Remove a pair, named by both ends or its number: ${what}.`,
    query: shapes.ends,
    status: 204,
    async handler(context) {
      const where = Object.fromEntries(
        [other.key, owner.key].map((key) => [key, context.query.getAll(key).at(-1)?.trim() ?? '']),
      );
      const id = context.query.getAll('id').at(-1)?.trim();
      // Both ends are required: one end would match the whole list.
      if (id ? !/^\d{1,15}$/.test(id) : Object.values(where).some((value) => !isUuid(value)))
        throw invalid('non_field_errors', 'too_many_matches');
      await pairs.remove(id ? { id: Number(id) } : where, context);
      context.reply.code(204);
      return null;
    },
  });
  route(app, {
    method: 'DELETE',
    url: itemUrl,
    access: create,
    ...inArea,
    summary: `Remove a pair: ${what}.`,
    status: 204,
    async handler(context) {
      await pairs.remove({ id: number(context) }, context);
      context.reply.code(204);
      return null;
    },
  });
}

/** The number of a pair in the path. @throws NotFound */
function number(context: Context): number {
  const text = parameter(context, 'id');
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** Gives one pair or several other ends. */
function mountChanges(app: FastifyInstance, { path, pair }: Relation, pairs: Pairs): void {
  const listUrl = `/api/v1/${path}/`;
  const what = pair.title.en.toLowerCase();
  const shapes = pairShapesOf(pair);
  for (const [method, mode] of [
    ['PUT', 'replace'],
    ['PATCH', 'change'],
  ] as const) {
    route(app, {
      method,
      url: listUrl,
      access: pair.access.create ?? 0,
      ...(pair.area && { area: pair.area }),
      bodyLimit: BATCH_LIMIT,
      summary: `Give several pairs, named by \`id\`, other ends: ${what}.`,
      bodyShape: shapes.numbered,
      answer: shapes.many,
      async handler(context) {
        const { body } = context.request;
        if (!Array.isArray(body)) throw invalid('non_field_errors', 'not_list');
        return pairs.change({ drafts: draftsOf(body), mode, isSingle: false }, context);
      },
    });
    route(app, {
      method,
      url: `${listUrl}:id/`,
      access: pair.access.create ?? 0,
      ...(pair.area && { area: pair.area }),
      summary: `Give a pair ${mode === 'replace' ? 'both ends' : 'another end'}: ${what}.`,
      bodyShape: shapes.body,
      answer: shapes.one,
      async handler(context) {
        const drafts = [{ id: number(context), body: context.request.body }];
        return (await pairs.change({ drafts, mode, isSingle: true }, context))[0];
      },
    });
  }
}
