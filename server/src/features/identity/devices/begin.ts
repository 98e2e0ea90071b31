import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { countAttempt, loginLogEntry } from '../../audits/index.ts';
import type { Visitor } from '../sign-in/types.ts';
import { beginSignIn, type SignIn } from '../sign-in-sessions/store.ts';
import type { ConfirmedDevice } from './store.ts';

const DAY_SECONDS = 86_400;

/**
 * Creates the sign-in of a confirmed device, with its entry in the login log. It inherits second
 * factor and provider of the sign-in that confirmed it.
 */
export async function beginDeviceSignIn(
  { user_id: userId, username, days, mfa_verified: dateProved, origin }: ConfirmedDevice,
  visitor: Visitor,
  db: Db,
): Promise<SignIn & { readonly seconds: number }> {
  const attempt = { ...visitor, username, userId, reason: '', mfa: dateProved ? 1 : 0 } as const;
  const seconds = days * DAY_SECONDS;
  const signIn = await beginSignIn(
    db,
    { userId, kind: 'bearer', from: visitor, seconds, dateProved, origin },
    sql`with entry as (${loginLogEntry(attempt)}),
      seen as (update account set last_login = now() where id = ${userId})`,
  );
  countAttempt(attempt);
  return { ...signIn, seconds };
}
