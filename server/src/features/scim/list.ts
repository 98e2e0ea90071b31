import { type Sql, sql } from '../../platform/db/sql.ts';
import { type Columns, conditionOf } from './conditions.ts';
import { ScimError } from './errors.ts';
import { readFilter } from './filter.ts';
import { sortColumn } from './store.ts';
import { type Json, LIST } from './wire.ts';

const integer = (value: unknown, name: string): number | undefined => {
  if (value === null || value === undefined || value === '') return undefined;
  if (!/^-?\d{1,9}$/.test(String(value)))
    throw new ScimError(400, `${name} is no number.`, 'invalidValue');
  return Number(value);
};
const names = (value: string | null): readonly string[] =>
  (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

export interface ListParameters {
  readonly query: ListQuery;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** Reads the parameters of a list from the address. */
export function parametersOf(query: URLSearchParams): ListParameters {
  return {
    query: {
      filter: query.get('filter') ?? undefined,
      sortBy: query.get('sortBy') ?? undefined,
      descending: query.get('sortOrder')?.toLowerCase() === 'descending',
      startIndex: integer(query.get('startIndex'), 'startIndex') ?? 1,
      count: integer(query.get('count'), 'count'),
    },
    attributes: names(query.get('attributes')),
    excludedAttributes: names(query.get('excludedAttributes')),
  };
}

/** Reads the parameters of a search by POST (RFC 7644, 3.4.3) from the body. */
export function parametersIn(body: unknown): ListParameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ScimError(400, 'The body is no object.', 'invalidSyntax');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body))
    if (name !== 'schemas') query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  return parametersOf(query);
}

type Selection = Omit<ListParameters, 'query'>;

/** Selects attributes of a resource. */
export const selectAttributes = async (
  resource: Json,
  { attributes, excludedAttributes }: Selection,
): Promise<Json> =>
  attributes.length + excludedAttributes.length === 0
    ? resource
    : (await import('./wire.ts')).selectAttributes(resource, attributes, excludedAttributes);

/** Selects the attributes of each resource in a list. */
export const selectIn = async (
  list: ListResponse,
  selection: Selection,
): Promise<ListResponse> => ({
  ...list,
  Resources: await Promise.all(list.Resources.map((one) => selectAttributes(one, selection))),
});

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;

/** Parameters of a list (RFC 7644, 3.4.2). */
export interface ListQuery {
  readonly filter: string | undefined;
  readonly sortBy: string | undefined;
  readonly descending: boolean;
  /** 1-based. */
  readonly startIndex: number;
  readonly count: number | undefined;
}

/** A list response (RFC 7644, 3.4.2). */
export interface ListResponse extends Json {
  readonly totalResults: number;
  readonly Resources: readonly Json[];
}

/** Rows of a list and their representation. */
export interface ListSource<T> {
  readonly columns: Columns;
  find(condition: Sql, tail: Sql): Promise<T[]>;
  count(condition: Sql): Promise<number>;
  /** Final order, which makes pages stable. */
  readonly order: Sql;
  wire(row: T): Json;
}

/** Returns a list response (RFC 7644, 3.4.2). */
export async function listResources<T>(
  query: ListQuery,
  { columns, find, count, order, wire }: ListSource<T>,
): Promise<ListResponse> {
  const condition =
    query.filter === undefined || query.filter.trim() === ''
      ? sql`true`
      : conditionOf(readFilter(query.filter), columns);
  const limit = Math.min(MAX_RESULTS, Math.max(0, query.count ?? DEFAULT_RESULTS));
  const start = Math.max(1, query.startIndex);
  const sort = query.sortBy === undefined ? undefined : sortColumn(query.sortBy, columns);
  if (query.sortBy !== undefined && !sort)
    throw new ScimError(
      400,
      `Lists cannot be sorted by ${query.sortBy.slice(0, 100)}.`,
      'invalidPath',
    );
  const sorted = sort?.kind === 'text' ? sql`lower(${sort.value})` : sort?.value;
  const direction = query.descending ? sql`desc nulls last` : sql`asc nulls last`;
  const by = sorted ? sql`${sorted} ${direction}, ` : sql``;
  const totalResults = await count(condition);
  const rows =
    limit === 0
      ? []
      : await find(
          condition,
          sql`order by ${by}${order} limit ${limit} offset ${Math.min(start - 1, 1_000_000_000)}`,
        );
  return {
    schemas: [LIST],
    totalResults,
    itemsPerPage: rows.length,
    startIndex: start,
    Resources: rows.map(wire),
  };
}

type List = (query: ListQuery) => Promise<ListResponse>;

/**
 * Searches several kinds of resources as one list, one kind after the other. A kind without an
 * attribute of the filter has no matches.
 *
 * @throws ScimError if no kind has the attributes
 */
export async function searchAll(lists: readonly List[], query: ListQuery): Promise<ListResponse> {
  const limit = Math.min(MAX_RESULTS, Math.max(0, query.count ?? DEFAULT_RESULTS));
  const start = Math.max(1, query.startIndex);
  const resources: Json[] = [];
  const refusals: ScimError[] = [];
  let total = 0;
  for (const list of lists) {
    const part = await list({
      ...query,
      startIndex: Math.max(1, start - total),
      count: limit - resources.length,
    }).catch((error: unknown) => {
      if (!(error instanceof ScimError) || error.scimType !== 'invalidFilter') throw error;
      refusals.push(error);
      return undefined;
    });
    resources.push(...(part?.Resources ?? []));
    total += part?.totalResults ?? 0;
  }
  if (refusals.length === lists.length) throw refusals[0];
  return {
    schemas: [LIST],
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex: start,
    Resources: resources,
  };
}
