import type { Readable } from 'node:stream';
import type { Page } from '@sallyport/contract';
import { type Counted, type ListSource, MAX_LIMIT, positiveIn } from '../../resources/read/page.ts';
import type { Context } from '../context.ts';
import { withNeighbors } from '../page.ts';
import { exportCsv, requestedFileType, streamedAnswer } from './csv.ts';

/** A page in the format of generic tables (conformance 3.9). */
interface ContentPage<Row> {
  readonly content: readonly Row[];
  readonly totalElements: number;
}

const USUAL_SIZE = 10;

/**
 * Translates a generic table's `page` (from 0) and `size` into a list request (conformance 7.21).
 * Returns undefined for other requests. `limit` wins over both.
 */
function listRequestOf(query: URLSearchParams): URLSearchParams | undefined {
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
function contentOf<Row>(answer: readonly Row[] | Counted<Row> | undefined): ContentPage<Row> {
  if (answer === undefined) return { content: [], totalElements: 0 };
  return 'results' in answer
    ? { content: answer.results, totalElements: answer.count }
    : { content: answer, totalElements: answer.length };
}

/**
 * Answers a list request with rows, a page, or a file of all rows. Long answers stream while the
 * database is read. @throws Invalid
 */
export async function answerList<Row extends object>(
  source: ListSource<Row>,
  context: Context,
): Promise<Row[] | Page<Row> | ContentPage<Row> | Readable> {
  if (requestedFileType(context))
    return exportCsv(
      source.resource,
      source.stream(context.query, context, true, { mayBeStale: true }),
      context,
    );
  const request = listRequestOf(context.query);
  if (request) return contentOf(await source.list(request, context));
  const answer = await source.list(context.query, context);
  return answer
    ? withNeighbors(context, answer)
    : longList(source.stream(context.query, context, false), context);
}

function longList<Row extends object>(
  batches: AsyncGenerator<Row[]>,
  context: Context,
): Promise<Readable> {
  context.reply.header('content-type', 'application/json; charset=utf-8');
  return streamedAnswer(context, batches, async function* write(all) {
    let before = '[';
    for await (const rows of all) {
      yield before + JSON.stringify(rows).slice(1, -1);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  });
}
