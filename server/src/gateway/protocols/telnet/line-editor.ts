import type { Charset } from '@sallyport/contract';
import { textDecoder } from '../../charsets.ts';

const [INTERRUPT, END, BACKSPACE, LINE_FEED, RETURN] = [3, 5, 8, 10, 13] as const;
const [KILL, DELETE] = [21, 127] as const;
/** Maximum bytes of a typed line; further input is dropped. */
const MAX_LINE = 4096;

export interface LineEvents {
  /** Sends the line to the target, or its start before a control key. */
  send(bytes: Buffer): void;
  /** Echoes to the user. */
  show(bytes: Buffer): void;
}

interface Character {
  readonly bytes: number[];
  columns: number;
}

/** Characters of three and four bytes in UTF-8, such as Chinese, are nearly always two columns. */
function columnsOf(text: string): number {
  const isHalfWidth = /^[\uff61-\uff9f]$/.test(text);
  return Buffer.byteLength(text) >= 3 && !isHalfWidth ? 2 : 1;
}

/**
 * Echoes and edits input for a target that does neither and expects whole lines (RFC 854).
 * Backspace and Ctrl-U edit the line, Ctrl-E does nothing at its end; other control keys send it
 * immediately.
 */
export class LineEditor {
  readonly #events: LineEvents;
  readonly #charset: Charset;
  #decode: (byte: Buffer) => string;
  /** Characters of the line. */
  #line: Character[] = [];
  #length = 0;
  /** The last character lacks bytes. */
  #isPart = false;
  /** True if the target has a part of the line without its Enter. */
  #isPartSent = false;

  constructor(charset: Charset, events: LineEvents) {
    this.#charset = charset;
    this.#decode = textDecoder(charset);
    this.#events = events;
  }

  type(keys: Buffer): void {
    for (const byte of keys) this.#key(byte);
  }

  /** Sends the typed input, because the target echoes from now on. */
  flush(): void {
    if (this.#length > 0) this.#events.send(Buffer.from(this.#bytes));
    this.#clear();
  }

  #key(byte: number): void {
    const isControl = byte < 32 || byte === DELETE;
    // No charset has control characters within a character.
    if (this.#isPart && isControl) this.#endPart();
    if (this.#isPart) this.#add(byte);
    else if (byte === RETURN || byte === LINE_FEED) {
      this.#events.show(Buffer.from([RETURN, LINE_FEED]));
      this.#events.send(Buffer.from([...this.#bytes, RETURN]));
      this.#clear();
      this.#isPartSent = false;
    } else if (byte === BACKSPACE || byte === DELETE) this.#erase();
    // The gateway clears a rejected line with Ctrl-E and Ctrl-U: the target must not get its text.
    else if (byte === END) return;
    else if (byte === KILL) this.#kill();
    else if (byte < 32) {
      this.#isPartSent = this.#length > 0 || this.#isPartSent;
      this.flush();
      this.#events.send(Buffer.from([byte]));
      if (byte === INTERRUPT) this.#events.show(Buffer.from('^C\r\n'));
    } else if (this.#length < MAX_LINE) this.#add(byte);
  }

  get #bytes(): number[] {
    return this.#line.flatMap(({ bytes }) => bytes);
  }

  #add(byte: number): void {
    const last = this.#isPart ? this.#line.at(-1) : undefined;
    const text = this.#decode(Buffer.from([byte]));
    this.#isPart = text === '';
    this.#length++;
    const columns = columnsOf(text);
    if (last) {
      last.bytes.push(byte);
      last.columns = columns;
    } else this.#line.push({ bytes: [byte], columns });
    this.#events.show(Buffer.from([byte]));
  }

  #kill(): void {
    while (this.#line.length > 0) this.#erase();
    // A control key has sent the beginning of the line.
    if (this.#isPartSent) this.#events.send(Buffer.from([KILL]));
  }

  #erase(): void {
    const character = this.#line.pop();
    if (!character) return;
    this.#length -= character.bytes.length;
    const { columns } = character;
    this.#events.show(
      Buffer.from('\b'.repeat(columns) + ' '.repeat(columns) + '\b'.repeat(columns)),
    );
  }

  #endPart(): void {
    if (this.#isPart) this.#decode = textDecoder(this.#charset);
    this.#isPart = false;
  }

  #clear(): void {
    this.#endPart();
    this.#line = [];
    this.#length = 0;
  }
}
