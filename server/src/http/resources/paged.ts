import type { Counted } from '../../resources/page.ts';

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
  const number = (name: string, usual: number) => {
    const value = Number(query.get(name) ?? '');
    return query.get(name)?.trim() && Number.isSafeInteger(value) && value >= 0 ? value : usual;
  };
  const [sort, size] = [query.get('sort')?.trim(), number('size', USUAL_SIZE) || USUAL_SIZE];
  const request = new URLSearchParams(query);
  for (const name of ['page', 'size', 'sort', 'direction']) request.delete(name);
  request.set('limit', String(size));
  request.set('offset', String(number('page', 0) * size));
  if (sort) request.set('order', /^desc/i.test(query.get('direction') ?? '') ? `-${sort}` : sort);
  return request;
}

/** A page of rows in the shape of a generic table. */
export function contentOf<Row>(answer: readonly Row[] | Counted<Row> | undefined): ContentPage<Row> {
  if (answer === undefined) return { content: [], totalElements: 0 };
  return 'results' in answer ? { content: answer.results, totalElements: answer.count } : { content: answer, totalElements: answer.length };
}
