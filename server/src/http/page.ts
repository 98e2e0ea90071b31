import type { Page } from '@sallyport/contract';
import { type Counted, readPaging } from '../resources/read/page.ts';
import type { Context } from './context.ts';

/** Returns the addresses of the next and previous page. */
export function neighbors(
  context: Context,
  limit: number,
  offset: number,
  count: number,
): { next: string | null; previous: string | null } {
  const link = (to: number): string => {
    const origin = `${context.request.protocol}://${context.request.host}`;
    // The client chooses the Host header, so it may be malformed.
    const url = new URL(context.request.url, URL.canParse(origin) ? origin : 'http://localhost');
    url.searchParams.set('limit', String(limit));
    if (to > 0) url.searchParams.set('offset', String(to));
    else url.searchParams.delete('offset');
    return url.href;
  };
  return {
    next: offset + limit < count ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
  };
}

/** Answers rows in memory: all of them, or the page that `limit` names. */
export function pageOf<Row>(context: Context, rows: Row[]): Row[] | Page<Row> {
  const { limit, offset } = readPaging(context.query);
  return limit === undefined
    ? rows
    : withNeighbors(context, { count: rows.length, results: rows.slice(offset, offset + limit) });
}

/** Adds the addresses of the neighboring pages to a page; returns a bare list unchanged. */
export function withNeighbors<Row>(
  context: Context,
  answer: Row[] | Counted<Row>,
  maxLimit?: number,
): Row[] | Page<Row> {
  const { limit, offset } = readPaging(context.query, maxLimit);
  if (Array.isArray(answer)) return answer;
  const { count, results } = answer;
  return {
    count,
    ...(limit === undefined
      ? { next: null, previous: null }
      : neighbors(context, limit, offset, count)),
    results,
  };
}
