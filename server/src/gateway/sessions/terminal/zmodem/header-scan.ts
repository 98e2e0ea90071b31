import { FrameReader } from '@sallyport/contract/zmodem/frame-reader.ts';
import { FORMATS, type Header, PAD, TYPES, ZDLE } from '@sallyport/contract/zmodem/frames.ts';

const NOTHING = Buffer.alloc(0);
const PADS = 2;
/** Digits of type, flags and checksum. */
const DIGITS = 14;
const LENGTH = 2 + DIGITS;
const HEXADECIMAL = FORMATS.hexadecimal;

export interface Scanned {
  /** Output before the header, or all of it. */
  readonly text: Buffer;
  /** The header of a program that is ready to send or receive files, with the output after it. */
  readonly begin?: { readonly header: Header; readonly raw: Buffer; readonly after: Buffer };
}

/**
 * Finds the first header of `sz` and `rz` in output. Output without its rare byte passes in one
 * native search. The beginning of a header at the end of a chunk waits in `held`.
 */
export class HeaderScan {
  private held: Buffer = NOTHING;
  /** Pads at the end of the output so far. */
  private pads = 0;

  /** True if the beginning of a header waits for its rest. */
  get isHolding(): boolean {
    return this.held.length > 0;
  }

  scan(chunk: Buffer): Scanned {
    const all = this.held.length > 0 ? Buffer.concat([this.held, chunk]) : chunk;
    this.held = NOTHING;
    for (let at = all.indexOf(ZDLE); at >= 0; at = all.indexOf(ZDLE, at + 1)) {
      const inChunk = padsBefore(all, at);
      if (inChunk + (at === inChunk ? this.pads : 0) < PADS) continue;
      const from = at - inChunk;
      const match = matchHeader(all.subarray(at, at + LENGTH));
      if (match === 'part') {
        this.held = all.subarray(from);
        return { text: this.passed(all.subarray(0, from)) };
      }
      if (match === 'other') continue;
      return {
        text: this.passed(all.subarray(0, from)),
        begin: {
          header: match,
          raw: all.subarray(from, at + LENGTH),
          after: all.subarray(at + LENGTH),
        },
      };
    }
    return { text: this.passed(all) };
  }

  /** Returns the held output: its rest did not come. */
  release(): Buffer {
    const { held } = this;
    this.held = NOTHING;
    return this.passed(held);
  }

  private passed(text: Buffer): Buffer {
    const pads = padsBefore(text, text.length);
    this.pads = pads === text.length ? Math.min(PADS, this.pads + pads) : pads;
    return text;
  }
}

/** Returns the number of pads before a position, at most two. */
function padsBefore(bytes: Buffer, at: number): number {
  let pads = 0;
  while (pads < PADS && at - pads > 0 && bytes[at - pads - 1] === PAD) pads++;
  return pads;
}

/** Compares bytes with the header of a program that is ready. */
function matchHeader(bytes: Buffer): Header | 'part' | 'other' {
  if (bytes.length > 1 && bytes[1] !== HEXADECIMAL) return 'other';
  const digits = bytes.subarray(2).toString('latin1');
  if (!/^(?:0(?:[01][0-9a-f]*)?)?$/.test(digits)) return 'other';
  if (bytes.length < LENGTH) return 'part';
  const reader = new FrameReader();
  try {
    // The carriage return after it ends the header for the reader.
    reader.feed(Buffer.concat([Buffer.from([PAD]), bytes, Buffer.from([PAD])]));
    const part = reader.next();
    if (part?.kind !== 'header') return 'other';
    const { type } = part.header;
    return type === TYPES.requestInit || type === TYPES.init ? part.header : 'other';
  } catch {
    return 'other';
  }
}

/** Makes headers readable, so that they start nothing in the terminal of the user. */
export function withoutHeaders(output: Buffer): Buffer {
  return Buffer.from(output.toString('latin1').replaceAll('\x18', '^X'), 'latin1');
}
