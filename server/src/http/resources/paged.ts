import { type Counted, MAX_LIMIT, positiveIn } from '../../resources/page.ts';

/** A page as generic tables read it (conformance 3.9). */
export interface ContentPage<Row> {
  readonly content: readonly Row[];
  readonly totalElements: number;
}

const USUAL_SIZE = 10;

/**
 * The request of a generic table, which names a `page` from 0 on and its `size` (conformance 7.21), as the request of a list; undefined for every other request.
 * `limit` comes first, where both are named.
 */
export function listRequestOf(query: URLSearchParams): URLSearchParams | undefined {
  if (query.has('limit') || !(query.has('page') || query.has('size'))) return undefined;
  // A page has as many rows as are answered, or the next one would begin behind rows that nobody saw.
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

/** A page of rows in the shape of a generic table. */
export function contentOf<Row>(
  answer: readonly Row[] | Counted<Row> | undefined,
): ContentPage<Row> {
  if (answer === undefined) return { content: [], totalElements: 0 };
  return 'results' in answer
    ? { content: answer.results, totalElements: answer.count }
    : { content: answer, totalElements: answer.length };
}
