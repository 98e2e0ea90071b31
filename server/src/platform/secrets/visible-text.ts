/** Text that a terminal shows for some output; a byte is a character. */
export interface VisibleText {
  readonly text: string;
  /** Offset in the output of each character; undefined if they are the same. */
  readonly offsets: Uint32Array | undefined;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const BACKSPACE = 0x08;
const SPACE = 0x20;
const TAB = 0x09;

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls change what a terminal shows
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f](?<!\r(?=\n))/;
const NOT_ASCII = /[\u0080-\u00ff]/;

/** States between bytes: in text, after escape, in a control sequence, before a last byte. */
type State = 'ground' | 'escape' | 'sequence' | 'last';

/**
 * Reads the text of terminal output without control sequences, and joins lines that the width of
 * the terminal has wrapped. A move of the cursor ends a line. Titles count as lines.
 */
export class VisibleTextReader {
  private state: State = 'ground';
  private column = 0;
  private hasReturn = false;
  private isTitle = false;
  private cols: number;

  /** `cols` is the width; 0 if the output is not wrapped. */
  constructor(cols: number) {
    this.cols = cols;
  }

  resize(cols: number): void {
    this.cols = cols;
  }

  /** Returns a copy of the state, to read some output again later. */
  save(): () => void {
    const { state, column, hasReturn, isTitle } = this;
    return () => Object.assign(this, { state, column, hasReturn, isTitle });
  }

  /** Reads output. `stop` ends the reading before the output's end. */
  read(output: Buffer, stop = output.length): VisibleText {
    return this.readPlain(output, stop) ?? this.readControls(output, stop);
  }

  /** Reads output without controls; undefined if it has some, or wraps. */
  private readPlain(output: Buffer, stop: number): VisibleText | undefined {
    if (this.state !== 'ground' || this.isTitle) return undefined;
    if (this.hasReturn && output[0] !== NEWLINE) return undefined;
    const text = output.toString('latin1', 0, stop);
    if (CONTROLS.test(text)) return undefined;
    let { column } = this;
    for (let from = 0; ; ) {
      const newline = text.indexOf('\n', from);
      column += (newline < 0 ? stop : newline) - from;
      if (newline < 0) break;
      if (this.cols > 0 && column >= this.cols && this.mayWrap(text, from, newline, column))
        return undefined;
      column = 0;
      from = newline + 1;
    }
    this.column = column;
    if (stop > 0) this.hasReturn = false;
    return { text, offsets: undefined };
  }

  /** Returns true if the width of the terminal may have ended a line. */
  private mayWrap(text: string, from: number, newline: number, column: number): boolean {
    const end = text.charCodeAt(newline - 1) === RETURN ? column - 1 : column;
    // Characters of several bytes have fewer columns than bytes.
    return end % this.cols === 0 || NOT_ASCII.test(text.slice(from, newline));
  }

  private readControls(output: Buffer, stop: number): VisibleText {
    const text = Buffer.allocUnsafe(2 * stop + 1);
    const offsets = new Uint32Array(2 * stop + 1);
    let length = 0;
    let parameter = 0;
    const put = (byte: number, at: number) => {
      text[length] = byte;
      offsets[length++] = at;
    };
    /** Ends a line, unless the width of the terminal has ended it. */
    const endLine = (at: number) => {
      const isWrap = this.cols > 0 && this.column > 0 && this.column % this.cols === 0;
      if (!isWrap) put(NEWLINE, at);
      this.column = 0;
    };
    for (let at = 0; at < stop; at++) {
      if (this.state === 'ground' && !this.hasReturn) {
        const from = at;
        let continuations = 0;
        for (let byte = output[at] ?? 0; byte >= SPACE && byte !== 0x7f; byte = output[++at] ?? 0) {
          text[length] = byte;
          offsets[length++] = at;
          if ((byte & 0xc0) === 0x80) continuations++;
          if (at + 1 === stop) {
            at++;
            break;
          }
        }
        if (!this.isTitle) this.column += at - from - continuations;
        if (at === stop) break;
      }
      const byte = output[at] ?? 0;
      if (this.state === 'escape') {
        this.state = 'ground';
        if (byte === 0x5b) {
          this.state = 'sequence';
          parameter = 0;
        } else if (byte >= SPACE && byte <= 0x2f) this.state = 'last';
        else if (byte === 0x5c || 'DEMcP]X^_'.includes(String.fromCharCode(byte))) {
          put(NEWLINE, at);
          this.isTitle = byte !== 0x5c && 'P]X^_'.includes(String.fromCharCode(byte));
        }
        continue;
      }
      if (this.state === 'last') {
        this.state = 'ground';
        continue;
      }
      if (this.state === 'sequence' && byte >= SPACE) {
        if (byte >= 0x30 && byte <= 0x39) parameter = Math.min(parameter * 10 + byte - 0x30, 9999);
        else if (byte === 0x3b) parameter = 0;
        if (byte < 0x40 || byte > 0x7e) continue;
        this.state = 'ground';
        const final = String.fromCharCode(byte);
        if (final === 'C') put(SPACE, at);
        else if ('HfABEFGd'.includes(final)) {
          endLine(at);
          if (final === 'G' || final === 'H') this.column = Math.max(0, parameter - 1);
        }
        continue;
      }
      if (this.hasReturn && byte !== RETURN) {
        this.hasReturn = false;
        if (byte !== NEWLINE) {
          // At the edge, line editors write a space and return to its place.
          const isEdge = this.cols > 0 && this.column % this.cols === 1 && this.column > this.cols;
          if (isEdge && text[length - 1] === SPACE) length--;
          else endLine(at);
          this.column = 0;
        }
      }
      if (byte >= SPACE && byte !== 0x7f) {
        put(byte, at);
        if (!this.isTitle && (byte & 0xc0) !== 0x80) this.column++;
      } else if (byte === ESCAPE) this.state = 'escape';
      else if (byte === NEWLINE) endLine(at);
      else if (byte === RETURN) this.hasReturn = true;
      else if (byte === TAB) put(TAB, at);
      else if (byte === BACKSPACE) {
        // A line editor erases with a backspace, a space and a backspace.
        if (output[at + 1] === SPACE && output[at + 2] === BACKSPACE && at + 2 < stop) at += 2;
        this.column = Math.max(0, this.column - 1);
      } else if (byte === 0x07 && this.isTitle) {
        this.isTitle = false;
        put(NEWLINE, at);
      }
    }
    return { text: text.toString('latin1', 0, length), offsets: offsets.subarray(0, length) };
  }
}
