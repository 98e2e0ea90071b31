import {
  allows,
  computed,
  dutyCovers,
  type Field,
  type FieldMetadata,
  type Fields,
  type LocalText,
  RESOURCES,
  type ResourceMetadata,
  readableFields,
} from '@sallyport/contract';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { Context } from '../context.ts';
import { METADATA } from '../openapi/responses.ts';
import { type DeclaredRoute, route, useOf } from '../route.ts';
import type { Schema, Shape } from '../shapes.ts';
import { describeFields, PARSES, RENDERS } from './metadata.ts';

const API = '/api/v1/';
/** HTTP methods as metadata calls them. A form for changes is always described as PUT. */
const ACTIONS: Readonly<Record<string, 'GET' | 'POST' | 'PUT'>> = {
  GET: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  PATCH: 'PUT',
};

/**
 * Adds an OPTIONS route to every API address without metadata, built from its declared forms and
 * columns. Clients request it before they draw a table or a form. Call it after all routes are
 * added.
 */
export function addMetadataRoutes(app: FastifyInstance, routes: readonly DeclaredRoute[]): void {
  const byUrl = new Map<string, DeclaredRoute[]>();
  for (const declared of routes) {
    if (declared.socket || !declared.url.startsWith(API)) continue;
    byUrl.set(declared.url, [...(byUrl.get(declared.url) ?? []), declared]);
  }
  for (const [url, declared] of byUrl) {
    if (declared.some(({ method }) => method === 'OPTIONS')) continue;
    const [first] = declared;
    if (!first) continue;
    // Reading gives access to the metadata; an address without GET takes the access of its first
    // method.
    const { access, area } = declared.find(({ method }) => method === 'GET') ?? first;
    // Public endpoints serve sign-in and have no forms that clients draw.
    if (access === 'public') continue;
    const options = {
      method: 'OPTIONS' as const satisfies HTTPMethods,
      url,
      access,
      ...(area && { area }),
      summary: `Metadata of ${url.slice(API.length)}`,
      answer: METADATA,
      ...(declared.every(({ licensed }) => licensed) && { licensed: true as const }),
      handler: (context: Context) => describeEndpoint(declared, context),
    };
    route(app, options);
  }
}

const mayCall = (route: DeclaredRoute, { actor }: Context): boolean =>
  route.access === 'public' ||
  ((route.access === 'signed-in' || allows(actor.permissions, route.access)) &&
    dutyCovers(actor.duty, route.area, useOf(route)));

function describeEndpoint(declared: readonly DeclaredRoute[], context: Context): ResourceMetadata {
  const actions: Partial<Record<'GET' | 'POST' | 'PUT', Record<string, FieldMetadata>>> = {};
  for (const one of declared) {
    const action = ACTIONS[one.method];
    if (!action || actions[action] || !mayCall(one, context)) continue;
    const fields =
      action === 'GET'
        ? (one.columns ?? (one.answer && columnsOf(one.answer)))
        : (one.form ?? one.body);
    if (fields) actions[action] = describeFields(Object.entries(fields), context, action === 'GET');
  }
  const [{ summary = '' } = {}] = declared;
  return {
    name: summary.replace(/[:.,;].*$/, ''),
    description: summary,
    renders: RENDERS,
    parses: PARSES,
    ...(Object.keys(actions).length > 0 && { actions }),
  };
}

/** Derives the columns from the shape of an answer without declared fields. */
function columnsOf({ schema, resource, mediaType }: Shape): Fields | undefined {
  if (mediaType !== undefined && mediaType !== 'application/json') return undefined;
  if (resource) return Object.fromEntries(readableFields(resource, true));
  const properties = rowProperties(schema);
  if (!properties) return undefined;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, fieldOf(name, property)]),
  );
}

type Properties = Readonly<Record<string, Schema>>;

/** Returns the members of one row: of a page's results, a list's items, or the object itself. */
function rowProperties(schema: Schema): Properties | undefined {
  const { properties, items, anyOf } = schema as {
    properties?: Properties;
    items?: Schema;
    anyOf?: readonly Schema[];
  };
  const rows = (properties?.results as { items?: Schema } | undefined)?.items;
  if (rows) return rowProperties(rows);
  return (
    properties ??
    (items && rowProperties(items)) ??
    anyOf?.map(rowProperties).find((properties) => properties !== undefined)
  );
}

function fieldOf(name: string, { type }: Schema): Field {
  const label = labelOf(name);
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.length !== 1) return computed.json({ label });
  if (types[0] === 'boolean') return computed.boolean({ label });
  if (types[0] === 'number' || types[0] === 'integer') return computed.integer({ label });
  return types[0] === 'string' ? computed.string({ label }) : computed.json({ label });
}

/** Returns the label that resources give to a field of this name, else the name in words. */
function labelOf(name: string): LocalText {
  const known = RESOURCES.map(({ fields }) =>
    Object.hasOwn(fields, name) ? fields[name]?.label : undefined,
  ).find((label) => label !== undefined);
  const words = name.replaceAll('_', ' ');
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return known ?? { en: text, zh: text };
}
