import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import {
  type Field,
  fieldOfHeader,
  isComment,
  isUuid,
  MAX_ITEMS,
  type Resource,
} from '@sallyport/contract';
import { Parser } from 'csv-parse';
import { armed } from '../../platform/csv.ts';
import { RejectedFile } from '../../platform/errors.ts';
import { inSlices, type Sliced } from '../../platform/slices.ts';
import { isNamed, type Names } from '../relations/names.ts';

/** Bytes or characters that are read in one turn of the event loop. */
const CHUNK = 8_192;

function* decode(bytes: Buffer, decoder: TextDecoder): Sliced<string> {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK, yield)
    text += decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true });
  return text + decoder.decode();
}

/** Decodes UTF-8, UTF-16 or a Chinese encoding, and removes the byte order mark. */
export function* decodeText(bytes: Buffer): Sliced<string> {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return yield* decode(bytes, new TextDecoder('utf-16le'));
  try {
    return yield* decode(bytes, new TextDecoder('utf-8', { fatal: true }));
  } catch {
    // Excel in China writes GBK or GB 2312; GB 18030 contains both.
    return yield* decode(bytes, new TextDecoder('gb18030'));
  }
}

/** Maximum columns; no resource has that many fields. */
const MAX_COLUMNS = 200;
/** Maximum cells; ten thousand rows of every resource fit. */
const MAX_CELLS = 600_000;
/** Characters of a cell: ten thousand ids fit. */
const MAX_CELL = 400_000;

/**
 * Counts cells and their characters before parsing, to reject hostile files cheaply.
 *
 * @throws RejectedFile
 */
function* assertSize(text: string): Sliced<void> {
  let inQuotes = false;
  let inRecord = 1;
  let total = 1;
  let line = 1;
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % CHUNK === 0) yield;
    const code = text.charCodeAt(at);
    if (code === 0x22) inQuotes = !inQuotes;
    if (code === 0x0a) line++;
    if (!inQuotes && (code === 0x2c || code === 0x0a || code === 0x0d)) begin = at;
    else if (at - begin > MAX_CELL)
      throw new RejectedFile('cell_too_long', { max: MAX_CELL, line });
    if (inQuotes) continue;
    if (code === 0x2c) {
      total++;
      if (++inRecord > MAX_COLUMNS)
        throw new RejectedFile('too_many_columns', { max: MAX_COLUMNS, line });
      if (total > MAX_CELLS) throw new RejectedFile('too_many_cells', { max: MAX_CELLS });
    } else if (code === 0x0a || code === 0x0d) inRecord = 1;
  }
}

/** One record: values by field, and separately the fields that link by name. */
export interface CsvRecord {
  readonly body: Readonly<Record<string, unknown>>;
  readonly names: Names;
}

export interface CsvFile {
  /**
   * Records after the header, in order; undefined for blank records and the comment, which keeps
   * positions.
   */
  readonly records: readonly (CsvRecord | undefined)[];
  /** Header cells of ignored columns. */
  readonly unknownColumns: readonly string[];
  /** True if at least one column is a field of the list. */
  readonly hasKnownColumn: boolean;
}

/** Parses the records of a text, with a pause after each chunk. @throws RejectedFile */
async function recordsOf(text: string): Promise<string[][]> {
  const parser = new Parser({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: false,
  });
  // Bytes, because a piece of a string could end in the middle of a character.
  const bytes = Buffer.from(text);
  const records: string[][] = [];
  // Each write is answered with the error, too.
  parser.on('error', () => undefined);
  parser.on('data', (record: string[]) => records.push(record));
  const done = (write: (settle: (error?: Error | null) => void) => void) =>
    new Promise<void>((settle, fail) => write((error) => (error ? fail(error) : settle())));
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      await done((settle) => parser.write(bytes.subarray(at, at + CHUNK), settle));
      if (records.length > MAX_ITEMS + 1)
        throw new RejectedFile('list_too_long', { max: MAX_ITEMS });
      await setImmediate();
    }
    const ended = finished(parser);
    parser.end();
    await ended;
    return records;
  } catch (error) {
    if (error instanceof RejectedFile) throw error;
    throw new RejectedFile('malformed_csv', { line: (error as { lines?: number }).lines ?? 1 });
  } finally {
    parser.destroy();
  }
}

/**
 * Reads a file into bodies, without holding the event loop.
 *
 * @throws RejectedFile for a file that is no CSV or too large.
 */
export async function readCsv(bytes: Buffer, resource: Resource): Promise<CsvFile> {
  const text = await inSlices(decodeText(bytes));
  await inSlices(assertSize(text));
  const [header = [], ...rows] = await recordsOf(text);
  if (header.every((cell) => cell.trim() === ''))
    throw new RejectedFile('malformed_csv', { line: 1 });
  if (rows.length > MAX_ITEMS) throw new RejectedFile('list_too_long', { max: MAX_ITEMS });
  const columns = header.map((cell) => fieldOfHeader(resource.fields, cell));
  const unknownColumns = header
    .filter((cell, index) => columns[index] === undefined && cell.trim() !== '')
    .map((cell) => cell.trim().slice(0, 64));
  return {
    records: await inSlices(fill(rows, columns, resource)),
    unknownColumns,
    hasKnownColumn: columns.some((name) => name !== undefined),
  };
}

function* fill(
  rows: readonly (readonly string[])[],
  columns: readonly (string | undefined)[],
  resource: Resource,
): Sliced<(CsvRecord | undefined)[]> {
  const filled: (CsvRecord | undefined)[] = [];
  for (const [place, row] of rows.entries()) {
    yield;
    if (isComment(row, place) || row.every((cell) => cell.trim() === '')) {
      filled.push(undefined);
      continue;
    }
    const body: Record<string, unknown> = {};
    const names: Record<string, readonly string[]> = {};
    for (const [index, cell] of row.entries()) {
      const name = columns[index];
      const field = name === undefined ? undefined : resource.fields[name];
      // A blank cell leaves its field unset.
      if (name === undefined || !field || field.mode === 'readonly' || cell === '') continue;
      yield;
      const value = cellValue(armed(cell), field);
      const linkNames = namesIn(value, field);
      if (linkNames) names[name] = linkNames;
      else body[name] = value;
    }
    filled.push({ body, names });
  }
  return filled;
}

/** Returns the names in a cell; undefined if the field has no names or all values are ids. */
function namesIn(value: unknown, field: Field): readonly string[] | undefined {
  if (!isNamed(field)) return undefined;
  const texts = [value].flat().map((text) => (typeof text === 'string' ? text.trim() : text));
  if (
    texts.length === 0 ||
    texts.every((text) => isUuid(text)) ||
    !texts.every((text) => typeof text === 'string' && text !== '')
  )
    return undefined;
  return texts as string[];
}

function cellValue(cell: string, field: Field): unknown {
  const text = cell.trim();
  if (!['many', 'list', 'flags'].includes(field.kind)) return cell;
  if (/^\[.*\]$/s.test(text)) return jsonOf(text) ?? jsonOf(text.replace(/['‘’“”]/g, '"')) ?? text;
  const parts = text.split(/[,;，；\s]+/).filter(Boolean);
  // Names may contain blanks; ids, protocols and actions do not.
  if (field.kind !== 'many' || parts.every((part) => isUuid(part))) return parts;
  return text
    .split(/[,;，；\r\n]+/)
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Parses JSON; also accepts single and typographic quotes, which spreadsheets write. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
