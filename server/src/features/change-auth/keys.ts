import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { generateSshKeyPair } from '../../platform/ssh-keys.ts';

const RSA_BITS = 3_072;

/**
 * A new private key without a passphrase. `isOld`: RSA, for servers that know nothing newer;
 * Ed25519 otherwise.
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
