import type { Db, Tx } from '../../../platform/db/database.ts';
import { logAttempt, refuse } from './attempt-log.ts';
import type { Progress } from './machine.ts';
import { dropPending, keepReview, type Pending } from './pending.ts';
import type { Review, Reviews } from './reviews.ts';
import type { Visitor } from './types.ts';

/** A pending sign-in that waits for its reviewers. */
export interface ReviewedSignIn {
  readonly ticket: string;
  readonly pending: Pending;
  readonly progress: Progress;
  readonly visitor: Visitor;
}

/** The step `login_confirm`: reviewers confirm or reject the sign-in. */
export interface ReviewStep {
  /** Deletes a pending sign-in and withdraws the request to its reviewers. */
  drop(ticket: string, tx: Tx): Promise<void>;
  /** Continues after an approval; ends the sign-in after a rejection. */
  settle(
    signIn: ReviewedSignIn,
    tx: Tx,
  ): Promise<{ readonly progress: Progress; readonly review: Review }>;
}

export function createReviewStep(db: Db, reviews: () => Reviews): ReviewStep {
  const drop = async (ticket: string, tx: Tx): Promise<void> => {
    const ticketId = await dropPending(ticket, tx);
    if (ticketId) await reviews().withdraw([ticketId], tx);
  };

  /** Returns the state of the review. The first call sends the request to the reviewers. */
  const reviewOf = async (
    { ticket, pending, visitor }: ReviewedSignIn,
    tx: Tx,
  ): Promise<Review> => {
    const { account, confirmTicket, remoteAddress } = pending;
    if (!confirmTicket && !(await reviews().canBeAsked(account.id, tx))) {
      // Logged outside the transaction, which is rolled back.
      await logAttempt(db, visitor, {
        username: account.username,
        userId: account.id,
        reason: 'login_confirm_nobody',
      });
      throw refuse('login_confirm_nobody');
    }
    const ticketId = confirmTicket ?? (await reviews().ask(account, remoteAddress, tx));
    if (!confirmTicket) await keepReview(ticket, ticketId, tx);
    const review = await reviews().reviewOf(ticketId, tx);
    // An approval is valid only for the address of the request.
    return review.state === 'approved' && remoteAddress !== visitor.remoteAddress
      ? { ...review, state: 'closed' }
      : review;
  };

  return {
    drop,
    async settle(signIn, tx) {
      const { ticket, pending, progress, visitor } = signIn;
      const review = await reviewOf(signIn, tx);
      if (review.state === 'approved')
        return { progress: { ...progress, confirmed: true }, review };
      if (review.state === 'open') return { progress, review };
      await drop(ticket, tx);
      await logAttempt(tx, visitor, {
        username: pending.account.username,
        userId: pending.account.id,
        reason: 'login_confirm_refused',
        mfa: progress.second ? 1 : 0,
      });
      return { progress, review };
    },
  };
}
