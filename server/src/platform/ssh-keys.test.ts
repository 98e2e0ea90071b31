import { expect, it } from 'vitest';
import { ssh2 } from './ssh/ssh2.ts';
import { generateSshKeyPair, isSamePublicKey } from './ssh-keys.ts';

/** The type, its length and that of the key: `ssh-ed25519` and 32 bytes (RFC 8709 §4). */
const PUBLIC_KEY_BYTES = 4 + 11 + 4 + 32;

it('every generated key pair can be read, and its halves belong together', () => {
  // One of 256 begins with a zero byte.
  for (let count = 0; count < 1_500; count++) {
    const pair = generateSshKeyPair('deploy');
    const key = ssh2.utils.parseKey(pair.private);
    if (key instanceof Error) throw key;
    expect(key.getPublicSSH().length).toBe(PUBLIC_KEY_BYTES);
    expect(isSamePublicKey(pair.public, key.getPublicSSH())).toBe(true);
  }
});
