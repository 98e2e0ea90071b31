/**
 * Frames of ZMODEM ("The ZMODEM Inter Application File Transfer Protocol", C. Forsberg, 1988). The
 * server checks and relays them; the web terminal sends and receives files with them.
 */

/** Starts each frame and escapes bytes; five in a row cancel a transfer. */
export const ZDLE = 0x18;
export const PAD = 0x2a;
const CARRIAGE_RETURN = 0x0d;
/** Line feed with a set high bit, as programs send it after a hexadecimal header. */
const LINE_FEED = 0x8a;
export const XON = 0x11;

/** Formats of a header: binary with CRC-16, hexadecimal, binary with CRC-32. */
export const FORMATS = { binary16: 0x41, hexadecimal: 0x42, binary32: 0x43 } as const;
export type Format = keyof typeof FORMATS;

/** Types of frames. */
export const TYPES = {
  requestInit: 0,
  init: 1,
  senderInit: 2,
  ack: 3,
  file: 4,
  skip: 5,
  nak: 6,
  abort: 7,
  finish: 8,
  position: 9,
  data: 10,
  endOfFile: 11,
  fileError: 12,
  checksum: 13,
  challenge: 14,
  complete: 15,
} as const;

/** Ends of a subpacket: the frame ends, or continues, without and with a request for an answer. */
export const ENDS = { frame: 0x68, more: 0x69, moreAnswer: 0x6a, frameAnswer: 0x6b } as const;

/** Maximum content of a subpacket: ZMODEM-8K. */
export const MAX_SUBPACKET = 8192;

/** Cancels a transfer at either side. */
export const CANCEL: Uint8Array = new Uint8Array(8).fill(ZDLE);
/** Last bytes of a sender, after the end of the session. */
export const OVER_AND_OUT: Uint8Array = new Uint8Array([0x4f, 0x4f]);

export interface Header {
  readonly format: Format;
  readonly type: number;
  /** Four bytes: flags, or a position with its lowest byte first. */
  readonly value: number;
}

const CRC_16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});
const CRC_32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Returns the checksum of bytes and, for a subpacket, of its end, in the order of the protocol. */
export function checksumOf(bytes: Uint8Array, is32: boolean, end?: number): number[] {
  const all = end === undefined ? [bytes] : [bytes, [end]];
  if (!is32) {
    let crc = 0;
    for (const part of all)
      for (const byte of part) crc = ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ byte] ?? 0);
    return [crc >> 8, crc & 0xff];
  }
  let crc = 0xffffffff;
  for (const part of all)
    for (const byte of part) crc = (crc >>> 8) ^ (CRC_32[(crc ^ byte) & 0xff] ?? 0);
  crc = ~crc;
  return [crc & 0xff, (crc >>> 8) & 0xff, (crc >>> 16) & 0xff, crc >>> 24];
}

/** Returns true for control characters. We escape all of them, so no encoded byte is an Enter. */
const isControl = (byte: number): boolean => (byte & 0x60) === 0;

function escaped(parts: readonly Iterable<number>[], length: number): Uint8Array {
  const bytes = new Uint8Array(2 * length);
  let at = 0;
  for (const part of parts)
    for (const byte of part) {
      if (isControl(byte)) {
        bytes[at++] = ZDLE;
        bytes[at++] = byte ^ 0x40;
      } else bytes[at++] = byte;
    }
  return bytes.subarray(0, at);
}

function joined(...parts: readonly Iterable<number>[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const bytesOf = ({ type, value }: Omit<Header, 'format'>): Uint8Array =>
  Uint8Array.of(type, value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);

/** Encodes a header. Only the hexadecimal format contains control characters other than `ZDLE`. */
export function encodeHeader(header: Header): Uint8Array {
  const { format, type } = header;
  const bytes = bytesOf(header);
  const begin = [PAD, PAD, ZDLE, FORMATS[format]];
  if (format !== 'hexadecimal') {
    const checksum = checksumOf(bytes, format === 'binary32');
    return joined(begin, escaped([bytes, checksum], bytes.length + checksum.length));
  }
  const digits = [...bytes, ...checksumOf(bytes, false)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const isLast = type === TYPES.ack || type === TYPES.finish;
  return joined(
    begin,
    [...digits].map((digit) => digit.charCodeAt(0)),
    [CARRIAGE_RETURN, LINE_FEED],
    isLast ? [] : [XON],
  );
}

/** Encodes a subpacket; `is32` follows the format of its header. */
export function encodeData(content: Uint8Array, end: number, is32: boolean): Uint8Array {
  const checksum = escaped([checksumOf(content, is32, end)], 4);
  const body = escaped([content], content.length);
  const bytes = new Uint8Array(body.length + 2 + checksum.length);
  bytes.set(body);
  bytes.set([ZDLE, end], body.length);
  bytes.set(checksum, body.length + 2);
  return bytes;
}
