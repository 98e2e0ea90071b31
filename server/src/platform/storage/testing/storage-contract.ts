import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ByteRange, type Storage, StorageError } from '../storage.ts';

/** An empty storage for a test. */
export interface TestStorage {
  readonly storage: Storage;
  /** Removes all stored data. */
  dispose(): Promise<void>;
}

const HOSTILE_KEYS = [
  '',
  '/',
  '.',
  '..',
  '../up',
  'day/../../up',
  'day/..',
  '/etc/passwd',
  'day//name',
  'day/',
  'day\\name',
  'C:/name',
  'day/na\u0000me',
  'day/na\nme',
  'day/%2e%2e/name',
  'day/.hidden',
  'day/name.',
  'day/two..dots',
  'Day/Name',
  'tag/größe',
  'day/name.part',
  'a/b/c/d/e',
  `${'a'.repeat(100)}/${'b'.repeat(100)}`,
  '-rf',
  '~/name',
  'day/name?versions',
];

/**
 * Tests the contract of `Storage` for any implementation. Development peers such as s3rver list in
 * another order and change files in place: `isSimple` skips tests that require more.
 */
export function describeStorage(
  name: string,
  create: () => Promise<TestStorage>,
  { isSimple = false } = {},
): void {
  describe(`${name} is a storage`, () => {
    let test: TestStorage;
    let storage: Storage;
    beforeEach(async () => {
      test = await create();
      storage = test.storage;
    });
    afterEach(() => test.dispose());

    const read = async (key: string, range?: ByteRange) =>
      buffer((await storage.open(key, range)).stream);
    const text = async (key: string, range?: ByteRange) => (await read(key, range)).toString();
    const keys = async () => {
      const all: string[] = [];
      for await (const key of storage.list()) all.push(key);
      return all;
    };
    const problem = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return error instanceof StorageError ? error.code : error;
    };

    it('returns stored content with its size and time', async () => {
      const content = randomBytes(1_000_000);
      const before = Date.now() - 10_000;
      await storage.put('day/one.bin', pieces(content, 70_000));
      expect((await read('day/one.bin')).equals(content)).toBe(true);
      const { size, modifiedAt } = (await storage.stat('day/one.bin')) ?? {};
      expect(size).toBe(content.length);
      expect(modifiedAt?.getTime()).toBeGreaterThan(before);
      await storage.put('empty', pieces(Buffer.alloc(0)));
      expect([await text('empty'), (await storage.stat('empty'))?.size]).toEqual(['', 0]);
    });

    it('opens a range, omits bytes after the end, and rejects a range that starts after it', async () => {
      await storage.put('day/digits', pieces(Buffer.from('0123456789')));
      const part = (start: number, length?: number) =>
        text('day/digits', { start, ...(length !== undefined && { length }) });
      expect([
        await part(0),
        await part(3),
        await part(0, 4),
        await part(4, 2),
        await part(9, 1),
      ]).toEqual(['0123456789', '3456789', '0123', '45', '9']);
      expect([await part(8, 100), await part(10), await part(10, 5), await part(5, 0)]).toEqual([
        '89',
        '',
        '',
        '',
      ]);
      expect(
        await storage
          .open('day/digits', { start: 2, length: 3 })
          .then(async (opened) => ({ ...opened, text: (await buffer(opened.stream)).toString() })),
      ).toMatchObject({
        size: 10,
        text: '234',
      });
      for (const range of [
        { start: 11 },
        { start: 2 ** 53 },
        { start: -1 },
        { start: 0.5 },
        { start: Number.NaN },
        { start: 0, length: -1 },
        { start: 0, length: 1.5 },
      ])
        expect([range, await problem(storage.open('day/digits', range))]).toEqual([range, 'range']);
    });

    it('reports a missing object', async () => {
      expect(await storage.stat('day/none')).toBeUndefined();
      expect(await problem(storage.open('day/none'))).toBe('missing');
      expect(await problem(storage.open('day/none', { start: 5 }))).toBe('missing');
      await storage.delete('day/none');
      expect(await keys()).toEqual([]);
    });

    it('distinguishes a prefix of a key from an object', async () => {
      await storage.put('day/part/name', pieces(Buffer.from('x')));
      expect([
        await storage.stat('day/part'),
        await problem(storage.open('day/part')),
        await storage.stat('day/part/name/below'),
      ]).toEqual([undefined, 'missing', undefined]);
    });

    it('rejects every invalid key in every operation', async () => {
      for (const key of HOSTILE_KEYS) {
        const untouched = pieces(Buffer.from('x'));
        const problems = [
          problem(storage.put(key, untouched)),
          problem(storage.open(key)),
          problem(storage.stat(key)),
          problem(storage.delete(key)),
        ];
        expect([key, ...(await Promise.all(problems))]).toEqual([
          key,
          'invalid_key',
          'invalid_key',
          'invalid_key',
          'invalid_key',
        ]);
      }
      expect(await keys()).toEqual([]);
    });

    if (!isSimple)
      it('lists all keys in order', async () => {
        const put = [
          'b',
          'a/2',
          'a/10',
          'a-b/1',
          'a.b',
          '2026-01-31/x.cast.gz',
          '2026-02-01/x.cast.gz',
          'a/b/c',
        ];
        for (const key of put) await storage.put(key, pieces(Buffer.from(key)));
        expect(await keys()).toEqual([...put].sort());
        const below: string[] = [];
        for await (const key of storage.list('a')) below.push(key);
        expect(below).toEqual(['a/10', 'a/2', 'a/b/c']);
        for await (const key of storage.list('nothing')) expect(key).toBe('');
        for await (const key of storage.list()) await storage.delete(key);
        expect(await keys()).toEqual([]);
      });

    if (!isSimple)
      it('replaces an object atomically while a reader continues with the old one', async () => {
        const [old, young] = [randomBytes(3_000_000), randomBytes(2_000_000)];
        await storage.put('day/same', pieces(old));
        const { stream } = await storage.open('day/same');
        await storage.put('day/same', pieces(young));
        expect((await buffer(stream)).equals(old)).toBe(true);
        expect((await read('day/same')).equals(young)).toBe(true);
        expect(await keys()).toEqual(['day/same']);
      });

    it('shows an object only when it is complete', async () => {
      const content = randomBytes(500_000);
      let seen: unknown[] = [];
      const watched = async function* () {
        yield content.subarray(0, 250_000);
        await turn();
        seen = [
          await storage.stat('day/slow'),
          await problem(storage.open('day/slow')),
          await keys(),
        ];
        yield content.subarray(250_000);
      };
      await storage.put('day/slow', watched());
      expect(seen).toEqual([undefined, 'missing', []]);
      expect((await read('day/slow')).equals(content)).toBe(true);
    });

    it('keeps the previous object when a put fails', async () => {
      const breaking = async function* () {
        yield randomBytes(300_000);
        throw new Error('the source is gone');
      };
      expect(await problem(storage.put('day/broken', breaking()))).toBe('unavailable');
      expect(await keys()).toEqual([]);
      await storage.put('day/broken', pieces(Buffer.from('good')));
      expect(await problem(storage.put('day/broken', breaking()))).toBe('unavailable');
      await storage.removeRemains();
      expect([await text('day/broken'), await keys()]).toEqual(['good', ['day/broken']]);
    });

    if (!isSimple)
      it('stores one complete object when several puts of a key race', async () => {
        const contents = Array.from({ length: 8 }, () => randomBytes(400_000));
        await Promise.all(
          contents.map((content) => storage.put('day/race', pieces(content, 30_000))),
        );
        const stored = await read('day/race');
        expect(contents.some((content) => content.equals(stored))).toBe(true);
        expect(await keys()).toEqual(['day/race']);
      });

    if (!isSimple)
      it('delivers a complete object or an error when it is deleted during a read', async () => {
        const content = randomBytes(8_000_000);
        await storage.put('day/read', pieces(content));
        const { stream } = await storage.open('day/read');
        stream.once('readable', () => undefined);
        await once(stream, 'readable');
        await storage.delete('day/read');
        expect(await storage.stat('day/read')).toBeUndefined();
        const stored = await buffer(stream).catch(() => undefined);
        if (stored) expect(stored.equals(content)).toBe(true);
      });

    if (!isSimple)
      it('puts and deletes different objects at the same time', async () => {
        for (let round = 0; round < 20; round++) {
          await storage.put('day/leaving', pieces(Buffer.from('x')));
          await Promise.all([
            storage.delete('day/leaving'),
            storage.put(`day/coming-${round}`, pieces(Buffer.from('y'))),
          ]);
          expect(await keys()).toEqual([`day/coming-${round}`]);
          await storage.delete(`day/coming-${round}`);
        }
      });

    if (!isSimple)
      it('leaves a complete object or none when puts and deletes of a key race', async () => {
        const content = randomBytes(100_000);
        for (let round = 0; round < 20; round++) {
          await Promise.all([
            storage.put('day/same', pieces(content, 60_000)),
            storage.delete('day/same'),
            turn().then(() => storage.delete('day/same')),
          ]);
          const stored = await read('day/same').catch(() => undefined);
          if (stored) expect(stored.equals(content)).toBe(true);
          await storage.delete('day/same');
        }
        // A delete right after the rename of a put removes the folder too.
        await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            index % 2 === 0 ? storage.put('day/same', pieces(content)) : storage.delete('day/same'),
          ),
        );
      });

    it('reports that it is writable', async () => {
      expect(await storage.isWritable()).toBe(true);
    });
  });
}

/** Yields content in chunks. */
async function* pieces(content: Buffer, size = 64 * 1024): AsyncIterable<Uint8Array> {
  for (let at = 0; at < content.length; at += size) {
    yield content.subarray(at, at + size);
    await turn();
  }
}
