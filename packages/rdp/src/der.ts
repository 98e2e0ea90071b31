import { BadPdu } from './byte-reader.ts';

/** DER tags that CredSSP uses (X.690). */
export const DER = {
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  sequence: 0x30,
  context: (number: number) => 0xa0 | number,
} as const;

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * Returns the total length of the first value; undefined while its header is incomplete.
 * @throws BadPdu for an indefinite length, or one above `most`
 */
export function derLength(bytes: Buffer, most: number): number | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1);
  if (short < 0x80) return 2 + short;
  const count = short & 0x7f;
  if (count === 0 || count > 3) throw new BadPdu('a DER length is not taken');
  if (bytes.length < 2 + count) return undefined;
  const length = 2 + count + bytes.readUIntBE(2, count);
  if (length > most) throw new BadPdu('a DER value is too long');
  return length;
}

/** Parses adjacent values, which must fill the bytes exactly. @throws BadPdu */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at);
    const length = derLength(rest, rest.length);
    if (length === undefined || length > rest.length)
      throw new BadPdu('a DER value ends too early');
    const header = rest.readUInt8(1) < 0x80 ? 2 : 2 + (rest.readUInt8(1) & 0x7f);
    values.push({ tag: rest.readUInt8(0), content: rest.subarray(header, length) });
    at += length;
  }
  return values;
}

/** Returns the value with a tag. @throws BadPdu unless exactly one exists */
export function derChild(bytes: Buffer, tag: number): Buffer {
  const matches = readDer(bytes).filter((value) => value.tag === tag);
  const [value] = matches;
  if (!value || matches.length > 1) throw new BadPdu('a DER value is missing');
  return value.content;
}

/** Parses a non-negative integer of at most 32 bits. @throws BadPdu */
export function readInteger(content: Buffer): number {
  if (content.length < 1 || content.length > 5) throw new BadPdu('a DER number is not taken');
  return content.length === 5 ? content.readUIntBE(1, 4) : content.readUIntBE(0, content.length);
}

/** Serializes a value with its content. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : 3;
  const header = Buffer.alloc(2 + size);
  header.writeUInt8(tag, 0);
  header.writeUInt8(0x80 | size, 1);
  header.writeUIntBE(length, 2, size);
  return Buffer.concat([header, content]);
}
