import { type CommandVerdict, type Language, type LocalText, say } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS } from '../../limits.ts';
import type { Hold, Question } from '../../ports/guard.ts';
import type { HoldDecision } from '../../ports/holds.ts';
import { sayDecision } from '../hold-command.ts';
import type { Keyboard, PendingLine } from './gated-terminal.ts';
import { sayExpected, TypedAnswer, verdictFor } from './typed-answer.ts';

const INTERRUPT = 0x03;
const WAITS: LocalText = {
  en: 'Waiting for a reviewer, at most {minutes, plural, one {# minute} other {# minutes}}. Ctrl-C withdraws it. ',
  zh: '正在等待复核，最多 {minutes} 分钟。按 Ctrl-C 撤回。',
};

/** Removes control characters from a name. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ');

/** Asks the owner of a terminal about lines, one at a time. */
export class LineQuestions {
  private readonly keyboard: Pick<Keyboard, 'show'>;
  private answer: TypedAnswer | undefined;
  private giveUp: (() => void) | undefined;
  private held: AbortController | undefined;

  constructor(keyboard: Pick<Keyboard, 'show'>) {
    this.keyboard = keyboard;
  }

  /** Takes keys of the owner. Returns false if they are no answer. */
  take(keys: Buffer): boolean {
    if (!this.held || !keys.includes(INTERRUPT)) return this.answer?.take(keys) === true;
    this.held.abort();
    return true;
  }

  /** Shows that a line waits for a reviewer. Ctrl-C of the owner withdraws it. */
  async hold(
    { message, seconds }: Hold,
    { prompt, text, isHidden }: PendingLine,
    language: Language,
    decide: (signal: AbortSignal) => Promise<HoldDecision>,
  ): Promise<HoldDecision> {
    const { keyboard } = this;
    const held = new AbortController();
    this.held = held;
    const minutes = Math.ceil(seconds / 60);
    keyboard.show(`\r\n${message}\r\n${say(WAITS, language, { minutes })}`);
    const decision = await decide(held.signal);
    this.held = undefined;
    if (isConfirmed(decision.verdict))
      keyboard.show(
        `\r\n${plain(sayDecision(decision, language))}\r\n${prompt}${isHidden ? '' : text}`,
      );
    return decision;
  }

  /** Shows a question below the line. Times out: output could keep the session active forever. */
  async ask(
    { message, seconds = GUARD_ANSWER_SECONDS, expects }: Question,
    { prompt, text, isHidden }: PendingLine,
    language: Language,
  ): Promise<CommandVerdict> {
    const { keyboard } = this;
    keyboard.show(`\r\n${message}\r\n${sayExpected(expects, language)}`);
    let timer: NodeJS.Timeout | undefined;
    const verdict = await new Promise<CommandVerdict>((done) => {
      this.giveUp = () => done('declined');
      timer = setTimeout(() => done('unanswered'), seconds * 1000);
      this.answer = new TypedAnswer(
        expects,
        (echo) => keyboard.show(echo),
        (isConfirmed) => done(isConfirmed ? verdictFor(expects) : 'declined'),
      );
    });
    clearTimeout(timer);
    this.answer = undefined;
    this.giveUp = undefined;
    if (isConfirmed(verdict)) keyboard.show(`\r\n${prompt}${isHidden ? '' : text}`);
    return verdict;
  }

  /** Declines the open question and withdraws the line that waits. */
  stop(): void {
    this.giveUp?.();
    this.held?.abort();
  }
}

/** Returns true if the command may run after this answer. */
export const isConfirmed = (verdict: CommandVerdict): boolean =>
  verdict === 'acknowledged' || verdict === 'confirmed' || verdict === 'approved';
