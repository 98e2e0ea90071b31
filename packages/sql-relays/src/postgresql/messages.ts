import { BodyReader } from '../byte-reader.ts';

/** Maximum logged parameters, and characters of each. */
const MAX_SHOWN = 50;
const MAX_CHARACTERS = 200;

interface Bound {
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

/**
 * Protocol 3.0, and the codes that replace the version in a first message (PostgreSQL, "Message
 * Formats").
 */
export const VERSION_3 = 196_608;
export const SSL_REQUEST = 80_877_103;
export const GSS_REQUEST = 80_877_104;
export const CANCEL_REQUEST = 80_877_102;

/** Maximum length of a first message, in bytes; PostgreSQL's own limit. */
export const MAX_STARTUP = 10_000;

/** An error for clients. `code` is an SQLSTATE. */
export interface PostgresError {
  readonly severity: 'ERROR' | 'FATAL' | 'WARNING';
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Builds a message with type and length. */
export function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0), 1);
  return Buffer.concat([header, ...parts]);
}

/** A zero-terminated string, cut at the first zero byte. */
export function zeroEnded(text: string): Buffer {
  const [first = ''] = text.split('\0', 1);
  return Buffer.from(`${first}\0`, 'utf8');
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function errorResponse(
  { severity, code, message: text, hint }: PostgresError,
  type: 'E' | 'N' = 'E',
): Buffer {
  const field = (name: string, value: string) => zeroEnded(name + value);
  return message(
    type,
    field('S', severity),
    field('V', severity),
    field('C', code),
    field('M', text),
    ...(hint ? [field('H', hint)] : []),
    Buffer.from([0]),
  );
}

export const query = (statement: string): Buffer => message('Q', zeroEnded(statement));

/** Name of the statement and portal that the relay prepares; clients do not see them. */
const OWN = '_sallyport';

/**
 * Runs a statement of ours by the extended protocol. A Query would close the unnamed statement and
 * portal of the client.
 */
export function ownStatement(statement: string): Buffer {
  const name = zeroEnded(OWN);
  const nothing = Buffer.alloc(2);
  return Buffer.concat([
    message('P', name, zeroEnded(statement), nothing),
    message('B', name, name, nothing, nothing, nothing),
    message('E', name, int32(0)),
    message('C', Buffer.from('P'), name),
    message('C', Buffer.from('S'), name),
    message('S'),
  ]);
}

/** Parses code and text of an ErrorResponse. @throws ProtocolViolation */
export function readError(body: Buffer): { readonly code: string; readonly message: string } {
  const reader = new BodyReader(body);
  let code = '';
  let text = '';
  for (;;) {
    const field = reader.uint8();
    if (field === 0) return { code, message: text };
    const value = reader.text();
    if (field === 0x43) code = value;
    else if (field === 0x4d) text = value;
  }
}

/**
 * Returns true if a ParameterStatus sets a client encoding other than UTF-8.
 * @throws ProtocolViolation
 */
export function isOtherCharacterSet(body: Buffer): boolean {
  const reader = new BodyReader(body);
  return reader.text() === 'client_encoding' && !/^(?:utf-?8|unicode)$/i.test(reader.text());
}

/** A parsed first message: a request, or the parameters of a StartupMessage. */
export type Startup =
  | { readonly kind: 'ssl' | 'gss' | 'unknown' }
  | { readonly kind: 'cancel'; readonly processId: number; readonly secret: Buffer }
  | {
      readonly kind: 'start';
      readonly minor: number;
      readonly parameters: ReadonlyMap<string, string>;
    };

/** Parses a first message, without its length. @throws ProtocolViolation */
export function readStartup(body: Buffer): Startup {
  const reader = new BodyReader(body);
  const version = reader.int32();
  if (version === SSL_REQUEST) return { kind: 'ssl' };
  if (version === GSS_REQUEST) return { kind: 'gss' };
  if (version === CANCEL_REQUEST)
    return { kind: 'cancel', processId: reader.int32(), secret: reader.rest() };
  if (version >> 16 !== 3) return { kind: 'unknown' };
  const parameters = new Map<string, string>();
  for (;;) {
    const name = reader.text();
    if (name === '') return { kind: 'start', minor: version & 0xffff, parameters };
    parameters.set(name, reader.text());
  }
}

/** Builds a first message with its length. */
export function startup(code: number, ...parts: readonly Buffer[]): Buffer {
  const length = 8 + parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([int32(length), int32(code), ...parts]);
}

/**
 * The row count of a CommandComplete tag such as `INSERT 0 5` or `SELECT 5`; undefined without one.
 */
export function rowsOf(tag: string): number | undefined {
  const count = /^[A-Z ]+(?: \d+)* (\d+)$/.exec(tag)?.[1];
  return count === undefined ? undefined : Number(count);
}
