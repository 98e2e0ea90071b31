import { type Field, MAX_ITEMS, type Resource } from '@sallyport/contract';
import { parse } from 'csv-parse/sync';
import { Refusal } from '../../problem.ts';
import { fieldOfHeader } from './columns.ts';
import { armed } from './write.ts';

/** The text of a file in UTF-8, UTF-16 or a Chinese encoding, without its byte order mark. */
export function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // GB 18030 holds GBK and GB 2312; what is not UTF-8 and comes from Excel in China is one of them.
    return new TextDecoder('gb18030').decode(bytes);
  }
}

/**
 * Reads a file into bodies, one for each record after the header, in order; blank records become `undefined` so that positions stay true.
 *
 * @throws Refusal for a file that is no CSV, or whose header names a column that is none.
 */
export function readCsv(bytes: Buffer, resource: Resource): (Record<string, unknown> | undefined)[] {
  let records: string[][];
  try {
    records = parse(decodeText(bytes), { bom: true, relax_column_count: true, skip_empty_lines: false, to: MAX_ITEMS + 2 });
  } catch (error) {
    throw new Refusal(400, 'malformed_csv', { line: (error as { lines?: number }).lines ?? 1 });
  }
  const [header = [], ...rows] = records;
  if (header.every((cell) => cell.trim() === '')) throw new Refusal(400, 'malformed_csv', { line: 1 });
  if (rows.length > MAX_ITEMS) throw new Refusal(400, 'list_too_long', { max: MAX_ITEMS });
  const columns = header.map((cell) => {
    const name = fieldOfHeader(resource, cell);
    if (name === undefined && cell.trim() !== '') throw new Refusal(400, 'unknown_column', { column: cell.trim().slice(0, 64) });
    return name;
  });
  return rows.map((row) => {
    if (row.every((cell) => cell.trim() === '')) return undefined;
    const body: Record<string, unknown> = {};
    for (const [index, cell] of row.entries()) {
      const name = columns[index];
      const field = name === undefined ? undefined : resource.fields[name];
      // A blank cell says nothing about its field.
      if (name === undefined || !field || field.mode === 'readonly' || cell === '') continue;
      body[name] = cellValue(armed(cell), field);
    }
    return body;
  });
}

function cellValue(cell: string, field: Field): unknown {
  const text = cell.trim();
  if (!['many', 'list', 'flags'].includes(field.kind)) return cell;
  if (/^\[.*\]$/s.test(text)) {
    try {
      // Spreadsheets and other programs write single or typographic quotes.
      return JSON.parse(text.replace(/['‘’“”]/g, '"'));
    } catch {
      return text;
    }
  }
  return text.split(/[,;，；\s]+/).filter(Boolean);
}
