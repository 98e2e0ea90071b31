import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { tickets } from '../tickets/index.ts';
import { keepOpening } from './activation-store.ts';
import { emergencyKind } from './kind.ts';
import { mountEmergencyAccess } from './routes.ts';
import { emergencyAccessHooks } from './rule-hooks.ts';
import { mountActivations } from './ticket-routes.ts';

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
