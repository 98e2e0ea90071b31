import type { NewSession } from './records.ts';

/** The context of a typed line. */
export interface LineContext {
  readonly session: NewSession;
  /** The screen did not show the line: a password, or echo is off. */
  readonly isHidden: boolean;
  /**
   * The target did not echo the last keys, for example a recalled line. Enter may send another
   * line.
   */
  readonly isUnread: boolean;
  /** The screen may show another line than Enter sends: it was edited, with disputed widths. */
  readonly isUncertain: boolean;
  /** A line editor reads the line. */
  readonly isEditor: boolean;
  /** Text before the line. */
  readonly prompt: string;
}

/** The decision of a guard. Messages are in the user's language. */
export type Verdict =
  | { readonly kind: 'allow' }
  /** The target never gets the line; the user sees the message. */
  | { readonly kind: 'deny'; readonly message: string }
  | Question
  | Hold;

/** The command waits for a reviewer. */
export interface Hold {
  readonly kind: 'hold';
  readonly message: string;
  readonly seconds: number;
}

/** The user sees the message and answers. Any other answer denies, and so does a timeout. */
export interface Question {
  readonly kind: 'ask';
  readonly message: string;
  readonly expects: ExpectedAnswer;
  /** Timeout; the default is 60. */
  readonly seconds?: number;
}

/** `enter`: Enter again. Or a word, followed by Enter. */
export type ExpectedAnswer = 'enter' | { readonly word: string };

/** Ranks decisions, the strictest first: deny, hold, a word, Enter, allow. */
function rankOf(decision: Verdict): number {
  if (decision.kind === 'ask') return decision.expects === 'enter' ? 3 : 2;
  return { deny: 0, hold: 1, allow: 4 }[decision.kind];
}

/** Returns the strictest decision. */
export function strictest<Decision extends Verdict>(
  first: Decision,
  others: readonly Decision[],
): Decision {
  return others.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one), first);
}

/** One SQL statement, as the guard checks it. */
export interface SpelledStatement {
  /**
   * Equivalent forms without comments on one line: as typed, and case-folded. A rule that allows
   * one form allows the statement.
   */
  readonly lines: readonly string[];
  /**
   * Alternative spellings, for example without quotes around names. A rule that denies one denies
   * the statement.
   */
  readonly spellings: readonly string[];
}

/**
 * Decides on each line typed at a prompt before the target gets its Enter. It checks typed lines
 * and is no sandbox. Commands that scripts or programs run do not pass here. Full-screen programs
 * get their keys unchecked.
 */
export interface Guard {
  /**
   * Returns true if lines of the session need a decision now. Otherwise keys pass without delay.
   */
  applies(session: NewSession): boolean;
  /**
   * Settles when `applies` is exact. Until then `applies` also returns true while rules are
   * loading.
   */
  settled(session: NewSession): Promise<unknown>;
  /** Decides on a line before its Enter. Several lines are allowed if each of them is. */
  before(line: string, context: LineContext): Verdict | Promise<Verdict>;
  /** Decides on one statement before the database gets it. */
  beforeStatement(statement: SpelledStatement, session: NewSession): Promise<Verdict>;
  /** Decides on a whole exec request before it starts. The caller records a denied command. */
  beforeExec(command: string, session: NewSession): Promise<ExecVerdict>;
}

/** The decision on an exec request. Run only `command`, which may differ from the request. */
export type ExecVerdict =
  | { readonly kind: 'allow'; readonly command: string }
  | { readonly kind: 'deny'; readonly message: string }
  | ((Question | Hold) & { readonly command: string });
