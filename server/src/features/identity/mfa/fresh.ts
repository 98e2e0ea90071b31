import type { Actor } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import { lastProofOf } from '../sign-in-sessions/store.ts';
import { markProved } from './confirmed.ts';
import { hasFactor, type SecondFactors } from './second-factors.ts';

const MAX_CODE = 64;

/** A code that a user enters to prove a second factor again. */
export interface TypedCode {
  readonly userId: string;
  readonly loginId: string;
  readonly code: string;
  readonly remoteAddress: string;
}

/** Checks of recent second factors outside the console's pages. */
export interface FreshFactors {
  /** Returns true if the sign-in proved a second factor within `minutes`. */
  isRecent(loginId: string, minutes: number): Promise<boolean>;
  /**
   * Checks that a user with a second factor proved it within `minutes`.
   * @throws Forbidden mfa_verify_required
   */
  assertFresh(actor: Actor, minutes: number): Promise<void>;
  /** Returns true if the account has an authenticator whose codes a user can enter. */
  canType(userId: string): Promise<boolean>;
  /**
   * Proves a second factor by a code, within the common attempt limit.
   * @throws Rejected mfa_failed, mfa_blocked
   */
  prove(typed: TypedCode): Promise<void>;
}

export function createFreshFactors(db: Db, factors: SecondFactors): FreshFactors {
  return {
    async isRecent(loginId, minutes) {
      const proof = await lastProofOf(db, loginId);
      return proof !== undefined && proof.seconds <= minutes * 60;
    },
    async assertFresh({ userId, session }, minutes) {
      if (!hasFactor(await factors.summary(userId))) return;
      const proof = session.kind === 'access-key' ? undefined : await lastProofOf(db, session.id);
      if (proof === undefined || proof.seconds > minutes * 60)
        throw new Forbidden('mfa_verify_required');
    },
    async canType(userId) {
      return (await factors.summary(userId)).totp;
    },
    async prove({ userId, loginId, code, remoteAddress }) {
      const { rows } = await sql<{
        username: string;
      }>`select username from account where id = ${userId} and is_active`.execute(db);
      const [account] = rows;
      if (!account) throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
      const typed = code.trim().slice(0, MAX_CODE);
      const type = /^\d{6}$/.test(typed) ? 'totp' : 'recovery';
      await factors.prove(
        { id: userId, username: account.username },
        { type, code: typed, response: undefined, site: undefined },
        loginId,
        remoteAddress,
      );
      await markProved(loginId, db);
    },
  };
}
