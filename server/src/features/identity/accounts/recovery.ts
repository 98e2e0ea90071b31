import { systemCaller } from '../../../platform/actor.ts';
import { randomPassword } from '../../../platform/crypto/password.ts';
import type { StoredRow } from '../../../resources/hooks.ts';
import { writeOperateLog } from '../../audits/operate-log.ts';
import { removeAllFactors } from '../mfa/second-factors.ts';
import { createLockout } from '../sign-in/lockout.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import type { AccountEngine } from './account-engine.ts';
import { accountEntry } from './managed-account.ts';

/** How the logs name the operator of the machine. */
const OPERATOR = systemCaller('Command line', '127.0.0.1');
const MIN_LENGTH = 20;

/** The account of a username, as the operator of the machine sees it. */
async function find({ reader }: AccountEngine, username: string): Promise<StoredRow | undefined> {
  const rows =
    username === '' ? [] : await reader.list(new URLSearchParams({ username }), OPERATOR);
  return Array.isArray(rows) ? rows[0] : undefined;
}

/** Gives a local account, or any administrator of the installation, a new random password here and makes it usable again. Returns it; undefined when no account fits. */
export async function recoverPassword(
  accounts: AccountEngine,
  username: string,
): Promise<string | undefined> {
  const account = await find(accounts, username);
  // Passwords of other sources are kept elsewhere; but an administrator of the installation must come in without a directory as well.
  if (!account || (account.source !== 'local' && account.role !== 'Admin')) return undefined;
  // In groups, which also have the special character that the settings may ask for.
  const password = randomPassword(
    Math.max(MIN_LENGTH, accounts.settings.get('SECURITY_PASSWORD_MIN_LENGTH')),
  ).replace(/.{5}(?=.)/g, '$&-');
  const body = {
    password,
    password_strategy: 1,
    source: 'local',
    is_active: true,
    ...(account.is_expired === true && { date_expired: null }),
  };
  await accounts.writer.update(String(account.id), body, 'change', OPERATOR);
  await createLockout(accounts.db, accounts.settings).unblock(username);
  return password;
}

/** Removes all second factors of an account, for a user who lost them when no other administrator can reset them in the console. Its sign-ins end. */
export async function recoverSecondFactor(
  accounts: AccountEngine,
  username: string,
): Promise<boolean> {
  const account = await find(accounts, username);
  if (!account) return false;
  const id = String(account.id);
  const named = {
    id,
    username: String(account.username),
    name: String(account.name),
    source: String(account.source),
  };
  await accounts.db.transaction().execute(async (tx) => {
    const before = await removeAllFactors(id, tx);
    await endAllAccess(tx, id);
    await writeOperateLog(
      tx,
      OPERATOR,
      accountEntry(named, { totp: [before.totp, false], passkeys: [before.passkeys, 0] }),
    );
  });
  await createLockout(accounts.db, accounts.settings).unblock(username);
  return true;
}
