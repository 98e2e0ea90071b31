import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVault, type DataKey, directKey, type KeyRing } from './vault.ts';

const KEY = randomBytes(32);
const vault = createVault(directKey(KEY), 'national');
const before = createVault(directKey(KEY));

describe('OpenSSL of this Node', () => {
  it('returns the published vectors of SM3 (GB/T 32905) and SM4 (GB/T 32907)', () => {
    const sm3 = (text: string) => createHash('sm3').update(text).digest('hex');
    expect(sm3('abc')).toBe('66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0');
    expect(sm3('abcd'.repeat(16))).toBe(
      'debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732',
    );
    const key = Buffer.from('0123456789abcdeffedcba9876543210', 'hex');
    const block = (text: Buffer) =>
      createCipheriv('sm4-ecb', key, null).setAutoPadding(false).update(text);
    expect(block(key).toString('hex')).toBe('681edf34d206965e86b3e94f536e4246');
    let repeated: Buffer = key;
    const cipher = createCipheriv('sm4-ecb', key, null).setAutoPadding(false);
    for (let round = 0; round < 1_000_000; round++) repeated = cipher.update(repeated);
    expect(repeated.toString('hex')).toBe('595298c7c6fd271f0402f804c33d3f66');
  });

  it('computes HMAC-SM3 as RFC 2104 defines it', () => {
    const hash = (...parts: Buffer[]) => {
      const sm3 = createHash('sm3');
      for (const part of parts) sm3.update(part);
      return sm3.digest();
    };
    const key = Buffer.concat([randomBytes(32), Buffer.alloc(32)]);
    const text = randomBytes(100);
    const pad = (byte: number) => Buffer.from(key.map((one) => one ^ byte));
    expect(createHmac('sm3', key.subarray(0, 32)).update(text).digest()).toEqual(
      hash(pad(0x5c), hash(pad(0x36), text)),
    );
  });
});

it('opens any text that SM4 sealed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (plain, place) => vault.open(vault.seal(plain, place), place) === plain,
    ),
  );
});

it('rejects a text that was moved, changed, shortened, or sealed under another key', () => {
  const sealed = vault.seal('secret', 'gateway.password.1');
  expect(sealed).toMatch(/^v1\$sm4\./);
  expect(() => vault.open(sealed, 'gateway.password.2')).toThrow('moved');
  const other = createVault(directKey(randomBytes(32)), 'national');
  expect(() => other.open(sealed, 'gateway.password.1')).toThrow('another key');
  const [version, nonce = '', body = ''] = sealed.split('$');
  const changed = (text: string, at: number) => {
    const bytes = Buffer.from(text, 'base64');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString('base64');
  };
  for (let at = 0; at < Buffer.from(body, 'base64').length; at++)
    expect(() =>
      vault.open([version, nonce, changed(body, at)].join('$'), 'gateway.password.1'),
    ).toThrow();
  for (let at = 0; at < 16; at++) {
    const moved = `sm4.${changed(nonce.slice(4), at)}`;
    expect(() => vault.open([version, moved, body].join('$'), 'gateway.password.1')).toThrow();
  }
  for (const wrong of [
    'v1$sm4.$',
    'v1$sm4.AAAA$AAAA',
    `v1$${nonce.slice(4)}$${body}`,
    `v1$${nonce}`,
  ])
    expect(() => vault.open(wrong, 'gateway.password.1')).toThrow();
});

it('keeps context and nonce apart', () => {
  const sealed = vault.seal('secret', 'place');
  for (const context of ['plac', 'place\0', '', 'placee'])
    expect(() => vault.open(sealed, context)).toThrow('moved');
});

it('opens and verifies the values of the other suite in both directions', () => {
  expect(vault.open(before.seal('secret', 'place'), 'place')).toBe('secret');
  expect(before.open(vault.seal('secret', 'place'), 'place')).toBe('secret');
  const signature = vault.sign('text', 'place');
  expect(signature).toMatch(/^sm3\.[0-9a-f]{64}$/);
  for (const one of [vault, before]) {
    expect(one.isSignature(signature, 'text', 'place')).toBe(true);
    expect(one.isSignature(before.sign('text', 'place'), 'text', 'place')).toBe(true);
    for (const wrong of ['', 'sm3.', signature.slice(4), `sm3.${before.sign('text', 'place')}`])
      expect(one.isSignature(wrong, 'text', 'place')).toBe(false);
    expect(one.isSignature(signature, 'other text', 'place')).toBe(false);
    expect(one.isSignature(signature, 'text', 'other place')).toBe(false);
  }
});

it('names the data key of sealed texts and signatures', () => {
  const key: DataKey = { id: 'a1b2c3', bytes: randomBytes(32) };
  const ring: KeyRing = {
    active: () => key,
    find: (_purpose, id) => (id === key.id ? key.bytes : undefined),
  };
  const ofRing = createVault(ring, 'national');
  expect(ofRing.seal('secret', 'place')).toMatch(/^v2\$a1b2c3\$sm4\./);
  expect(ofRing.open(ofRing.seal('secret', 'place'), 'place')).toBe('secret');
  expect(ofRing.sign('text', 'place')).toMatch(/^v2\$a1b2c3\$sm3\./);
  expect(ofRing.isSignature(ofRing.sign('text', 'place'), 'text', 'place')).toBe(true);
});
