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

/**
 * Echoes and edits input for a target that does neither and expects whole lines (RFC 854).
 * Backspace and Ctrl-U edit the line, Ctrl-E does nothing at its end; other control keys send it
 * immediately.
 */
export class LineEditor {
  readonly #events: LineEvents;
  /** Characters of the line, each with its bytes. */
  #line: number[][] = [];
  #length = 0;
  /** True if the target has a part of the line without its Enter. */
  #isPartSent = false;

  constructor(events: LineEvents) {
    this.#events = events;
  }

  type(keys: Buffer): void {
    for (const byte of keys) this.#key(byte);
  }

  /** Sends the typed input, because the target echoes from now on. */
  flush(): void {
    if (this.#length > 0) this.#events.send(Buffer.from(this.#line.flat()));
    this.#clear();
  }

  #key(byte: number): void {
    const isRest = (byte & 0xc0) === 0x80;
    if (byte === RETURN || byte === LINE_FEED) {
      this.#events.show(Buffer.from([RETURN, LINE_FEED]));
      this.#events.send(Buffer.from([...this.#line.flat(), RETURN]));
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
    } else if (this.#length < MAX_LINE) {
      this.#length++;
      const last = this.#line.at(-1);
      if (isRest && last && last[0] !== undefined && last[0] >= 0xc0) last.push(byte);
      else this.#line.push([byte]);
      this.#events.show(Buffer.from([byte]));
    }
  }

  #kill(): void {
    while (this.#line.length > 0) this.#erase();
    // A control key has sent the beginning of the line.
    if (this.#isPartSent) this.#events.send(Buffer.from([KILL]));
  }

  #erase(): void {
    const character = this.#line.pop();
    if (!character) return;
    this.#length -= character.length;
    // UTF-8 characters of three and four bytes, such as Chinese, are nearly always two columns
    // wide.
    const columns = character.length >= 3 ? 2 : 1;
    this.#events.show(
      Buffer.from('\b'.repeat(columns) + ' '.repeat(columns) + '\b'.repeat(columns)),
    );
  }

  #clear(): void {
    this.#line = [];
    this.#length = 0;
  }
}
