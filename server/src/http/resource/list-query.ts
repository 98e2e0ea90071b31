import { type Field, isUuid, MAX_ITEMS, type Problem, parseDatetime, parseField, type Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { Invalid } from '../problem.ts';
import { columnOf, expressionOf } from './columns.ts';
import type { MountedResource, Registry, Sql } from './hooks.ts';
import { allOf } from './scope.ts';

/** A list request, read: conditions and order made of allow-listed parts only. */
export interface ListQuery {
  /** Absent: everything, as a bare array. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly where: Sql;
  /** Whether the caller asked for less than everything. */
  readonly narrows: boolean;
  readonly order: Sql;
}

const MAX_LIMIT = 10_000;
const MAX_TERMS = 10;
const MAX_TEXT = 256;
/** `{field}__in=a,b`: the rows whose field is one of several values. */
export const SET_SUFFIX = '__in';

/** Reads the list grammar (identity reference §1.5). @throws Invalid for values that make no sense; unknown parameters are ignored. */
export function readListQuery(mounted: MountedResource, context: Context, registry: Registry): ListQuery {
  const { resource, hooks } = mounted;
  const problems: Record<string, Problem[]> = {};
  const conditions: (Sql | undefined)[] = [];
  // Names come from outside: `constructor` must not find what every object inherits.
  const filters = new Map(Object.entries(hooks.filters ?? {}));
  const fields = new Map(Object.entries(resource.fields));
  const text = (name: string): string => (context.query.getAll(name).at(-1) ?? '').trim();
  const refuse = (name: string, problem: Problem) => {
    problems[name] = [problem];
  };

  for (const name of new Set(context.query.keys())) {
    const value = text(name);
    if (value === '') continue;
    if (value.includes('\u0000')) refuse(name.slice(0, 64), { code: 'nul_byte' });
    else if (filters.has(name)) conditions.push(filters.get(name)?.(value, context));
    else if (fields.get(name)?.filter) conditions.push(fieldCondition(name, fields.get(name) as Field, value, refuse));
    else if (name.endsWith(SET_SUFFIX)) {
      const member = name.slice(0, -SET_SUFFIX.length);
      const field = fields.get(member);
      if (field?.filter) conditions.push(setOfValues(member, field, context.query.getAll(name), (problem) => refuse(name, problem)));
    }
  }
  conditions.push(searchCondition(resource, context.query.getAll('search').join(' '), refuse));
  if (text('ids')) conditions.push(idsCondition(text('ids'), refuse));
  conditions.push(...dateConditions(resource, text('date_from'), text('date_to'), refuse));
  const order = orderOf(mounted, text('order'), context, registry, refuse);

  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const limit = Number(text('limit'));
  const offset = Number(text('offset'));
  return {
    limit: Number.isSafeInteger(limit) && limit > 0 ? Math.min(limit, MAX_LIMIT) : undefined,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    where: allOf(conditions),
    narrows: conditions.some((condition) => condition !== undefined),
    order,
  };
}

type Refuse = (name: string, problem: Problem) => void;

/** What a filter is compared with: the column, and how a value is read. Texts that the server writes may be anything. */
function comparison(name: string, field: Field): { column: Sql; read: (value: string) => ReturnType<typeof parseField> } {
  if (field.kind === 'text' && field.mode === 'readonly')
    return { column: sql`${sql.ref(`t.${name}`)}::text`, read: (value) => ({ value: value.slice(0, MAX_TEXT) }) };
  const lenient: Field = { ...field, format: 'plain', max: MAX_TEXT, multiline: true };
  return { column: sql.ref(`t.${columnOf(name, field)}`), read: (value) => parseField(lenient, value) };
}

function fieldCondition(name: string, field: Field, value: string, refuse: Refuse): Sql | undefined {
  const { column, read } = comparison(name, field);
  const parsed = read(value);
  if ('problem' in parsed) {
    refuse(name, parsed.problem);
    return undefined;
  }
  return sql`${column} = ${parsed.value}`;
}

/** One of several values, comma-separated; the parameter may also come several times. */
function setOfValues(name: string, field: Field, texts: readonly string[], refuse: (problem: Problem) => void): Sql | undefined {
  const { column, read } = comparison(name, field);
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

/** A text for `like`, taken to the letter. */
export function likePattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}

function searchCondition(resource: Resource, search: string, refuse: Refuse): Sql | undefined {
  if (!Object.values(resource.fields).some((field) => field.search)) return undefined;
  if (search.includes('\u0000')) {
    refuse('search', { code: 'nul_byte' });
    return undefined;
  }
  // Every word must be found somewhere; `search_text` is all searchable fields in lower case, indexed by trigrams.
  const terms = search
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_TERMS);
  return terms.length === 0 ? undefined : allOf(terms.map((term) => sql`t.search_text like ${likePattern(term)}`));
}

function idsCondition(text: string, refuse: Refuse): Sql | undefined {
  const ids = text.split(',').map((id) => id.trim());
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined) refuse('ids', { code: 'not_uuid', params: { value: String(wrong).slice(0, 64) } });
  else if (ids.length > MAX_ITEMS) refuse('ids', { code: 'list_too_long', params: { max: MAX_ITEMS } });
  else return sql`t.id = any (${ids}::uuid[])`;
  return undefined;
}

function dateConditions(resource: Resource, from: string, to: string, refuse: Refuse): (Sql | undefined)[] {
  if (!resource.dateField) return [];
  const column = sql.ref(`t.${resource.dateField}`);
  const read = (name: string, text: string): Date | undefined => {
    const date = text ? parseDatetime(text) : undefined;
    if (text && !date) refuse(name, { code: 'not_datetime' });
    return date;
  };
  const start = read('date_from', from);
  const end = read('date_to', to);
  return [start && sql`${column} >= ${start}`, end && sql`${column} <= ${end}`];
}

function orderOf(mounted: MountedResource, text: string, context: Context, registry: Registry, refuse: Refuse): Sql {
  const { resource } = mounted;
  const wished = text ? text.split(',').map((part) => part.trim()) : resource.defaultOrder;
  const parts: Sql[] = [];
  for (const part of wished.slice(0, 8)) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    // The default order may name columns that are no fields; a caller may name orderable fields only.
    const expression = field ? expressionOf(mounted, name, field, context, registry) : text ? undefined : sql.ref(`t.${name}`);
    if (!expression || (text && !field?.order)) {
      refuse('order', { code: 'not_choice', params: { value: name.slice(0, 64) } });
      continue;
    }
    parts.push(descending ? sql`${expression} desc` : sql`${expression} asc`);
  }
  const lastDescends = wished.at(-1)?.startsWith('-') ?? false;
  // Rows that compare the same still need one order, or pages overlap.
  parts.push(lastDescends ? sql`t.id desc` : sql`t.id asc`);
  return sql.join(parts);
}
