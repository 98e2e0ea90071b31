import type { Readable } from 'node:stream';
import { formatDatetime, type Resource } from '@sallyport/contract';
import type { Context } from '../../context.ts';
import { InvalidItems, invalid } from '../../problem.ts';
import type { StoredRow } from '../hooks.ts';
import type { ResourceEngine } from '../mount.ts';
import { streamedAnswer } from '../stream.ts';
import { type CsvPurpose, csvColumns } from './columns.ts';
import { readCsv } from './read.ts';
import { BYTE_ORDER_MARK, cellText, csvRecord } from './write.ts';

/** Whether a list is wanted as a CSV file. @throws Invalid for a format that there is not */
export function wantsCsv({ query, request }: Context): boolean {
  const format = (query.getAll('format').at(-1) ?? '').trim();
  if (format !== '' && format !== 'csv' && format !== 'json') throw invalid('format', 'not_choice', { value: format.slice(0, 64) });
  return format === '' ? (request.headers.accept ?? '').startsWith('text/csv') : format === 'csv';
}

/** Answers a list request with a file that is written while it is read from the database, in constant memory. @throws Invalid */
export async function exportCsv(resource: Resource, batches: AsyncGenerator<object[]>, context: Context): Promise<Readable> {
  const template = context.query.get('template');
  const purpose: CsvPurpose = template === 'import' || template === 'update' ? template : 'export';
  const columns = csvColumns(resource, purpose, context);
  const file = await streamedAnswer(context, batches, async function* write(all) {
    yield BYTE_ORDER_MARK + csvRecord(columns.map((column) => column.header));
    for await (const batch of all) {
      // A template for new rows shows one row as a sample.
      const rows = purpose === 'import' ? batch.slice(0, 1) : batch;
      yield rows.map((row) => csvRecord(columns.map(({ name }) => cellText((row as StoredRow)[name])))).join('');
      if (purpose === 'import') break;
    }
  });
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
