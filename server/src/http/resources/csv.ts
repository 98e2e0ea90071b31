import { Readable } from 'node:stream';
import { type Field, formatDatetime, type Resource } from '@sallyport/contract';
import { armed, BYTE_ORDER_MARK, cellText, csvRecord, namesText } from '../../platform/csv.ts';
import { InvalidItems, invalid, RejectedFile, Unavailable } from '../../platform/errors.ts';
import { type Cell, xlsxFile } from '../../platform/xlsx.ts';
import {
  type CsvPurpose,
  commentCells,
  csvColumns,
  wantsNames,
} from '../../resources/csv/columns.ts';
import { readCsv } from '../../resources/csv/read.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import { isNamed } from '../../resources/relations/names.ts';
import type { WriteOptions } from '../../resources/write/unit-of-work.ts';
import type { Context } from '../context.ts';

const FORMATS = ['csv', 'xlsx', 'json'] as const;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Returns the requested file type; undefined for JSON. @throws Invalid for an unknown format */
export function requestedFileType({ query, request }: Context): 'csv' | 'xlsx' | undefined {
  const value = (query.getAll('format').at(-1) ?? '').trim();
  const format = FORMATS.find((one) => one === value);
  if (value !== '' && !format) throw invalid('format', 'not_choice', { value: value.slice(0, 64) });
  if (!format && (request.headers.accept ?? '').startsWith('text/csv')) return 'csv';
  return format === 'json' ? undefined : format;
}

/**
 * Answers a list request with a file. Rows stream from the database, so memory stays constant.
 * @throws Invalid
 */
export async function exportCsv(
  resource: Resource,
  batches: AsyncGenerator<object[]>,
  context: Context,
): Promise<Readable> {
  const template = context.query.get('template');
  const purpose: CsvPurpose = template === 'import' || template === 'update' ? template : 'export';
  // Imports read only CSV, so templates exist only as CSV.
  if (purpose !== 'export' && requestedFileType(context) === 'xlsx')
    throw invalid('format', 'not_choice', { value: 'xlsx' });
  const columns = csvColumns(resource, purpose, context);
  const byName = wantsNames(context.query);
  const textOf = (field: Field) => (byName && isNamed(field) ? namesText : cellText);
  return tableFile(
    {
      name: resource.name,
      columns: columns.map(({ name, header, field }) => ({ name, header, text: textOf(field) })),
      comment:
        purpose === 'import'
          ? commentCells(
              columns.map(({ field }) => field),
              context.language,
            )
          : undefined,
    },
    purpose === 'import' ? sampleOf(batches) : batches,
    context,
  );
}

/** A template for new rows contains one sample row. */
async function* sampleOf(batches: AsyncGenerator<object[]>): AsyncGenerator<object[]> {
  for await (const batch of batches) {
    yield batch.slice(0, 1);
    return;
  }
}

interface Table {
  /** The beginning of the file name. */
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly header: string;
    readonly text?: (value: unknown) => string;
  }[];
  /** A line below the CSV header. */
  readonly comment?: readonly string[] | undefined;
}

/** Streams rows as a CSV file or, if requested, an Excel workbook. */
export async function tableFile(
  { name, columns, comment }: Table,
  batches: AsyncGenerator<object[]>,
  context: Context,
): Promise<Readable> {
  const isWorkbook = requestedFileType(context) === 'xlsx';
  const headers = columns.map((column) => column.header);
  const texts = (row: object) =>
    columns.map((column) => (column.text ?? cellText)((row as StoredRow)[column.name]));
  const now = new Date();
  const file = await streamedAnswer(context, batches, async function* write(all): AsyncGenerator<
    string | Uint8Array
  > {
    if (isWorkbook) {
      const cells = async function* () {
        for await (const batch of all)
          yield batch.map((row) =>
            texts(row).map((text, index) =>
              workbookCell(text, (row as StoredRow)[columns[index]?.name ?? '']),
            ),
          );
      };
      yield* xlsxFile(headers, cells(), { moment: now });
      return;
    }
    yield BYTE_ORDER_MARK + csvRecord(headers) + (comment ? csvRecord(comment) : '');
    for await (const batch of all) yield batch.map((row) => csvRecord(texts(row))).join('');
  });
  const moment = formatDatetime(now, context.zone)
    .slice(0, 19)
    .replace(' ', '_')
    .replaceAll(':', '-');
  context.reply
    .header('content-type', isWorkbook ? XLSX : 'text/csv; charset=utf-8')
    .header(
      'content-disposition',
      `attachment; filename="${name}_${moment}.${isWorkbook ? 'xlsx' : 'csv'}"`,
    );
  return file;
}

/** Excel cells hold no formulas, so remove the escape that protects CSV cells. */
const workbookCell = (text: string, value: unknown): Cell =>
  typeof value === 'number' ? value : text === '' ? null : armed(text);

/** Maximum characters of the header that lists ignored columns. */
const MAX_NOTICE = 2_048;

/**
 * Creates (POST) or replaces (PUT) rows from a file. Problems align with its records; good and
 * blank records get `{}`.
 */
export async function importCsv(
  { resource, writer }: ResourceEngine,
  context: Context,
  purpose: 'create' | 'replace',
  options: WriteOptions,
): Promise<StoredRow[]> {
  const { records, unknownColumns, hasKnownColumn } = await readCsv(
    context.request.body as Buffer,
    resource,
  );
  const [unknown] = unknownColumns;
  if (unknown !== undefined) {
    // Our console shows unknown columns before it imports; other clients send the file unchanged.
    // Without any known column it is the wrong file, and its rows would become objects of defaults.
    if (!hasKnownColumn || context.query.get('unknown_columns') === 'refuse')
      throw new RejectedFile('unknown_column', { column: unknown });
    context.reply.header(
      'x-ignored-columns',
      unknownColumns
        .map((name) => encodeURIComponent(name.toWellFormed()))
        .join(', ')
        .slice(0, MAX_NOTICE),
    );
  }
  const filled = records.flatMap((record, index) => (record ? [{ ...record, index }] : []));
  const bodies = filled.map(({ body }) => body);
  const namedOptions = { ...options, names: filled.map(({ names }) => names) };
  try {
    return purpose === 'create'
      ? await writer.createMany(bodies, context, namedOptions)
      : await writer.updateMany(bodies, 'replace', context, namedOptions);
  } catch (error) {
    if (!(error instanceof InvalidItems)) throw error;
    const aligned = records.map((): InvalidItems['items'][number] => ({}));
    for (const [position, { index }] of filled.entries())
      aligned[index] = error.items[position] ?? {};
    throw new InvalidItems(aligned);
  }
}

/** Streams an answer while its rows are read. */
export async function streamedAnswer<Row>(
  { reply }: Pick<Context, 'reply'>,
  batches: AsyncGenerator<Row[]>,
  write: (batches: AsyncGenerator<Row[]>) => AsyncGenerator<string | Uint8Array>,
): Promise<Readable> {
  // Read the first batch before answering: bad requests fail here, while a status can still be
  // sent.
  const first = await batches.next();
  if (reply.sent) {
    // The client already received a timeout error, so do not read on.
    await batches.return(undefined);
    throw new Unavailable('timeout');
  }
  const all = async function* () {
    for (let batch = first; !batch.done; batch = await batches.next()) yield batch.value;
  };
  const answer = Readable.from(write(all()));
  // End the query with the answer, even if it closes before its first line.
  answer.once('close', () => void batches.return(undefined));
  return answer;
}
