import { StringDecoder } from 'node:string_decoder';
import { type CommandVerdict, type Language, type LocalText, say } from '@sallyport/contract';
import { ANSWER_QUIET_MS } from '../../limits.ts';
import type { ExpectedAnswer } from '../../ports/guard.ts';

const MAX_WORD = 256;
const ENTER: ReadonlySet<string> = new Set(['\r', '\n', '\r\n']);
const ERASE: ReadonlySet<string> = new Set(['\b', '\x7f']);
/** Ctrl-C. */
const CANCEL = '\x03';
const PRINTABLE = /^\P{Cc}$/u;
const BACKSPACE = '\b \b';

const ENTER_AGAIN: LocalText = {
  en: 'Press Enter again to run it, or another key to cancel. ',
  zh: '再按一次回车执行，按其他键取消。',
};
const TYPE_WORD: LocalText = {
  en: 'Type {word} and press Enter to run it: ',
  zh: '输入 {word} 并按回车执行：',
};

/** Words the expected answer, after the sentence of a rule. */
export const sayExpected = (expects: ExpectedAnswer, language: Language): string =>
  expects === 'enter'
    ? say(ENTER_AGAIN, language)
    : say(TYPE_WORD, language, { word: expects.word });

/** The verdict on a confirmed command. */
export const verdictFor = (expects: ExpectedAnswer): CommandVerdict =>
  expects === 'enter' ? 'acknowledged' : 'confirmed';

/**
 * The answer to a question of a rule, as the user types it. Keys that follow the question or each
 * other within `ANSWER_QUIET_MS` were typed or pasted before the user could read it. They answer
 * nothing, and neither does a paste of a word with its Enter.
 */
export class TypedAnswer {
  private readonly expects: ExpectedAnswer;
  private readonly show: (echo: string) => void;
  private readonly done: (isConfirmed: boolean) => void;
  private readonly decoder = new StringDecoder('utf8');
  private lastKeyAt = performance.now();
  private hasBegun = false;
  private word: string[] = [];

  constructor(
    expects: ExpectedAnswer,
    show: (echo: string) => void,
    done: (isConfirmed: boolean) => void,
  ) {
    this.expects = expects;
    this.show = show;
    this.done = done;
  }

  /** Takes keys of the user. Returns false if they came too early and belong to later lines. */
  take(keys: Buffer): boolean {
    const now = performance.now();
    const isEarly = !this.hasBegun && now - this.lastKeyAt < ANSWER_QUIET_MS;
    this.lastKeyAt = now;
    const text = this.decoder.write(keys);
    if (text.includes(CANCEL)) this.done(false);
    else if (isEarly) return false;
    else this.read(text);
    return true;
  }

  private read(text: string): void {
    this.hasBegun = true;
    const { expects, word } = this;
    if (expects === 'enter') this.done(ENTER.has(text));
    else if (ENTER.has(text)) this.done(word.join('').trim() === expects.word);
    else if (![...text].every((character) => this.edit(character))) this.done(false);
  }

  /** Adds a character to the word, or erases one. Returns false for a key that cancels. */
  private edit(character: string): boolean {
    const { word } = this;
    if (ERASE.has(character)) {
      if (word.pop() !== undefined) this.show(BACKSPACE);
      return true;
    }
    if (!PRINTABLE.test(character) || word.length >= MAX_WORD) return false;
    word.push(character);
    this.show(character);
    return true;
  }
}
