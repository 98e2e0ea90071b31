import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id (the library's default) with the parameters that OWASP recommends: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash of a password, in the usual `$argon2id$…` writing. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

let nobody: Promise<string> | undefined;

/** Whether a password is the hashed one. Without a hash it takes as long and says no, so that timing does not tell who exists. */
export async function verifyPassword(hashed: string | null | undefined, password: string): Promise<boolean> {
  nobody ??= hashPassword(randomBytes(16).toString('hex'));
  const matches = await verify(hashed || (await nobody), password);
  return matches && Boolean(hashed);
}

/** A password nobody has thought of: 20 characters that are easy to read and to type. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  let password = '';
  // Bytes above the last whole multiple of the alphabet would favour its beginning.
  while (password.length < 20) for (const byte of randomBytes(32)) if (byte < 224 && password.length < 20) password += alphabet[byte % 56];
  return password;
}
