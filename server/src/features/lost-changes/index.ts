import { type LostRequest, lostChange, say } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { hooksFor, type StoredRow } from '../../resources/hooks.ts';
import { attentionFilter } from '../../resources/read/scope.ts';
import { alertLostChanges } from '../alerts/index.ts';
import { audits, type KeptChange, loggedChanges, operateLogWords } from '../audits/index.ts';
import { lostChangeAttention } from './attention.ts';
import { logLost } from './log.ts';
import { requestFor } from './request.ts';
import { mountLostChanges } from './routes.ts';
import { forgetLost, insertLost, LOST_CHANGE_ATTENTION } from './store.ts';

/** Interval between looks for lost changes without an entry in the operate log. */
const LOG_MS = 10_000;

/** Returns the request of a row in the language of its reader. */
function requestOf(row: StoredRow, { language }: Caller): LostRequest | null {
  const planned = requestFor({
    action: row.action as KeptChange['action'],
    resourceType: String(row.resource_type),
    resourceId: String(row.resource_id),
    changes: row.changes as KeptChange['changes'],
  });
  return planned
    ? { ...planned, without: planned.without.map((label) => say(label, language)) }
    : null;
}

const lostChangeHooks = hooksFor(lostChange, {
  filters: {
    ...operateLogWords.filters,
    attention: attentionFilter(LOST_CHANGE_ATTENTION),
  },
  async present(rows, reading) {
    // Before the kinds are replaced by their titles.
    for (const row of rows) row.request = requestOf(row, reading.caller);
    await operateLogWords.present(rows, reading);
  },
});

/** Stores a change that was acknowledged, if the logs lack it. */
async function recordIfLost(change: KeptChange, tx: Tx): Promise<void> {
  const logged = await loggedChanges([change.id], tx);
  if (logged.size === 0 && (await insertLost(change, tx)))
    await alertLostChanges(change.organization, tx);
}

/** Changes of users that a failover of the database took away. */
export const lostChanges = defineModule({
  name: 'lost-changes',
  tables: ['lost_change'],
  create({ core: { db }, use }) {
    use(audits).setLost(recordIfLost);
    return {
      service: {},
      timers: [{ everyMilliseconds: LOG_MS, run: () => logLost(db) }],
      expiry: { rows: 'lost changes', like: 'operate_log', remove: (days) => forgetLost(days, db) },
      attention: lostChangeAttention,
      hooks: { lost_change: lostChangeHooks },
      routes: ({ http, services: { audit } }) => mountLostChanges(http, { db, audit }),
    };
  },
});
