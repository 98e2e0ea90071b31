import type { CommandVerdict } from '@sallyport/contract';

/** A line whose Enter the gate holds back. */
export interface PendingLine {
  readonly text: string;
  readonly prompt: string;
  readonly isHidden: boolean;
  /** True if a line editor reads: it has enabled bracketed paste. */
  readonly isEditor: boolean;
  /** True if the target did not echo the last keys: the line that Enter would send is unknown. */
  readonly isUnread: boolean;
  /**
   * True if programs disagree about the columns of its characters and the line was edited: the
   * screen may show another line than Enter would send.
   */
  readonly isUncertain: boolean;
  /**
   * Other texts that the screen shows for this line: what follows the prompt, or the whole row
   * where the end of the prompt is a guess. The guard decides them too.
   */
  readonly seen: readonly string[];
}

export const NO_LINE: PendingLine = {
  text: '',
  prompt: '',
  isHidden: false,
  isEditor: false,
  isUnread: false,
  isUncertain: false,
  seen: [],
};

/** A rejected line; an empty text for a line without echo. */
export interface RefusedLine {
  readonly text: string;
  readonly message: string;
  /** The answer to a question about it. */
  readonly verdict?: CommandVerdict | undefined;
}

/** The typist of keys: the name of a guest, or undefined for the owner. */
export type Typist = string | undefined;

/** The prompt at which the user types, as the screen shows it. */
export interface Prompt {
  /** True if the reading program has enabled bracketed paste. */
  readonly takesMarkedPastes: boolean;
  /** Number of line-editor prompts so far. */
  readonly prompts: number;
  /** Returns the line that Enter would send; `undefined` in a full-screen program. */
  pendingLine(): Promise<PendingLine | undefined>;
  /** Waits for the target's response to the last keys, or until `isShown`. */
  settled(isShown?: () => boolean): Promise<void>;
  /** Returns true if the cursor is after this prompt and no text follows. */
  isAtPrompt(prompt: string): boolean;
  /** Returns true if no text follows the cursor. */
  isAtEnd(): boolean;
  /** Text before the cursor. */
  beforeCursor(): string;
  /** The text of the screen without empty rows at its ends. */
  screen(): string;
  /** Records a rejected line and forgets it. */
  refuse(line: RefusedLine): void;
  /** Notes the answer to a question about the current line, for its record. */
  answered(verdict: CommandVerdict): void;
}

/** The way of keys to the target, and of our messages to the screen. */
export interface Keyboard {
  /** Sends keys of a typist to the command tracker and the target. */
  send(keys: Buffer, by: Typist): void;
  /** Sends our own keys to the target only. */
  clear(keys: Buffer): void;
  /** Shows our own text to the user and all watchers. */
  show(text: string): void;
}
