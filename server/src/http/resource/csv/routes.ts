import { Readable } from 'node:stream';
import { formatDatetime, type Resource } from '@sallyport/contract';
import type { Context } from '../../context.ts';
import { InvalidItems, invalid, Refusal } from '../../problem.ts';
import type { StoredRow } from '../hooks.ts';
import type { ResourceEngine } from '../mount.ts';
import { type CsvPurpose, csvColumns } from './columns.ts';
import { readCsv } from './read.ts';
import { BYTE_ORDER_MARK, cellText, csvRecord } from './write.ts';

/** Whether a list is wanted as a CSV file. @throws Invalid for a format that there is not */
function wantsCsv({ query, request }: Context): boolean {
  const format = (query.getAll('format').at(-1) ?? '').trim();
  if (format !== '' && format !== 'csv' && format !== 'json') throw invalid('format', 'not_choice', { value: format.slice(0, 64) });
  return format === '' ? (request.headers.accept ?? '').startsWith('text/csv') : format === 'csv';
}

/** Answers a list request: rows or a page of them, or all of them as a file. @throws Invalid */
export function answerList<Answer>(source: CsvSource & { list(context: Context): Promise<Answer> }, context: Context): Promise<Answer | Readable> {
  return wantsCsv(context) ? exportCsv(source, context) : source.list(context);
}

/** What can be written as a file: what its rows are, and the rows of a request batch after batch. */
export interface CsvSource {
  readonly resource: Resource;
  stream(context: Context): AsyncGenerator<Readonly<Record<string, unknown>>[]>;
}

/** Answers a list request with a file that is written while it is read from the database, in constant memory. @throws Invalid */
async function exportCsv({ resource, stream }: CsvSource, context: Context): Promise<Readable> {
  const template = context.query.get('template');
  const purpose: CsvPurpose = template === 'import' || template === 'update' ? template : 'export';
  const columns = csvColumns(resource, purpose, context);
  const batches = stream(context);
  // What is asked wrongly comes to light with the first rows; once the file has begun, it could only be broken off.
  const first = await batches.next();
  if (context.reply.sent) {
    // It took so long that a refusal was sent in its place: nobody would ever read the file to its end.
    await batches.return(undefined);
    throw new Refusal(503, 'timeout');
  }
  const file = Readable.from(
    (async function* lines() {
      yield BYTE_ORDER_MARK + csvRecord(columns.map((column) => column.header));
      for (let batch = first; !batch.done; batch = await batches.next()) {
        // A template for new rows shows one row as a sample.
        const rows = purpose === 'import' ? batch.value.slice(0, 1) : batch.value;
        yield rows.map((row) => csvRecord(columns.map(({ name }) => cellText(row[name])))).join('');
        if (purpose === 'import') break;
      }
    })(),
  );
  // However it ends, also before its first line: the query ends with it.
  file.once('close', () => void batches.return(undefined));
  const moment = formatDatetime(new Date(), context.zone).slice(0, 19).replace(' ', '_').replaceAll(':', '-');
  context.reply.header('content-type', 'text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${resource.name}_${moment}.csv"`);
  return file;
}

/** Creates (POST) or replaces (PUT) rows from a file; problems are aligned with its records, `{}` for good and for blank ones. */
export async function importCsv({ resource, writer }: ResourceEngine, context: Context, purpose: 'create' | 'replace'): Promise<StoredRow[]> {
  const records = readCsv(context.request.body as Buffer, resource);
  const filled = records.flatMap((body, index) => (body ? [{ body, index }] : []));
  const bodies = filled.map(({ body }) => body);
  try {
    return purpose === 'create' ? await writer.createMany(bodies, context) : await writer.updateMany(bodies, 'replace', context);
  } catch (error) {
    if (!(error instanceof InvalidItems)) throw error;
    const aligned = records.map((): InvalidItems['items'][number] => ({}));
    for (const [position, { index }] of filled.entries()) aligned[index] = error.items[position] ?? {};
    throw new InvalidItems(aligned);
  }
}
