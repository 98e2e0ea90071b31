import { Conflict, Forbidden, notFound } from '../../platform/errors.ts';
import type { TicketKind } from '../tickets/index.ts';
import { unreviewed } from './activation-store.ts';

/**
 * The kind of emergency access tickets. A reviewer closes them after the access has ended and after
 * opening the recordings.
 */
export const emergencyKind: TicketKind = {
  async ended(ticketId, answer, { caller, tx }) {
    if (answer === 'close') throw new Forbidden('emergency_needs_review');
    const left = await unreviewed(ticketId, caller.actor.userId, tx);
    if (!left) throw notFound();
    if (left.isOpen) throw new Conflict('emergency_not_over');
    if (left.unopened > 0) throw new Conflict('emergency_unopened', { count: left.unopened });
  },
};
