import { type Field, type Resource, readableFields, targetOf } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import type { MountedResource, Registry } from '../hooks.ts';

const SIZES = ['mini', 'small'];

/** Returns true if the row itself stores or determines the field, without another object. */
function isOwn(field: Field): boolean {
  if (field.kind === 'computed')
    return !('count' in field.computedFrom || 'display' in field.computedFrom);
  return field.kind !== 'many' && field.kind !== 'reference';
}

function names(query: URLSearchParams, parameter: string): string[] {
  return query
    .getAll(parameter)
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * Returns the fields of a read: those in `fields`, without those in `fields!`, of the size
 * `fields_size`. Default: the usual fields of a list (`detail` false) or of one object. `fields`
 * may name fields that lists omit.
 *
 * @throws Invalid for names that are no readable fields
 */
export function pickFields(
  resource: Resource,
  query: URLSearchParams,
  detail: boolean,
): [string, Field][] {
  const known = new Map(readableFields(resource, true));
  const [included, excluded] = [names(query, 'fields'), names(query, 'fields!')];
  for (const [parameter, fieldNames] of [
    ['fields', included],
    ['fields!', excluded],
  ] as const) {
    const unknown = fieldNames.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw invalid(parameter, 'not_choice', { value: unknown.slice(0, 64) });
  }
  const size = (query.getAll('fields_size').at(-1) ?? '').trim();
  if (size !== '' && !SIZES.includes(size))
    throw invalid('fields_size', 'not_choice', { value: size.slice(0, 64) });
  return [...known].filter(([name, field]) => {
    if (excluded.includes(name)) return false;
    if (included.length > 0) return included.includes(name);
    if (size === 'mini') return resource.miniFields.includes(name);
    return (detail || !field.detailOnly) && (size !== 'small' || isOwn(field));
  });
}

/** Reduces a row to the fields that the query picks. @throws Invalid */
export function pickFrom(
  row: Readonly<Record<string, unknown>>,
  resource: Resource,
  query: URLSearchParams,
): Record<string, unknown> {
  return Object.fromEntries(pickFields(resource, query, true).map(([name]) => [name, row[name]]));
}

/** The table that stores the links of a `many` field. */
export interface LinkTable {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  /** True if the links are rows of the other resource that point back. */
  readonly reverse: boolean;
}

/** Returns the link table of a `many` field; `many` in the contract defines the naming rule. */
export function linkOf(resource: Resource, name: string, registry: Registry): LinkTable {
  const field = resource.fields[name];
  if (field?.kind !== 'many') throw new Error(`${resource.name}.${name} has no links`);
  const { target, reverseOf } = field;
  if (reverseOf)
    return {
      table: registry.get(target)?.resource.table ?? target,
      own: `${reverseOf}_id`,
      other: 'id',
      reverse: true,
    };
  return {
    table: field.through ?? `${resource.name}_${name}`,
    own: `${resource.name}_id`,
    other: `${target}_id`,
    reverse: false,
  };
}

/** A field with its name. */
export type NamedField = readonly [string, Field];

/** The fields of a read, in declaration order. */
export type Shown = readonly NamedField[];

export function columnOf(name: string, field: Field): string {
  return field.kind === 'reference' ? `${name}_id` : name;
}

/**
 * Returns the SQL of a field over alias `t`; undefined for fields that are filled in after the
 * query.
 */
export function expressionOf(
  mounted: MountedResource,
  [name, field]: NamedField,
  caller: Caller,
  registry: Registry,
): Sql | undefined {
  const custom = mounted.hooks.columns?.[name];
  if (custom) return custom(caller);
  if (field.kind === 'many') return undefined;
  if (field.kind !== 'computed') return sql.ref(`t.${columnOf(name, field)}`);
  const from = field.computedFrom;
  if ('count' in from) {
    const link = linkOf(mounted.resource, from.count, registry);
    return sql`(select count(*) from ${sql.table(link.table)} link where ${sql.ref(`link.${link.own}`)} = t.id)`;
  }
  if ('display' in from) {
    const target = registry.get(targetOf(mounted.resource.fields[from.display]) ?? '')?.resource;
    if (!target)
      throw new Error(`${mounted.resource.name}.${name} displays a field that points nowhere`);
    return sql`(select ${sql.ref(`other.${target.labelField}`)}
      from ${sql.table(target.table)} other where other.id = ${sql.ref(`t.${from.display}_id`)})`;
  }
  return undefined;
}

/**
 * Returns the select list: the fields under their wire names, and stored columns that the hooks
 * need.
 */
export function selectList(
  mounted: MountedResource,
  caller: Caller,
  registry: Registry,
  shown: Shown,
): Sql {
  const names = new Set(shown.map(([name]) => name));
  const columns = readableFields(mounted.resource, true).flatMap(([name, field]) => {
    if (!names.has(name) && (field.kind === 'computed' || field.detailOnly)) return [];
    const expression = expressionOf(mounted, [name, field], caller, registry);
    return expression ? [sql`${expression} as ${sql.ref(name)}`] : [];
  });
  return sql.join(columns);
}
