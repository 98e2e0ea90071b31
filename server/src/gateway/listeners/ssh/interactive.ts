import type { Problem } from '@sallyport/contract';
import type { AuthContext } from '@sallyport/ssh';
import { wordProblem } from '../../refusal.ts';

/** Maximum characters of an answer. */
export const MAX_ANSWER = 1024;

/** A keyboard-interactive attempt of a client (RFC 4256). */
export type InteractiveContext = Extract<AuthContext, { readonly method: 'keyboard-interactive' }>;

interface Question {
  readonly prompt: string;
  readonly echo: boolean;
}

/** A question whose answer the client does not show. */
export const hidden = (prompt: string): Question => ({ prompt, echo: false });
export const visible = (prompt: string): Question => ({ prompt, echo: true });

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
