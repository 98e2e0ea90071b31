import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import * as declared from './evidence/declared.mjs';
import { verifyEvidence } from './evidence/evidence.mjs';
import * as national from './evidence/national.mjs';
import { Sha256 } from './evidence/page/sha256.mjs';
import { translate } from './evidence/page/translate.mjs';
import { chinese } from './evidence/page/words.mjs';

const SCRIPTS = join(import.meta.dirname, 'evidence');
const VECTORS = resolve(import.meta.dirname, '../docs/evidence-vectors');
const { isSm2Signature, Sm3 } = national;
/** The verifier without the files for SM3 and SM2, and for declared rows. */
const PLAIN = ['verify.mjs', 'evidence.mjs', 'archive.mjs', 'timestamp.mjs'];
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
    national,
    declared,
  };
  const pem = readFileSync(join(VECTORS, 'ca.pem'), 'utf8');
  const { verdict, findings } = await verifyEvidence(source, pem).catch((error) => ({
    verdict: 'unreadable',
    findings: [{ sentence: error.message }],
  }));
  expect(verdict).toBe(vector.verdict);
  if (verdict !== 'proven') expect(findings.map((one) => one.sentence)).toContain(vector.says);
});

it('has at most 500 lines of code that prove evidence without SM3, SM2 and declared rows', () => {
  const lines = PLAIN.flatMap((name) => readFileSync(join(SCRIPTS, name), 'utf8').split('\n'));
  const isCode = (line) => !/^\s*(\/\/|\/?\*|$)/.test(line);
  expect(lines.filter(isCode).length).toBeLessThanOrEqual(500);
});

it.each([
  ['session.tar', 'Everything is proven.', 0],
  ['signed.tar', 'NOT PROVEN: SM2 was not verified: national.mjs is missing', 3],
  ['sm3-rows.tar', 'NOT PROVEN: login_log: SM3 was not compared: national.mjs is missing', 3],
  [
    'declared-rows.tar',
    'The evidence cannot be verified: the format is unknown, or declared.mjs is missing',
    1,
  ],
])('says of %s with the four files only: %s', async (file, says, status) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-verifier-'));
  try {
    for (const name of PLAIN) copyFileSync(join(SCRIPTS, name), join(folder, name));
    const words = [join(folder, 'verify.mjs'), join(VECTORS, file), `--ca=${VECTORS}/ca.pem`];
    const result = await promisify(execFile)(process.execPath, words, { env: {} }).catch(
      (error) => error,
    );
    expect(result.stdout + result.stderr).toContain(says);
    expect(result.code ?? 0).toBe(status);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const verify = (...args) =>
  promisify(execFile)(process.execPath, [join(SCRIPTS, 'verify.mjs'), ...args], { env: {} }).then(
    (result) => ({ code: 0, ...result }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

it('reports unverified signatures and matching digests without a CA', async () => {
  const { code, stdout, stderr } = await verify(join(VECTORS, 'period.tar'));
  expect([code, stderr]).toEqual([3, '']);
  expect(stdout.split('\n')).toEqual([
    'Period from 2026-11-20T08:00:00.000Z to 2026-11-20T10:00:00.000Z',
    'NOT PROVEN: without --ca=CA.pem no signature of the witness was verified',
    'rows, files and recordings match their digests',
    'Unchanged as far as a witness proves it.',
    '',
  ]);
  for (const { file, verdict } of vectors.filter((one) => one.verdict === 'proven'))
    expect([verdict, (await verify(join(VECTORS, file))).code]).toEqual(['proven', 3]);
  const changed = await verify(join(VECTORS, 'changed-command.tar'));
  expect(changed.code).toBe(2);
  expect(changed.stdout).toContain('NOT PROVEN: without --ca=CA.pem');
  expect(changed.stdout).toContain(': command 2 was changed');
  expect(changed.stdout).not.toContain('match their digests');
});

it('says which file or option is wrong', async () => {
  const [file, ca] = [join(VECTORS, 'session.tar'), join(VECTORS, 'ca.pem')];
  expect((await verify(`--ca=${ca}`, file)).code).toBe(0);
  expect((await verify(file, '--ca', ca)).code).toBe(0);
  const wrong = [
    [[], 'Usage: node verify.mjs FILE --ca=CA.pem'],
    [[file, '--cert=x.pem'], "Unknown option '--cert'"],
    [[file, '--ca=none.pem'], "no such file or directory, open 'none.pem'"],
    [[file, `--ca=${file}`], 'the CA file has no certificate'],
    [['none.tar', `--ca=${ca}`], "no such file or directory, open 'none.tar'"],
  ];
  for (const [args, says] of wrong) {
    const result = await verify(...args);
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(says) });
    expect(result.stderr).toMatch(/^The evidence cannot be verified: /);
  }
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
    .filter((name) => /^(archive|declared|evidence|national|timestamp)\.mjs$/.test(name))
    .flatMap((name) => {
      const code = readFileSync(join(SCRIPTS, name), 'utf8');
      const templates = code.matchAll(
        /(?:report\.\w+|new Error)\(\s*[`']([^`]+?)[`'],?\s*\)|assert\([^;]+?,\s*'([^']+)',?\s*\);/g,
      );
      return [...templates].map(([, text, plain]) => (text ?? plain).replace(/\$\{[^}]+\}/g, '{}'));
    });
  expect(sentences.length).toBeGreaterThan(40);
  expect(sentences.filter((text) => !(text in chinese))).toEqual([]);
  for (const [text, translation] of Object.entries(chinese)) {
    const count = text.split('{}').length - 1;
    const places = [...translation.matchAll(/\{(\d)\}/g)].map(([, digit]) => Number(digit));
    expect(places.sort(), text).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  }
});

it('translates sentences with their values, also inside of other sentences', () => {
  expect(translate('witness 3: its signature is wrong')).toBe('见证 3：签名错误');
  expect(translate('login_log: row 5 has another SM3 digest than witness 4')).toBe(
    'login_log：第 5 行的 SM3 摘要与见证 4 不符',
  );
  expect(translate('session 7: its recording is missing')).toBe('会话 7：缺少录像');
  expect(translate('a/b is missing')).toBe('缺少 a/b');
  expect(translate('another sentence')).toBe('another sentence');
});
