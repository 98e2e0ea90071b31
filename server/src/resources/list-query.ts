import {
  type Field,
  fieldNamed,
  MAX_ITEMS,
  type Problem,
  parseDatetime,
  parseField,
  patternProblem,
  type Resource,
  readSearch,
  type SearchKind,
  type SearchTerm,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import { Invalid, invalid } from '../platform/errors.ts';
import { columnOf, expressionOf } from './columns.ts';
import type { MountedResource, Registry, Sql } from './hooks.ts';
import { type Paging, readPaging } from './page.ts';
import { allOf } from './scope.ts';
import { containsWords, hasWhole, matchesPattern } from './search-text.ts';

/** A list request, read: conditions and order made of allow-listed parts only. */
export interface ListQuery extends Paging {
  readonly where: Sql;
  /** Whether the caller asked for less than everything. */
  readonly narrows: boolean;
  readonly order: Sql;
  /** It compares with a pattern of the caller, which must not take long. */
  readonly hasPattern: boolean;
}

const MAX_TERMS = 10;
const MAX_TEXT = 256;
/** `{field}__in=a,b`: the rows whose field is one of several values. */
export const SET_SUFFIX = '__in';

/** Reads the list grammar. For the rows that were `found` elsewhere, the search and the filters of that hook hold. @throws Invalid for values that make no sense; unknown parameters are ignored. */
export function readListQuery(
  mounted: MountedResource,
  query: URLSearchParams,
  caller: Caller,
  registry: Registry,
  { maxLimit, found = [] }: { readonly maxLimit?: number; readonly found?: readonly string[] } = {},
): ListQuery {
  const { resource, hooks } = mounted;
  const problems: Record<string, Problem[]> = {};
  const conditions: (Sql | undefined)[] = [];
  // Names come from outside: `constructor` must not find what every object inherits.
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
    } else if (field?.filter) conditions.push(fieldCondition(name, field, value, caller, refuse));
    else if (name.endsWith(SET_SUFFIX)) {
      const member = name.slice(0, -SET_SUFFIX.length);
      const set = fields.get(member);
      if (set?.filter)
        conditions.push(
          setOfValues(member, set, query, caller, (problem) => refuse(name, problem)),
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
  const order = orderOf(mounted, text('order'), caller, registry, refuse);

  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return {
    ...readPaging(query, maxLimit),
    where: allOf(conditions),
    narrows: conditions.some((condition) => condition !== undefined),
    order,
    hasPattern: searchTerms(query).some(({ kind }) => kind === 'pattern'),
  };
}

/** A condition that holds for these rows as well. */
function orFound(condition: Sql | undefined, found: readonly string[]): Sql | undefined {
  return condition && found.length > 0
    ? sql`(${condition} or t.id = any (${found}::uuid[]))`
    : condition;
}

type Refuse = (name: string, problem: Problem) => void;

/** What a filter is compared with: the column, and how a value is read. Texts that the server writes may be anything. */
function comparison(
  name: string,
  field: Field,
  { zone }: Caller,
): { column: Sql; read: (value: string) => ReturnType<typeof parseField> } {
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

function fieldCondition(
  name: string,
  field: Field,
  value: string,
  caller: Caller,
  refuse: Refuse,
): Sql | undefined {
  const { column, read } = comparison(name, field, caller);
  const parsed = read(value);
  if ('problem' in parsed) {
    refuse(name, parsed.problem);
    return undefined;
  }
  return sql`${column} = ${parsed.value}`;
}

/** One of several values, comma-separated; the parameter may also come several times. */
function setOfValues(
  name: string,
  field: Field,
  query: URLSearchParams,
  caller: Caller,
  refuse: (problem: Problem) => void,
): Sql | undefined {
  const { column, read } = comparison(name, field, caller);
  const parts = query
    .getAll(`${name}${SET_SUFFIX}`)
    .flatMap((text) => text.split(',').map((part) => part.trim()))
    .filter(Boolean);
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

/** A condition, or its contrary, as the value of a parameter says. @throws Invalid for what is neither yes nor no */
export function isOrIsNot(name: string, value: string, condition: Sql): Sql {
  if (/^(1|true|y|yes)$/i.test(value)) return condition;
  if (/^(0|false|n|no)$/i.test(value)) return sql`not ${condition}`;
  throw invalid(name, 'not_boolean');
}

/** The conditions of a search; each of them must hold. @throws Invalid for a pattern that is refused */
export function searchTerms(query: URLSearchParams): SearchTerm[] {
  const search = query.getAll('search').join(' ');
  if (search.includes('\u0000')) throw invalid('search', 'nul_byte');
  const terms = readSearch(search);
  // Of words the first ones are taken; half a phrase or pattern would find something else than was asked for.
  if (
    search.length > MAX_TEXT &&
    terms.some(({ kind, raw, text }) => kind !== 'text' || raw !== text)
  )
    throw invalid('search', 'too_long', { max: MAX_TEXT });
  for (const { kind, text } of terms) {
    const problem = kind === 'pattern' ? patternProblem(text) : undefined;
    if (problem) throw new Invalid({ search: [problem] });
  }
  return (search.length > MAX_TEXT ? readSearch(search.slice(0, MAX_TEXT)) : terms).slice(
    0,
    MAX_TERMS,
  );
}

const lowerTexts = (terms: readonly SearchTerm[], ...kinds: readonly SearchKind[]): string[] =>
  terms.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text.toLowerCase());

/** The texts of a search that must be found somewhere, in lower case; patterns are none. @throws Invalid */
export const searchTexts = (query: URLSearchParams): string[] =>
  lowerTexts(searchTerms(query), 'text', 'word');

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  return text
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_TERMS);
}

/** `search_text` is all searchable fields in lower case, each on a line, indexed by trigrams. */
function searchCondition(
  { resource, hooks }: MountedResource,
  query: URLSearchParams,
): Sql | undefined {
  const terms = searchTerms(query);
  if (
    terms.length === 0 ||
    !(hooks.search || Object.values(resource.fields).some((field) => field.search))
  )
    return undefined;
  const text = sql`t.search_text`;
  const plain = lowerTexts(terms, 'text');
  return allOf([
    ...(hooks.search
      ? [plain.length > 0 ? hooks.search(plain) : undefined]
      : containsWords(plain, text, resource.searchable?.pairs === true)),
    ...lowerTexts(terms, 'word').map((word) => hasWhole(word, text)),
    ...terms
      .filter(({ kind }) => kind === 'pattern')
      .map((term) => matchesPattern(term.text, text)),
  ]);
}

function idsCondition(resource: Resource, text: string, refuse: Refuse): Sql | undefined {
  const field = fieldNamed(resource, 'id');
  const given = text.split(',').map((id) => parseField(field, id.trim()));
  const wrong = given.find((one) => 'problem' in one);
  if (wrong && 'problem' in wrong) refuse('ids', wrong.problem);
  else if (given.length > MAX_ITEMS)
    refuse('ids', { code: 'list_too_long', params: { max: MAX_ITEMS } });
  else
    return sql`t.id = any (${given.map((one) => ('value' in one ? one.value : null))}${field.kind === 'id' ? sql`::uuid[]` : sql`::bigint[]`})`;
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
  // Dates are written to the second, so a whole second belongs to the last one.
  return [
    start && sql`${column} >= ${start}`,
    end && sql`${column} < ${new Date(end.getTime() + 1_000)}`,
  ];
}

function orderOf(
  mounted: MountedResource,
  text: string,
  caller: Caller,
  registry: Registry,
  refuse: Refuse,
): Sql {
  const { resource } = mounted;
  const wished = text ? text.split(',').map((part) => part.trim()) : resource.defaultOrder;
  const parts: Sql[] = [];
  for (const part of wished.slice(0, 8)) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    // The default order may name columns that are no fields; a caller may name orderable fields and the date that the list is narrowed by.
    const mayName = !text || name === resource.dateField || field?.order === true;
    const expression = field
      ? expressionOf(mounted, name, field, caller, registry)
      : mayName
        ? sql.ref(`t.${name}`)
        : undefined;
    if (!expression || !mayName) {
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
