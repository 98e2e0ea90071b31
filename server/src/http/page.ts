import type { Page } from '@sallyport/contract';
import type { Context } from './context.ts';

/** Rows of a page at the most, where they are held in memory. */
export const MAX_LIMIT = 10_000;

/** Which part of a list a request wants. */
export interface Paging {
  /** Absent: everything. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Reads `limit` and `offset`; what is no number above zero counts as absent. */
export function readPaging(query: URLSearchParams, maxLimit = MAX_LIMIT): Paging {
  const number = (name: string): number => {
    const value = Number((query.getAll(name).at(-1) ?? '').trim());
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  return { limit: number('limit') > 0 ? Math.min(number('limit'), maxLimit) : undefined, offset: number('offset') };
}

/** The addresses of the pages before and after one. */
export function neighbours(context: Context, limit: number, offset: number, count: number): { next: string | null; previous: string | null } {
  const link = (to: number): string => {
    const origin = `${context.request.protocol}://${context.request.host}`;
    // The Host header is whatever the caller made of it.
    const url = new URL(context.request.url, URL.canParse(origin) ? origin : 'http://localhost');
    url.searchParams.set('limit', String(limit));
    if (to > 0) url.searchParams.set('offset', String(to));
    else url.searchParams.delete('offset');
    return url.href;
  };
  return { next: offset + limit < count ? link(offset + limit) : null, previous: offset > 0 ? link(Math.max(0, offset - limit)) : null };
}

/** A list as it is answered: bare, or a page with the addresses of those before and after it. */
export function withNeighbours<Row>(context: Context, answer: Row[] | Page<Row>, maxLimit?: number): Row[] | Page<Row> {
  const { limit, offset } = readPaging(context.query, maxLimit);
  return Array.isArray(answer) || limit === undefined ? answer : { ...answer, ...neighbours(context, limit, offset, answer.count) };
}
