import { expect, it } from 'vitest';
import { createSm2Key } from './sm2.ts';

const KEY = Buffer.from('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8', 'hex');

it('returns the published vector of SM2 (GM/T 0003.5)', () => {
  const key = createSm2Key(KEY);
  expect(key.publicKey.toString('hex')).toBe(
    '0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020' +
      'ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13',
  );
  const nonce = 0x59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21n;
  expect(key.sign('message digest', nonce)).toBe(
    'f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3' +
      'b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa',
  );
});

it('accepts its own signatures, and rejects those of another text, key or form', () => {
  const key = createSm2Key();
  const signature = key.sign('密码 text');
  expect(key.isSignature(signature, '密码 text')).toBe(true);
  expect(key.sign('密码 text')).not.toBe(signature);
  expect(key.isSignature(signature, 'text')).toBe(false);
  expect(createSm2Key().isSignature(signature, '密码 text')).toBe(false);
  const order = 'fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123';
  for (const wrong of ['', `${signature}00`, '0'.repeat(128), order + signature.slice(64)])
    expect(key.isSignature(wrong, '密码 text')).toBe(false);
});

it('rejects a private key out of range', () => {
  for (const byte of [0, 255]) expect(() => createSm2Key(Buffer.alloc(32, byte))).toThrow('range');
});
