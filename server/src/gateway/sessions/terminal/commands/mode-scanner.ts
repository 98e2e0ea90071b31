/** The terminal modes that decide what the screen is being used for. */
export type Mode = 'alternate' | 'bracketed' | 'hidden';

/** A mode that a chunk of output switches. */
export interface ModeSwitch {
  readonly mode: Mode;
  readonly on: boolean;
  /** Offset in the chunk behind the sequence. */
  readonly end: number;
}

const MARK = Buffer.from('\x1b[?');
const LONGEST = 32;
const ESCAPE = 0x1b;

/** Finds mode switches in a stream of output without interpreting the rest, so that nothing is missed in what no emulator sees. */
export class ModeScanner {
  private carry: Buffer = Buffer.alloc(0);

  /** The switches that end in this chunk, in order. */
  scan(chunk: Buffer): readonly ModeSwitch[] {
    const carried = this.carry.length;
    const data = carried === 0 ? chunk : Buffer.concat([this.carry, chunk]);
    const found: ModeSwitch[] = [];
    let open = data.length;
    for (let at = data.indexOf(MARK); at >= 0; at = data.indexOf(MARK, at + MARK.length)) {
      const end = endOfParameters(data, at + MARK.length);
      if (end >= data.length && end - at < LONGEST) {
        open = at;
        break;
      }
      for (const [mode, on] of read(data, at + MARK.length, end)) found.push({ mode, on, end: end + 1 - carried });
    }
    this.carry = open < data.length ? Buffer.from(data.subarray(open)) : unfinishedMark(data);
    return found;
  }
}

function endOfParameters(data: Buffer, from: number): number {
  let at = from;
  while (at < data.length && at - from < LONGEST) {
    const byte = data[at] ?? 0;
    if (byte !== 0x3b && (byte < 0x30 || byte > 0x39)) break;
    at++;
  }
  return at;
}

function read(data: Buffer, from: number, end: number): readonly (readonly [Mode, boolean])[] {
  const final = data[end];
  if (final !== 0x68 && final !== 0x6c) return [];
  const on = final === 0x68;
  const switches: [Mode, boolean][] = [];
  for (const number of data.toString('latin1', from, end).split(';')) {
    if (number === '1049' || number === '1047' || number === '47') switches.push(['alternate', on]);
    if (number === '2004') switches.push(['bracketed', on]);
    if (number === '25') switches.push(['hidden', !on]);
  }
  return switches;
}

/** The one or two bytes at the end that may be the beginning of a sequence. */
function unfinishedMark(data: Buffer): Buffer {
  const last = data.length - 1;
  if (data[last] === ESCAPE) return Buffer.from(data.subarray(last));
  if (data[last - 1] === ESCAPE && data[last] === 0x5b) return Buffer.from(data.subarray(last - 1));
  return Buffer.alloc(0);
}
