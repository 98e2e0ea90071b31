import {
  type Access,
  choicesFor,
  choicesOf,
  type Field,
  type FieldMetadata,
  type Language,
  metadataLimits,
  type Resource,
  type ResourceMetadata,
  say,
  targetOf,
} from '@sallyport/contract';
import { mayUse } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import { pickFields } from '../../resources/read/columns.ts';
import type { Context } from '../context.ts';

/** Text formats that OPTIONS reports as types. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['email', 'slug', 'url']);

function typeOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      if (field.target) return 'field';
      return TEXT_TYPES.has(field.format) ? field.format : 'string';
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
      return field.computedType === 'json' ? 'field' : field.computedType;
  }
}

/**
 * Returns the choices. Lists can filter by every existing value; forms offer the values that the
 * caller may choose.
 */
function offeredChoices(field: Field, list: boolean, permissions: number) {
  if (field.kind === 'boolean')
    return (
      field.words && [
        { value: true, label: field.words.yes },
        { value: false, label: field.words.no },
      ]
    );
  return list ? choicesOf(field) : choicesFor(field, permissions);
}

function describeField(
  field: Field,
  language: Language,
  list: boolean,
  permissions: number,
): FieldMetadata {
  const readOnly = field.mode === 'readonly';
  const target = targetOf(field);
  const choices = offeredChoices(field, list, permissions)?.map(({ value, label }) => ({
    value,
    display_name: say(label, language),
  }));
  return {
    type: typeOf(field),
    required: !readOnly && field.required,
    read_only: readOnly,
    label: say(field.label, language),
    ...(field.help && { help_text: say(field.help, language) }),
    ...metadataLimits(field),
    write_only: field.mode === 'writeonly',
    ...(field.kind === 'list' && {
      child: {
        type: 'string',
        required: true,
        read_only: false,
        label: '',
        write_only: false,
        max_length: field.max,
      },
    }),
    ...(field.kind === 'object' && {
      children: Object.fromEntries(
        Object.entries(field.fields).map(([name, inner]) => [
          name,
          describeField(inner, language, list, permissions),
        ]),
      ),
    }),
    ...(choices && (!readOnly || (list && field.filter)) && { choices }),
    ...(list && field.filter && { filter: true as const }),
    ...(list && field.order && { order: true as const }),
    ...(target && { target }),
    ...((field.kind === 'many' || field.kind === 'reference') && {
      multiple: field.kind === 'many',
    }),
    ...('multiline' in field && field.multiline && { multiline: true }),
    ...(!readOnly && field.defaultValue !== undefined && { default: defaultOf(field) }),
  };
}

function defaultOf(field: Field): unknown {
  if (field.defaultValue === 'now') return databaseClock.date().toISOString();
  if (field.kind === 'datetime' && field.defaultValue === 'never')
    return new Date(Date.now() + 70 * 365 * 86_400_000).toISOString();
  return field.defaultValue;
}

/** Returns the metadata of fields by name. With `list`, it includes filters and order. */
export function describeFields(
  fields: readonly [string, Field][],
  { language, actor }: Pick<Context, 'actor' | 'language'>,
  list: boolean,
): Record<string, FieldMetadata> {
  return Object.fromEntries(
    fields.map(([name, field]) => [name, describeField(field, language, list, actor.permissions)]),
  );
}

export const RENDERS = ['application/json', 'text/csv'];
export const PARSES = ['application/json', 'application/x-www-form-urlencoded', 'text/csv'];

/**
 * Returns the metadata of a resource's list URL (`detail` false) or object URL, with the caller's
 * permissions.
 */
export function describeResource(
  resource: Resource,
  context: Pick<Context, 'actor' | 'language' | 'query'>,
  detail: boolean,
): ResourceMetadata {
  const { actor, language } = context;
  const may = (verb: keyof Access) => mayUse(actor, resource, verb);
  const forms = describeFields(
    Object.entries(resource.fields).filter(([name]) => !(name === 'id' && detail)),
    context,
    false,
  );
  const actions = {
    ...(may('read') && {
      GET: describeFields(pickFields(resource, context.query, detail), context, true),
    }),
    ...(!detail && may('create') && { POST: forms }),
    ...(!detail &&
      resource.startForm &&
      may('read') && {
        POST: describeFields(Object.entries(resource.startForm), context, false),
      }),
    ...(may('update') && { PUT: forms }),
  };
  return {
    name: `${resource.title.en} ${detail ? 'Instance' : 'List'}`,
    description: say(resource.title, language),
    renders: RENDERS,
    parses: PARSES,
    ...(Object.keys(actions).length > 0 && { actions }),
  };
}
