import type { Page } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { withNeighbors } from '../../http/page.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Invalid, invalid, NotFound, notFound } from '../../platform/errors.ts';
import { type Counted, MAX_LIMIT, positiveIn } from '../../resources/read/page.ts';
import { allOf } from '../../resources/read/scope.ts';

/** A row in the shape of versions 3 and 4. */
export type LaterRow = Readonly<Record<string, unknown>>;

/**
 * A filter of versions 3 and 4: the name of ours, or a function of the value. The function returns
 * a condition on our rows, true if all rows of the source match, or false if none does.
 */
export type Filter = string | ((value: string) => Sql | boolean);

/** A request in the terms of version 2.1, with a limit and an additional condition. */
export interface Request {
  readonly query: URLSearchParams;
  readonly within: Sql | undefined;
}

/** Rows of version 2.1, and their translation. */
export interface Source {
  readonly filters: Readonly<Record<string, Filter>>;
  /** Our names of the columns by which callers may order. */
  readonly orders: Readonly<Record<string, string>>;
  /** Returns the page that `limit` and `offset` of the query name. */
  page(request: Request, context: Context): Promise<Counted<LaterRow>>;
  /** @throws NotFound outside of the caller's scope */
  retrieve(id: string, context: Context): Promise<LaterRow>;
}

/**
 * Parameters that filter no rows. `fields_size` asks for less than we answer. `oid` is the
 * organization of the request, on all routes.
 */
const WITHOUT_EFFECT = new Set(['display', 'draw', 'fields_size', '_', 'tz', 'oid']);
const PAGING = new Set(['limit', 'offset', 'order']);

/** Returns the filters of a request. @throws Invalid for a filter that no source has */
function filtersIn({ query }: Context, sources: readonly Source[]): [string, string][] {
  const filters: [string, string][] = [];
  for (const [name, value] of query) {
    if (PAGING.has(name) || WITHOUT_EFFECT.has(name) || value.trim() === '') continue;
    if (name === 'format' && value === 'json') continue;
    // An ignored filter would return rows that the caller has excluded.
    if (sources.length > 0 && !sources.some((source) => Object.hasOwn(source.filters, name)))
      throw invalid(name.slice(0, 64), 'unknown_field');
    filters.push([name, value]);
  }
  return filters;
}

/** Returns the order in our names. @throws Invalid */
function orderIn({ query }: Context, { orders }: Source): string | undefined {
  const order = (query.getAll('order').at(-1) ?? '').trim();
  if (order === '') return undefined;
  const name = order.replace(/^-/, '');
  const ours = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (ours === undefined) throw invalid('order', 'not_choice', { value: order.slice(0, 64) });
  return order.startsWith('-') ? `-${ours}` : ours;
}

/** Translates a request for one source; undefined if none of its rows can match. */
function queryFor(
  source: Source,
  context: Context,
  filters: readonly [string, string][],
): Request | undefined {
  const query = new URLSearchParams();
  const conditions: Sql[] = [];
  for (const [name, value] of filters) {
    const filter = Object.hasOwn(source.filters, name) ? source.filters[name] : undefined;
    if (filter === undefined) return undefined;
    if (typeof filter === 'string') query.append(filter, value);
    else {
      const condition = filter(value.trim());
      if (condition === false) return undefined;
      if (condition !== true) conditions.push(condition);
    }
  }
  const order = orderIn(context, source);
  if (order !== undefined) query.set('order', order);
  return { query, within: conditions.length > 0 ? allOf(conditions) : undefined };
}

/** Names the parameters of a refusal as the caller does. */
function inLaterNames(
  error: unknown,
  source: Source,
  filters: readonly [string, string][],
): unknown {
  if (!(error instanceof Invalid)) return error;
  const theirs = new Map(filters.map(([name]) => [source.filters[name], name]));
  return new Invalid(
    Object.fromEntries(
      Object.entries(error.problems).map(([name, problems]) => [
        theirs.get(name) ?? name,
        problems,
      ]),
    ),
  );
}

/**
 * Lists the rows of the sources, one source after the other. Without a limit the answer is a bare
 * list. @throws Invalid
 */
export async function listRows(
  sources: readonly Source[],
  context: Context,
): Promise<LaterRow[] | Page<LaterRow>> {
  const filters = filtersIn(context, sources);
  const limit = Math.min(positiveIn(context.query, 'limit') || MAX_LIMIT, MAX_LIMIT);
  const offset = positiveIn(context.query, 'offset');
  const results: LaterRow[] = [];
  let count = 0;
  for (const source of sources) {
    const request = queryFor(source, context, filters);
    if (!request) continue;
    const room = limit - results.length;
    // A full page needs the count of this source only, and a list gives at least one row.
    request.query.set('limit', String(Math.max(room, 1)));
    request.query.set('offset', String(Math.max(offset - count, 0)));
    const page = await source.page(request, context).catch((error: unknown) => {
      throw inLaterNames(error, source, filters);
    });
    results.push(...page.results.slice(0, room));
    count += page.count;
  }
  if (positiveIn(context.query, 'limit') > 0) return withNeighbors(context, { count, results });
  // A list that ends early would mislead.
  if (count - offset > MAX_LIMIT) throw invalid('limit', 'list_too_long', { max: MAX_LIMIT });
  return results;
}

/** Returns one row of the first source that has it. @throws NotFound */
export async function retrieveRow(
  sources: readonly Source[],
  id: string,
  context: Context,
): Promise<LaterRow> {
  for (const source of sources)
    try {
      return await source.retrieve(id, context);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  throw notFound();
}
