import { createPrivateKey, randomBytes, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { signEd25519 } from './ed25519.ts';

/** PKCS #8 prefix of an Ed25519 private key; the seed follows. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

test('signs like OpenSSL with passwords of 32 bytes', () => {
  for (let turn = 0; turn < 20; turn++) {
    const password = randomBytes(16).toString('hex');
    const nonce = randomBytes(32);
    const key = createPrivateKey({
      key: Buffer.concat([PKCS8, Buffer.from(password)]),
      format: 'der',
      type: 'pkcs8',
    });
    expect(signEd25519(password, nonce).toString('hex')).toBe(
      sign(null, nonce, key).toString('hex'),
    );
  }
});
