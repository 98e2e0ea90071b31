import type { CommandVerdict } from '@sallyport/contract';
import type { NewSession } from './records.ts';

/** A command that waits for a reviewer. */
export interface HeldCommand {
  readonly session: NewSession;
  readonly text: string;
  /** The screen of the terminal in which the line was typed. */
  readonly screen?: string;
  /** The sentence of the rule. */
  readonly message: string;
  readonly seconds: number;
}

export interface HoldDecision {
  readonly verdict: Extract<CommandVerdict, 'approved' | 'rejected' | 'expired' | 'withdrawn'>;
  /** Name of the reviewer; empty without a decision. */
  readonly by: string;
}

/** Asks reviewers about commands. */
export interface Holds {
  /** Waits for the first decision, the timeout, or the abort of `signal`, which withdraws. */
  decide(held: HeldCommand, signal: AbortSignal): Promise<HoldDecision>;
}
