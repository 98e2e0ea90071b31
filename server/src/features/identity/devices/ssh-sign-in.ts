import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { countAttempt, loginLogEntry } from '../../audits/index.ts';
import { logAttempt } from '../sign-in/attempt-log.ts';
import { accountById } from '../sign-in/pending.ts';
import type { Beginning, Completed, SignInOptions } from '../sign-in/types.ts';
import { refusalOfAccount } from '../sign-in/validity.ts';
import { lifetimeOf } from '../sign-in-sessions/lifetime.ts';
import { beginSignIn, type SignIn } from '../sign-in-sessions/store.ts';
import { type KnownDevice, takeDeviceKey } from './ssh-keys.ts';

/**
 * Creates the sign-in of an SSH connection that a signed-in device opens, with its entry in the
 * login log. It inherits second factor and provider of the device's sign-in.
 */
async function beginSshSignIn(
  { mfa_verified: dateProved, origin }: KnownDevice,
  { id: userId, username }: { readonly id: string; readonly username: string },
  {
    visitor,
    holder,
    seconds,
  }: Pick<Beginning, 'visitor' | 'holder'> & { readonly seconds: number },
  db: Db,
): Promise<SignIn> {
  const attempt = { ...visitor, username, userId, reason: '', mfa: dateProved ? 1 : 0 } as const;
  const signIn = await beginSignIn(
    db,
    { userId, kind: 'ssh', from: visitor, seconds, dateProved, origin, holder },
    sql`with entry as (${loginLogEntry(attempt)}),
      seen as (update account set last_login = now() where id = ${userId})`,
  );
  countAttempt(attempt);
  return signIn;
}

interface ProvedKey {
  readonly username: string;
  readonly publicKey: Buffer;
  readonly beginning: Beginning;
}

/**
 * Signs in by the key of a signed-in device. Undefined for another key, and for a locked
 * name, which the caller refuses with an entry in the log. @throws Rejected
 */
export async function signInByDevice(
  { username, publicKey, beginning: { visitor, holder } }: ProvedKey,
  { db, settings, lockout }: Pick<SignInOptions, 'db' | 'settings' | 'lockout'>,
): Promise<Completed | undefined> {
  const { remoteAddress } = visitor;
  if (!settings.get('TERMINAL_PUBLIC_KEY_AUTH')) return undefined;
  const device = await takeDeviceKey(username, publicKey, remoteAddress, db);
  const account = device && (await accountById(device.user_id, db));
  if (!account || (await lockout.isNameLocked(account.username, remoteAddress))) return undefined;
  const { id: userId, name } = account;
  const circumstances = { first: 'publickey', kind: 'ssh', remoteAddress, settings } as const;
  const refusal = refusalOfAccount(account, circumstances);
  if (refusal) {
    const entry = { username: account.username, userId, reason: refusal.reason };
    await logAttempt(db, visitor, entry);
    throw refusal.error;
  }
  const seconds = lifetimeOf('ssh', settings);
  const beginning = { visitor, ...(holder && { holder }), seconds };
  const signIn = await beginSshSignIn(device, account, beginning, db);
  return { step: 'in', ...signIn, userId, username: account.username, name, next: '/ui/' };
}
