import type { Tx } from '../../platform/db/database.ts';
import { raiseAlerts, type Unusual } from './raise.ts';

/** Alerts an organization that a failover of the database took changes away, once a day. */
export function alertLostChanges(organization: string, tx: Tx): Promise<void> {
  const date = new Date();
  const event: Unusual = {
    kind: 'lost_changes',
    subject: '',
    remoteAddress: '',
    organization,
    date,
    day: date.toISOString().slice(0, 10),
  };
  return raiseAlerts([event], { tellUsers: async () => {}, language: 'en' }, tx);
}
