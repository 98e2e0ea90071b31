import type { ApprovalProgress } from '@sallyport/contract';
import type { Grant } from './grant.ts';
import type { HoldDecision } from './holds.ts';
import type { Person } from './people.ts';

/** A connection that a permission lets reviewers decide on. */
export interface ApprovedConnection {
  readonly person: Person;
  readonly grant: Grant;
}

/** A connection that waits for a reviewer. */
export interface WaitingConnection extends ApprovedConnection {
  /** The reason of the user; empty if the client cannot ask for one. */
  readonly reason: string;
  readonly seconds: number;
}

/** The end of a wait. `nobody`: no user may decide. */
export interface ApprovalDecision extends Pick<HoldDecision, 'by'> {
  readonly verdict: HoldDecision['verdict'] | 'nobody';
  /** The approved ticket. */
  readonly ticketId?: string;
}

/** Asks reviewers about connections. */
export interface Approvals {
  /** Returns the ticket of an approval that is still valid. */
  find(connection: ApprovedConnection): Promise<string | undefined>;
  /**
   * Waits for the decision on the last stage, a rejection, the timeout, or the abort of `signal`,
   * which withdraws. Calls `onStage` at the beginning of each of several stages.
   */
  decide(
    connection: WaitingConnection,
    signal: AbortSignal,
    onStage: (progress: ApprovalProgress) => void,
  ): Promise<ApprovalDecision>;
  /** Records that a session uses an approval. */
  used(ticketId: string, sessionId: string): Promise<void>;
}
