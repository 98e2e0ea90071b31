import {
  type Field,
  fieldOfHeader,
  isComment,
  isUuid,
  MAX_ITEMS,
  type Resource,
} from '@sallyport/contract';
import { armed } from '../../platform/csv.ts';
import { RejectedFile } from '../../platform/errors.ts';
import { onUse } from '../../platform/on-use.ts';
import { isNamed, type Names } from '../names.ts';

const parser = onUse<typeof import('csv-parse/sync')>('csv-parse/sync');

/** Decodes UTF-8, UTF-16 or a Chinese encoding, and removes the byte order mark. */
export function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Excel in China writes GBK or GB 2312; GB 18030 contains both.
    return new TextDecoder('gb18030').decode(bytes);
  }
}

/** Maximum columns; no resource has that many fields. */
const MAX_COLUMNS = 200;
/** Maximum cells; ten thousand rows of every resource fit. */
const MAX_CELLS = 600_000;

/** Counts cells before parsing, to reject a file of separators cheaply. @throws RejectedFile */
function assertSize(text: string): void {
  let inQuotes = false;
  let inRecord = 1;
  let total = 1;
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inQuotes = !inQuotes;
    if (code === 0x0a) line++;
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

/** Parses a file into bodies. @throws RejectedFile if the file is no CSV or too large */
export function readCsv(bytes: Buffer, resource: Resource): CsvFile {
  const text = decodeText(bytes);
  assertSize(text);
  let records: string[][];
  try {
    records = parser().parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: false,
      to: MAX_ITEMS + 2,
    });
  } catch (error) {
    throw new RejectedFile('malformed_csv', { line: (error as { lines?: number }).lines ?? 1 });
  }
  const [header = [], ...rows] = records;
  if (header.every((cell) => cell.trim() === ''))
    throw new RejectedFile('malformed_csv', { line: 1 });
  if (rows.length > MAX_ITEMS) throw new RejectedFile('list_too_long', { max: MAX_ITEMS });
  const columns = header.map((cell) => fieldOfHeader(resource.fields, cell));
  const unknownColumns = header
    .filter((cell, index) => columns[index] === undefined && cell.trim() !== '')
    .map((cell) => cell.trim().slice(0, 64));
  const filled = rows.map((row, place) => {
    if (isComment(row, place) || row.every((cell) => cell.trim() === '')) return undefined;
    const body: Record<string, unknown> = {};
    const names: Record<string, readonly string[]> = {};
    for (const [index, cell] of row.entries()) {
      const name = columns[index];
      const field = name === undefined ? undefined : resource.fields[name];
      // A blank cell leaves its field unset.
      if (name === undefined || !field || field.mode === 'readonly' || cell === '') continue;
      const value = cellValue(armed(cell), field);
      const linkNames = namesIn(value, field);
      if (linkNames) names[name] = linkNames;
      else body[name] = value;
    }
    return { body, names };
  });
  return {
    records: filled,
    unknownColumns,
    hasKnownColumn: columns.some((name) => name !== undefined),
  };
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
