import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVault } from '../../crypto/vault.ts';
import { openLocalStorage } from '../local-storage.ts';
import { type ByteRange, type Storage, StorageError } from '../storage.ts';
import { describeStorage } from '../testing/storage-contract.ts';
import { CHUNK, type FileSealer, TAG } from './format.ts';
import { sealedStorage } from './sealed-storage.ts';

const keyRing = () => {
  const key = { id: randomBytes(6).toString('hex'), bytes: randomBytes(32) };
  return {
    active: () => key,
    find: (_purpose: string, id: string) => (id === key.id ? key.bytes : undefined),
  };
};
const { files } = createVault(keyRing());
const sealer: FileSealer = { ...files, isOn: () => true };

describeStorage('a folder with sealed objects', async () => {
  const own = await mkdtemp(join(tmpdir(), 'sallyport-sealed-'));
  return {
    storage: sealedStorage(await openLocalStorage(own), sealer),
    dispose: () => rm(own, { recursive: true, force: true }),
  };
});

let folder: string;
let plain: Storage;
let sealed: Storage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-sealed-'));
  plain = await openLocalStorage(folder);
  sealed = sealedStorage(plain, sealer);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* pieces(content: Buffer, size = content.length || 1): AsyncIterable<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
const put = (key: string, content: Buffer, size?: number) => sealed.put(key, pieces(content, size));
const read = async (key: string, range?: ByteRange, from = sealed) =>
  buffer((await from.open(key, range)).stream);
const problem = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof StorageError ? error.code : String(error)),
  );
const file = (key: string) => join(folder, key);

/** Sizes around the borders of chunks, where mistakes are. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: 3 * CHUNK + 10 }),
  fc.constantFrom(0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 3 * CHUNK),
);

it(
  'returns the content of any size, whole and in any range',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.integer({ min: 1, max: 2 * CHUNK }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), sizes), { maxLength: 4 }),
        async (size, piece, ranges) => {
          const content = randomBytes(size);
          await put('day/one', content, piece);
          expect((await read('day/one')).equals(content)).toBe(true);
          expect((await sealed.stat('day/one'))?.size).toBe(size);
          for (const [at, length] of ranges) {
            const start = Math.round(at * size);
            const part = await read('day/one', { start, length });
            expect(part.equals(content.subarray(start, start + length))).toBe(true);
          }
        },
      ),
      runs(60),
    );
  },
  limitOf(60_000),
);

it('stores no plain text, and other bytes each time', async () => {
  const content = Buffer.from('a marker of plain text '.repeat(9_000));
  await put('one', content);
  const first = await readFile(file('one'));
  await put('one', content);
  const second = await readFile(file('one'));
  expect([first.includes('a marker'), first.equals(second)]).toEqual([false, false]);
});

it('opens plain objects, and writes them while the sealer is off', async () => {
  let isOn = false;
  const storage = sealedStorage(plain, { ...files, isOn: () => isOn });
  const content = randomBytes(200_000);
  await storage.put('plain', pieces(content));
  isOn = true;
  await storage.put('sealed', pieces(content));
  isOn = false;
  expect((await readFile(file('plain'))).equals(content)).toBe(true);
  for (const key of ['plain', 'sealed']) {
    expect((await read(key, undefined, storage)).equals(content)).toBe(true);
    expect((await storage.stat(key))?.size).toBe(content.length);
    const part = await read(key, { start: 70_000, length: 99 }, storage);
    expect(part.equals(content.subarray(70_000, 70_099))).toBe(true);
  }
});

/** Changes that an attacker with access to the disk may make to a file of four chunks. */
const attacks: Readonly<Record<string, (bytes: Buffer, header: number) => Buffer>> = {
  'a changed bit': (bytes, header) => flip(bytes, header + 2 * (CHUNK + TAG) + 9),
  'a changed header': (bytes) => flip(bytes, 60),
  'another chunk size': (bytes) => flip(bytes, 9),
  'a missing byte': (bytes) => bytes.subarray(0, -1),
  'a missing chunk at the end': (bytes, header) => bytes.subarray(0, header + 3 * (CHUNK + TAG)),
  'a header alone': (bytes, header) => bytes.subarray(0, header),
  'half a header': (bytes) => bytes.subarray(0, 40),
  'an appended byte': (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
  'a repeated chunk at the end': (bytes, header) =>
    Buffer.concat([bytes.subarray(0, -100 - TAG), bytes.subarray(header, header + CHUNK + TAG)]),
  'chunks in another order': (bytes, header) => {
    const [first, second] = [0, 1].map((number) =>
      bytes.subarray(header + number * (CHUNK + TAG), header + (number + 1) * (CHUNK + TAG)),
    );
    return Buffer.concat([
      bytes.subarray(0, header),
      second ?? Buffer.alloc(0),
      first ?? Buffer.alloc(0),
      bytes.subarray(header + 2 * (CHUNK + TAG)),
    ]);
  },
};

const flip = (bytes: Buffer, at: number) => {
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  return bytes;
};

it.each(Object.entries(attacks))('rejects a file with %s', async (_, attack) => {
  await put('one', randomBytes(3 * CHUNK + 100));
  const bytes = await readFile(file('one'));
  const header = bytes.length - 3 * CHUNK - 100 - 4 * TAG;
  await writeFile(file('one'), attack(bytes, header));
  expect(await problem(read('one'))).toBe('damaged');
  expect(await problem(read('one', { start: 0, length: 4 * CHUNK }))).toBe('damaged');
});

it('notices a missing end in a range that does not reach it', async () => {
  await put('one', randomBytes(5 * CHUNK));
  const bytes = await readFile(file('one'));
  await writeFile(file('one'), bytes.subarray(0, -(CHUNK + TAG)));
  expect(await problem(read('one', { start: 10, length: 10 }))).toBe('damaged');
});

it('rejects a file under the name of another', async () => {
  for (const key of ['one', 'two']) await put(key, randomBytes(100));
  await copyFile(file('one'), file('two'));
  expect([await problem(read('two')), await problem(sealed.stat('two'))]).toEqual([
    'damaged',
    'damaged',
  ]);
});

it('says that the key is missing when another installation sealed the file', async () => {
  await put('one', randomBytes(100));
  const other = sealedStorage(plain, { ...createVault(keyRing()).files, isOn: () => true });
  expect(await problem(other.open('one'))).toBe('locked');
});

it('closes the file when its reader leaves before the first byte', async () => {
  await put('one', randomBytes(10 * CHUNK));
  const opened: { destroyed: boolean }[] = [];
  const watched = sealedStorage(
    {
      ...plain,
      async open(key, range) {
        const object = await plain.open(key, range);
        opened.push(object.stream);
        return object;
      },
    },
    sealer,
  );
  const { stream } = await watched.open('one');
  stream.destroy();
  await new Promise((done) => stream.once('close', done));
  expect(opened.every(({ destroyed }) => destroyed)).toBe(true);
});
