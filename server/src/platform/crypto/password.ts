import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Unavailable } from '../errors.ts';
import { createGate } from '../gate.ts';
import { isImportedHash, matchesImported, pretendImported } from './imported-hash.ts';

/** Argon2id (the library's default) with parameters recommended by OWASP: 19 MiB, two passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Maximum parallel checks. Each blocks one of libuv's four threads, which files and DNS lookups
 * need too.
 */
const PARALLEL = 2;
/** Maximum waiting checks, about a second's worth. More are rejected before they cost any time. */
export const MAX_WAITING_CHECKS = 64;
const checks = createGate(PARALLEL);
/** New passwords use a single thread: a large import must not delay sign-ins. */
const settings = createGate(1);

/** Hashes a password in the `$argon2id$…` format. */
export async function hashPassword(password: string): Promise<string> {
  const leave = await settings.enter();
  try {
    return await hash(password, OPTIONS);
  } finally {
    leave();
  }
}

let dummyHash: Promise<string> | undefined;

/** @throws Unavailable if too many checks wait */
async function check<T>(work: () => Promise<T>): Promise<T> {
  const leave = await checks.enterUnlessFull(MAX_WAITING_CHECKS);
  if (!leave) throw new Unavailable('busy');
  try {
    return await work();
  } finally {
    leave();
  }
}

/**
 * Returns true if the password matches the hash. Without a hash it takes the same time and returns
 * false, so timing does not reveal which accounts exist. An imported hash takes longer; see
 * `ImportedPasswords`.
 * @throws Unavailable if too many checks wait
 */
export async function verifyPassword(
  hashed: string | null | undefined,
  password: string,
): Promise<boolean> {
  dummyHash ??= hash(randomBytes(16).toString('hex'), OPTIONS).catch((error: unknown) => {
    // The next check tries again: the server may lack memory only now.
    dummyHash = undefined;
    throw error;
  });
  const dummy = await dummyHash;
  return check(async () => {
    if (isImportedHash(hashed) && (await matchesImported(hashed, password))) return true;
    const own = isImportedHash(hashed) ? undefined : hashed;
    return (await verify(own || dummy, password)) && Boolean(own);
  });
}

/** Takes the time that the check of an imported hash adds. @throws Unavailable */
export const pretendToVerifyImported = (iterations: number): Promise<void> =>
  check(() => pretendImported(iterations));

/**
 * Generates a password of letters and digits that are easy to read and type, at least one of each
 * kind.
 */
export function randomPassword(length = 20): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  let password = '';
  while (![/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(password))) {
    password = '';
    // Skip bytes from 224: a modulo would prefer the beginning of the alphabet.
    while (password.length < length)
      for (const byte of randomBytes(32))
        if (byte < 224 && password.length < length) password += alphabet[byte % 56];
  }
  return password;
}
