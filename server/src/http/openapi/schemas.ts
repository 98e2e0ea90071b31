import {
  type Field,
  type Fields,
  type Resource,
  readableFields,
  writableFields,
} from '@sallyport/contract';
import { listOf, pagedListOf, type Schema, type Shape } from '../shapes.ts';
import { exampleRow, exampleValue } from './examples.ts';

/** Returns the schema of a field's values; with `isInput`, of the values that callers may send. */
export function schemaOfField(field: Field, isInput = true): Schema {
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
        ...(isInput && field.kind === 'text' && field.format === 'email' && { format: 'email' }),
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
      return {
        ...described,
        enum: [...field.choices.map(({ value }) => value), ...(field.nullable ? [null] : [])],
      };
    case 'flags':
      return {
        ...described,
        type: 'array',
        items: { enum: field.choices.map(({ value }) => value) },
      };
    case 'datetime':
      return { ...described, type: maybe('string'), pattern: DATETIME };
    case 'many':
      return {
        ...described,
        type: 'array',
        items: { type: 'string', format: 'uuid' },
        ...(isInput && field.minItems && { minItems: field.minItems }),
      };
    case 'list':
      return {
        ...described,
        type: 'array',
        items: { type: 'string' },
        ...(isInput && field.minItems && { minItems: field.minItems }),
      };
    case 'json':
      return described;
    case 'object':
      return {
        ...described,
        type: maybe('object'),
        properties: propertiesOf(Object.entries(field.fields), isInput),
        additionalProperties: false,
      };
    case 'computed':
      return {
        ...described,
        ...(field.computedType !== 'json' && {
          type:
            field.computedType === 'datetime' ? ['string', 'null'] : [field.computedType, 'null'],
        }),
      };
  }
}

/** ISO 8601, or the server's own format: `2026-01-31 08:30:00 +0800`. */
const DATETIME =
  '^\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)? ?(Z|[+-]\\d{2}:?\\d{2})?$';

const propertiesOf = (fields: readonly [string, Field][], isInput: boolean) =>
  Object.fromEntries(fields.map(([name, field]) => [name, schemaOfField(field, isInput)]));

/**
 * Returns the schema of rows that the server sends. Members of single objects only are optional.
 */
export function rowSchema(resource: Resource): Schema {
  const fields = readableFields(resource, true);
  const required = readableFields(resource, false).map(([name]) => name);
  return {
    type: 'object',
    title: resource.title.en,
    properties: propertiesOf(fields, false),
    required,
    additionalProperties: false,
  };
}

/** Returns the schema of input rows. Callers may send read-only members back unchanged. */
export function inputSchema(resource: Resource): Schema {
  return bodySchema(Object.fromEntries(writableFields(resource)), resource.title.en);
}

export function bodySchema(fields: Fields, title?: string): Schema {
  const sent = Object.entries(fields).filter(([, field]) => field.mode !== 'readonly');
  const required = sent.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: 'object',
    ...(title && { title }),
    properties: propertiesOf(sent, true),
    ...(required.length > 0 && { required }),
  };
}

export function schemaName(resource: Resource, suffix: '' | 'Input' | 'Change' = ''): string {
  return `${resource.name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}${suffix}`;
}

/** Shapes of request and answer for the pairs of a relation. */
interface PairShapes {
  readonly body: Shape;
  /** One pair or several. */
  readonly sent: Shape;
  /** Several pairs with their numbers. */
  readonly numbered: Shape;
  readonly many: Shape;
  readonly one: Shape;
  readonly oneOrMany: Shape;
  readonly list: Shape;
  /** Both ends of a pair, as query parameters. */
  readonly ends: Fields;
}

/** Returns the shapes of a relation's pairs. `fixed` names the end that the path holds. */
export function pairShapesOf(pair: Resource, fixed?: string): PairShapes {
  const writable = readableFields(pair, true).filter(
    ([name, field]) => field.mode !== 'readonly' && name !== fixed,
  );
  const body: Shape = {
    schema: bodySchema(Object.fromEntries(writable)),
    example: Object.fromEntries(writable.map(([name, field]) => [name, exampleValue(field, name)])),
  };
  const one: Shape = { schema: rowSchema(pair), example: exampleRow(pair) };
  const orMany = (shape: Shape): Shape => ({
    ...shape,
    schema: { anyOf: [shape.schema, listOf(shape).schema] },
  });
  return {
    body,
    sent: orMany(body),
    numbered: listOf({
      schema: {
        ...body.schema,
        properties: { id: { type: 'integer' }, ...(body.schema.properties as Schema) },
      },
      example: { id: 1, ...(body.example as object) },
    }),
    many: listOf(one),
    one,
    oneOrMany: orMany(one),
    list: pagedListOf(one),
    ends: Object.fromEntries(writable),
  };
}
