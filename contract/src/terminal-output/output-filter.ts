import { passedControl, passedEscape } from './sequences.ts';

/** A tab stop every eight columns, up to column 505. No sequence restores them at once. */
const TAB_STOPS = `\x1b7\x1b[3g${Array.from({ length: 63 }, (_one, at) => `\x1b[${at * 8 + 9}G\x1bH`).join('')}\x1b8`;
/**
 * Restores the terminal of a viewer: no colors, margins, character sets and modes of the session,
 * the cursor shown in its own shape, the usual screen and the usual tab stops. The screen comes
 * first: it brings back a saved character set.
 */
export const RESTORE_TERMINAL = `\x1b[?1049l\x1b[!p\x1b[0m\x0f\x1b(B\x1b[?5l\x1b[?7h\x1b[?25h\x1b[0 q\x1b>${[
  ...['1', '12', '45', '1000', '1002', '1003', '1004', '1005', '1006', '1015', '2004'],
]
  .map((mode) => `\x1b[?${mode}l`)
  .join('')}${TAB_STOPS}`;

/** Maximum characters of a sequence. A longer one is dropped to its end. */
const MAX_SEQUENCE = 256;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
/** Control characters that draw or sound: BEL, BS, HT, LF, VT, FF, CR, SO, SI. */
const isExecuted = (character: string) => character >= '\x07' && character <= '\x0f';

type State = 'text' | 'escape' | 'control' | 'command' | 'string';

/**
 * Filters terminal output for a viewer, with the states of a terminal (xterm): control characters
 * inside of a sequence are executed, ESC begins again, and CAN and SUB abort. Complete sequences of
 * an allow list and text pass. Titles, the clipboard, links, requests that the terminal answers and
 * other modes are dropped, wherever the output is cut.
 */
export class OutputFilter {
  readonly #types: boolean;
  #state: State = 'text';
  /** The sequence since ESC or its introducer; undefined if it is dropped. */
  #sequence: string | undefined;

  /** @param types True for a viewer whose keys reach the session: modes of the keyboard pass. */
  constructor(types = false) {
    this.#types = types;
  }

  filter(output: string): string {
    let passed = '';
    let at = 0;
    while (at < output.length) {
      if (this.#state === 'text' || this.#state === 'command' || this.#state === 'string') {
        CONTROL.lastIndex = at;
        const next = CONTROL.exec(output)?.index ?? output.length;
        if (this.#state === 'text') passed += output.slice(at, next);
        at = next;
        if (at === output.length) break;
      }
      passed += this.#take(output.charAt(at));
      at += 1;
    }
    return passed;
  }

  #take(character: string): string {
    if (character === '\x1b') return this.#begin('escape');
    if (character === '\x18' || character === '\x1a') return this.#begin('text');
    if (this.#state === 'command' || this.#state === 'string') {
      // BEL ends commands to the operating system only.
      const isEnd = character === '\x9c' || (character === '\x07' && this.#state === 'command');
      return isEnd ? this.#begin('text') : '';
    }
    if (character < ' ') return isExecuted(character) ? character : '';
    if (character >= '\x7f' && character <= '\x9f') return '';
    return this.#state === 'escape' ? this.#escape(character) : this.#control(character);
  }

  #begin(state: State): string {
    this.#state = state;
    this.#sequence = '';
    return '';
  }

  #escape(character: string): string {
    if (this.#sequence === '') {
      if (character === '[') return this.#begin('control');
      if (character === ']') return this.#begin('command');
      if ('PX^_'.includes(character)) return this.#begin('string');
    }
    return this.#add(character, character >= '0', passedEscape);
  }

  #control(character: string): string {
    return this.#add(character, character >= '@', passedControl);
  }

  #add(
    character: string,
    isFinal: boolean,
    pass: (sequence: string, types: boolean) => string,
  ): string {
    if (this.#sequence !== undefined) this.#sequence += character;
    if (!isFinal) {
      if ((this.#sequence?.length ?? 0) > MAX_SEQUENCE) this.#sequence = undefined;
      return '';
    }
    const sequence = this.#sequence;
    this.#begin('text');
    return sequence === undefined ? '' : pass(sequence, this.#types);
  }
}
