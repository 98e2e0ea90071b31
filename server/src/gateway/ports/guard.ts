import type { NewSession } from './records.ts';

/** What a guard knows about a line. */
export interface LineContext {
  readonly session: NewSession;
  /** Whether the screen did not show what was typed: a password, or a person who has switched the echo off. */
  readonly isHidden: boolean;
  /** Whether the target has not shown what it made of the last keys, such as one that recalls a line: Enter may send something else. */
  readonly isUnread: boolean;
  /** What was in front of the line. */
  readonly prompt: string;
}

/** What a guard decides. Messages are in the language of the session's person. */
export type Verdict =
  | { readonly kind: 'allow' }
  /** The target never gets the line; the person sees the message. */
  | { readonly kind: 'deny'; readonly message: string }
  /** The person sees the message and confirms with `y`; any other key refuses, and so does no answer within the seconds, a minute without them. */
  | { readonly kind: 'ask'; readonly message: string; readonly seconds?: number };

/** One statement as a guard looks at it. */
export interface SpelledStatement {
  /** It without comments and in one line, as it was typed and in one case: all of these mean the same, so what allows one of them allows it. */
  readonly lines: readonly string[];
  /** What it could mean besides, for instance without the quotes of names: what denies one of them denies it. */
  readonly spellings: readonly string[];
}

/**
 * Decides on each line that a person types at a prompt, before the target gets its Enter. It checks what people type and is no sandbox: what a script
 * or a program runs by itself does not pass here, and full-screen programs get their keys unchecked.
 */
export interface Guard {
  /** Whether lines of the session have to be decided at all, at this moment; where not, keys pass without delay. */
  applies(session: NewSession): boolean;
  /** Settles when `applies` knows for certain: before, it also answers true while the rules are being read. */
  settled(session: NewSession): Promise<unknown>;
  /** Decides on a line before its Enter. A text of several lines is allowed when each of them is. */
  before(line: string, context: LineContext): Verdict | Promise<Verdict>;
  /** Decides on one statement of a database language, before the database gets it. */
  beforeStatement(statement: SpelledStatement, session: NewSession): Promise<Verdict>;
  /** Decides on an exec request as a whole, before it starts: the command to be run, or the reason why none is. A caller records the refused one as such. */
  beforeExec(command: string, session: NewSession): Promise<ExecVerdict>;
}

/** What a guard decides on an exec request. Only `command` may be run, which need not be written as it was requested. */
export type ExecVerdict =
  | { readonly kind: 'allow'; readonly command: string }
  | { readonly kind: 'deny'; readonly message: string };
