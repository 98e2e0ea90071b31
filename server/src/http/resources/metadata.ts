import { allows, type Field, type FieldMetadata, type Language, type Resource, type ResourceMetadata, say } from '@sallyport/contract';
import { pickFields } from '../../resources/pick.ts';
import type { Context } from '../context.ts';

/** Formats of texts that are types of their own. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['email', 'slug', 'url']);

/** The OPTIONS type of a field. */
function typeOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      if (field.target) return 'field';
      return TEXT_TYPES.has(field.format ?? '') ? String(field.format) : 'string';
    case 'id':
    case 'secret':
      return 'string';
    case 'boolean':
      return field.words ? 'choice' : 'boolean';
    case 'integer':
    case 'datetime':
    case 'choice':
      return field.kind;
    case 'flags':
      return 'multiple choice';
    case 'object':
      return 'nested object';
    case 'list':
      return 'list';
    case 'reference':
    case 'many':
    case 'json':
      return 'field';
    case 'computed':
      return field.computedType === 'json' ? 'field' : (field.computedType ?? 'field');
  }
}

function describeField(field: Field, language: Language, list: boolean, permissions: number): FieldMetadata {
  const readOnly = field.mode === 'readonly';
  // A list can be filtered by every existing value; a form offers only what the caller may choose.
  const offered = field.choices?.filter(({ needs }) => list || needs === undefined || allows(permissions, needs));
  const choices = field.words
    ? [
        { value: true, display_name: say(field.words.yes, language) },
        { value: false, display_name: say(field.words.no, language) },
      ]
    : offered?.map(({ value, label }) => ({ value, display_name: say(label, language) }));
  const isText = field.kind === 'text' || field.kind === 'secret';
  return {
    type: typeOf(field),
    required: !readOnly && field.required,
    read_only: readOnly,
    label: say(field.label, language),
    ...(field.help && { help_text: say(field.help, language) }),
    ...(isText && field.min !== undefined && { min_length: field.min }),
    ...(isText && field.max !== undefined && { max_length: field.max }),
    ...(field.kind === 'integer' && field.min !== undefined && { min_value: field.min }),
    ...(field.kind === 'integer' && field.max !== undefined && { max_value: field.max }),
    write_only: field.mode === 'writeonly',
    ...(field.kind === 'list' && {
      child: { type: 'string', required: true, read_only: false, label: '', write_only: false, ...(field.max !== undefined && { max_length: field.max }) },
    }),
    ...(field.fields && {
      children: Object.fromEntries(Object.entries(field.fields).map(([name, inner]) => [name, describeField(inner, language, list, permissions)])),
    }),
    ...(choices && (!readOnly || (list && field.filter)) && { choices }),
    ...(list && field.filter && { filter: true as const }),
    ...(list && field.order && { order: true as const }),
    ...(field.target && { target: field.target }),
    ...((field.kind === 'many' || field.kind === 'reference') && { multiple: field.kind === 'many' }),
    ...(field.multiline && { multiline: true }),
    ...(!readOnly && field.defaultValue !== undefined && { default: defaultOf(field) }),
  };
}

function defaultOf(field: Field): unknown {
  if (field.defaultValue === 'now') return new Date().toISOString();
  if (field.kind === 'datetime' && field.defaultValue === 'never') return new Date(Date.now() + 70 * 365 * 86_400_000).toISOString();
  return field.defaultValue;
}

/** The metadata of fields by name; `list` tells what can be filtered and ordered by. */
export function describeFields(
  fields: readonly [string, Field][],
  { language, actor }: Pick<Context, 'actor' | 'language'>,
  list: boolean,
): Record<string, FieldMetadata> {
  return Object.fromEntries(fields.map(([name, field]) => [name, describeField(field, language, list, actor.permissions)]));
}

/** The types that lists are answered in. */
export const RENDERS = ['application/json', 'text/csv'];
/** The types that a body may have. */
export const PARSES = ['application/json', 'application/x-www-form-urlencoded', 'text/csv'];

/** The metadata of a resource's list URL (`detail` false) or object URL, holding what the caller may do. */
export function describeResource(resource: Resource, context: Pick<Context, 'actor' | 'language' | 'query'>, detail: boolean): ResourceMetadata {
  const { actor, language } = context;
  const may = (needed: number | undefined) => needed !== undefined && allows(actor.permissions, needed);
  const forms = describeFields(
    Object.entries(resource.fields).filter(([name]) => !(name === 'id' && detail)),
    context,
    false,
  );
  const actions = {
    ...(may(resource.access.read) && { GET: describeFields(pickFields(resource, context.query, detail), context, true) }),
    ...(!detail && may(resource.access.create) && { POST: forms }),
    ...(may(resource.access.update) && { PUT: forms }),
  };
  return {
    name: `${resource.title.en} ${detail ? 'Instance' : 'List'}`,
    description: say(resource.title, language),
    renders: RENDERS,
    parses: PARSES,
    ...(Object.keys(actions).length > 0 && { actions }),
  };
}
