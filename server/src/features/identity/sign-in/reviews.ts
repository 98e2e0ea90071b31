import type { Db, Tx } from '../../../platform/db/database.ts';

/** Decision of the reviewers of a sign-in attempt. */
export interface Review {
  /** Id of the ticket with the request. */
  readonly ticketId: string;
  /** `closed`: withdrawn, expired, or approved for another address. */
  readonly state: 'open' | 'approved' | 'rejected' | 'closed';
  /** Names of the reviewers. */
  readonly reviewers: readonly string[];
}

/** Requests the confirmation of sign-ins from reviewers. */
export interface Reviews {
  /** Returns true if the account's sign-ins currently require a reviewer's confirmation. */
  areDemanded(userId: string, on: Db | Tx): Promise<boolean>;
  /** Returns true if one of the account's reviewers can answer now. */
  canBeAsked(userId: string, on: Db | Tx): Promise<boolean>;
  /**
   * Requests the confirmation of an attempt from the account's reviewers.
   * @returns the id of the ticket
   */
  ask(
    account: { readonly id: string; readonly username: string; readonly name: string },
    remoteAddress: string,
    tx: Tx,
  ): Promise<string>;
  reviewOf(ticketId: string, on: Db | Tx): Promise<Review>;
  /** Closes open tickets whose attempts have ended. */
  withdraw(ticketIds: readonly string[], tx: Tx): Promise<void>;
}

/** Default until a feature provides reviews: no sign-in requires one. */
export const NO_REVIEWS: Reviews = {
  areDemanded: async () => false,
  canBeAsked: async () => false,
  ask: async () => {
    throw new Error('no feature provides reviews of sign-ins');
  },
  reviewOf: async (ticketId) => ({ ticketId, state: 'closed', reviewers: [] }),
  withdraw: async () => undefined,
};
