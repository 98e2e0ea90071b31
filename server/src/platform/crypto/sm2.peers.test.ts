import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import peers from '../../../../scripts/peers.json' with { type: 'json' };
import { requirePeers } from '../../testing/peers.ts';
import { createSm2Key } from './sm2.ts';

requirePeers('openssl');

const folder = mkdtempSync(join(tmpdir(), 'sallyport-sm2-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const HOW = ['-rawin', '-digest', 'sm3', '-pkeyopt', 'distid:1234567812345678'];
const TEXT = 'the end of 审计日志';
const openssl = (...words: string[]) => execFileSync(peers.openssl, words, { stdio: 'pipe' });

/** Writes two numbers as a sequence in DER. */
function derOf(signature: string): Buffer {
  const numbers = [signature.slice(0, 64), signature.slice(64)].map((digits) => {
    const bytes = Buffer.from(digits.replace(/^(00)+/, ''), 'hex');
    const signed = (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
    return Buffer.concat([Buffer.from([2, signed.length]), signed]);
  });
  const content = Buffer.concat(numbers);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

it('signs what the openssl command verifies', () => {
  const key = createSm2Key();
  const head = '3059301306072a8648ce3d020106082a811ccf5501822d034200';
  writeFileSync(at('public.der'), Buffer.concat([Buffer.from(head, 'hex'), key.publicKey]));
  const verify = (text: string) => {
    writeFileSync(at('text'), text);
    return openssl(
      'pkeyutl',
      '-verify',
      ...HOW,
      '-pubin',
      '-keyform',
      'DER',
      '-inkey',
      at('public.der'),
      '-in',
      at('text'),
      '-sigfile',
      at('signature'),
    );
  };
  for (let round = 0; round < 8; round++) {
    writeFileSync(at('signature'), derOf(key.sign(TEXT)));
    expect(verify(TEXT).toString()).toContain('Signature Verified Successfully');
  }
  expect(() => verify('another text')).toThrow();
});

it('verifies signatures of the openssl command', () => {
  openssl('genpkey', '-algorithm', 'SM2', '-out', at('key.pem'));
  const text = openssl('pkey', '-in', at('key.pem'), '-noout', '-text').toString();
  const digits = /priv:\s+([0-9a-f:\s]+)pub:/.exec(text)?.[1]?.replaceAll(/[:\s]/g, '') ?? '';
  const key = createSm2Key(Buffer.from(digits.padStart(64, '0').slice(-64), 'hex'));
  writeFileSync(at('text'), TEXT);
  for (let round = 0; round < 8; round++) {
    const der = openssl('pkeyutl', '-sign', ...HOW, '-inkey', at('key.pem'), '-in', at('text'));
    const length = der[3] ?? 0;
    const numbers = [der.subarray(4, 4 + length), der.subarray(6 + length)];
    const signature = numbers
      .map((one) => one.toString('hex').padStart(64, '0').slice(-64))
      .join('');
    expect(key.isSignature(signature, TEXT)).toBe(true);
    expect(key.isSignature(signature, 'another text')).toBe(false);
  }
});
