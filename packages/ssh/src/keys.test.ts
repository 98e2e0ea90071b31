import { expect, it } from 'vitest';
import { generateSshKeyPair, parseKey } from './keys.ts';

/**
 * Length and text of the type, length and bytes of the key: `ssh-ed25519` and 32 bytes (RFC 8709
 * §4).
 */
const PUBLIC_KEY_BYTES = 4 + 11 + 4 + 32;

it('generates readable key pairs with matching halves', () => {
  // One in 256 keys begins with a zero byte.
  for (let count = 0; count < 1_500; count++) {
    const pair = generateSshKeyPair('deploy');
    const key = parseKey(pair.private);
    if (key instanceof Error) throw key;
    expect(key.getPublicSSH().length).toBe(PUBLIC_KEY_BYTES);
    const [, body = ''] = pair.public.split(' ');
    expect(Buffer.from(body, 'base64').equals(key.getPublicSSH())).toBe(true);
  }
});
