import { Permission, RELATIONS, type Resource } from '@sallyport/contract';
import { cellText, csvRecord } from '../../platform/csv.ts';
import { csvColumns } from '../../resources/csv/columns.ts';
import type { DeclaredRoute } from '../route.ts';
import { pageSchema, type Schema, type Shape } from '../shapes.ts';
import { exampleBody, exampleId, exampleInput, exampleRow } from './examples.ts';
import {
  declaredParameters,
  fieldParameters,
  listParameters,
  pathParameters,
} from './parameters.ts';
import { METADATA, refusals } from './responses.ts';
import { bodySchema, schemaName } from './schemas.ts';

const reference = (resource: Resource, suffix: '' | 'Input' | 'Change' = ''): Schema => ({
  $ref: `#/components/schemas/${schemaName(resource, suffix)}`,
});
const json = (schema: Schema, example: unknown) => ({ 'application/json': { schema, example } });
const jsonExamples = (schema: Schema, examples: Readonly<Record<string, unknown>>) => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, value]) => [name, { value }]),
    ),
  },
});
const listOf = (schema: Schema): Schema => ({ type: 'array', items: schema });

/** A resource and the address that serves it: its list, or one object. */
type Place = { readonly resource: Resource; readonly isList: boolean };

function placeOf(path: string, resources: readonly Resource[]): Place | undefined {
  for (const resource of resources) {
    const list = `/api/v1/${resource.path}/`;
    if (path === list) return { resource, isList: true };
    if (path === `${list}{id}/`) return { resource, isList: false };
  }
  return undefined;
}

/** Returns a CSV file that creates a row, or with `update` replaces the row with the given id. */
function csvExample(resource: Resource, purpose: 'import' | 'update'): string {
  const input: Record<string, unknown> = {
    ...exampleInput(resource),
    id: exampleId(resource.name),
  };
  const columns = csvColumns(resource, purpose, {
    language: 'en',
    query: new URLSearchParams(),
  }).filter(({ name }) => name in input);
  return (
    csvRecord(columns.map(({ header }) => header)) +
    csvRecord(columns.map(({ name }) => cellText(input[name])))
  );
}

/** Returns the request body of a resource's own route; undefined if it has none. */
function resourceBody({ resource, isList }: Place, method: string): Schema | undefined {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return undefined;
  const withId = (variant: 1 | 2) => ({
    id: exampleId(resource.name, variant),
    ...exampleInput(resource, variant, method === 'PATCH'),
  });
  if (!isList)
    return {
      required: true,
      content: json(
        reference(resource, method === 'PATCH' ? 'Change' : 'Input'),
        exampleInput(resource, 1, method === 'PATCH'),
      ),
    };
  const csv = {
    'text/csv': {
      schema: { type: 'string' },
      example: csvExample(resource, method === 'POST' ? 'import' : 'update'),
    },
  };
  if (method === 'POST') {
    const one = reference(resource, 'Input');
    return {
      required: true,
      content: {
        ...jsonExamples(
          { anyOf: [one, listOf(one)] },
          { one: exampleInput(resource), many: [exampleInput(resource, 2)] },
        ),
        ...csv,
      },
    };
  }
  const item = {
    allOf: [
      reference(resource, method === 'PATCH' ? 'Change' : 'Input'),
      { type: 'object', required: ['id'] },
    ],
  };
  return {
    required: true,
    content: { ...json(listOf(item), [withId(1), withId(2)]), ...(method === 'PUT' && csv) },
  };
}

/** Returns the success answer of a resource's own route. */
function resourceAnswer(
  { resource, isList }: Place,
  method: string,
): { status: string; content?: Schema } {
  const row = reference(resource);
  if (method === 'DELETE') return { status: '204' };
  if (method === 'OPTIONS')
    return { status: '200', content: json(METADATA.schema, METADATA.example) };
  if (!isList) return { status: '200', content: json(row, exampleRow(resource)) };
  if (method === 'POST')
    return {
      status: '201',
      content: jsonExamples(
        { anyOf: [row, listOf(row)] },
        { one: exampleRow(resource), many: [exampleRow(resource, true, 2)] },
      ),
    };
  if (method !== 'GET')
    return {
      status: '200',
      content: json(listOf(row), [exampleRow(resource), exampleRow(resource, true, 2)]),
    };
  const page = { count: 1, next: null, previous: null, results: [exampleRow(resource, false)] };
  return {
    status: '200',
    content: {
      ...jsonExamples(
        { anyOf: [listOf(row), pageSchema(listOf(row))] },
        { page, everything: page.results },
      ),
      'text/csv': { schema: { type: 'string' }, example: csvExample(resource, 'update') },
    },
  };
}

/** Returns the media type of a shape. Rows of resources become schema references. */
function contentOf(shape: Shape): Schema {
  const { resource } = shape;
  const fill = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(fill);
    if (typeof schema !== 'object' || schema === null) return schema;
    const entries = Object.entries(schema);
    return entries.length === 0 && resource
      ? reference(resource)
      : Object.fromEntries(entries.map(([name, value]) => [name, fill(value)]));
  };
  const isList = Array.isArray(shape.example);
  const example = resource
    ? isList
      ? [exampleRow(resource, false)]
      : exampleRow(resource)
    : shape.example;
  return { [shape.mediaType ?? 'application/json']: { schema: fill(shape.schema), example } };
}

function declaredBody({ body, bodyShape }: DeclaredRoute): Schema | undefined {
  if (bodyShape) return { required: true, content: contentOf(bodyShape) };
  return body && { required: true, content: json(bodySchema(body), exampleBody(body)) };
}

function accessText(access: DeclaredRoute['access']): string {
  if (access === 'public') return 'Everybody.';
  if (access === 'signed-in') return 'Every account that is signed in.';
  const names = Object.entries(Permission).filter(([, bit]) => (access & bit) !== 0);
  return `Needs: ${names.map(([name]) => name).join(', ')}.`;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'Create',
  PUT: 'Replace',
  PATCH: 'Change',
  DELETE: 'Delete',
  OPTIONS: 'Metadata of',
};

function summaryOf(declared: DeclaredRoute, place: Place | undefined, path: string): string {
  if (declared.summary) return declared.summary;
  if (!place) return path;
  const verb =
    declared.method === 'GET'
      ? place.isList
        ? 'List'
        : 'Read'
      : (VERBS[declared.method] ?? declared.method);
  return `${verb} ${place.resource.title.en.toLowerCase()}`;
}

/** Returns the tag of a path: its first part after the version. */
export function tagOf(path: string): string {
  return path.split('/')[path.startsWith('/api/v1/') ? 3 : 2] ?? 'api';
}

/** Describes one operation, with examples of request and answer. */
export function describeOperation(
  declared: DeclaredRoute,
  path: string,
  resources: readonly Resource[],
): Schema {
  const { method, access } = declared;
  // A route that declares its own body is described by its declaration, not by the resource.
  const place = declared.body ? undefined : placeOf(path, resources);
  const requestBody = place ? resourceBody(place, method) : declaredBody(declared);
  const answer = place
    ? resourceAnswer(place, method)
    : {
        status: String(declared.status ?? (declared.answer ? 200 : 204)),
        content: declared.answer && contentOf(declared.answer),
      };
  const others = Object.fromEntries(
    Object.entries(declared.otherAnswers ?? {}).map(([status, shape]) => [
      status,
      { description: 'Done, but not all of it.', content: contentOf(shape) },
    ]),
  );
  const writes = method !== 'GET' && method !== 'OPTIONS';
  const pairs = RELATIONS.find((relation) => path === `/api/v1/${relation.path}/`)?.pair;
  const listed = method === 'GET' ? (place?.isList ? place.resource : pairs) : undefined;
  const takesBatch = place?.isList && writes && method !== 'DELETE';
  const parameters = [
    ...pathParameters(path),
    ...(listed ? listParameters(listed) : declaredParameters(declared)),
    ...(place && !place.isList && method === 'GET' ? fieldParameters() : []),
    ...(takesBatch
      ? [
          {
            name: 'dry_run',
            in: 'query',
            schema: { enum: ['1'] },
            description: 'Says what a list of objects or a file would do, and changes nothing.',
          },
          {
            name: 'job',
            in: 'query',
            schema: { type: 'string', format: 'uuid' },
            description:
              'For a file: the id, chosen by the client, of the job that the import becomes. `common/jobs/{id}/` shows how far it is, and cancels it.',
          },
        ]
      : []),
    ...(place?.isList && method === 'DELETE'
      ? [
          {
            name: 'ids',
            in: 'query',
            required: true,
            schema: { type: 'string' },
            description: 'Comma-separated; or name a set by `spm`.',
            example: exampleId(place.resource.name, 2),
          },
        ]
      : []),
  ];
  const statuses = [
    ...(requestBody || parameters.some((parameter) => parameter.in === 'query') || writes
      ? ['400']
      : []),
    ...(access === 'public' ? (writes ? ['403'] : []) : ['401', '403']),
    ...(path.includes('{') ? ['404'] : []),
    ...(writes ? ['409'] : []),
    ...(requestBody ? ['413', '415'] : []),
    ...(access === 'public' && writes ? ['429'] : []),
    '503',
  ];
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[/{}_-]+(\w?)/g, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '')}`,
    tags: [tagOf(path)],
    summary: summaryOf(declared, place, path),
    description: accessText(access),
    ...(access === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [answer.status]: { description: 'Done.', ...(answer.content && { content: answer.content }) },
      ...others,
      ...refusals(statuses),
    },
  };
}
