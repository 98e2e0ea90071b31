import type { Tx } from '../../platform/db/database.ts';
import { raiseAlerts, type Telling } from './raise.ts';

/** An agent whose code or refresh token was used twice: one of its two holders is a thief. */
export interface ReusedToken {
  readonly userId: string;
  /** Name of the agent. */
  readonly agent: string;
  readonly remoteAddress: string;
}

/** Raises an alert for a stolen token, which has ended its agent. */
export const alertReusedToken = (
  { agent: subject, ...event }: ReusedToken,
  telling: Telling,
  tx: Tx,
): Promise<void> =>
  raiseAlerts([{ kind: 'reused_token', subject, ...event, date: new Date() }], telling, tx);
