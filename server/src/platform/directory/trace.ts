import { resultCodeOf } from './result-code.ts';

/** What is done one after the other to find a person and to check a password. */
export type DirectoryStep =
  | 'settings'
  | 'connect'
  | 'tls'
  | 'bind'
  | 'search'
  | 'match'
  | 'user_bind';

/** One step that was taken. */
export interface Traced {
  readonly step: DirectoryStep;
  readonly ok: boolean;
  /** What was found, or the answer of the directory. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** Why a conversation with a directory ended early, and at which step. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly step: DirectoryStep;
  readonly steps: readonly Traced[];
  /** The directory answered with a refusal: unknown username or wrong password. Otherwise it could not be reached. */
  readonly isAnswer: boolean;

  constructor(step: DirectoryStep, reason: string, steps: readonly Traced[], isAnswer: boolean) {
    super(reason);
    this.step = step;
    this.steps = steps;
    this.isAnswer = isAnswer;
  }
}

const MAX_REASON = 300;

/** Directories often answer with a number alone, which has a name. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (resultCodeOf(error) === undefined) return error.message || error.name;
  const name = error.constructor.name.replace(/Error$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `${name}: ${error.message}`;
}

/** Keeps account of the steps of one conversation. */
export class Trace {
  readonly steps: Traced[] = [];
  #step: DirectoryStep = 'settings';
  #since = performance.now();
  readonly #secrets: string[] = [];

  /** A step begins; what is thrown from now on is its failure. */
  begin(step: DirectoryStep): void {
    this.#step = step;
    this.#since = performance.now();
  }

  /** Secrets that must not be repeated in messages, even if the directory echoes them. */
  hide(secret: string): void {
    if (secret) this.#secrets.push(secret);
  }

  passed(detail = ''): void {
    this.#note(true, detail);
  }

  /** Ends the conversation at the present step. */
  failure(error: unknown, isAnswer = false): DirectoryError {
    if (error instanceof DirectoryError) return error;
    const line = wordsOf(error)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim();
    const reason = this.#secrets
      .reduce((kept, secret) => kept.replaceAll(secret, '******'), line)
      .slice(0, MAX_REASON);
    this.#note(false, reason);
    return new DirectoryError(this.#step, reason, [...this.steps], isAnswer);
  }

  #note(ok: boolean, detail: string): void {
    this.steps.push({
      step: this.#step,
      ok,
      detail,
      milliseconds: Math.round(performance.now() - this.#since),
    });
  }
}
