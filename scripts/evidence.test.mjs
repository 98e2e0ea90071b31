import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { verifyEvidence } from './evidence/evidence.mjs';
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

it('has Chinese for each sentence of the verifier', () => {
  const sentences = readdirSync(SCRIPTS)
    .filter((name) => /^(archive|evidence|timestamp)\.mjs$/.test(name))
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
