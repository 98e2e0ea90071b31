import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Unavailable } from '../errors.ts';
import { createGate } from '../gate.ts';

/** Argon2id (the library's default) with the parameters that OWASP recommends: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Checks at once: each takes a thread of libuv's pool of four, which files and name look-ups need as well. */
const PARALLEL = 2;
/** Checks that may wait, a second's worth; more are refused at once, before they cost anything. */
export const MAX_WAITING_CHECKS = 64;
const checks = createGate(PARALLEL);
/** Those who set passwords are signed in already; a file of new accounts takes one thread, and as long as it takes. */
const settings = createGate(1);

/** The hash of a password, in the usual `$argon2id$…` writing. */
export async function hashPassword(password: string): Promise<string> {
  const leave = await settings.enter();
  try {
    return await hash(password, OPTIONS);
  } finally {
    leave();
  }
}

let nobody: Promise<string> | undefined;

/**
 * Whether a password is the hashed one. Without a hash it takes as long and says no, so that timing does not reveal who exists.
 * @throws Unavailable when too many passwords are being checked
 */
export async function verifyPassword(
  hashed: string | null | undefined,
  password: string,
): Promise<boolean> {
  nobody ??= hash(randomBytes(16).toString('hex'), OPTIONS);
  const against = hashed || (await nobody);
  const leave = await checks.enterUnlessFull(MAX_WAITING_CHECKS);
  if (!leave) throw new Unavailable('busy');
  try {
    return (await verify(against, password)) && Boolean(hashed);
  } finally {
    leave();
  }
}

/** A random password: letters and digits that are easy to read and to type, at least one of each kind. */
export function randomPassword(length = 20): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  let password = '';
  while (![/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(password))) {
    password = '';
    // Bytes above the last whole multiple of the alphabet would favour its beginning.
    while (password.length < length)
      for (const byte of randomBytes(32))
        if (byte < 224 && password.length < length) password += alphabet[byte % 56];
  }
  return password;
}
