import type { Db, Tx } from '../../../platform/db/database.ts';

/** What the reviewers of one attempt to sign in said. */
export interface Review {
  /** The ticket by which they are asked. */
  readonly ticketId: string;
  /** `closed`: withdrawn, out of time, or approved for another address. */
  readonly state: 'open' | 'approved' | 'rejected' | 'closed';
  /** The names of those who were asked. */
  readonly reviewers: readonly string[];
}

/** Asks reviewers whether a sign-in may go on. */
export interface Reviews {
  /** Whether an account's sign-ins need the agreement of a reviewer now. */
  areDemanded(userId: string, on: Db | Tx): Promise<boolean>;
  /** Whether one of an account's reviewers can answer now. */
  canBeAsked(userId: string, on: Db | Tx): Promise<boolean>;
  /** Asks the reviewers of an account about one attempt. @returns the ticket */
  ask(
    account: { readonly id: string; readonly username: string; readonly name: string },
    remoteAddress: string,
    tx: Tx,
  ): Promise<string>;
  reviewOf(ticketId: string, on: Db | Tx): Promise<Review>;
  /** Closes those of some tickets that are open: their attempts are over. */
  withdraw(ticketIds: readonly string[], tx: Tx): Promise<void>;
}

/** Nobody reviews anything, until a feature does. */
export const NO_REVIEWS: Reviews = {
  areDemanded: async () => false,
  canBeAsked: async () => false,
  ask: async () => {
    throw new Error('nobody reviews sign-ins');
  },
  reviewOf: async (ticketId) => ({ ticketId, state: 'closed', reviewers: [] }),
  withdraw: async () => undefined,
};
