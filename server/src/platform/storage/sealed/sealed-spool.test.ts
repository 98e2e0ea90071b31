import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVault, directKey } from '../../crypto/vault.ts';
import { openSpool, type Spool } from '../spool.ts';
import { StorageError } from '../storage.ts';
import { sealedSpool } from './sealed-spool.ts';

const sealer = { ...createVault(directKey(randomBytes(32))).files, isOn: () => true };

let folder: string;
let plain: Spool;
let spool: Spool;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-sealed-'));
  plain = await openSpool(folder);
  spool = sealedSpool(plain, sealer);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HEAD = 'the beginning\n';
const path = () => join(folder, 'one');

/** Writes a file in appends, as a running session does. */
async function write(appends: readonly Buffer[], into = spool): Promise<void> {
  const file = await into.create('one', HEAD);
  // A recorder hands over a block that is longer than its content.
  for (const content of appends)
    await file.append(Buffer.concat([content, Buffer.from('of an earlier block')]), content.length);
  await file.close();
}

const text = async (length?: number) => (await buffer(spool.read('one', length))).toString();
const problem = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof StorageError ? error.code : String(error)),
  );

it(
  'returns what was appended, whole, its end, and any part',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 1, max: 300_000 })), { maxLength: 12 }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(400_000)), {
          maxLength: 4,
        }),
        async (lengths, parts) => {
          const appends = lengths.map((length) => randomBytes(length));
          await write(appends);
          const content = Buffer.concat([Buffer.from(HEAD), ...appends]);
          expect((await spool.stat('one')).size).toBe(content.length);
          expect((await buffer(spool.read('one'))).equals(content)).toBe(true);
          for (const [at, bytes] of parts) {
            const from = Math.round(at * content.length);
            const part = await spool.readPart('one', from, bytes);
            expect(part.equals(content.subarray(from, from + bytes))).toBe(true);
            const end = await spool.tail('one', bytes);
            expect(end.equals(content.subarray(Math.max(0, content.length - bytes)))).toBe(true);
            const beginning = await buffer(spool.read('one', from));
            expect(from === 0 || beginning.equals(content.subarray(0, from))).toBe(true);
          }
          await spool.delete('one');
        },
      ),
      runs(60),
    );
  },
  limitOf(60_000),
);

it('splits an append that is longer than a frame', async () => {
  const content = randomBytes(3_000_000);
  await write([content]);
  expect((await buffer(spool.read('one'))).subarray(HEAD.length).equals(content)).toBe(true);
});

it('keeps every complete append when the file ends anywhere', async () => {
  await write(['one\n', 'two\n'].map((line) => Buffer.from(line)));
  const bytes = await readFile(path());
  const wholes = new Set<string>();
  for (let length = bytes.length; length > 40; length--) {
    await truncate(path(), length);
    const read = await text().catch(() => 'no header');
    wholes.add(read);
    const { size } = await spool.stat('one');
    if (read !== 'no header') expect(size).toBe(read.length);
  }
  expect([...wholes]).toEqual([`${HEAD}one\ntwo\n`, `${HEAD}one\n`, HEAD, '', 'no header']);
});

it('leaves out a frame whose bytes never reached the disk', async () => {
  await write([Buffer.from('one\n'), Buffer.alloc(5_000, 'x')]);
  const bytes = await readFile(path());
  const complete = HEAD.length + 4;
  const hole = (length: number) =>
    writeFile(path(), Buffer.concat([bytes.subarray(0, -length), Buffer.alloc(length)]));
  await hole(16);
  expect((await spool.stat('one')).size).toBe(complete);
  expect(await text(complete)).toBe(`${HEAD}one\n`);
  await hole(5_020);
  expect((await spool.stat('one')).size).toBe(complete);
});

it('reports a changed, moved or removed frame instead of leaving it out', async () => {
  await write(['one\n', 'two\n', 'xyz\n'].map((line) => Buffer.from(line)));
  const bytes = await readFile(path());
  const frame = 4 + 4 + 16;
  const end = (count: number) => bytes.length - count * frame;
  const one = bytes.subarray(end(3), end(2));
  const two = bytes.subarray(end(2), end(1));
  const xyz = bytes.subarray(end(1));
  const beginning = bytes.subarray(0, end(3));
  const flipped = Buffer.from(two);
  flipped[5] = (flipped[5] ?? 0) ^ 1;
  for (const forged of [
    [one, flipped, xyz],
    [two, one, xyz],
    [one, xyz],
    [one, one, two, xyz],
  ]) {
    await writeFile(path(), Buffer.concat([beginning, ...forged]));
    expect(await problem(text())).toBe('damaged');
    expect(await problem(spool.tail('one', 100))).toBe('damaged');
  }
});

it('appends nothing after a failed append', async () => {
  let isFull = false;
  const failing = sealedSpool(
    {
      ...plain,
      async create(key, beginning) {
        const file = await plain.create(key, beginning);
        return {
          ...file,
          async append(block, length) {
            // A full disk takes a part.
            await file.append(block, isFull ? length - 3 : length);
            if (isFull) throw new StorageError('full', 'no space left');
          },
        };
      },
    },
    sealer,
  );
  const file = await failing.create('one', HEAD);
  const append = (line: string) => file.append(Buffer.from(line), line.length);
  await append('one\n');
  isFull = true;
  expect(await problem(append('two\n'))).toBe('full');
  isFull = false;
  expect(await problem(append('xyz\n'))).toBe('full');
  await file.close();
  expect(await text()).toBe(`${HEAD}one\n`);
});

it('opens plain files, and writes them while the sealer is off', async () => {
  await write([Buffer.from('one\n')], sealedSpool(plain, { ...sealer, isOn: () => false }));
  expect(await readFile(path(), 'utf8')).toBe(`${HEAD}one\n`);
  expect([await text(), await text(5), (await spool.tail('one', 4)).toString()]).toEqual([
    `${HEAD}one\n`,
    'the b',
    'one\n',
  ]);
});
