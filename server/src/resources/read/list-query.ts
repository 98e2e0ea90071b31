import {
  type Field,
  fieldNamed,
  isUuid,
  MAX_ITEMS,
  type Problem,
  parseDatetime,
  parseField,
  type Resource,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { MountedResource, ResourceSource } from '../hooks.ts';
import { columnOf, expressionOf } from './columns.ts';
import { type ColumnOrder, columnOrderOf } from './landmarks.ts';
import { type Paging, readPaging } from './page.ts';
import { allOf } from './scope.ts';
import { hasPattern, MAX_TEXT, searchCondition } from './search.ts';

/** A parsed list request. Conditions and order consist of allow-listed parts only. */
export interface ListQuery extends Paging {
  readonly where: Sql;
  /** True if the caller limited the list. */
  readonly narrows: boolean;
  readonly order: Sql;
  /** The column of the order, if it is the only one and no two rows in scope share a value. */
  readonly key: string | undefined;
  /** The order, if it is by one column of the table. */
  readonly byColumn: ColumnOrder | undefined;
  /** True if the caller sent a regular expression; such a query needs a timeout. */
  readonly hasPattern: boolean;
}

/** A list request. */
export interface Listing {
  readonly query: URLSearchParams;
  readonly caller: Caller;
  /** An additional condition. */
  readonly within?: Sql | undefined;
}

/** Suffix of the parameter `{field}__in=a,b`: the field has one of these values. */
export const SET_SUFFIX = '__in';

type QuerySource = Pick<ResourceSource, 'mounted' | 'registry'>;

/**
 * Parses the list grammar and ignores unknown parameters. Rows in `found` pass the search and the
 * filters of the hook `elsewhere`. @throws Invalid for bad values
 */
export function readListQuery(
  source: QuerySource,
  { query, caller }: Listing,
  { maxLimit, found = [] }: { maxLimit?: number; found?: readonly string[] } = {},
): ListQuery {
  const { mounted } = source;
  const { resource, hooks } = mounted;
  const problems: Record<string, Problem[]> = {};
  const conditions: (Sql | undefined)[] = [];
  // Use maps: an object lookup of `constructor` would find inherited members.
  const filters = new Map(Object.entries(hooks.filters ?? {}));
  const fields = new Map(Object.entries(resource.fields));
  const text = (name: string): string => (query.getAll(name).at(-1) ?? '').trim();
  const refuse = (name: string, problem: Problem) => {
    problems[name] = [problem];
  };

  for (const name of new Set(query.keys())) {
    const [value, field] = [text(name), fields.get(name)];
    if (value === '') continue;
    if (value.includes('\u0000')) refuse(name.slice(0, 64), { code: 'nul_byte' });
    else if (filters.has(name)) {
      const condition = filters.get(name)?.(value, caller, query);
      conditions.push(
        hooks.elsewhere?.filters.includes(name) ? orFound(condition, found) : condition,
      );
    } else if (field?.filter)
      conditions.push(
        isValue(comparison([name, field], mounted, caller), value, (problem) =>
          refuse(name, problem),
        ),
      );
    else if (name.endsWith(SET_SUFFIX)) {
      const member = name.slice(0, -SET_SUFFIX.length);
      const set = fields.get(member);
      if (set?.filter)
        conditions.push(
          isOneOf(comparison([member, set], mounted, caller), query.getAll(name), (problem) =>
            refuse(name, problem),
          ),
        );
    }
  }
  conditions.push(orFound(searchCondition(mounted, query), found));
  if (text('ids')) conditions.push(idsCondition(resource, text('ids'), refuse));
  conditions.push(
    ...dateConditions(
      resource,
      { from: text('date_from'), to: text('date_to'), zone: caller.zone },
      refuse,
    ),
  );
  const order = orderOf(source, text('order'), caller, refuse);

  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return {
    ...readPaging(query, maxLimit),
    where: allOf(conditions),
    narrows: conditions.some((condition) => condition !== undefined),
    ...order,
    hasPattern: hasPattern(query),
  };
}

/** Extends a condition to these rows. */
function orFound(condition: Sql | undefined, found: readonly string[]): Sql | undefined {
  return condition && found.length > 0
    ? sql`(${condition} or t.id = any (${found}::uuid[]))`
    : condition;
}

type Refuse = (name: string, problem: Problem) => void;

/** The column of a filter and the parser of its values. */
interface Comparison {
  readonly column: Sql;
  readonly read: (value: string) => ReturnType<typeof parseField>;
}

/** Returns the comparison of a field. Texts that the server writes may be any string. */
function comparison(
  [name, field]: readonly [string, Field],
  { hooks }: MountedResource,
  { zone }: Caller,
): Comparison {
  if (hooks.ids?.includes(name))
    return {
      column: sql.ref(`t.${name}`),
      // No row has null.
      read: (value) => ({ value: isUuid(value) ? value : null }),
    };
  if (field.kind === 'text' && field.mode === 'readonly')
    return {
      column: sql`${sql.ref(`t.${name}`)}::text`,
      read: (value) => ({ value: value.slice(0, MAX_TEXT) }),
    };
  const lenient: Field =
    field.kind === 'text' ? { ...field, format: 'plain', max: MAX_TEXT, multiline: true } : field;
  return {
    column: sql.ref(`t.${columnOf(name, field)}`),
    read: (value) => parseField(lenient, value, zone),
  };
}

function isValue(
  { column, read }: Comparison,
  value: string,
  refuse: (problem: Problem) => void,
): Sql | undefined {
  const parsed = read(value);
  if ('problem' in parsed) {
    refuse(parsed.problem);
    return undefined;
  }
  return sql`${column} = ${parsed.value}`;
}

/** Returns the condition for several values: comma-separated, or as repeated parameters. */
function isOneOf(
  { column, read }: Comparison,
  texts: readonly string[],
  refuse: (problem: Problem) => void,
): Sql | undefined {
  const parts = texts.flatMap((text) => text.split(',').map((part) => part.trim())).filter(Boolean);
  if (parts.length > MAX_ITEMS) refuse({ code: 'list_too_long', params: { max: MAX_ITEMS } });
  if (parts.length > MAX_ITEMS || parts.length === 0) return undefined;
  const values: unknown[] = [];
  for (const part of parts) {
    const parsed = read(part);
    if ('problem' in parsed) {
      refuse(parsed.problem);
      return undefined;
    }
    values.push(parsed.value);
  }
  return sql`${column} = any (${values})`;
}

/**
 * Returns the condition or its negation, as the parameter says. @throws Invalid for other values
 * than yes and no
 */
export function isOrIsNot(name: string, value: string, condition: Sql): Sql {
  if (/^(1|true|y|yes)$/i.test(value)) return condition;
  if (/^(0|false|n|no)$/i.test(value)) return sql`not ${condition}`;
  throw invalid(name, 'not_boolean');
}

function idsCondition(resource: Resource, text: string, refuse: Refuse): Sql | undefined {
  const field = fieldNamed(resource, 'id');
  const ids = text.split(',').map((id) => parseField(field, id.trim()));
  const wrong = ids.find((one) => 'problem' in one);
  if (wrong && 'problem' in wrong) refuse('ids', wrong.problem);
  else if (ids.length > MAX_ITEMS)
    refuse('ids', { code: 'list_too_long', params: { max: MAX_ITEMS } });
  else
    return sql`t.id = any (${ids.map((one) => ('value' in one ? one.value : null))}${field.kind === 'id' ? sql`::uuid[]` : sql`::bigint[]`})`;
  return undefined;
}

function dateConditions(
  resource: Resource,
  { from, to, zone }: Readonly<Record<'from' | 'to' | 'zone', string>>,
  refuse: Refuse,
): (Sql | undefined)[] {
  if (!resource.dateField) return [];
  const column = sql.ref(`t.${resource.dateField}`);
  const read = (name: string, text: string): Date | undefined => {
    const date = text ? parseDatetime(text, zone) : undefined;
    if (text && !date) refuse(name, { code: 'not_datetime' });
    return date;
  };
  const start = read('date_from', from);
  const end = read('date_to', to);
  // The wire has no fractions of a second, so the end includes its whole second.
  return [
    start && sql`${column} >= ${start}`,
    end && sql`${column} < ${new Date(end.getTime() + 1_000)}`,
  ];
}

function orderOf(
  { mounted, registry }: QuerySource,
  text: string,
  caller: Caller,
  refuse: Refuse,
): Pick<ListQuery, 'order' | 'key' | 'byColumn'> {
  const { resource } = mounted;
  const wished = text ? text.split(',').map((part) => part.trim()) : resource.defaultOrder;
  const parts: Sql[] = [];
  for (const part of wished.slice(0, 8)) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    // The default order may use any column. Callers may order by orderable fields and the date
    // field.
    const mayName = !text || name === resource.dateField || field?.order === true;
    const expression = field
      ? expressionOf(mounted, [name, field], caller, registry)
      : mayName
        ? sql.ref(`t.${name}`)
        : undefined;
    if (!expression || !mayName) {
      refuse('order', { code: 'not_choice', params: { value: name.slice(0, 64) } });
      continue;
    }
    parts.push(descending ? sql`${expression} desc` : sql`${expression} asc`);
  }
  const first = wished[0]?.replace(/^-/, '') ?? '';
  if (isKey(resource, first) && !mounted.hooks.columns?.[first])
    return {
      order: sql`${parts[0]}`,
      key: first,
      byColumn: {
        name: first,
        column: sql.ref(`t.${first}`),
        descends: wished[0]?.startsWith('-') ?? false,
        isUnique: true,
      },
    };
  const lastDescends = wished.at(-1)?.startsWith('-') ?? false;
  // Rows that compare equal need a fixed order, or pages overlap.
  parts.push(lastDescends ? sql`t.id desc` : sql`t.id asc`);
  return { order: sql.join(parts), key: undefined, byColumn: columnOrderOf(mounted, wished) };
}

/** True if no two rows in the scope of a list share a value of the field, and each row has one. */
export function isKey({ fields, scope }: Resource, name: string): boolean {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return (
    field?.kind === 'text' &&
    !field.nullable &&
    (field.unique === 'global' || (field.unique === 'org' && scope === 'org'))
  );
}
