import type { TicketType } from '@sallyport/contract';
import type { Operation } from '../../resources/operation.ts';

/** How a ticket ended: an assignee agreed or refused, or it was closed without an answer. */
export type TicketAnswer = 'approve' | 'reject' | 'close';

/** What is particular to the tickets of one type. */
export interface TicketKind {
  /**
   * Runs in the transaction that ends a ticket, after it is written. May throw to refuse: then
   * nothing is changed.
   */
  ended?(ticketId: string, answer: TicketAnswer, operation: Operation): Promise<void>;
}

/** The kinds of tickets, by type; features add theirs while they are created. */
export function createTicketKinds() {
  const kinds = new Map<TicketType, TicketKind>();
  return {
    /** Adds what is particular to a type. @throws Error for one that is there already */
    add(type: TicketType, kind: TicketKind) {
      if (kinds.has(type)) throw new Error(`tickets of type ${type} are defined twice`);
      kinds.set(type, kind);
    },
    of: (type: TicketType): TicketKind => kinds.get(type) ?? {},
  };
}

export type TicketKinds = ReturnType<typeof createTicketKinds>;
