import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { verifyEvidence } from './evidence/evidence.mjs';
import { isSm2Signature, Sm3 } from './evidence/national.mjs';
import { Sha256 } from './evidence/page/sha256.mjs';
import { chinese } from './evidence/page/words.mjs';

const SCRIPTS = join(import.meta.dirname, 'evidence');
const VECTORS = resolve(import.meta.dirname, '../docs/evidence-vectors');
const vectors = JSON.parse(readFileSync(join(VECTORS, 'vectors.json'), 'utf8'));
const STATUS = { proven: 0, unreadable: 1, changed: 2, partly: 3 };

it.each(vectors)('says of $file: $verdict, $says', async ({ file, verdict, says }) => {
  const words = [
    join(SCRIPTS, 'verify.mjs'),
    join(VECTORS, file),
    `--ca=${join(VECTORS, 'ca.pem')}`,
  ];
  const {
    code = 0,
    stdout,
    stderr,
  } = await promisify(execFile)(process.execPath, words, {
    env: {},
  }).catch((error) => error);
  expect(stdout + stderr).toContain(says);
  expect(code).toBe(STATUS[verdict]);
});

it.each(vectors)('says the same of $file with the code of the page', async (vector) => {
  const bytes = new Uint8Array(readFileSync(join(VECTORS, vector.file)));
  const source = {
    size: bytes.length,
    read: async (from, to) => bytes.slice(from, to),
    createHash: () => new Sha256(),
  };
  const pem = readFileSync(join(VECTORS, 'ca.pem'), 'utf8');
  const { verdict, findings } = await verifyEvidence(source, pem).catch((error) => ({
    verdict: 'unreadable',
    findings: [{ english: error.message }],
  }));
  expect(verdict).toBe(vector.verdict);
  if (verdict !== 'proven') expect(findings.map(({ english }) => english)).toContain(vector.says);
});

it('computes SHA-256 of pieces of any length', () => {
  // FIPS 180-4, and a million letters in pieces that do not fit its blocks.
  expect(new Sha256().digest()).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  const sum = new Sha256();
  for (let left = 1_000_000; left > 0; left -= 317)
    sum.update(new Uint8Array(Math.min(left, 317)).fill('a'.charCodeAt(0)));
  expect(sum.digest()).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
});

it('computes SM3 of pieces of any length, and verifies the published vector of SM2', () => {
  // GB/T 32905, GM/T 0003.5, and lengths around the blocks, compared with OpenSSL.
  expect(new Sm3().update(Buffer.from('abc')).digest()).toBe(
    '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0',
  );
  for (const length of [0, 55, 56, 63, 64, 65, 10_000]) {
    const bytes = Buffer.alloc(length, length % 251);
    const sum = new Sm3();
    for (let from = 0; from < length; from += 37) sum.update(bytes.subarray(from, from + 37));
    expect(sum.digest()).toBe(createHash('sm3').update(bytes).digest('hex'));
  }
  const key =
    '0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13';
  const signature =
    'f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa';
  expect(isSm2Signature(key, 'message digest', signature)).toBe(true);
  expect(isSm2Signature(key, 'another text', signature)).toBe(false);
  for (const wrong of ['', '0'.repeat(128), 'f'.repeat(128)])
    expect(isSm2Signature(key, 'message digest', wrong)).toBe(false);
  expect(isSm2Signature(`${key.slice(0, -1)}4`, 'message digest', signature)).toBe(false);
});

it('has Chinese for each sentence of the verifier', () => {
  const sentences = readdirSync(SCRIPTS)
    .filter((name) => /^(archive|evidence|national|timestamp)\.mjs$/.test(name))
    .flatMap((name) => {
      const code = readFileSync(join(SCRIPTS, name), 'utf8');
      const templates = code.matchAll(/(?:report\.\w+|failure)`([^`]+)`|new Error\('([^']+)'\)/g);
      return [...templates].map(([, text, plain]) =>
        plain === undefined ? text.replace(/\$\{[^}]+\}/g, '{}') : plain,
      );
    });
  expect(sentences.length).toBeGreaterThan(40);
  expect(sentences.filter((text) => !(text in chinese))).toEqual([]);
  for (const [text, translation] of Object.entries(chinese)) {
    const count = text.split('{}').length - 1;
    const places = [...translation.matchAll(/\{(\d)\}/g)].map(([, digit]) => Number(digit));
    expect(places.sort(), text).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  }
});
