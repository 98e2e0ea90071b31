import { sql } from 'kysely';
import type { Context } from '../../../http/context.ts';
import { invalid, Refusal } from '../../../http/problem.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Lockout } from '../lockout.ts';
import type { SignInService } from '../sign-in/service.ts';
import { secondsSinceSecond } from '../sign-ins.ts';
import { hasFactor, type SecondFactors } from './second-factors.ts';

export interface ConfirmServices {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly factors: SecondFactors;
  readonly signIns: SignInService;
}

/** Seconds within which a sign-in without a password (another service answered) counts as fresh. */
const FRESH_SECONDS = 600;

/** Refuses requests that only carry an access key: a key must not be able to change what protects the account. @throws Refusal sign_in_needed */
export function assertSignedIn({ actor }: Context): void {
  if (actor.session.kind === 'access-key') throw new Refusal(403, 'sign_in_needed');
}

/** Whether a second factor was proved in this sign-in lately. */
export async function isVerified({ actor }: Context, { db, settings }: Pick<ConfirmServices, 'db' | 'settings'>): Promise<boolean> {
  if (actor.session.kind === 'access-key') return false;
  const seconds = await secondsSinceSecond(db, actor.session.id);
  return seconds !== undefined && seconds <= settings.get('SECURITY_MFA_VERIFY_TTL');
}

/**
 * Makes sure that it is the person who changes what protects the account, and not somebody at an unlocked screen: by a second factor
 * where there is one, by the password otherwise. @throws Refusal
 */
export async function assertConfirmed(context: Context, password: unknown, services: ConfirmServices): Promise<void> {
  assertSignedIn(context);
  const { actor } = context;
  if (hasFactor(await services.factors.summary(actor.userId))) {
    if (!(await isVerified(context, services))) throw new Refusal(403, 'mfa_verify_required');
    return;
  }
  const { rows } = await sql<{ has_password: boolean; fresh: boolean }>`
    select a.source <> 'openid' as has_password, s.date_created > now() - make_interval(secs => ${FRESH_SECONDS}) as fresh
    from account a join web_session s on s.user_id = a.id where s.id = ${actor.session.id}::uuid`.execute(services.db);
  if (rows[0]?.has_password === false) {
    if (!rows[0].fresh) throw new Refusal(403, 'sign_in_again');
    return;
  }
  if (typeof password !== 'string' || password === '') throw invalid('password', 'required');
  if (await services.lockout.isBlocked(actor.username, actor.remoteAddress))
    throw new Refusal(400, 'block_login', { minutes: services.lockout.minutes() }, { error: 'block_login' });
  if (await services.signIns.isPasswordOf(actor.userId, password.slice(0, 1_024))) return;
  await services.lockout.failed(actor.username, actor.remoteAddress);
  throw invalid('password', 'password_wrong');
}
