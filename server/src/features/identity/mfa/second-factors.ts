import type { MfaEnrolled, SecondFactor } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { Rejected } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/serial.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Lockout } from '../sign-in/lockout.ts';
import { createPasskeys, type Passkeys, type Site } from './passkeys.ts';
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import { createTotp, type Totp } from './totp.ts';

/** What an account can prove. */
export interface FactorSummary {
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

/** A second factor as the client sends it. */
export interface Proof {
  readonly type: SecondFactor;
  readonly code: string;
  readonly response: unknown;
  /** For passkeys: the page it came from. */
  readonly site: Site | undefined;
}

export interface SecondFactors {
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  summary(userId: string, on?: Db | Tx): Promise<FactorSummary>;
  /** Required by the account's level or by the setting for all users. */
  isDemanded(level: number): boolean;
  isForced(level: number): boolean;
  /** Checks a proof within the budget of attempts. @throws AppError mfa_failed, mfa_blocked */
  prove(
    account: { readonly id: string; readonly username: string },
    proof: Proof,
    holder: string,
    remoteAddress: string,
  ): Promise<void>;
  /** After a factor was added: asks for it from now on, and makes recovery codes with the first one. */
  added(userId: string, tx: Tx): Promise<MfaEnrolled>;
  /** After a factor was removed: without any, nothing is asked for and no code is left. @throws AppError mfa_forced when the last one must stay */
  removed(userId: string, tx: Tx): Promise<void>;
  /** Removes all factors, even when one is required; returns what there was. */
  removeAll(userId: string, tx: Tx): Promise<FactorSummary>;
}

/** Whether a second factor is set up. Recovery codes alone are no factor, they replace one. */
export const hasFactor = (summary: FactorSummary) => summary.totp || summary.passkeys > 0;

/** What an account can use, in the order to offer. */
export function factorsOf(summary: FactorSummary): SecondFactor[] {
  if (!hasFactor(summary)) return [];
  return [
    ...(summary.passkeys > 0 ? (['passkey'] as const) : []),
    ...(summary.totp ? (['totp'] as const) : []),
    ...(summary.recoveryCodes > 0 ? (['recovery'] as const) : []),
  ];
}

/** What an account can prove, as a transaction finds it. */
async function summarize(userId: string, on: Db | Tx): Promise<FactorSummary> {
  const { rows } = await sql<FactorSummary>`
    select exists (select 1 from totp where user_id = ${userId}) as totp, (select count(*)::integer from passkey where user_id = ${userId}) as passkeys,
      (select count(*)::integer from recovery_code where user_id = ${userId}) as "recoveryCodes"`.execute(
    on,
  );
  return rows[0] ?? { totp: false, passkeys: 0, recoveryCodes: 0 };
}

/** Removes all factors of an account, even when one is required; returns what there was. */
export async function removeAllFactors(userId: string, tx: Tx): Promise<FactorSummary> {
  const before = await summarize(userId, tx);
  await sql`delete from totp where user_id = ${userId}`.execute(tx);
  await sql`delete from totp_offer where user_id = ${userId}`.execute(tx);
  await sql`delete from passkey where user_id = ${userId}`.execute(tx);
  await sql`delete from recovery_code where user_id = ${userId}`.execute(tx);
  return before;
}

/** One-time passwords, passkeys and recovery codes behind one budget of attempts. */
export function createSecondFactors(
  db: Db,
  vault: Vault,
  settings: SettingsService,
  lockout: Lockout,
): SecondFactors {
  const totp = createTotp(db, vault);
  const passkeys = createPasskeys(db);
  // Many guesses at once would all be checked before the first failure is counted.
  const serially = createSerial();

  const isRight = async (
    account: { id: string },
    proof: Proof,
    holder: string,
  ): Promise<boolean> => {
    switch (proof.type) {
      case 'totp':
        return totp.use(account.id, proof.code);
      case 'recovery':
        return useRecoveryCode(account.id, proof.code, db);
      case 'passkey':
        return (
          proof.site !== undefined &&
          (await passkeys.finishAuthentication(holder, account.id, proof.response, proof.site)) ===
            account.id
        );
    }
  };

  return {
    totp,
    passkeys,
    summary: (userId, on = db) => summarize(userId, on),
    isDemanded: (level) => level > 0 || settings.get('SECURITY_MFA_AUTH'),
    isForced: (level) => level === 2 || settings.get('SECURITY_MFA_AUTH'),

    prove: (account, proof, holder, remoteAddress) =>
      serially(account.id, async () => {
        const minutes = lockout.minutes();
        if (
          (await lockout.isSecondBlocked(account.username)) ||
          (await lockout.isBlocked(account.username, remoteAddress))
        )
          throw new Rejected('mfa_blocked', { minutes }, { error: 'block_login' });
        if (await isRight(account, proof, holder)) return;
        await lockout.secondFailed(account.username, remoteAddress);
        throw new Rejected('mfa_failed', {}, { error: 'mfa_failed' });
      }),

    async added(userId, tx) {
      await sql`update account set mfa_level = greatest(mfa_level, 1) where id = ${userId}`.execute(
        tx,
      );
      const { recoveryCodes } = await summarize(userId, tx);
      return recoveryCodes > 0 ? {} : { recovery_codes: await makeRecoveryCodes(userId, tx) };
    },

    async removed(userId, tx) {
      // Locked first: of two who remove the last two factors at once, the second sees that it is the last.
      const { rows } = await sql<{
        mfa_level: number;
      }>`select mfa_level from account where id = ${userId} for update`.execute(tx);
      if (hasFactor(await summarize(userId, tx))) return;
      if (rows[0]?.mfa_level === 2 || settings.get('SECURITY_MFA_AUTH'))
        throw new Rejected('mfa_forced');
      await sql`update account set mfa_level = 0 where id = ${userId}`.execute(tx);
      await sql`delete from recovery_code where user_id = ${userId}`.execute(tx);
    },

    removeAll: removeAllFactors,
  };
}
