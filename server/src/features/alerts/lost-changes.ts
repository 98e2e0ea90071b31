import type { Tx } from '../../platform/db/database.ts';
import { raiseAlerts, type Unusual } from './raise.ts';

/** Alerts an organization that a failover of the database took changes away, once a day. */
export function alertLostChanges(organization: string, tx: Tx): Promise<void> {
  const event: Unusual = {
    kind: 'lost_changes',
    subject: '',
    remoteAddress: '',
    organization,
    date: new Date(),
  };
  return raiseAlerts([event], { tellUsers: async () => {}, language: 'en' }, tx);
}
