import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** Django's format: algorithm, iterations, salt and digest. Imported accounts have it at first. */
const FORMAT = /^pbkdf2_sha256\$([1-9]\d{0,6})\$([^$]{1,64})\$([A-Za-z0-9+/]{43}=)$/;
const DIGEST_BYTES = 32;
/** Django's newest release uses 1,200,000. More would occupy a thread for seconds. */
export const MAX_ITERATIONS = 2_000_000;

interface ImportedHash {
  readonly iterations: number;
  readonly salt: string;
  readonly digest: Buffer;
}

function parse(hashed: string): ImportedHash | undefined {
  const [, iterations, salt = '', digest = ''] = FORMAT.exec(hashed) ?? [];
  if (iterations === undefined || Number(iterations) > MAX_ITERATIONS) return undefined;
  return { iterations: Number(iterations), salt, digest: Buffer.from(digest, 'base64') };
}

/** Returns true for a hash that `matchesImported` can check. */
export const isImportedHash = (hashed: string | null | undefined): hashed is string =>
  Boolean(hashed) && parse(hashed ?? '') !== undefined;

/** Returns true if a password matches an imported hash. */
export async function matchesImported(hashed: string, password: string): Promise<boolean> {
  const known = parse(hashed);
  if (!known) return false;
  const { salt, iterations, digest } = known;
  return timingSafeEqual(await derive(password, salt, iterations, DIGEST_BYTES, 'sha256'), digest);
}

/** Takes the time of a check of an imported hash, and has no result. */
export async function pretendImported(iterations: number): Promise<void> {
  await derive('', 'salt', Math.min(iterations, MAX_ITERATIONS), DIGEST_BYTES, 'sha256');
}
