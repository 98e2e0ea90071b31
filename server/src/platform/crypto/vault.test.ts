import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createVault, directKey } from './vault.ts';

const vault = createVault(directKey(randomBytes(32)));

it('opens any sealed text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      (plain, place) => vault.open(vault.seal(plain, place), place) === plain,
    ),
  );
});

it('rejects a sealed text that was moved, changed, or sealed under another key', () => {
  const sealed = vault.seal('secret', 'gateway.password.1');
  expect(() => vault.open(sealed, 'gateway.password.2')).toThrow();
  expect(() =>
    createVault(directKey(randomBytes(32))).open(sealed, 'gateway.password.1'),
  ).toThrow();
  const [version, nonce, body = ''] = sealed.split('$');
  const bytes = Buffer.from(body, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() =>
      vault.open([version, nonce, changed.toString('base64')].join('$'), 'gateway.password.1'),
    ).toThrow();
  }
  for (const wrong of ['', 'secret', 'v0$a$b', 'v1', 'v1$$'])
    expect(() => vault.open(wrong, 'gateway.password.1')).toThrow();
});

it('rejects a sealed text with a shorter tag', () => {
  const key = randomBytes(32);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 4 }).setAAD(
    Buffer.from('place'),
  );
  cipher.final();
  // With nothing sealed, the text consists of the tag alone.
  const sealed = ['v1', nonce.toString('base64'), cipher.getAuthTag().toString('base64')].join('$');
  expect(() => createVault(directKey(key)).open(sealed, 'place')).toThrow('too short');
});
