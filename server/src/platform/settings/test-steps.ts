import {
  type ErrorCode,
  type Language,
  type LocalText,
  say,
  type TestStep,
} from '@sallyport/contract';
import { certificateSentence, PEER } from '../certificate-problem.ts';
import { Rejected } from '../errors.ts';

const MAX_DETAIL = 2_000;

/** Describes an error with its message and cause, or the certificate that was refused. */
function reasonOf(error: unknown, language: Language): string {
  const sentence = certificateSentence(error, PEER.provider);
  if (sentence) return say(sentence, language);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}

/** The steps of a settings test in order, with their duration. */
export class TestSteps<Name extends string> {
  readonly taken: TestStep<Name>[] = [];
  private readonly labels: Readonly<Record<Name, LocalText>>;
  private readonly language: Language;

  constructor(labels: Readonly<Record<Name, LocalText>>, language: Language) {
    this.labels = labels;
    this.language = language;
  }

  /** Runs a step. `tell` describes its result. Returns undefined if the step failed. */
  async take<T>(
    step: Name,
    work: () => Promise<T> | T,
    describe: (result: T) => string,
  ): Promise<T | undefined> {
    const began = performance.now();
    const note = (ok: boolean, detail: string) =>
      this.taken.push({
        step,
        label: say(this.labels[step], this.language),
        ok,
        detail: detail.slice(0, MAX_DETAIL),
        milliseconds: Math.round(performance.now() - began),
      });
    try {
      const result = await work();
      note(true, describe(result));
      return result;
    } catch (error) {
      note(false, reasonOf(error, this.language));
      return undefined;
    }
  }

  /** Runs steps that return their description, until one fails. Returns true if none failed. */
  async takeAll(
    steps: Iterable<readonly [step: Name, work: () => Promise<string> | string]>,
  ): Promise<boolean> {
    for (const [step, work] of steps)
      if ((await this.take(step, work, String)) === undefined) return false;
    return true;
  }
}

/** @throws Rejected with the failed step, and all steps for the page */
export function assertPassed(steps: readonly TestStep[], code: ErrorCode): void {
  const failed = steps.find(({ ok }) => !ok);
  if (failed) throw new Rejected(code, { step: failed.label, reason: failed.detail }, { steps });
}
