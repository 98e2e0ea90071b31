import { BadPdu, ByteReader } from './byte-reader.ts';
import { FAST_PATH_HEAD, normalizeBitmaps, writeFastPathHead } from './picture/bitmaps.ts';

/** Update types of a server (MS-RDPBCGR 2.2.9.1.2.1). */
const UPDATE = {
  orders: 0,
  bitmap: 1,
  palette: 2,
  synchronize: 3,
  surface: 4,
  hidden: 5,
  arrow: 6,
  position: 8,
  color: 9,
  cached: 10,
  pointer: 11,
  large: 12,
} as const;
const POINTERS: ReadonlySet<number> = new Set([
  UPDATE.hidden,
  UPDATE.arrow,
  UPDATE.position,
  UPDATE.color,
  UPDATE.cached,
  UPDATE.pointer,
]);
const PART = { whole: 0, last: 1, first: 2, next: 3 } as const;
/** Maximum bytes of a fragmented update. Bitmaps that we negotiate are smaller. */
const MAX_UPDATE = 1024 * 1024;
const MAX_PDU = 0x7fff;

/**
 * Parses a server's updates and rewrites them as PDUs that browsers can draw: one update each,
 * exact bitmaps, and pointers.
 */
export class ServerUpdates {
  #kind: number | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** Returns the PDUs for the browser. @throws BadPdu */
  readFastPath(pdu: Buffer): Buffer[] {
    const reader = new ByteReader(pdu);
    if ((reader.u8() & 0xc0) !== 0) throw new BadPdu('a fast-path PDU is encrypted a second time');
    if (reader.u8() >= 0x80) reader.u8();
    const updates: Buffer[] = [];
    while (reader.left > 0) {
      const head = reader.u8();
      if (head & 0xc0) throw new BadPdu('an update is compressed although that was not agreed on');
      const update = this.#join(head & 15, (head >> 4) & 3, reader.bytes(reader.u16()));
      if (update) updates.push(...updatesFor(update.kind, update.body));
    }
    return updates;
  }

  /** Like `readFastPath`, for a slow-path update. @throws BadPdu */
  readUpdate(body: Buffer): Buffer[] {
    if (body.length < 2) throw new BadPdu('an update is too short');
    const kind = body.readUInt16LE(0);
    if (kind > UPDATE.synchronize) throw new BadPdu('an update is unknown');
    return updatesFor(kind, body);
  }

  /** Like `readFastPath`, for a slow-path pointer (2.2.9.1.1.4). @throws BadPdu */
  readPointer(body: Buffer): Buffer[] {
    const reader = new ByteReader(body);
    const kind = reader.u16();
    reader.u16();
    if (kind === 1)
      return updatesFor(reader.u32() === 0 ? UPDATE.hidden : UPDATE.arrow, Buffer.alloc(0));
    const known = { 3: UPDATE.position, 6: UPDATE.color, 7: UPDATE.cached, 8: UPDATE.pointer }[
      kind
    ];
    if (known === undefined) throw new BadPdu('a pointer is unknown');
    return updatesFor(known, reader.rest());
  }

  #join(
    kind: number,
    part: number,
    bytes: Buffer,
  ): { readonly kind: number; readonly body: Buffer } | undefined {
    if (part === PART.whole || part === PART.first) {
      if (this.#kind !== undefined) throw new BadPdu('an update begins within another one');
      if (part === PART.whole) return { kind, body: bytes };
      this.#kind = kind;
    } else if (this.#kind !== kind) throw new BadPdu('a part of an update belongs to none');
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_UPDATE) throw new BadPdu('an update is too long');
    if (part !== PART.last) return undefined;
    const body = Buffer.concat(this.#parts);
    this.#kind = undefined;
    this.#parts = [];
    this.#bytes = 0;
    return { kind, body };
  }
}

function updatesFor(kind: number, body: Buffer): Buffer[] {
  if (kind === UPDATE.bitmap) return normalizeBitmaps(body);
  if (POINTERS.has(kind)) return 4 + body.length + 3 > MAX_PDU ? [] : [fastPath(kind, body)];
  // Ignore palettes, which need 8-bit color, and empty orders and surfaces, which some servers send
  // although they are not negotiated.
  if (
    kind === UPDATE.palette ||
    kind === UPDATE.synchronize ||
    kind === UPDATE.orders ||
    kind === UPDATE.surface ||
    kind === UPDATE.large
  )
    return [];
  throw new BadPdu('an update is unknown');
}

/** Builds a fast-path PDU with one update. */
function fastPath(kind: number, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FAST_PATH_HEAD + body.length);
  writeFastPathHead(bytes, kind);
  bytes.set(body, FAST_PATH_HEAD);
  return bytes;
}
