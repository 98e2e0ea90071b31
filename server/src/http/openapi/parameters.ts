import type { Field, Resource } from '@sallyport/contract';
import { SET_SUFFIX } from '../../resources/read/list-query.ts';
import type { DeclaredRoute } from '../route.ts';
import type { Schema } from '../shapes.ts';
import { examplePathValue, exampleValue } from './examples.ts';
import { schemaOfField } from './schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: true;
  readonly schema: Schema;
  readonly description?: string;
  readonly example?: unknown;
}

export function fieldParameters(): Parameter[] {
  return [
    {
      name: 'fields',
      in: 'query',
      schema: { type: 'string' },
      description: 'Only these fields, comma-separated.',
    },
    {
      name: 'fields!',
      in: 'query',
      schema: { type: 'string' },
      description: 'All fields but these, comma-separated.',
    },
    {
      name: 'fields_size',
      in: 'query',
      schema: { enum: ['mini', 'small'] },
      description: '`mini`: what names a row. `small`: the fields that need no other object.',
    },
  ];
}

/** Query parameters of all lists: filters, order, paging. */
export function listParameters(resource: Resource): Parameter[] {
  const orderable = Object.entries(resource.fields).filter(([, field]) => field.order);
  const filters = Object.entries(resource.fields).filter(([, field]) => field.filter);
  const query = (
    name: string,
    schema: Schema,
    description: string,
    example?: unknown,
  ): Parameter => ({
    name,
    in: 'query',
    schema,
    description,
    ...(example !== undefined && { example }),
  });
  const isSearched = Object.values(resource.fields).some((field) => field.search);
  const moment = { type: 'string' };
  return [
    query(
      'limit',
      { type: 'integer', minimum: 1 },
      'Rows of a page. Absent: everything, as a bare array.',
      15,
    ),
    query('offset', { type: 'integer', minimum: 0 }, 'Rows to pass over.', 0),
    ...(isSearched ? [query('search', { type: 'string' }, 'Words that must all be found.')] : []),
    ...(orderable[0]
      ? [
          query(
            'order',
            { type: 'string' },
            `Comma-separated, \`-\` for descending: ${orderable.map(([name]) => name).join(', ')}.`,
            `-${orderable[0][0]}`,
          ),
        ]
      : []),
    query('ids', { type: 'string' }, 'Only these, comma-separated.'),
    query('spm', { type: 'string', format: 'uuid' }, 'Only those of a named set.'),
    ...(resource.dateField
      ? [
          query('date_from', moment, `From this ${resource.dateField} on.`),
          query('date_to', moment, `Up to this ${resource.dateField}.`),
        ]
      : []),
    ...filters.flatMap(([name, field]): Parameter[] => [
      query(
        name,
        schemaOfField({ ...field, nullable: false }),
        `Only rows with this ${field.label.en.toLowerCase()}.`,
      ),
      query(
        `${name}${SET_SUFFIX}`,
        { type: 'string' },
        `Only rows with one of these, comma-separated.`,
      ),
    ]),
    query('format', { enum: ['json', 'csv', 'xlsx'] }, 'As a file for spreadsheets.'),
    ...fieldParameters(),
  ];
}

export function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: examplePathValue(path, name),
  }));
}

export function declaredParameters(declared: DeclaredRoute): Parameter[] {
  return Object.entries(declared.query ?? {}).map(([name, field]: [string, Field]) => ({
    name,
    in: 'query',
    schema: schemaOfField(field),
    description: field.help?.en ?? field.label.en,
    ...(field.required && { required: true as const, example: exampleValue(field, name) }),
  }));
}
