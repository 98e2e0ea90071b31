import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import peers from '../../../../scripts/peers.json' with { type: 'json' };
import { requirePeers } from '../../testing/peers.ts';
import { encryptSm4 } from './national.ts';

requirePeers('openssl');

const openssl = (words: readonly string[], input: Buffer = Buffer.alloc(0)): Buffer =>
  execFileSync(peers.openssl, words, { input });

it('seals values that the openssl command derives the keys of, authenticates and opens', () => {
  const key = randomBytes(32);
  const [nonce = '', sealed = ''] = encryptSm4(key, '密码 secret', 'gateway.password.1')
    .slice('sm4.'.length)
    .split('$');
  const iv = Buffer.from(nonce, 'base64');
  const bytes = Buffer.from(sealed, 'base64');
  const [body, code] = [bytes.subarray(0, -32), bytes.subarray(-32)];
  const hkdf = ['-kdfopt', 'digest:SM3', '-kdfopt', `hexkey:${key.toString('hex')}`];
  const keys = openssl([
    'kdf',
    '-binary',
    '-keylen',
    '48',
    ...hkdf,
    '-kdfopt',
    'info:sallyport sm4',
    'HKDF',
  ]).toString('hex');
  const place = Buffer.from('gateway.password.1');
  const length = Buffer.from([0, 0, 0, place.length]);
  const mac = ['-mac', 'HMAC', '-macopt', `hexkey:${keys.slice(32)}`];
  expect(
    openssl(['dgst', '-sm3', ...mac, '-binary'], Buffer.concat([length, place, iv, body])),
  ).toEqual(code);
  expect(
    openssl(
      ['enc', '-d', '-sm4-cbc', '-K', keys.slice(0, 32), '-iv', iv.toString('hex')],
      body,
    ).toString('utf8'),
  ).toBe('密码 secret');
});
