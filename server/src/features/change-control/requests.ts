import { say } from '@sallyport/contract';
import type { RequestControl } from '../tickets/index.ts';
import { type ChangeControlOptions, entryOf, MOST_REASON, person, propose } from './service.ts';
import { decide, lockSetOf } from './store.ts';

const REASON = { en: 'Access request: {title}', zh: '访问申请：{title}' };

/** Creates the proposals of access requests. */
export function createRequestControl(options: ChangeControlOptions): RequestControl {
  return {
    propose: ({ ticketId, requesterId, title, change }, caller, prepare) =>
      propose(
        options,
        {
          reason: say(REASON, caller.language, { title }).slice(0, MOST_REASON),
          changes: [change],
          turnsOff: false,
          request: { ticketId, requesterId },
          prepare,
        },
        caller,
      ),
    async withdraw(ticketId, caller, tx) {
      const set = await lockSetOf(ticketId, tx);
      if (!set) return;
      await decide(set.id, { state: 'withdrawn', decider: person(caller), comment: '' }, tx);
      // Requesters act in any organization; the entry belongs to that of the change set.
      const organization = { ...caller.actor.organization, id: set.org_id };
      const by = { ...caller, actor: { ...caller.actor, organization } };
      await options.audit(tx, by, entryOf(set, 'update', ['proposed', 'withdrawn']));
    },
  };
}
