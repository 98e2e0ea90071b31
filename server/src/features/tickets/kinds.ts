import { FEATURE_TICKET_TYPES, type TicketType } from '@sallyport/contract';
import { Conflict } from '../../platform/errors.ts';
import type { Operation } from '../../resources/hooks.ts';

/** The end of a ticket: approved, rejected, or closed without an answer. */
export type TicketAnswer = 'approve' | 'reject' | 'close';

/** The behavior of the tickets of one type. */
export interface TicketKind {
  /** Runs after the approval of a stage that is not the last. An exception rolls it back. */
  passed?(ticketId: string, operation: Operation): Promise<void>;
  /**
   * Runs after the ticket was updated, in the same transaction. An exception rolls the update back.
   */
  ended?(ticketId: string, answer: TicketAnswer, operation: Operation): Promise<void>;
}

/** Creates the registry of ticket kinds by type. Features add theirs while they are created. */
export function createTicketKinds() {
  const kinds = new Map<TicketType, TicketKind>();
  return {
    /** Registers the behavior of a type. @throws Error if the type is already registered */
    add(type: TicketType, kind: TicketKind) {
      if (kinds.has(type)) throw new Error(`tickets of type ${type} are defined twice`);
      kinds.set(type, kind);
    },
    /**
     * Returns the behavior of a type.
     * @throws Conflict if its feature is off: nothing else checks the answers of such tickets
     */
    of(type: TicketType): TicketKind {
      const kind = kinds.get(type);
      if (!kind && FEATURE_TICKET_TYPES.some(({ value }) => value === type))
        throw new Conflict('ticket_feature_off');
      return kind ?? {};
    },
  };
}

export type TicketKinds = ReturnType<typeof createTicketKinds>;
