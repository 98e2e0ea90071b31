import { setTimeout as sleep } from 'node:timers/promises';
import { type Problem, say } from '@sallyport/contract';
import { type AuthContext, type Connection, sendBanner } from '@sallyport/ssh';
import { REVIEW_POLL_MS } from '../../limits.ts';
import { isFault, problemOf, Refusal, wordProblem } from '../../refusal.ts';
import type { SshSignIns, SshStep, SshVisitor } from './ports.ts';
import { inBoth, words } from './words.ts';

/** Maximum characters of an answer. */
export const MAX_ANSWER = 1024;

/** A keyboard-interactive attempt of a client (RFC 4256). */
type InteractiveContext = Extract<AuthContext, { readonly method: 'keyboard-interactive' }>;

interface Question {
  readonly prompt: string;
  readonly echo: boolean;
}

/** A question whose answer the client does not show. */
export const hidden = (prompt: string): Question => ({ prompt, echo: false });
const visible = (prompt: string): Question => ({ prompt, echo: true });

/**
 * Asks questions. Resolves with the answers, or with undefined if the client starts another attempt
 * or answers something else. `text` precedes the first prompt, because OpenSSH shows non-ASCII
 * characters of an instruction as octal numbers.
 */
export function ask(
  context: InteractiveContext,
  questions: readonly Question[],
  text = '',
): Promise<readonly string[] | undefined> {
  const prompts = questions.map(({ prompt, echo }, at) => ({
    prompt: at === 0 && text !== '' ? `${text}\n${prompt}` : prompt,
    echo,
  }));
  return new Promise((done) => {
    context.prompt(prompts, '', '', (answers: unknown) => {
      const texts = Array.isArray(answers)
        ? answers.filter((answer): answer is string => typeof answer === 'string')
        : [];
      done(
        Array.isArray(answers) && texts.length === questions.length
          ? texts.map((text) => text.slice(0, MAX_ANSWER + 1))
          : undefined,
      );
    });
  });
}

/** A problem in both languages, because the language is unknown before the sign-in. */
export function wordBoth(problem: Problem): string {
  return `${wordProblem(problem, 'en')} / ${wordProblem(problem, 'zh')}`;
}

const MAX_WRONG_ANSWERS = 3;

/** A step of the sign-in after the first factor. */
export type PendingStep = Exclude<SshStep, { readonly step: 'in' }>;

/** The result of a step: the next step, a repetition with a hint, or an end. */
export type StepOutcome =
  | SshStep
  | { readonly hint: string }
  | 'end attempt'
  /** Ends the connection with this text. */
  | { readonly end: string };

export interface SignInStepsParts {
  readonly signIns: SshSignIns;
  readonly visitor: SshVisitor;
  readonly connection: Connection;
  /** Called when the sign-in starts to wait for a reviewer. Returns false if too many wait. */
  readonly onReview: () => boolean;
  /** Forgets the pending step: the sign-in state machine has ended it. */
  readonly forget: () => void;
  readonly isOver: () => boolean;
  /** Aborts when the connection has closed. */
  readonly signal: AbortSignal;
}

/** Asks the questions of the sign-in state machine after the first factor. */
export class SignInSteps {
  private readonly parts: SignInStepsParts;
  private wrongAnswers = 0;

  constructor(parts: SignInStepsParts) {
    this.parts = parts;
  }

  /** Asks the questions of a step. `hint` explains why the client must answer again. */
  async answer(
    context: InteractiveContext,
    pending: PendingStep,
    hint: string,
  ): Promise<StepOutcome> {
    const { signIns, visitor } = this.parts;
    if (pending.step === 'code' && !pending.canType) {
      await this.tell(context, inBoth(words.passkeyOnly));
      return { end: say(words.passkeyOnly, 'en') };
    }
    try {
      if (pending.step === 'review') return await this.waitForReview(context, pending);
      if (pending.step === 'challenge') {
        const answers = await ask(
          context,
          [hidden('Answer: ')],
          `${inBoth(words.questionAsked)}\n${pending.message}`,
        );
        return answers
          ? await signIns.answer(pending.ticket, answers[0] ?? '', visitor)
          : 'end attempt';
      }
      if (pending.step === 'notice') return await this.askAcceptance(context, pending, hint);
      if (pending.step === 'code') {
        const answers = await ask(
          context,
          [visible('[MFA auth]: ')],
          hint || inBoth(words.codeAsked),
        );
        const code = answers?.[0]?.trim();
        // An empty answer does not count as a guess.
        return code ? await signIns.prove(pending.ticket, code, visitor) : 'end attempt';
      }
      const answers = await ask(
        context,
        [hidden('New password: '), hidden('New password again: ')],
        hint || inBoth(words.newPasswordAsked),
      );
      if (!answers) return 'end attempt';
      const [password = '', again = ''] = answers;
      return await signIns.renew(pending.ticket, { password, again, language: 'en' }, visitor);
    } catch (error) {
      const problem = problemOf(error);
      if (isFault(problem)) throw error;
      if (pending.step === 'review') return await this.refusedByReview(context, problem);
      if (pending.step === 'challenge' || pending.step === 'notice')
        return await this.refusedAnswer(context, problem);
      if (++this.wrongAnswers < MAX_WRONG_ANSWERS) return { hint: wordBoth(problem) };
      return { end: wordProblem(problem, 'en') };
    }
  }

  /** Shows the text before sign-in and asks the user to accept it. */
  private async askAcceptance(
    context: InteractiveContext,
    { ticket, text, version }: Extract<PendingStep, { readonly step: 'notice' }>,
    hint: string,
  ): Promise<StepOutcome> {
    const question = inBoth(words.acceptAsked);
    const answers = await ask(context, [visible('yes? ')], hint || `\n${text}\n\n${question}`);
    if (!answers) return 'end attempt';
    if (answers[0]?.trim().toLowerCase() === 'yes')
      return this.parts.signIns.accept(ticket, version, this.parts.visitor);
    return ++this.wrongAnswers < MAX_WRONG_ANSWERS
      ? { hint: question }
      : { end: say(words.notAccepted, 'en') };
  }

  /**
   * Names the reviewers and polls for their decision. Closing the connection cancels the sign-in.
   */
  private async waitForReview(
    context: InteractiveContext,
    { ticket, reviewers }: Extract<PendingStep, { step: 'review' }>,
  ): Promise<StepOutcome> {
    if (!this.parts.onReview()) throw new Refusal('too_many_requests', { seconds: 60 });
    const answers = await this.tell(
      context,
      inBoth(words.reviewAsked, { names: reviewers.join(', ') }),
    );
    // The client has started another attempt; the sign-in continues with that one.
    if (!answers) return 'end attempt';
    const { signal, isOver } = this.parts;
    while (!isOver()) {
      const outcome = await this.parts.signIns.reviewed(ticket, this.parts.visitor);
      if (outcome.step !== 'review') return outcome;
      await sleep(REVIEW_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return 'end attempt';
  }

  /** Shows the rejection or timeout of the review, and ends the connection. */
  private async refusedByReview(
    context: InteractiveContext,
    problem: Problem,
  ): Promise<StepOutcome> {
    this.parts.forget();
    await this.tell(context, wordBoth(problem));
    return { end: wordProblem(problem, 'en') };
  }

  /**
   * Shows the reason for a rejected answer. A question accepts one answer, so the user starts again
   * with the password.
   */
  private async refusedAnswer(context: InteractiveContext, problem: Problem): Promise<StepOutcome> {
    this.parts.forget();
    await this.tell(context, wordBoth(problem));
    return 'end attempt';
  }

  /** Shows a text and waits until the client has it. */
  tell(context: InteractiveContext, text: string): Promise<readonly string[] | undefined> {
    sendBanner(this.parts.connection, text);
    return ask(context, []);
  }
}
