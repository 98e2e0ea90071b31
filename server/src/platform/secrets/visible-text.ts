import { ACTIONS, switchMode } from './line-actions.ts';
import { BEFORE_C1, bytesToWait, isPlainText, unseenAt } from './plain-text.ts';
import { ScreenLine } from './screen-line.ts';
import { MAX_PARAMETER, shortSequence } from './short-sequence.ts';
import { StringTexts } from './string-texts.ts';
import { type MaskedRange, type Scan, TextTrack } from './text-track.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const BACKSPACE = 0x08;
const BELL = 0x07;
const SPACE = 0x20;
const TAB = 0x09;
const DELETE = 0x7f;
/** The last byte of a sequence of colors. */
const COLOR = 0x6d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;

const REPEAT = 0x62;

/** States between bytes. */
type State = 'ground' | 'escape' | 'sequence' | 'last' | 'string' | 'string escape';

const isC1 = (byte: number): boolean => byte >= 0x80 && byte <= 0x9f;
const isIn = (finals: string, byte: number): boolean => finals.includes(String.fromCharCode(byte));

/**
 * Reads terminal output into texts without control sequences: the text on the screen, lines without
 * their gaps, and the strings of sequences, such as titles and addresses of links.
 */
export class VisibleTextReader {
  private readonly tracks: readonly TextTrack[];
  private readonly shown: TextTrack;
  private readonly line: ScreenLine;
  private readonly strings: StringTexts;
  private state: State = 'ground';
  private hasReturn = false;
  /** Bytes that the current character of several bytes still needs. */
  private needed = 0;
  private parameters: number[] = [];
  private isOther = false;
  /** The last printed byte, for repetitions, and its offset. */
  private lastByte: number | undefined;
  private lastPrinted = -1;
  private cols: number;

  /** `cols` is the width; 0 if the output is not wrapped. */
  constructor(cols: number, known: readonly string[]) {
    this.cols = cols;
    const track = () => new TextTrack(known);
    const [shown, joined, untitled, strings] = [track(), track(), track(), track()];
    this.shown = shown;
    this.strings = new StringTexts(strings);
    this.line = new ScreenLine({ shown, joined, untitled }, () => this.cols);
    this.tracks = [shown, joined, untitled, strings];
  }

  resize(cols: number): void {
    this.cols = cols;
  }

  /** The first `bytes` of the held output were passed on. */
  pass(bytes: number): void {
    for (const track of this.tracks) track.pass(bytes);
    this.line.pass(bytes);
    this.lastPrinted -= bytes;
  }

  /**
   * Looks for secrets. Returns the masked ranges, and the offset from which the output is undecided
   * (none if all is decided).
   */
  scan(isLast: boolean): Scan {
    const ranges: MaskedRange[] = [];
    let from = isLast ? undefined : this.line.waitsFrom;
    for (const track of this.tracks) {
      const limit = track === this.shown ? this.line.limit : track.length;
      const scan = track.scan(isLast, limit);
      ranges.push(...scan.ranges);
      from = scan.from === undefined ? from : Math.min(from ?? scan.from, scan.from);
    }
    return { ranges, ...(from !== undefined && { from }) };
  }

  /** The held output was dropped. */
  drop(bytes: number): void {
    for (const track of this.tracks) track.drop();
    this.pass(bytes);
  }

  /** Reads output from an offset. Returns the end: the last byte may wait. */
  read(output: Buffer, from: number, isLast: boolean): number {
    this.line.earn(output.length - from);
    const to = output.length - (isLast ? 0 : bytesToWait(output));
    if (this.readPlain(output, from, to)) return to;
    for (let at = from; at < to; ) {
      const next = output[at + 1] ?? 0;
      if (output[at] === BEFORE_C1 && this.needed === 0 && isC1(next) && at + 1 < to) {
        this.control(next, at);
        at += 2;
      } else
        at =
          this.readUnseen(output, at, to) ??
          this.readShort(output, at, to) ??
          this.readPart(output.subarray(0, to), at);
    }
    return to;
  }

  /** Reads output without controls; returns false if it has some, or wraps. */
  private readPlain(output: Buffer, from: number, to: number): boolean {
    if (this.state !== 'ground' || this.needed > 0 || !this.line.isPlain) return false;
    if (this.hasReturn && output[from] !== NEWLINE) return false;
    const text = output.toString('latin1', from, to);
    if (!isPlainText(text) || this.strings.isCut || !this.line.isUnwrapped(text)) return false;
    this.line.plain(output, from, to);
    this.hasReturn = false;
    this.notePrinted(output, to);
    return true;
  }

  /** Skips a character without a width. Returns the offset of the rest; undefined for others. */
  private readUnseen(output: Buffer, at: number, to: number): number | undefined {
    if (this.needed > 0 || (this.state !== 'ground' && this.state !== 'string')) return undefined;
    return unseenAt(output, at, to);
  }

  /** Reads a run of text, or one byte. Returns the offset of the rest. */
  private readPart(output: Buffer, at: number): number {
    const byte = output[at] ?? 0;
    const isText = this.state === 'ground' || this.state === 'string';
    const end = isText ? this.textEnd(output, at) : at;
    if (end > at) {
      if (this.state === 'string') this.strings.append(output, at, end);
      else {
        this.endReturn(at);
        this.line.print(output, at, end);
        this.strings.print(output, at, end);
        this.notePrinted(output, end);
      }
      return end;
    }
    if (isText && isC1(byte)) this.control(byte, at);
    else if (this.state === 'string') this.readString(byte, at);
    else if (this.state === 'string escape') this.endString(byte, at);
    else if (byte < SPACE) this.readControl(byte, at);
    else if (this.state === 'escape') this.readEscape(byte, at);
    else if (this.state === 'sequence') this.readSequence(byte, output, at);
    else this.state = 'ground';
    return at + 1;
  }

  /** Reads a short sequence at once. Returns the offset of the rest; undefined for other output. */
  private readShort(output: Buffer, from: number, to: number): number | undefined {
    const sequence = this.state === 'ground' ? shortSequence(output, from, to) : undefined;
    if (!sequence) return undefined;
    const { final, parameters, at } = sequence;
    this.needed = 0;
    this.endReturn(from);
    this.parameters = parameters;
    if (final !== COLOR) this.finish(final, output, at);
    return at + 1;
  }

  private notePrinted(output: Buffer, end: number): void {
    this.lastPrinted = end - 1;
    this.lastByte = output[end - 1];
  }

  /** Returns the end of the text at an offset. */
  private textEnd(output: Buffer, from: number): number {
    let at = from;
    for (; at < output.length; at++) {
      const byte = output[at] ?? 0;
      if (byte < 0x80) {
        if (byte < SPACE || byte === DELETE) break;
        this.needed = 0;
      } else if (byte < 0xc0) {
        if (this.needed > 0) this.needed--;
        else if (isC1(byte) && isIn('\x90\x98\x9b\x9c\x9d\x9e\x9f', byte)) break;
      } else {
        // A control may follow, or a character without a width: the caller decides.
        if (at > from && (byte === BEFORE_C1 || unseenAt(output, at, output.length) !== undefined))
          break;
        this.needed = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      }
    }
    return at;
  }

  /** Handles a C1 control. */
  private control(byte: number, at: number): void {
    this.needed = 0;
    const isEnd = byte === 0x9c;
    if (this.state === 'string' || this.state === 'string escape') {
      if (isEnd) this.strings.end(at);
      else this.strings.cut();
      this.state = 'ground';
      if (isEnd) return;
    }
    this.endReturn(at);
    this.readEscape(byte - 0x40, at);
  }

  private readString(byte: number, at: number): void {
    if (byte === ESCAPE) this.state = 'string escape';
    else if (byte === CANCEL || byte === SUBSTITUTE || byte === BELL) {
      if (byte === BELL && this.strings.isCommand) this.strings.end(at);
      else this.strings.cut();
      this.state = 'ground';
    } else if (byte === NEWLINE || byte === RETURN || byte === TAB) this.strings.control(byte, at);
  }

  /** Ends a string at an escape; another escape than its end begins its own sequence. */
  private endString(byte: number, at: number): void {
    this.state = 'ground';
    if (byte === 0x5c) {
      this.strings.end(at);
      return;
    }
    this.strings.cut();
    if (byte < SPACE) this.readControl(byte, at);
    else this.readEscape(byte, at);
  }

  private endReturn(at: number): void {
    if (this.hasReturn) this.line.return(at);
    this.hasReturn = false;
  }

  private readControl(byte: number, at: number): void {
    if (byte === RETURN) this.hasReturn = true;
    else if (byte === NEWLINE || byte === 0x0b || byte === 0x0c) {
      this.line.newline(at, this.hasReturn);
      this.strings.newline(at);
      this.hasReturn = false;
    } else {
      this.endReturn(at);
      if (byte === ESCAPE) this.state = 'escape';
      else if (byte === TAB) this.line.tab(at);
      else if (byte === BACKSPACE) this.line.move(-1);
      else if (byte === BELL) this.strings.newline(at);
      else if (byte === CANCEL || byte === SUBSTITUTE) {
        this.state = 'ground';
        this.line.endTitle();
      }
    }
  }

  private readEscape(byte: number, at: number): void {
    this.state = 'ground';
    if (byte === 0x5b) {
      this.state = 'sequence';
      this.parameters = [0];
      this.isOther = false;
    } else if (byte >= SPACE && byte <= 0x2f) this.state = 'last';
    else if (isIn('P]X^_', byte)) {
      this.state = 'string';
      this.strings.begin(byte === 0x5d, at);
    } else if (isIn('DM', byte)) this.line.jumpRow(byte === 0x44 ? 1 : -1, at);
    else if (byte === 0x45) this.line.jumpRow(1, at, 0);
    else if (byte === 0x63) this.line.reset(at);
    else if (byte === 0x6b) this.line.beginTitle(at);
    else if (byte === 0x5c) {
      this.line.divide(at);
      this.strings.newline(at);
    } else if (byte === 0x37) this.line.save();
    else if (byte === 0x38) this.line.restore(at);
  }

  private readSequence(byte: number, output: Buffer, at: number): void {
    const last = this.parameters.length - 1;
    if (byte >= 0x30 && byte <= 0x39) {
      const value = (this.parameters[last] ?? 0) * 10 + byte - 0x30;
      this.parameters[last] = Math.min(value, MAX_PARAMETER);
    } else if (byte === 0x3b) {
      if (last === 0) this.parameters.push(0);
    } else if (byte === DELETE) return;
    else if (byte < 0x40) this.isOther ||= byte !== 0x3a;
    else {
      this.state = 'ground';
      if (!this.isOther) this.finish(byte, output, at);
      else switchMode(this.line, this.parameters[0] ?? 0, byte, at);
    }
  }

  /** Does what a control sequence does to the line. */
  private finish(final: number, output: Buffer, at: number): void {
    const [first = 0, second = 0] = this.parameters;
    const count = Math.max(1, first);
    if (final === REPEAT && this.lastByte !== undefined)
      this.line.repeat(output, { byte: this.lastByte, offset: this.lastPrinted, at }, count);
    else ACTIONS[String.fromCharCode(final)]?.(this.line, { first, second, count, at });
  }
}
