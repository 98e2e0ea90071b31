import { BodyReader } from '../body-reader.ts';

/** Maximum logged parameters, and characters of each. */
const MAX_SHOWN = 50;
const MAX_CHARACTERS = 200;

export interface Bound {
  readonly portal: string;
  readonly statement: string;
  /** For example `$1 = 'a', $2 = NULL`; empty without parameters. */
  readonly values: string;
}

/** Parses a Bind message. Binary values appear as their length. @throws ProtocolViolation */
export function readBind(body: Buffer): Bound {
  const reader = new BodyReader(body);
  const portal = reader.text();
  const statement = reader.text();
  const formats = Array.from({ length: reader.uint16() }, () => reader.int16());
  const count = reader.uint16();
  const values: string[] = [];
  for (let at = 0; at < count; at++) {
    const length = reader.int32();
    const isBinary = (formats.length === 1 ? formats[0] : formats[at]) === 1;
    const value = length < 0 ? undefined : reader.bytes(length);
    if (at < MAX_SHOWN) values.push(`$${at + 1} = ${formatValue(value, isBinary)}`);
  }
  if (count > MAX_SHOWN) values.push('…');
  return { portal, statement, values: values.join(', ') };
}

function formatValue(value: Buffer | undefined, isBinary: boolean): string {
  if (value === undefined) return 'NULL';
  if (isBinary) return `(${value.length} bytes)`;
  const text = value.subarray(0, MAX_CHARACTERS * 4).toString('utf8');
  const short = text.slice(0, MAX_CHARACTERS);
  const isCut = short.length < text.length || value.length > MAX_CHARACTERS * 4;
  return `'${short.replaceAll("'", "''")}${isCut ? '…' : ''}'`;
}

/** Parses a RowDescription; `isText` if the column is in text format. @throws ProtocolViolation */
export function readColumns(
  body: Buffer,
): readonly { readonly name: string; readonly isText: boolean }[] {
  const reader = new BodyReader(body);
  return Array.from({ length: reader.uint16() }, () => {
    const name = reader.text();
    reader.bytes(16);
    return { name, isText: reader.int16() === 0 };
  });
}

/** Parses a DataRow and truncates each value. @throws ProtocolViolation */
export function readRow(body: Buffer): readonly (string | null)[] {
  const reader = new BodyReader(body);
  return Array.from({ length: reader.uint16() }, () => {
    const length = reader.int32();
    return length < 0 ? null : reader.bytes(length).subarray(0, MAX_CHARACTERS).toString('utf8');
  });
}
