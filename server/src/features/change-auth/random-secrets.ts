import { generateKeyPair, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { generateSshKeyPair } from '@sallyport/ssh';

/**
 * A password has a character of each kind, which satisfies password rules. No character is special
 * in a shell or a quote, separates fields, or looks like another one.
 */
const KINDS = [
  'abcdefghijkmnopqrstuvwxyz',
  'ABCDEFGHJKLMNPQRSTUVWXYZ',
  '23456789',
  '-_.=+@%',
] as const;
const ALL = KINDS.join('');

const one = (characters: string) => characters.charAt(randomInt(characters.length));

/** Generates a random password of this length that starts with a letter. */
export function randomPassword(length: number): string {
  const rest = [
    ...KINDS.map(one),
    ...Array.from({ length: Math.max(0, length - KINDS.length - 1) }, () => one(ALL)),
  ];
  // Fisher–Yates shuffle.
  for (let index = rest.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [rest[index], rest[other]] = [rest[other] ?? '', rest[index] ?? ''];
  }
  return one(KINDS[0]) + rest.join('');
}

const RSA_BITS = 3_072;

/**
 * Generates a private key without a passphrase: RSA if `isOld`, for servers with old SSH; otherwise
 * Ed25519.
 */
export async function randomKey(comment: string, isOld: boolean): Promise<string> {
  if (!isOld) return generateSshKeyPair(comment).private;
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return privateKey;
}
