import { systemCaller } from '../../../platform/actor.ts';
import { randomPassword } from '../../../platform/crypto/password.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredRow } from '../../../resources/hooks.ts';
import { writeOperateLog } from '../../audits/index.ts';
import { removeAllFactors } from '../mfa/second-factors.ts';
import { createLockout } from '../sign-in/lockout.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import type { AccountEngine } from './account-engine.ts';
import { accountEntry } from './managed-account.ts';

/** The operator of the machine, as logs name it. */
const OPERATOR = systemCaller('Command line', '127.0.0.1');
const MIN_LENGTH = 20;

/** Tells administrators and auditors of a reset of one of them. */
type Alerting = (userId: string, command: string, tx: Tx) => Promise<void>;
const isWatched = ({ role }: StoredRow) => role !== 'User';

/** Returns the account of a username with the operator's permissions. */
async function find(
  { db, reader }: AccountEngine,
  username: string,
): Promise<StoredRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from account where id = account_named(${username})`.execute(db);
  return rows[0] && reader.retrieve(rows[0].id, OPERATOR);
}

/**
 * Sets a random password for a local account or any administrator of the installation, and makes
 * the account usable again. Returns the password; undefined if no account qualifies.
 */
export async function recoverPassword(
  accounts: AccountEngine,
  username: string,
  alert: Alerting,
): Promise<string | undefined> {
  const account = await find(accounts, username);
  // External sources keep their passwords, but an administrator of the installation must be able to
  // sign in without a directory.
  if (!account || (account.source !== 'local' && account.role !== 'Admin')) return undefined;
  // In groups; the hyphen is also the special character that the settings may require.
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
  const id = String(account.id);
  await accounts.db.transaction(async (tx) => {
    await accounts.writer.change(id, body, OPERATOR, { tx });
    if (isWatched(account)) await alert(id, 'user reset-password', tx);
  });
  await createLockout(accounts.db, accounts.settings).unblock(username);
  return password;
}

/**
 * Removes all second factors of an account and ends its access, when no administrator can reset
 * them in the console. Returns false for an unknown account.
 */
export async function recoverSecondFactor(
  accounts: AccountEngine,
  username: string,
  alert: Alerting,
): Promise<boolean> {
  const account = await find(accounts, username);
  if (!account) return false;
  const id = String(account.id);
  const managed = {
    id,
    username: String(account.username),
    name: String(account.name),
  };
  await accounts.db.transaction(async (tx) => {
    const before = await removeAllFactors(id, tx);
    await endAllAccess(tx, id);
    await writeOperateLog(
      tx,
      OPERATOR,
      accountEntry(managed, { totp: [before.totp, false], passkeys: [before.passkeys, 0] }),
    );
    if (isWatched(account)) await alert(id, 'user reset-mfa', tx);
  });
  await createLockout(accounts.db, accounts.settings).unblock(username);
  return true;
}
