import { PROVIDER_SOURCES } from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { kept, type Operation } from '../../../resources/hooks.ts';
import type { SignInService } from '../sign-in/types.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { lastProofOf } from '../sign-in-sessions/store.ts';
import { hasFactor, type SecondFactors } from './second-factors.ts';

export interface ConfirmServices {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly factors: SecondFactors;
  readonly signIns: SignInService;
}

/** Seconds for which a sign-in at another service (without a password here) counts as fresh. */
const FRESH_SECONDS = 600;

/** Seconds for which a password at sign-in also confirms a new key. */
const RECENT_PASSWORD_SECONDS = 300;

/** Returns true if this sign-in proved a second factor recently. */
export async function isVerified(
  { actor }: Pick<Caller, 'actor'>,
  { db, settings }: Pick<ConfirmServices, 'db' | 'settings'>,
): Promise<boolean> {
  if (actor.session.kind === 'access-key') return false;
  const proof = await lastProofOf(db, actor.session.id);
  return proof !== undefined && proof.seconds <= settings.get('SECURITY_MFA_VERIFY_TTL');
}

/**
 * Checks that the account's owner changes its credentials, not an attacker at an unlocked screen.
 * Requires a recent second factor if one exists, otherwise the password.
 * With `takesRecentPassword`, a password at sign-in within the last minutes replaces an absent one:
 * clients of API version 2.1 create keys without a password.
 * @throws AppError
 */
export async function assertConfirmed(
  context: Caller,
  password: unknown,
  services: ConfirmServices,
  takesRecentPassword = false,
): Promise<void> {
  assertSignedIn(context);
  const { actor } = context;
  if (hasFactor(await services.factors.summary(actor.userId))) {
    if (!(await isVerified(context, services))) throw new Forbidden('mfa_verify_required');
    return;
  }
  const { rows } = await sql<{ has_password: boolean; fresh: boolean; is_recent: boolean }>`
    select a.source <> all (${[...PROVIDER_SOURCES]}) as has_password,
      s.date_created > now() - make_interval(secs => ${FRESH_SECONDS}) as fresh,
      coalesce(s.password_verified > now() - make_interval(secs => ${RECENT_PASSWORD_SECONDS}),
        false) as is_recent
    from account a join web_session s on s.user_id = a.id
    where s.id = ${actor.session.id}::uuid`.execute(services.db);
  if (rows[0]?.has_password === false) {
    if (!rows[0].fresh) throw new Forbidden('sign_in_again');
    return;
  }
  if (takesRecentPassword && password === undefined && rows[0]?.is_recent) return;
  if (typeof password !== 'string' || password === '') throw invalid('password', 'required');
  await services.signIns.confirmPassword(actor, password, 'password');
}

const CONFIRMED = kept(() => new Set<string>());

/** Checks the same for a write of several keys, once. @throws AppError */
export async function assertConfirmedOnce(
  operation: Operation,
  password: unknown,
  services: ConfirmServices,
): Promise<void> {
  const { caller } = operation;
  const confirmed = operation.get(CONFIRMED);
  if (confirmed.has(caller.actor.userId)) return;
  await assertConfirmed(caller, password, services, true);
  confirmed.add(caller.actor.userId);
}

/**
 * Checks that the caller proved the identity recently, for changes that grant permissions. Requires
 * a recent second factor if one exists, otherwise a recent sign-in.
 * @throws AppError
 */
export async function assertFresh(
  caller: Caller,
  services: Pick<ConfirmServices, 'db' | 'settings' | 'factors'>,
): Promise<void> {
  const { session, userId } = caller.actor;
  if (session.kind === 'system') return;
  assertSignedIn(caller);
  // A job without the sign-in of its user proves nothing.
  if (session.id === '') throw new Forbidden('sign_in_again');
  if (hasFactor(await services.factors.summary(userId))) {
    if (!(await isVerified(caller, services))) throw new Forbidden('mfa_verify_required');
    return;
  }
  const { rows } = await sql<{ fresh: boolean }>`
    select date_created > now() - make_interval(
      secs => ${services.settings.get('SECURITY_MFA_VERIFY_TTL')}) as fresh
    from web_session where id = ${session.id}::uuid`.execute(services.db);
  if (!rows[0]?.fresh) throw new Forbidden('sign_in_again');
}

interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly synced: boolean;
  readonly date_created: Date;
  readonly date_last_used: Date | null;
}

/** Returns the passkeys of an account, or only the one with `id`. */
export async function passkeysOf(
  userId: string,
  on: Db | Tx,
  id?: string,
): Promise<readonly PasskeyRow[]> {
  const { rows } = await sql<PasskeyRow>`
    select id, name, synced, date_created, date_last_used from passkey
    where user_id = ${userId} and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
    order by date_created, id`.execute(on);
  return rows;
}

export async function renamePasskey(
  userId: string,
  id: string,
  name: string,
  db: Db,
): Promise<void> {
  await sql`update passkey set name = ${name} where id = ${id} and user_id = ${userId}`.execute(db);
}

export async function deletePasskey(userId: string, id: string, tx: Tx): Promise<void> {
  await sql`delete from passkey where id = ${id} and user_id = ${userId}`.execute(tx);
}

/** Records that a sign-in session proved the second factor now. */
export async function markProved(signInId: string, on: Db | Tx): Promise<void> {
  await sql`update web_session set mfa_verified = now() where id = ${signInId}::uuid`.execute(on);
}
