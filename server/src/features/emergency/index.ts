import { emergencyAccess, type Problem } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { identity } from '../identity/index.ts';
import { perms } from '../perms/index.ts';
import { sessions } from '../sessions/index.ts';
import { settings } from '../settings/index.ts';
import { type TicketKind, tickets } from '../tickets/index.ts';
import { keepOpening, unreviewed } from './activation-store.ts';
import { createEndedNews } from './ended-news.ts';
import { mountEmergencyAccess } from './routes.ts';
import { ableToReview } from './store.ts';
import { countUnreviewed, endOpenAccess } from './suspend.ts';
import { mountActivations } from './ticket-routes.ts';

/** Maximum reviewers of a rule. */
const MOST_REVIEWERS = 20;

/**
 * The hooks of emergency access rules. Reviewers must be allowed to watch and replay sessions of
 * the organization.
 */
const emergencyAccessHooks = hooksFor(emergencyAccess, {
  async refuseLinks(field, ids, { caller: { actor }, tx }) {
    const refused = new Map<string, Problem>();
    if (field !== 'reviewers') return refused;
    const able = await ableToReview(ids, actor.organization.id, tx);
    for (const id of ids) if (!able.has(id)) refused.set(id, { code: 'reviewer_cannot_watch' });
    return refused;
  },
  beforeSave({ reviewers = [] }) {
    if (reviewers.length > MOST_REVIEWERS)
      throw invalid('reviewers', 'list_too_long', { max: MOST_REVIEWERS });
  },
});

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
  countRules: countUnreviewed,
  suspend: endOpenAccess,
  create({ core: { db }, use }) {
    const { addKind, mails } = use(tickets);
    addKind('emergency', emergencyKind);
    // A review requires that the reviewer opened the recordings.
    use(sessions).setReplayOpened((sessionId, userId) => keepOpening(sessionId, userId, db));
    return {
      service: {},
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
          grants: use(perms),
        });
        mountActivations(http, { db, engines, grants: use(perms) });
      },
    };
  },
});
