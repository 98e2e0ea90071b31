import { createHash, randomInt } from 'node:crypto';
import type { MfaEnrolled, SecondFactor } from '@sallyport/contract';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Rejected } from '../../../platform/errors.ts';
import { createSerial } from '../../../platform/gate.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Lockout } from '../sign-in/lockout.ts';
import { createPasskeys, type Passkeys, type Site } from './passkeys.ts';
import { createTotp, type Totp } from './totp.ts';

const COUNT = 10;
const GROUPS = 4;
/** 31 letters and digits that do not look alike: 79 bits per code. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

const newCode = () =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** A random code needs no slow hash. The account id keeps equal codes of two users apart. */
const digestOf = (userId: string, code: string) =>
  createHash('sha256')
    .update(`${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
    .digest();

/** Creates recovery codes for an account and invalidates older ones. The caller shows them once. */
export async function makeRecoveryCodes(userId: string, tx: Tx): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await sql`delete from recovery_code where user_id = ${userId}`.execute(tx);
  const rows = codes.map((code) => sql`(${userId}::uuid, ${digestOf(userId, code)}::bytea)`);
  await sql`insert into recovery_code (user_id, digest) values ${sql.join(rows)}`.execute(tx);
  return codes;
}

/** Consumes a code; returns false if it is unknown or used. */
async function useRecoveryCode(userId: string, code: string, db: Db): Promise<boolean> {
  const { rows } = await sql`
    delete from recovery_code
    where user_id = ${userId} and digest = ${digestOf(userId, code)} returning 1`.execute(db);
  return rows.length > 0;
}

/** Second factors of an account. */
export interface FactorSummary {
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

/** Proof of a second factor as sent by the client. */
export interface Proof {
  readonly type: SecondFactor;
  readonly code: string;
  readonly response: unknown;
  /** For passkeys: the site of the page. */
  readonly site: Site | undefined;
}

export interface SecondFactors {
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  summary(userId: string, on?: Db | Tx): Promise<FactorSummary>;
  /** Returns true if the account's level or the setting for all users requires a second factor. */
  isDemanded(level: number): boolean;
  isForced(level: number): boolean;
  /**
   * Checks a proof within the attempt limit.
   * @throws AppError mfa_failed, mfa_blocked
   */
  prove(
    account: { readonly id: string; readonly username: string },
    proof: Proof,
    holder: string,
    remoteAddress: string,
  ): Promise<void>;
  /**
   * Call after adding a factor: requires it from now on, and creates recovery codes with the first
   * one.
   */
  added(userId: string, tx: Tx): Promise<MfaEnrolled>;
  /**
   * Call after removing a factor: without any, it lifts the requirement and deletes recovery codes.
   * @throws AppError mfa_forced if the last factor must stay
   */
  removed(userId: string, tx: Tx): Promise<void>;
  /** Removes all factors, even required ones; returns the removed ones. */
  removeAll(userId: string, tx: Tx): Promise<FactorSummary>;
}

/**
 * Returns true if a second factor is set up. Recovery codes do not count: they replace a factor.
 */
export const hasFactor = (summary: FactorSummary) => summary.totp || summary.passkeys > 0;

/** Returns the usable factors in the order to offer. */
export function factorsOf(summary: FactorSummary): SecondFactor[] {
  if (!hasFactor(summary)) return [];
  return [
    ...(summary.passkeys > 0 ? (['passkey'] as const) : []),
    ...(summary.totp ? (['totp'] as const) : []),
    ...(summary.recoveryCodes > 0 ? (['recovery'] as const) : []),
  ];
}

/** Columns of the {@link FactorSummary} of account `a`. */
export const FACTOR_COLUMNS = sql`
  exists (select 1 from totp where user_id = a.id) as totp,
  (select count(*)::integer from passkey where user_id = a.id) as passkeys,
  (select count(*)::integer from recovery_code where user_id = a.id) as "recoveryCodes"`;

/** Returns the factors of an account as the transaction sees them. */
async function summarize(userId: string, on: Db | Tx): Promise<FactorSummary> {
  const { rows } = await sql<FactorSummary>`
    select ${FACTOR_COLUMNS} from account a where a.id = ${userId}`.execute(on);
  return rows[0] ?? { totp: false, passkeys: 0, recoveryCodes: 0 };
}

/** Returns true if an account has an authenticator, which proves nothing without the password. */
export const hasAuthenticator = async (userId: string, tx: Tx): Promise<boolean> =>
  (await summarize(userId, tx)).totp;

/** Deletes the passkeys of an account. Each of them signs in without the password. */
export async function removePasskeys(userId: string, tx: Tx): Promise<void> {
  await sql`delete from passkey where user_id = ${userId}`.execute(tx);
}

/** Removes all factors of an account, even required ones; returns the removed ones. */
export async function removeAllFactors(userId: string, tx: Tx): Promise<FactorSummary> {
  const before = await summarize(userId, tx);
  await sql`delete from totp where user_id = ${userId}`.execute(tx);
  await sql`delete from totp_offer where user_id = ${userId}`.execute(tx);
  await removePasskeys(userId, tx);
  await sql`delete from recovery_code where user_id = ${userId}`.execute(tx);
  return before;
}

/**
 * Creates the second factors: one-time passwords, passkeys and recovery codes under one attempt
 * limit.
 */
export function createSecondFactors(
  db: Db,
  vault: Vault,
  settings: SettingsService,
  lockout: Lockout,
): SecondFactors {
  const totp = createTotp(db, vault);
  const passkeys = createPasskeys(db);
  // Serialize checks per account: parallel guesses would all pass the limit before the first
  // failure counts.
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
          (await lockout.isNameLocked(account.username, remoteAddress))
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
      // Lock first: of two parallel removals, the second sees that it removes the last factor.
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
