import type { Readable } from 'node:stream';
import type { Page } from '@sallyport/contract';
import type { ListSource } from '../../resources/read/page.ts';
import type { Context } from '../context.ts';
import { withNeighbors } from '../page.ts';
import { exportCsv, requestedFileType } from './csv.ts';
import { type ContentPage, contentOf, listRequestOf } from './paged.ts';
import { streamedAnswer } from './stream.ts';

/**
 * Answers a list request with rows, a page, or a file of all rows. Long answers stream while the
 * database is read. @throws Invalid
 */
export async function answerList<Row extends object>(
  source: ListSource<Row>,
  context: Context,
): Promise<Row[] | Page<Row> | ContentPage<Row> | Readable> {
  if (requestedFileType(context))
    return exportCsv(source.resource, source.stream(context.query, context, true), context);
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
