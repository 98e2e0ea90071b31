import { BadPdu, ByteReader } from './byte-reader.ts';

/**
 * Types of fast-path input events, and their lengths after the first byte (MS-RDPBCGR 2.2.8.1.2.2).
 */
const EVENT = { key: 0, mouse: 1, extraMouse: 2, synchronize: 3, unicode: 4 } as const;
const LENGTHS: Readonly<Record<number, number>> = {
  [EVENT.key]: 1,
  [EVENT.mouse]: 6,
  [EVENT.extraMouse]: 6,
  [EVENT.synchronize]: 0,
  [EVENT.unicode]: 2,
};
const DOWN = 0x8000;
/** Flags of the left, right and middle button (2.2.8.1.1.3.1.1.3), and our bits for them. */
const BUTTONS = [
  [0x1000, 1],
  [0x2000, 4],
  [0x4000, 2],
] as const;

/** Pointer position in pixels, and pressed buttons as bits: 1 left, 2 middle, 4 right. */
export interface PointerState {
  readonly x: number;
  readonly y: number;
  readonly buttons: number;
}

/** Flags of a key event (2.2.8.1.2.2.1). */
const RELEASED = 1;
const EXTENDED = 2;

/** A key event: a scan code of the keyboard, 0xe000 added if extended, or a UTF-16 character. */
export interface PressedKey {
  readonly kind: 'scanCode' | 'character';
  readonly isDown: boolean;
  readonly value: number;
}

/** Input of the user: the pointer, if it moved, and keys in order. */
export interface PersonInput {
  readonly pointer: PointerState | undefined;
  readonly keys: readonly PressedKey[];
}

/** Validates a browser's input, and tracks pressed buttons. */
export class ClientInput {
  #buttons = 0;

  /** Parses a fast-path input PDU. @throws BadPdu */
  read(pdu: Buffer): PersonInput {
    const reader = new ByteReader(pdu);
    const head = reader.u8();
    if ((head & 0xc0) !== 0) throw new BadPdu('input is encrypted a second time');
    if (reader.u8() >= 0x80) reader.u8();
    const count = (head >> 2) & 15 || reader.u8();
    let pointer: PointerState | undefined;
    const keys: PressedKey[] = [];
    for (let event = 0; event < count; event++) {
      const first = reader.u8();
      const kind = first >> 5;
      const length = LENGTHS[kind];
      if (length === undefined) throw new BadPdu('an event of the input is unknown');
      const bytes = new ByteReader(reader.bytes(length));
      if (kind === EVENT.mouse) pointer = this.#mouse(bytes);
      const isDown = (first & RELEASED) === 0;
      if (kind === EVENT.key)
        keys.push({
          kind: 'scanCode',
          isDown,
          value: (first & EXTENDED ? 0xe000 : 0) | bytes.u8(),
        });
      if (kind === EVENT.unicode) keys.push({ kind: 'character', isDown, value: bytes.u16() });
    }
    if (reader.left > 0) throw new BadPdu('the input has more than its events');
    return { pointer, keys };
  }

  #mouse(bytes: ByteReader): PointerState {
    const flags = bytes.u16();
    for (const [flag, bit] of BUTTONS)
      if (flags & flag) this.#buttons = flags & DOWN ? this.#buttons | bit : this.#buttons & ~bit;
    return { x: bytes.u16(), y: bytes.u16(), buttons: this.#buttons };
  }
}
