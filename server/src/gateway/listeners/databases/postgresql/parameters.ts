import { BodyReader } from '../../../protocols/body-reader.ts';

/** Parameters and characters of each that are recorded. */
const MOST_SHOWN = 50;
const MOST_CHARACTERS = 200;

/** What a Bind message says. */
export interface Bound {
  readonly portal: string;
  readonly statement: string;
  /** `$1 = 'a', $2 = NULL`; empty without parameters. */
  readonly shown: string;
}

/** Reads a Bind message. Values in binary form are shown by their length. @throws ProtocolViolation */
export function readBind(body: Buffer): Bound {
  const reader = new BodyReader(body);
  const portal = reader.text();
  const statement = reader.text();
  const formats = Array.from({ length: reader.uint16() }, () => reader.int16());
  const count = reader.uint16();
  const shown: string[] = [];
  for (let at = 0; at < count; at++) {
    const length = reader.int32();
    const isBinary = (formats.length === 1 ? formats[0] : formats[at]) === 1;
    const value = length < 0 ? undefined : reader.bytes(length);
    if (at < MOST_SHOWN) shown.push(`$${at + 1} = ${shownValue(value, isBinary)}`);
  }
  if (count > MOST_SHOWN) shown.push('…');
  return { portal, statement, shown: shown.join(', ') };
}

function shownValue(value: Buffer | undefined, isBinary: boolean): string {
  if (value === undefined) return 'NULL';
  if (isBinary) return `(${value.length} bytes)`;
  const text = value.subarray(0, MOST_CHARACTERS * 4).toString('utf8');
  const short = text.slice(0, MOST_CHARACTERS);
  return `'${short.replaceAll("'", "''")}${short.length < text.length || value.length > MOST_CHARACTERS * 4 ? '…' : ''}'`;
}

/** The columns of a RowDescription; `isText` where the values come as texts. @throws ProtocolViolation */
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

/** The values of a DataRow, each cut. @throws ProtocolViolation */
export function readRow(body: Buffer): readonly (string | null)[] {
  const reader = new BodyReader(body);
  return Array.from({ length: reader.uint16() }, () => {
    const length = reader.int32();
    return length < 0 ? null : reader.bytes(length).subarray(0, MOST_CHARACTERS).toString('utf8');
  });
}
