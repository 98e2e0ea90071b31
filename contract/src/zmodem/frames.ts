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
const CRC_32 = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/**
 * Returns the checksum of bytes and, for a subpacket, of its end, in the order of the protocol.
 * Indexes are several times faster here than iterators.
 */
export function checksumOf(bytes: Uint8Array, is32: boolean, end?: number): Uint8Array {
  return is32 ? checksum32(bytes, end) : checksum16(bytes, end);
}

function checksum16(bytes: Uint8Array, end: number | undefined): Uint8Array {
  let crc = 0;
  for (let at = 0; at < bytes.length; at++)
    crc = ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0);
  if (end !== undefined) crc = ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ end] ?? 0);
  return Uint8Array.of(crc >> 8, crc & 0xff);
}

function checksum32(bytes: Uint8Array, end: number | undefined): Uint8Array {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++)
    crc = (crc >>> 8) ^ (CRC_32[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  if (end !== undefined) crc = (crc >>> 8) ^ (CRC_32[(crc ^ end) & 0xff] ?? 0);
  crc = ~crc;
  return Uint8Array.of(crc & 0xff, (crc >>> 8) & 0xff, (crc >>> 16) & 0xff, crc >>> 24);
}

/**
 * Writes bytes with all control characters escaped, so no encoded byte is an Enter. Returns the
 * position after them.
 */
function escapeTo(target: Uint8Array, from: number, bytes: Uint8Array): number {
  let to = from;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0x60) === 0) {
      target[to++] = ZDLE;
      target[to++] = byte ^ 0x40;
    } else target[to++] = byte;
  }
  return to;
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
    const body = joined(bytes, checksumOf(bytes, format === 'binary32'));
    const encoded = new Uint8Array(begin.length + 2 * body.length);
    encoded.set(begin);
    return encoded.subarray(0, escapeTo(encoded, begin.length, body));
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
  const bytes = new Uint8Array(2 * content.length + 10);
  let at = escapeTo(bytes, 0, content);
  bytes[at++] = ZDLE;
  bytes[at++] = end;
  at = escapeTo(bytes, at, checksumOf(content, is32, end));
  return bytes.subarray(0, at);
}
