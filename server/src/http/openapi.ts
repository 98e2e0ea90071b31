import { type Field, Permission, PRODUCT_VERSION, RESOURCES, type Resource, readableFields, writableFields } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type DeclaredRoute, route } from './route.ts';

type Schema = Readonly<Record<string, unknown>>;

function schemaOf(field: Field): Schema {
  const described = { title: field.label.en, ...(field.help && { description: field.help.en }) };
  const maybe = (type: string) => (field.nullable ? [type, 'null'] : type);
  switch (field.kind) {
    case 'id':
    case 'reference':
      return { ...described, type: maybe('string'), format: 'uuid' };
    case 'text':
    case 'secret':
      return {
        ...described,
        type: maybe('string'),
        ...(field.max && { maxLength: field.max }),
        ...(field.format === 'email' && { format: 'email' }),
        ...(field.mode === 'writeonly' && { writeOnly: true }),
      };
    case 'integer':
      return {
        ...described,
        type: maybe('integer'),
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      };
    case 'boolean':
      return { ...described, type: maybe('boolean') };
    case 'choice':
      return { ...described, enum: field.choices?.map((choice) => choice.value) };
    case 'flags':
      return { ...described, type: 'array', items: { enum: field.choices?.map((choice) => choice.value) } };
    case 'datetime':
      return { ...described, type: maybe('string'), examples: ['2026-01-31 08:30:00 +0800'] };
    case 'many':
      return { ...described, type: 'array', items: { type: 'string', format: 'uuid' } };
    case 'list':
      return { ...described, type: 'array', items: { type: 'string' } };
    case 'json':
      return described;
    case 'computed':
      return {
        ...described,
        readOnly: true,
        ...(field.computedType !== 'json' && { type: field.computedType === 'datetime' ? ['string', 'null'] : [field.computedType ?? 'string', 'null'] }),
      };
  }
}

const objectOf = (fields: [string, Field][], required: boolean): Schema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
  ...(required && { required: fields.filter(([, field]) => field.required).map(([name]) => name) }),
});

const schemaName = (resource: Resource, suffix = '') => `${resource.name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}${suffix}`;

const LIST_PARAMETERS = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 }, description: 'Rows of a page. Absent: everything, as a bare array.' },
  { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
  { name: 'search', in: 'query', schema: { type: 'string' }, description: 'Words that must all be found.' },
  { name: 'order', in: 'query', schema: { type: 'string' }, description: 'Field names, comma-separated, `-` for descending.' },
];

function accessText(access: DeclaredRoute['access']): string {
  if (access === 'public') return 'Everybody.';
  if (access === 'signed-in') return 'Every account that is signed in.';
  const names = Object.entries(Permission).filter(([, bit]) => (access & bit) !== 0);
  return `Needs: ${names.map(([name]) => name).join(', ')}.`;
}

/** The description of the whole API, made from the resource declarations and the table of routes. */
export function describeApi(routes: readonly DeclaredRoute[]): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const declared of routes) {
    if (declared.socket || !declared.url.startsWith('/api/') || declared.method === 'HEAD') continue;
    const path = declared.url.replace(/:(\w+)/g, '{$1}');
    const resource = RESOURCES.find((candidate) => path === `/api/v1/${candidate.path}/` || path === `/api/v1/${candidate.path}/{id}/`);
    paths[path] = { ...paths[path], [declared.method.toLowerCase()]: operationOf(declared, path, resource) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sallyport', version: PRODUCT_VERSION, license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' } },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'From POST /api/v1/authentication/auth/' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sessionid',
          description: 'A browser session; unsafe methods repeat the csrftoken cookie as X-CSRFToken.',
        },
      },
      schemas: {
        ...Object.fromEntries(
          RESOURCES.flatMap((resource) => [
            [schemaName(resource), objectOf(readableFields(resource, true), false)],
            [schemaName(resource, 'Input'), objectOf(writableFields(resource), true)],
          ]),
        ),
        Error: { type: 'object', properties: { code: { type: 'string' }, detail: { type: 'string' } }, required: ['code', 'detail'] },
        FieldErrors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      },
    },
  };
}

function operationOf(declared: DeclaredRoute, path: string, resource: Resource | undefined): Schema {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
  const isList = resource !== undefined && !path.endsWith('{id}/');
  const row = resource ? reference(schemaName(resource)) : {};
  const results: Schema = { type: 'array', items: row };
  const answer =
    isList && declared.method === 'GET'
      ? {
          oneOf: [
            results,
            { type: 'object', properties: { count: { type: 'integer' }, next: { type: ['string', 'null'] }, previous: { type: ['string', 'null'] }, results } },
          ],
        }
      : row;
  const status = declared.method === 'POST' && isList ? '201' : declared.method === 'DELETE' ? '204' : '200';
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(isList && declared.method === 'GET' ? LIST_PARAMETERS : []),
    ...(isList && declared.method === 'GET' && resource
      ? Object.entries(resource.fields)
          .filter(([, field]) => field.filter)
          .map(([name]) => ({ name, in: 'query', schema: { type: 'string' } }))
      : []),
  ];
  const takesBody = resource !== undefined && ['POST', 'PUT', 'PATCH'].includes(declared.method);
  return {
    operationId: `${declared.method.toLowerCase()}${path.replace(/[/{}]+(\w?)/g, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '')}`,
    tags: [path.split('/')[3] ?? 'api'],
    summary:
      declared.summary ??
      (resource
        ? `${{ GET: isList ? 'List' : 'Read', POST: 'Create', PUT: 'Replace', PATCH: 'Change', DELETE: 'Delete', OPTIONS: 'Metadata of' }[declared.method] ?? declared.method} ${resource.title.en.toLowerCase()}`
        : path),
    description: accessText(declared.access),
    ...(declared.access === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: { required: true, ...json(reference(schemaName(resource, 'Input'))) } }),
    responses: {
      [status]: { description: 'Done.', ...(status !== '204' && json(answer)) },
      ...(takesBody && { '400': { description: 'Problems by field.', ...json(reference('FieldErrors')) } }),
      default: { description: 'Refused.', ...json(reference('Error')) },
    },
  };
}

/** The API's description at `/api/docs/openapi.json`, for everybody who is signed in. */
export function mountApiDescription(app: FastifyInstance, routes: readonly DeclaredRoute[]): void {
  let made: Schema | undefined;
  route(app, {
    method: 'GET',
    url: '/api/docs/openapi.json',
    access: Permission.USE,
    summary: 'The description of this API.',
    handler: () => {
      made ??= describeApi(routes);
      return made;
    },
  });
}
