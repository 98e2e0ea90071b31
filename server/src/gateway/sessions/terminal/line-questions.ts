import type { CommandVerdict, Language } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS } from '../../limits.ts';
import type { Question } from '../../ports/guard.ts';
import type { Keyboard, PendingLine } from './gated-terminal.ts';
import { sayExpected, TypedAnswer, verdictFor } from './typed-answer.ts';

/** Asks the owner of a terminal about lines, one at a time. */
export class LineQuestions {
  private readonly keyboard: Pick<Keyboard, 'show'>;
  private answer: TypedAnswer | undefined;
  private giveUp: (() => void) | undefined;

  constructor(keyboard: Pick<Keyboard, 'show'>) {
    this.keyboard = keyboard;
  }

  /** Takes keys of the owner. Returns false if they are no answer. */
  take(keys: Buffer): boolean {
    return this.answer?.take(keys) === true;
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

  /** Declines the open question. */
  stop(): void {
    this.giveUp?.();
  }
}

/** Returns true if the command may run after this answer. */
export const isConfirmed = (verdict: CommandVerdict): boolean =>
  verdict === 'acknowledged' || verdict === 'confirmed';
