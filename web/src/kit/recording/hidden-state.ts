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
  saved?: { readonly row: number; readonly column: number };
}

/** The state that a terminal draws by, as far as the contents of its buffers do not show it. */
export class HiddenState {
  readonly #terminal: Terminal;
  #normal: BufferState = {};
  #alternate: BufferState = {};
  #isCursorHidden = false;
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
      this.#active.saved = { row: baseY + cursorY, column: cursorX };
    };
    onControl({ final: 'r' }).run((numbers) => {
      this.#active.margins = `\x1b[${numbers.flat().join(';')}r`;
    });
    onControl({ final: 's' }).run(save);
    onEscape({ final: '7' }, save);
    onControl({ prefix: '?', final: 'l' }).run((numbers) => {
      if (numbers.includes(25)) this.#isCursorHidden = true;
    });
    onControl({ prefix: '?', final: 'h' }).run((numbers) => {
      if (numbers.includes(25)) this.#isCursorHidden = false;
    });
    onControl({ intermediates: '!', final: 'p' }).run(() => this.#reset());
    onEscape({ final: 'c' }, () => this.#reset());
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

  #reset(): void {
    this.#normal = {};
    this.#alternate = {};
    this.#isCursorHidden = false;
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
    const rest = text.slice(last + 1);
    // A bell ends a string of the operating system command kind.
    if (rest.includes(BELL)) this.#isUnfinished = false;
    else if (last >= 0) this.#isUnfinished = UNFINISHED.test(rest);
    const [out, back] = [text.lastIndexOf(SHIFT_OUT), text.lastIndexOf(SHIFT_IN)];
    if (out !== back) this.#isShifted = out > back;
  }

  /** Returns true if the contents of the buffers and `restore` give the whole state. */
  canRestore(): boolean {
    const { modes, buffer, cols } = this.#terminal;
    const isPlain = !this.#hasOtherLetters && !this.#isShifted && !this.#isUnfinished;
    return isPlain && !modes.originMode && buffer.active.cursorX < cols;
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
