import type { Readable } from 'node:stream';
import type { Page, Resource } from '@sallyport/contract';
import type { Context } from '../context.ts';
import { exportCsv, wantsCsv } from './csv/routes.ts';
import { streamedAnswer } from './stream.ts';

/** A list of rows, as much of it at a time as a request wants. */
export interface ListSource<Row extends object> {
  readonly resource: Resource;
  /** A bare array, or the envelope when the request has a limit; undefined when there are more rows than are held in memory at once. */
  list(context: Context): Promise<Row[] | Page<Row> | undefined>;
  /** The rows of a request batch after batch; in `detail` with the fields that lists leave out. */
  stream(context: Context, detail: boolean): AsyncGenerator<Row[]>;
}

/** Answers a list request: rows or a page of them, or all of them as a file. What is long is written while it is read. @throws Invalid */
export async function answerList<Row extends object>(source: ListSource<Row>, context: Context): Promise<Row[] | Page<Row> | Readable> {
  if (wantsCsv(context)) return exportCsv(source.resource, source.stream(context, true), context);
  return (await source.list(context)) ?? longList(source.stream(context, false), context);
}

function longList<Row extends object>(batches: AsyncGenerator<Row[]>, context: Context): Promise<Readable> {
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
