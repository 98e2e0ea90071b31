import { hash } from '@node-rs/argon2';

const hashes = new Map<string, Promise<string>>();

/** The hash of a password with the weakest parameters. A sign-in takes them from the hash: 50 milliseconds of a processor less. */
export function cheapHash(password: string): Promise<string> {
  const known =
    hashes.get(password) ?? hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  hashes.set(password, known);
  return known;
}
