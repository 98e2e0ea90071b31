import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Db } from '../platform/db/database.ts';
import type { Client } from './client.ts';

/** The code of a secret now, or some steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return TOTP.generate({
    secret: Secret.fromBase32(secret),
    timestamp: Date.now() + steps * 30_000,
  });
}

/** The number of the step of 30 seconds that the clock is in. */
const currentStep = () => Math.floor(Date.now() / 30_000);

/** A code that is not the secret's, now or nearby. */
export function wrongCode(secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555'].find(
      (code) => !right.includes(code),
    ) ?? '999999'
  );
}

/** Sets up an authenticator for a signed-in user. The code of the step before is used up by it. */
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
  // When the clock went on to the next step meanwhile, the code was two steps old.
  const confirmed =
    first.answer.status !== 200 && first.isOld ? (await confirm()).answer : first.answer;
  if (confirmed.status !== 200)
    throw new Error(`confirming it answered ${confirmed.status} ${confirmed.text}`);
  return { secret, recoveryCodes: confirmed.body.recovery_codes ?? [] };
}

/** Lets codes that were used be used again: tests do not wait for the clock. */
export async function forgetUsedCodes(db: Db, userId: string): Promise<void> {
  await sql`update totp set last_step = 0 where user_id = ${userId}`.execute(db);
}
