import { defineModule } from '../../module.ts';
import { Conflict, Forbidden, notFound } from '../../platform/errors.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { type TicketKind, tickets } from '../tickets/index.ts';
import { keepOpening, unreviewed } from './activation-store.ts';
import { createEndedNews } from './ended-news.ts';
import { mountEmergencyAccess } from './routes.ts';
import { emergencyAccessHooks } from './rule-hooks.ts';
import { mountActivations } from './ticket-routes.ts';

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

/** Access that users open immediately and that other users review. */
export const emergency = defineModule({
  name: 'emergency',
  tables: [
    'emergency_access',
    'emergency_access_users',
    'emergency_access_user_groups',
    'emergency_access_assets',
    'emergency_access_nodes',
    'emergency_access_system_users',
    'emergency_access_reviewers',
    'emergency_activation',
    'emergency_replay',
  ],
  create({ core: { db }, use }) {
    const { addKind, mails } = use(tickets);
    addKind('emergency', emergencyKind);
    return {
      service: {
        /** Records that a user opened the recording of a session, which a review requires. */
        replayOpened: (sessionId: string, userId: string) => keepOpening(sessionId, userId, db),
      },
      hooks: { emergency_access: emergencyAccessHooks },
      jobs: [createEndedNews(db)],
      routes({ http, engines, services: { audit } }) {
        mountEmergencyAccess(http, {
          db,
          engines,
          audit,
          settings: use(settings),
          mails,
          fresh: use(identity).freshFactors,
        });
        mountActivations(http, { db, engines });
      },
    };
  },
});
