import { sql } from 'kysely';
import { Refusal } from '../../http/problem.ts';
import { verifyPassword } from '../../platform/crypto/password.ts';
import type { Db } from '../../platform/db/database.ts';
import { createTurns } from '../../platform/turns.ts';
import { type LoginAttempt, writeLoginLog } from '../audits/login-log.ts';
import type { SettingsService } from '../settings/service.ts';
import type { Lockout } from './lockout.ts';
import { beginSignIn, type SignIn, type SignInKind } from './sign-ins.ts';

/** Where an attempt to sign in comes from. */
export interface Visitor {
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly type: LoginAttempt['type'];
}

export interface SignInService {
  /** Checks a name and a password and begins a sign-in. @throws Refusal password_failed, block_login, user_inactive, password_expired */
  signIn(username: string, password: string, visitor: Visitor, kind: SignInKind): Promise<SignIn & { userId: string }>;
}

interface Candidate {
  id: string;
  password: string | null;
  is_active: boolean;
  is_expired: boolean;
  mfa_level: number;
  password_age_days: number;
}

/** The one place where a password becomes a sign-in; browser and API both come here. */
export function createSignInService(db: Db, settings: SettingsService, lockout: Lockout): SignInService {
  // Many guesses at once would all be checked before the first failure is counted.
  const turns = createTurns();

  const attempt: SignInService['signIn'] = async (username, password, visitor, kind) => {
    const { rows } = await sql<Candidate>`
        select id, password, is_active, coalesce(date_expired <= now(), false) as is_expired, mfa_level,
          coalesce(extract(day from now() - date_password_last_updated), 0)::integer as password_age_days
        from account where username = ${username}`.execute(db);
    const [candidate] = rows;
    const keep = (reason: LoginAttempt['reason']) =>
      writeLoginLog(db, {
        username,
        userId: candidate?.id,
        type: visitor.type,
        remoteAddress: visitor.remoteAddress,
        userAgent: visitor.userAgent,
        mfa: reason ? 2 : 0,
        reason,
      });

    if (await lockout.isBlocked(username, visitor.remoteAddress)) {
      await lockout.failed(username, visitor.remoteAddress);
      await keep('block_login');
      throw new Refusal(400, 'block_login', { minutes: lockout.minutes() }, { error: 'block_login' });
    }
    const matches = await verifyPassword(candidate?.password, password);
    if (!candidate || !matches) {
      const times = await lockout.failed(username, visitor.remoteAddress);
      await keep(candidate ? 'password_failed' : 'user_not_exist');
      // The same answer for a wrong password and for a name that does not exist.
      throw new Refusal(400, 'password_failed', { times, minutes: lockout.minutes() }, { error: 'password_failed' });
    }
    if (!candidate.is_active || candidate.is_expired) {
      await keep('user_inactive');
      throw new Refusal(400, 'user_inactive', {}, { error: 'user_inactive' });
    }
    if (candidate.password_age_days > settings.get('SECURITY_PASSWORD_EXPIRATION_TIME')) {
      await keep('password_expired');
      throw new Refusal(400, 'password_expired', {}, { error: 'password_expired' });
    }
    await lockout.succeeded(username, visitor.remoteAddress);
    await keep('');
    await sql`update account set last_login = now() where id = ${candidate.id}`.execute(db);
    const seconds = settings.get(kind === 'browser' ? 'SESSION_COOKIE_AGE' : 'TOKEN_EXPIRATION');
    return { ...(await beginSignIn(db, candidate.id, kind, visitor, seconds)), userId: candidate.id };
  };

  return {
    signIn: (username, password, visitor, kind) =>
      turns(`${visitor.remoteAddress} ${username.toLowerCase()}`, () => attempt(username, password, visitor, kind)),
  };
}
