import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Client } from './client.ts';

/** Returns the code of a secret, now or some steps of 30 seconds away. */
export function codeOf(secret: string, steps = 0): string {
  return TOTP.generate({
    secret: Secret.fromBase32(secret),
    timestamp: Date.now() + steps * 30_000,
  });
}

/** Number of the current step of 30 seconds. */
const currentStep = () => Math.floor(Date.now() / 30_000);

/** Returns a code that is invalid now and nearby. */
export function wrongCode(secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555'].find(
      (code) => !right.includes(code),
    ) ?? '999999'
  );
}

/** Sets up an authenticator for a signed-in user. This uses up the code of the previous step. */
export async function enrolTotp(
  client: Client,
  password: string,
): Promise<{ secret: string; recoveryCodes: readonly string[] }> {
  const begun = await client.post<{ secret: string }>('authentication/mfa/totp/begin/', {
    password,
  });
  if (begun.status !== 200)
    throw new Error(`showing a secret answered ${begun.status} ${begun.text}`);
  const { secret } = begun.body;
  const confirm = async () => {
    const step = currentStep();
    const answer = await client.post<{ recovery_codes?: string[] }>(
      'authentication/mfa/totp/confirm/',
      { code: codeOf(secret, -1) },
    );
    return { answer, isOld: currentStep() !== step };
  };
  const first = await confirm();
  // If the clock moved on meanwhile, the code was two steps old.
  const confirmed =
    first.answer.status !== 200 && first.isOld ? (await confirm()).answer : first.answer;
  if (confirmed.status !== 200)
    throw new Error(`confirming it answered ${confirmed.status} ${confirmed.text}`);
  return { secret, recoveryCodes: confirmed.body.recovery_codes ?? [] };
}

/** Gives an account an authenticator that no test reads; `recoveryCodeFor` proves the factor. */
export async function buildFactor(db: Db, userId: string): Promise<void> {
  await sql`insert into totp (user_id, secret) values (${userId}, 'sealed')`.execute(db);
}

/** Adds a recovery code to an account and returns it. */
export async function recoveryCodeFor(username: string, db: Db): Promise<string> {
  const code = randomBytes(8).toString('hex');
  await sql`insert into recovery_code (user_id, digest)
    select id, sha256(convert_to(id || ' ' || ${code}, 'UTF8')) from account
    where username = ${username}`.execute(db);
  return code;
}

/** Makes used codes valid again, so tests need not wait. */
export async function forgetUsedCodes(db: Db, userId: string): Promise<void> {
  await sql`update totp set last_step = 0 where user_id = ${userId}`.execute(db);
}
