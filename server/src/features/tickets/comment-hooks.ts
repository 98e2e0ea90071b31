import { ticketComment } from '@sallyport/contract';
import { sql } from 'kysely';
import { notFound } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { assertOpen, authorOf } from './hooks.ts';
import { addComment, mayRead, stateOf } from './store.ts';

/** The hooks of comments. Readers of an open ticket can read and write them. */
export const ticketCommentHooks = hooksFor(ticketComment, {
  visible: ({ actor }) =>
    sql`exists (select 1 from ticket above where above.id = t.ticket_id
      and ${mayRead(actor, 'above')})`,
  async insert({ body = '' }, { caller, tx }) {
    const ticketId = caller.within?.[ticketComment.name];
    const state = ticketId && (await stateOf(ticketId, caller.actor.userId, tx));
    if (!ticketId || !state) throw notFound();
    assertOpen(state, caller);
    return addComment(ticketId, authorOf(caller.actor), body, tx);
  },
  describe: (row) => String(row.body).slice(0, 80),
});
