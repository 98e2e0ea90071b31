import { BodyReader } from '../byte-reader.ts';
import { readCounted } from './packets.ts';

const MAX_SHOWN = 50;
const MAX_CHARACTERS = 200;
const MAX_PREPARED = 10_000;
const MAX_PREPARED_BYTES = 8 * 1024 * 1024;

export interface Prepared {
  readonly text: string;
  readonly parameters: number;
  /** Types from the last execution; later executions may omit them. */
  types: readonly number[];
}

/** Prepared statements of a session by server id. */
export class PreparedStatements {
  private readonly known = new Map<number, Prepared>();
  private bytes = 0;

  get hasRoom(): boolean {
    return this.known.size < MAX_PREPARED && this.bytes < MAX_PREPARED_BYTES;
  }

  add(id: number, text: string, parameters: number): void {
    this.remove(id);
    this.known.set(id, { text, parameters, types: [] });
    this.bytes += text.length;
  }

  get(id: number): Prepared | undefined {
    return this.known.get(id);
  }

  remove(id: number): void {
    this.bytes -= this.known.get(id)?.text.length ?? 0;
    this.known.delete(id);
  }

  clear(): void {
    this.known.clear();
    this.bytes = 0;
  }
}

/**
 * Returns the values of an execution for the log, such as `?1 = 5, ?2 = 'a'`; `…` for unreadable
 * ones.
 */
export function formatValues(body: Buffer, prepared: Prepared): string {
  if (prepared.parameters === 0) return '';
  try {
    const reader = new BodyReader(body);
    reader.bytes(9);
    const nulls = reader.bytes(Math.ceil(prepared.parameters / 8));
    if (reader.uint8() === 1)
      prepared.types = Array.from({ length: prepared.parameters }, () => reader.uintLE(2));
    const values: string[] = [];
    for (let at = 0; at < Math.min(prepared.parameters, MAX_SHOWN); at++) {
      const isNull = (((nulls[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
      values.push(`?${at + 1} = ${isNull ? 'NULL' : formatValue(reader, prepared.types[at] ?? 0)}`);
    }
    if (prepared.parameters > MAX_SHOWN) values.push('…');
    return values.join(', ');
  } catch {
    // The execution lacks values that were sent separately before.
    return '…';
  }
}

/** Formats a value by its type (MySQL, "Field Types"). */
function formatValue(reader: BodyReader, type: number): string {
  const isUnsigned = (type & 0x8000) !== 0;
  switch (type & 0xff) {
    case 1:
      return String(isUnsigned ? reader.uint8() : reader.bytes(1).readInt8());
    case 2:
    case 13:
      return String(isUnsigned ? reader.uintLE(2) : reader.bytes(2).readInt16LE());
    case 3:
    case 9:
      return String(isUnsigned ? reader.uintLE(4) : reader.bytes(4).readInt32LE());
    case 8:
      return String(
        isUnsigned ? reader.bytes(8).readBigUInt64LE() : reader.bytes(8).readBigInt64LE(),
      );
    case 4:
      return String(reader.bytes(4).readFloatLE());
    case 5:
      return String(reader.bytes(8).readDoubleLE());
    case 6:
      return 'NULL';
    case 7:
    case 10:
    case 12:
      return formatMoment(reader.bytes(reader.uint8()));
    case 11: {
      const time = reader.bytes(reader.uint8());
      if (time.length < 8) return "'0:00:00'";
      const hours = time.readUInt32LE(1) * 24 + (time[5] ?? 0);
      return `'${time[0] ? '-' : ''}${hours}:${two(time[6])}:${two(time[7])}'`;
    }
    default:
      return quoted(readCounted(reader) ?? Buffer.alloc(0));
  }
}

const two = (value: number | undefined): string => String(value ?? 0).padStart(2, '0');

function formatMoment(value: Buffer): string {
  if (value.length < 4) return "'0000-00-00'";
  const day = `${value.readUInt16LE()}-${two(value[2])}-${two(value[3])}`;
  return value.length < 7
    ? `'${day}'`
    : `'${day} ${two(value[4])}:${two(value[5])}:${two(value[6])}'`;
}

function quoted(value: Buffer): string {
  const text = value.subarray(0, MAX_CHARACTERS * 4).toString('utf8');
  const short = text.slice(0, MAX_CHARACTERS);
  const isCut = short.length < text.length || value.length > MAX_CHARACTERS * 4;
  return `'${short.replaceAll("'", "''")}${isCut ? '…' : ''}'`;
}

/** Reads a row in text format; truncates each value. */
export function readTextRow(reader: BodyReader): readonly (string | null)[] {
  const values: (string | null)[] = [];
  while (reader.left > 0)
    values.push(readCounted(reader)?.subarray(0, MAX_CHARACTERS).toString('utf8') ?? null);
  return values;
}
