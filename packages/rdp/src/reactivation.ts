import { u16 } from './byte-reader.ts';
import type { ScreenSize } from './settings.ts';
import { CONFIRMED_SETS, CONTROL_HEAD, DATA, SHARE, type SharePdu, writeData } from './share.ts';

/** Bytes of pointers that wait until a share is ready. */
const MAX_HELD = 1024 * 1024;
const BITMAP = 1;
const BITMAP_SET = 2;

/** PDUs that a page sends to begin a share. */
const BEGINNING: ReadonlySet<number> = new Set([DATA.synchronize, DATA.control, DATA.fontList]);

/** The number of a share and the MCS user of the connection. */
interface Share {
  readonly shareId: number;
  readonly source: number;
}

/**
 * Begins a later share with the server in place of the page (MS-RDPBCGR 1.3.1.3). A page may be
 * slow, and xrdp 0.9.21 sends pictures before it has an answer. The page gets the share as a whole
 * once it is ready, and its answers are dropped. A server may begin several shares in a row.
 */
export class Reactivation {
  /** The page's Confirm Active of the first share, as the server received it. */
  #confirm: Buffer | undefined;
  #hasBegun = false;
  /** Shares that the page has and has not confirmed yet. */
  #unanswered = 0;
  #isPaused = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** True between two shares. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The server ends the share. */
  pause(): void {
    this.#isPaused = this.#hasBegun;
  }

  /** Takes the Confirm Active that goes to the server. */
  confirmed(pdu: Buffer): void {
    this.#confirm = pdu;
  }

  /**
   * Returns the PDUs that begin a later share; none for the first one, which the page begins.
   */
  begin(share: Share, size: ScreenSize | undefined): readonly Buffer[] {
    if (!this.#hasBegun || !this.#confirm) return [];
    this.#isPaused = true;
    return [
      confirmAgain(this.#confirm, share, size),
      writeData(DATA.synchronize, share, Buffer.concat([u16(1), u16(share.source)])),
      writeData(DATA.control, share, Buffer.from([4, 0, 0, 0, 0, 0, 0, 0])),
      writeData(DATA.control, share, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])),
      writeData(DATA.fontList, share, Buffer.from([0, 0, 0, 0, 3, 0, 0x32, 0])),
    ];
  }

  /** Returns true for an answer of the page that the server has already. */
  isAnswered({ kind, data }: SharePdu): boolean {
    if (this.#unanswered === 0) return false;
    if (kind === SHARE.confirmActive) return true;
    if (!data || !BEGINNING.has(data.kind)) return false;
    if (data.kind === DATA.fontList) this.#unanswered--;
    return true;
  }

  /**
   * Passes an update to the page. Between two shares pointers wait, and bitmaps are dropped: the
   * whole picture is requested when the share is ready.
   */
  show(update: Buffer, pass: (update: Buffer) => void): void {
    if (!this.#isPaused) {
      pass(update);
      return;
    }
    const kind = update.readUInt8(update.readUInt8(1) < 0x80 ? 2 : 3) & 15;
    if (kind === BITMAP || this.#heldBytes + update.length > MAX_HELD) return;
    this.#heldBytes += update.length;
    this.#held.push(Buffer.from(update));
  }

  /** A share is ready. Returns the pointers that waited; undefined for the first share. */
  ready(): readonly Buffer[] | undefined {
    const held = this.#hasBegun ? this.#held : undefined;
    if (held) this.#unanswered++;
    this.#hasBegun = true;
    this.#isPaused = false;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }
}

/** Returns a Confirm Active for another share, whose desktop has another size. */
function confirmAgain(confirm: Buffer, { shareId }: Share, size: ScreenSize | undefined): Buffer {
  const copy = Buffer.from(confirm);
  copy.writeUInt32LE(shareId, CONTROL_HEAD);
  for (let at = CONFIRMED_SETS; size && at + 16 <= copy.length; ) {
    if (copy.readUInt16LE(at) === BITMAP_SET) {
      copy.writeUInt16LE(size.width, at + 12);
      copy.writeUInt16LE(size.height, at + 14);
      break;
    }
    at += Math.max(4, copy.readUInt16LE(at + 2));
  }
  return copy;
}
