import type { Tx } from '../../platform/db/database.ts';
import { raiseAlerts, type Unusual } from './raise.ts';

/** Alerts that an operator of the server has reset what proves the identity of an account. */
export function alertRecovery(userId: string, command: string, tx: Tx): Promise<void> {
  const date = new Date();
  const event: Unusual = {
    kind: 'recovered',
    userId,
    subject: command,
    remoteAddress: '127.0.0.1',
    date,
    day: date.toISOString().slice(0, 10),
  };
  return raiseAlerts([event], { tellUsers: async () => {}, language: 'en' }, tx);
}
