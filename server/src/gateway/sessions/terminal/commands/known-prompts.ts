import { trimBlanks } from './screen-lines.ts';

/** Common ends of a prompt, for lines that were begun before the prompt appeared. */
const USUAL_PROMPT = /^.{0,200}?[$#%>❯»](?:\s|$)/u;
const PROMPT_END = /[$#%>❯»]\s*$/u;
/** A prompt with user and host name. */
const FULL_PROMPT = /^\S+@\S+[:\s].{0,160}?[$#%>]\s/;
const KNOWN_PROMPTS = 8;

/** Returns true if a text ends as a shell prompt does. */
export const endsLikePrompt = (text: string): boolean => PROMPT_END.test(text);

/** The end of the first text that may be a prompt, in a row with an unknown one; else empty. */
export const guessPrompt = (row: string): string => USUAL_PROMPT.exec(row)?.[0] ?? '';

/** Prompts at which a user typed, the latest first. */
export class KnownPrompts {
  private known: string[] = [];

  remember(prompt: string): void {
    if (prompt.trim() === '' || this.known[0] === prompt) return;
    this.known = [prompt, ...this.known.filter((one) => one !== prompt)].slice(0, KNOWN_PROMPTS);
  }

  /** Returns the known or unmistakable prompt with which a row begins. */
  ofRow(row: string): string | undefined {
    return this.known.find((one) => row.startsWith(one)) ?? FULL_PROMPT.exec(row)?.[0];
  }

  /** Returns true if a text ends with a known prompt. */
  isEndOf(text: string): boolean {
    return this.known.some((one) => text.endsWith(one));
  }

  /**
   * Splits the text left of the cursor before the first key: a shell can fill in a line after its
   * prompt, such as one of the history to confirm. A known prompt is also the beginning of a longer
   * prompt, such as one with a state: such a text ends with a blank.
   */
  split(before: string): { readonly prompt: string; readonly filled: string } {
    const isFilled = (prompt: string) => {
      if (!before.startsWith(prompt) || trimBlanks(before.slice(prompt.length)) === '')
        return false;
      return endsLikePrompt(prompt) || (/\s$/.test(prompt) && !/\s$/.test(before));
    };
    const full = endsLikePrompt(before) ? null : FULL_PROMPT.exec(before);
    const [prompt = before] = [...this.known, ...(full ?? [])]
      .filter(isFilled)
      .sort((one, other) => one.length - other.length);
    return { prompt, filled: before.slice(prompt.length) };
  }
}
