import type { Terminal } from '@xterm/xterm';

/** The text after the last ESC, where the escape sequence lacks its end. */
const UNFINISHED = /^(?:\[[0-?]*[ -/]*|[\]PX^_].*|[ -/]*)$/s;

const ESCAPE = '\x1b';
const BELL = '\x07';
const SHIFT_OUT = '\x0e';
const SHIFT_IN = '\x0f';

const place = (row: number, column: number) => `\x1b[${row + 1};${column + 1}H`;

/** State of one of the two buffers of a terminal. */
interface BufferState {
  /** The sequence that sets the scroll region. */
  margins?: string;
  /** The saved cursor; its row counts from the first line, as in the terminal. */
  saved?: { readonly row: number; readonly column: number; isPlain: boolean };
}

/** The state that a terminal draws by, as far as the contents of its buffers do not show it. */
export class HiddenState {
  readonly #terminal: Terminal;
  #normal: BufferState = {};
  #alternate: BufferState = {};
  #isCursorHidden = false;
  #isPenPlain = true;
  #hasOtherLetters = false;
  #isShifted = false;
  #isUnfinished = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const { parser } = terminal;
    const onControl = (id: { intermediates?: string; prefix?: string; final: string }) => ({
      // `false` lets the terminal handle the sequence, too.
      run: (work: (numbers: readonly (number | number[])[]) => void) =>
        parser.registerCsiHandler(id, (numbers) => {
          work(numbers);
          return false;
        }),
    });
    const onEscape = (id: { intermediates?: string; final: string }, work: () => void) =>
      parser.registerEscHandler(id, () => {
        work();
        return false;
      });
    const save = () => {
      const { cursorX, cursorY, baseY } = this.#terminal.buffer.active;
      // The terminal saves its colors and letters, too.
      const isPlain = this.#isPenPlain && !this.#hasOtherLetters && !this.#isShifted;
      this.#active.saved = { row: baseY + cursorY, column: cursorX, isPlain };
    };
    onControl({ final: 'r' }).run((numbers) => {
      const limits = numbers.flat();
      if (limits.some((limit) => limit > 0)) this.#active.margins = `\x1b[${limits.join(';')}r`;
      else delete this.#active.margins;
    });
    onControl({ final: 's' }).run(save);
    onEscape({ final: '7' }, save);
    onControl({ prefix: '?', final: 'l' }).run((numbers) => {
      if (numbers.includes(25)) this.#isCursorHidden = true;
    });
    onControl({ prefix: '?', final: 'h' }).run((numbers) => {
      if (numbers.includes(25)) this.#isCursorHidden = false;
      if (numbers.includes(1048) || numbers.includes(1049)) save();
    });
    onControl({ final: 'm' }).run((numbers) => {
      for (const number of numbers) this.#isPenPlain = number === 0;
    });
    onControl({ intermediates: '!', final: 'p' }).run(() => this.#reset());
    onEscape({ final: 'c' }, () => {
      this.#normal = {};
      this.#alternate = {};
      this.#reset();
    });
    for (const slot of '()*+')
      for (const final of '0AB4CRQKYEZH7=')
        onEscape({ intermediates: slot, final }, () => {
          this.#hasOtherLetters = final !== 'B';
        });
    // The alternate buffer begins empty.
    terminal.buffer.onBufferChange(() => {
      this.#alternate = {};
    });
  }

  get #active(): BufferState {
    return this.#terminal.buffer.active.type === 'normal' ? this.#normal : this.#alternate;
  }

  /** A soft reset keeps what is saved for the other buffer. */
  #reset(): void {
    if (this.#active === this.#normal) this.#normal = {};
    else this.#alternate = {};
    this.#isCursorHidden = false;
    this.#isPenPlain = true;
    this.#hasOtherLetters = false;
  }

  /** Call after each change of the size, which ends scroll regions. */
  resized(): void {
    delete this.#normal.margins;
    delete this.#alternate.margins;
  }

  /** Call with all text, after the terminal has drawn it. */
  drew(text: string): void {
    const last = text.lastIndexOf(ESCAPE);
    // Control characters act inside of a sequence and do not end it.
    const [rest = '', end] = text.slice(last + 1).split(BELL, 2);
    // A bell ends a string of the operating system command kind.
    if (end !== undefined) this.#isUnfinished = false;
    else if (last >= 0) this.#isUnfinished = UNFINISHED.test(rest.replaceAll(/\p{Cc}/gu, ''));
    const [out, back] = [text.lastIndexOf(SHIFT_OUT), text.lastIndexOf(SHIFT_IN)];
    if (out !== back) this.#isShifted = out > back;
    if (out >= 0)
      for (const { saved } of [this.#normal, this.#alternate]) if (saved) saved.isPlain = false;
  }

  /** Returns true if the contents of the buffers and `restore` give the whole state. */
  canRestore(): boolean {
    const { modes, buffer, cols } = this.#terminal;
    // The scroll region of the normal buffer cannot be set while the alternate one is drawn.
    const isBehind = buffer.active.type === 'alternate' && this.#normal.margins !== undefined;
    const isSavedPlain = [this.#normal, this.#alternate].every(
      ({ saved }) => !saved || (saved.isPlain && this.#isPenPlain),
    );
    const isPlain = !this.#hasOtherLetters && !this.#isShifted && !this.#isUnfinished;
    return (
      isPlain && isSavedPlain && !isBehind && !modes.originMode && buffer.active.cursorX < cols
    );
  }

  /** Returns the output that restores the state, when the contents have been drawn. */
  restore(): string {
    const { margins, saved } = this.#active;
    const { cursorX, cursorY, baseY } = this.#terminal.buffer.active;
    const save = saved ? `${place(Math.max(0, saved.row - baseY), saved.column)}\x1b7` : '';
    const moves = `${margins ?? ''}${save}`;
    return `${moves}${moves && place(cursorY, cursorX)}${this.#isCursorHidden ? '\x1b[?25l' : ''}`;
  }
}
