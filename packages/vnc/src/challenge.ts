import { createCipheriv } from 'node:crypto';

/**
 * VNC authentication (RFC 6143, section 7.2.2): encrypts the 16-byte challenge with DES, keyed by
 * the first eight bytes of the password.
 */
export function answerChallenge(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password, 'latin1').copy(key, 0, 0, 8);
  // VNC uses the bits of each key byte in reverse order.
  for (const [index, byte] of key.entries()) key[index] = mirrored(byte);
  // Triple DES with one repeated key equals single DES, which OpenSSL no longer offers.
  const cipher = createCipheriv(
    'des-ede3-ecb',
    Buffer.concat([key, key, key]),
    null,
  ).setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

function mirrored(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) result |= 0x80 >> bit;
  return result;
}
