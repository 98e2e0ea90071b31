import type { LocalText } from '../kit/text.ts';

/** A rule that an administrator can copy into a command filter. */
export interface LibraryRule {
  /** Unique in the library. */
  readonly id: string;
  /** Suggested action of the copy. */
  readonly action: number;
  /** Message to the user and comment of the copy; at most 64 characters. */
  readonly sentence: LocalText;
  /** Regular expression in RE2 syntax. */
  readonly content: string;
  /** A line that the rule matches. */
  readonly example: string;
}

/** Rules for one kind of target. */
export interface LibraryGroup {
  readonly name: string;
  readonly title: LocalText;
  readonly rules: readonly [LibraryRule, ...LibraryRule[]];
}

export const DENY = 0;
