import { type Counted, MAX_LIMIT, positiveIn } from '../../resources/read/page.ts';

/** A page in the format of generic tables (conformance 3.9). */
export interface ContentPage<Row> {
  readonly content: readonly Row[];
  readonly totalElements: number;
}

const USUAL_SIZE = 10;

/**
 * Translates a generic table's `page` (from 0) and `size` into a list request (conformance 7.21).
 * Returns undefined for other requests. `limit` wins over both.
 */
export function listRequestOf(query: URLSearchParams): URLSearchParams | undefined {
  if (query.has('limit') || !(query.has('page') || query.has('size'))) return undefined;
  // Clamp the size before computing the offset; otherwise the next page would skip rows.
  const size = Math.min(positiveIn(query, 'size') || USUAL_SIZE, MAX_LIMIT);
  const sort = query.get('sort')?.trim();
  const request = new URLSearchParams(query);
  for (const name of ['page', 'size', 'sort', 'direction']) request.delete(name);
  request.set('limit', String(size));
  request.set(
    'offset',
    String(Math.min(positiveIn(query, 'page') * size, Number.MAX_SAFE_INTEGER)),
  );
  if (sort) request.set('order', /^desc/i.test(query.get('direction') ?? '') ? `-${sort}` : sort);
  return request;
}

/** Returns rows as a page of a generic table. */
export function contentOf<Row>(
  answer: readonly Row[] | Counted<Row> | undefined,
): ContentPage<Row> {
  if (answer === undefined) return { content: [], totalElements: 0 };
  return 'results' in answer
    ? { content: answer.results, totalElements: answer.count }
    : { content: answer, totalElements: answer.length };
}
