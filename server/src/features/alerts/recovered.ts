import type { Tx } from '../../platform/db/database.ts';
import { raiseAlerts, type Unusual } from './raise.ts';

/** Alerts that an operator of the server has reset what proves the identity of an account. */
export function alertRecovery(userId: string, command: string, tx: Tx): Promise<void> {
  const event: Unusual = {
    kind: 'recovered',
    userId,
    subject: command,
    remoteAddress: '127.0.0.1',
    date: new Date(),
  };
  return raiseAlerts([event], { tellUsers: async () => {}, language: 'en' }, tx);
}
