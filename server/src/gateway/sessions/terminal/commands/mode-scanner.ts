/** The terminal modes that tell how a program uses the screen. */
export type Mode = 'alternate' | 'bracketed' | 'hidden';

/**
 * Called for each private mode that a chunk sets or resets. `end` is the offset after the sequence.
 */
export type OnSwitch<Name> = (mode: Name, isSet: boolean, end: number) => void;

const MARK = Buffer.from('\x1b[?');
const LONGEST = 32;
const ESCAPE = 0x1b;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const SET = 0x68;
const RESET = 0x6c;

/** Screen modes by number. `hidden` is inverted: mode 25 shows the cursor. */
export const SCREEN_MODES: ReadonlyMap<number, Mode> = new Map([
  [47, 'alternate'],
  [1047, 'alternate'],
  [1049, 'alternate'],
  [2004, 'bracketed'],
  [25, 'hidden'],
]);

/**
 * Finds private mode switches in a stream without emulating it, so that output that no emulator
 * interprets counts too.
 */
export class ModeScanner<Name> {
  private readonly modes: ReadonlyMap<number, Name>;
  private carry: Buffer = Buffer.alloc(0);

  constructor(modes: ReadonlyMap<number, Name>) {
    this.modes = modes;
  }

  /**
   * Reports the switches that end in this chunk, in order. Allocates nothing per switch: a flood
   * has thousands per chunk.
   */
  scan(chunk: Buffer, onSwitch: OnSwitch<Name>): void {
    const carried = this.carry.length;
    const data = carried === 0 ? chunk : Buffer.concat([this.carry, chunk]);
    let open = data.length;
    for (let at = data.indexOf(MARK); at >= 0; at = data.indexOf(MARK, at + MARK.length)) {
      const end = endOfParameters(data, at + MARK.length);
      if (end >= data.length && end - at < LONGEST) {
        open = at;
        break;
      }
      this.read(data, at + MARK.length, end, end + 1 - carried, onSwitch);
    }
    this.carry = open < data.length ? Buffer.from(data.subarray(open)) : unfinishedMark(data);
  }

  /**
   * Reads the numbers between the prefix and the final byte at `to`. `end` is the offset after the
   * sequence.
   */
  // biome-ignore lint/complexity/useMaxParams: runs for each mode switch of a flood; an object for each would cost more than the scan
  private read(
    data: Buffer,
    from: number,
    to: number,
    end: number,
    onSwitch: OnSwitch<Name>,
  ): void {
    const final = data[to];
    if (final !== SET && final !== RESET) return;
    let number = 0;
    for (let at = from; at <= to; at++) {
      const byte = data[at] ?? 0;
      if (at < to && byte !== SEMICOLON) {
        number = number * 10 + byte - ZERO;
        continue;
      }
      const mode = this.modes.get(number);
      if (mode !== undefined) onSwitch(mode, final === SET, end);
      number = 0;
    }
  }
}

function endOfParameters(data: Buffer, from: number): number {
  let at = from;
  while (at < data.length && at - from < LONGEST) {
    const byte = data[at] ?? 0;
    if (byte !== SEMICOLON && (byte < ZERO || byte > 0x39)) break;
    at++;
  }
  return at;
}

/** Returns the one or two last bytes that may begin a sequence. */
function unfinishedMark(data: Buffer): Buffer {
  const last = data.length - 1;
  if (data[last] === ESCAPE) return Buffer.from(data.subarray(last));
  if (data[last - 1] === ESCAPE && data[last] === 0x5b) return Buffer.from(data.subarray(last - 1));
  return Buffer.alloc(0);
}
