import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../testing/poll.ts';
import { createVault, directKey } from '../../crypto/vault.ts';
import { openLocalStorage } from '../local-storage.ts';
import { createRecordings, type Recordings } from '../recordings.ts';
import { openSpool } from '../spool.ts';
import { type Storage, StorageError } from '../storage.ts';
import { MAX_PART, partKey } from './part.ts';

const { files } = createVault(directKey(randomBytes(32)));
const BUCKET = {
  service: 's3',
  bucket: 'b',
  accessKey: '',
  secretKey: '',
  pathStyle: true,
} as const;
const TWO = { ...BUCKET, second: { ...BUCKET, bucket: 'second' } } as const;
const session = { id: randomUUID(), startedAt: new Date('2026-03-04T05:06:07Z') };
const running = `2026-03-04/${session.id}.cast`;
const HEADER = '{"version":2,"width":80,"height":24}\n';

let folder: string;
/** The second bucket of `TWO`. */
let second: Storage;
/** The bucket, and what happens to each object that is put into it. */
let bucket: Storage;
let onPut: (key: string, put: () => Promise<void>) => Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-copies-'));
  bucket = await openLocalStorage(join(folder, 'bucket'));
  second = await openLocalStorage(join(folder, 'second'));
  onPut = (_key, put) => put();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Opens the recordings of a server with the bucket. */
async function serverAt(name: string, isSealing: boolean): Promise<Recordings> {
  const recordings = createRecordings({
    files,
    isOneFolder: true,
    spool: await openSpool(join(folder, name)),
    storage: await openLocalStorage(join(folder, name)),
    openBucket: (opened) =>
      'bucket' in opened && opened.bucket === TWO.second.bucket
        ? second
        : { ...bucket, put: (key, content) => onPut(key, () => bucket.put(key, content)) },
  });
  recordings.sealWhile(() => isSealing);
  return recordings;
}
const copiesOf = async () => {
  const keys: string[] = [];
  for await (const key of bucket.list()) keys.push(key);
  return keys;
};
/** Copies until nothing waits. Failures are tried again. */
async function copyAll({ copies }: Recordings): Promise<void> {
  await until(() => copies.isBehind, 'bytes are old enough to be copied');
  while (copies.isBehind) await copies.copy('one', BUCKET).catch(() => undefined);
}
/** Restores the session at another server, and returns the text of its recording. */
async function restored(isSealing: boolean, parts: number): Promise<string> {
  const other = await serverAt('other', isSealing);
  other.connect({ of: async () => BUCKET, all: async () => [BUCKET] });
  const copied = { ...session, kind: 'terminal', bucket: BUCKET, parts } as const;
  await other.copies.restore(copied, async ({ size, keep }) => keep(size));
  const object = await other.open(session);
  return object ? gunzipSync(await buffer(object.stream)).toString() : '';
}

it.each([false, true])(
  'restores what was copied in the order of the file, whatever puts failed, came late or were cut (sealed: %s)',
  async (isSealing) => {
    const recordings = await serverAt('one', isSealing);
    const file = await recordings.begin(session, HEADER);
    const lines = [HEADER];
    const append = async (line: string) => {
      lines.push(line);
      await file.append(Buffer.from(line), Buffer.byteLength(line));
    };
    await copyAll(recordings);

    // The answer to a put is lost. It reaches the bucket after the next attempt.
    const late: (() => Promise<void>)[] = [];
    let failures = 3;
    onPut = async (_key, put) => {
      if (failures-- <= 0) return put();
      late.push(put);
      throw new StorageError('unavailable', 'the answer was lost');
    };
    await append(`${JSON.stringify([1, 'o', 'first'])}\n`);
    await until(() => recordings.copies.isBehind, 'the line is old enough to be copied');
    await expect(recordings.copies.copy('one', BUCKET)).rejects.toThrow('the answer was lost');
    await append(`${JSON.stringify([2, 'o', randomBytes(MAX_PART).toString('hex')])}\n`);
    await copyAll(recordings);
    for (const put of late) await put();
    await append(`${JSON.stringify([3, 'o', 'last'])}\n`);
    await copyAll(recordings);

    const [copy] = recordings.copies.unnoted();
    expect(copy).toMatchObject({ sessionId: session.id, parts: (await copiesOf()).length });
    expect(await restored(isSealing, copy?.parts ?? 0)).toBe(lines.join(''));
    await file.close();
  },
);

it('continues after a lost answer although a lock of the bucket keeps the part, and takes no other part for it', async () => {
  const recordings = await serverAt('one', false);
  const file = await recordings.begin(session, HEADER);
  onPut = async (_key, put) => {
    await put();
    throw new StorageError('unavailable', 'the answer was lost');
  };
  await until(() => recordings.copies.isBehind, 'bytes are old enough to be copied');
  await expect(recordings.copies.copy('one', BUCKET)).rejects.toThrow('the answer was lost');
  onPut = async (key, put) => {
    if (await bucket.stat(key)) throw new StorageError('retained', 'object lock');
    return put();
  };
  const line = Buffer.from(`${JSON.stringify([1, 'o', 'next'])}\n`);
  await file.append(line, line.length);
  await copyAll(recordings);
  const [copy] = recordings.copies.unnoted();
  expect(copy).toMatchObject({ parts: 2 });
  expect(await restored(false, 2)).toContain('next');
  // Content of another program has the key of the next part.
  const foreign = (async function* () {
    yield Buffer.from('foreign');
  })();
  await bucket.put(partKey(running, 2), foreign);
  await file.append(line, line.length);
  await until(() => recordings.copies.isBehind, 'the line is old enough to be copied');
  await expect(recordings.copies.copy('one', BUCKET)).rejects.toThrow('object lock');
  await file.close();
});

it('copies a recording although others before it fail each time', async () => {
  const recordings = await serverAt('one', false);
  const begin = (id: string) => recordings.begin({ ...session, id }, HEADER);
  const broken = await Promise.all(Array.from({ length: 16 }, () => begin(randomUUID())));
  const last = await begin(session.id);
  onPut = async (key, put) => {
    if (key.startsWith(running)) return put();
    throw new StorageError('refused', 'no rights');
  };
  await until(() => recordings.copies.isBehind, 'bytes are old enough to be copied');
  await until(async () => {
    await recordings.copies.copy('one', BUCKET).catch(() => undefined);
    return (await copiesOf()).length === 1;
  }, 'the last recording is copied');
  for (const file of [...broken, last]) await file.close();
});

it('rejects parts that were changed, exchanged or removed, and takes more than were noted', async () => {
  const recordings = await serverAt('one', false);
  const file = await recordings.begin(session, HEADER);
  for (const text of ['one', 'two']) {
    await copyAll(recordings);
    const line = Buffer.from(`${JSON.stringify([1, 'o', text])}\n`);
    await file.append(line, line.length);
  }
  await copyAll(recordings);
  await file.close();
  const [first, second, third] = await copiesOf();
  expect([first, second, third]).toEqual([0, 1, 2].map((number) => partKey(running, number)));
  const content = async (key = '') => buffer((await bucket.open(key)).stream);
  const [one, two] = [await content(second), await content(third)];
  const put = (key: string | undefined, bytes: Buffer) =>
    bucket.put(
      key ?? '',
      (async function* () {
        yield bytes;
      })(),
    );
  const rejected = (code: string, parts = 3) =>
    expect(restored(false, parts)).rejects.toMatchObject({ code });

  expect(await restored(false, 1)).toContain('two');
  for (const at of [0, 5, one.length - 2]) {
    const changed = Buffer.from(one);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await put(second, changed);
    await rejected('damaged');
  }
  await put(second, one.subarray(0, one.length - 1));
  await rejected('damaged');
  await put(second, Buffer.alloc(0));
  await rejected('damaged');
  await put(second, two);
  await rejected('damaged');
  await put(second, one);
  await bucket.delete(third ?? '');
  await rejected('missing');
  expect(await restored(false, 2)).not.toContain('two');
});

it('deletes the parts of a recording, noted or not, and no others', async () => {
  const recordings = await serverAt('one', false);
  const other = { ...session, id: randomUUID() };
  const open = [await recordings.begin(session, HEADER), await recordings.begin(other, HEADER)];
  await copyAll(recordings);
  await recordings.copies.remove({ ...session, kind: 'terminal', bucket: BUCKET, parts: 0 });
  expect(await copiesOf()).toEqual([partKey(`2026-03-04/${other.id}.cast`, 0)]);
  for (const file of open) await file.close();
  expect([recordings.copies.takeEnded(), recordings.copies.takeEnded()]).toEqual([true, false]);
});

it('lists parts and restored recordings for retention', async () => {
  const recordings = await serverAt('one', false);
  recordings.connect({ of: async () => BUCKET, all: async () => [BUCKET] });
  const file = await recordings.begin(session, HEADER);
  await copyAll(recordings);
  await file.close();
  await restored(false, 1);
  expect(await copiesOf()).toHaveLength(2);
  for await (const { sessionId, remove } of recordings.upTo('2026-03-04')) {
    expect(sessionId).toBe(session.id);
    await remove();
  }
  expect(await copiesOf()).toEqual([]);
});

it('puts parts into two buckets while one of them fails, and restores them from both', async () => {
  const recordings = await serverAt('one', true);
  const file = await recordings.begin(session, HEADER);
  const copyOnce = async () => {
    await until(() => recordings.copies.isBehind, 'bytes are old enough to be copied');
    return recordings.copies.copy('one', TWO).then(
      () => '',
      (error: StorageError) => error.message,
    );
  };
  const append = async (text: string) => {
    const line = Buffer.from(`${JSON.stringify([1, 'o', text])}\n`);
    await file.append(line, line.length);
  };
  expect(await copyOnce()).toBe('');
  onPut = async () => {
    throw new StorageError('full', 'no space in the first bucket');
  };
  await append('only in the second');
  expect(await copyOnce()).toContain('no space in the first bucket');
  onPut = (_key, put) => put();
  second.put = async () => {
    throw new StorageError('refused', 'no rights in the second bucket');
  };
  await append('only in the first');
  expect(await copyOnce()).toContain('no rights in the second bucket');
  await file.close();
  const keysOf = async (place: Storage) => {
    const keys: string[] = [];
    for await (const key of place.list()) keys.push(key.slice(-1));
    return keys.join('');
  };
  expect([await keysOf(bucket), await keysOf(second)]).toEqual(['02', '01']);
  // The first part was changed in one of them.
  await bucket.put(
    partKey(running, 0),
    (async function* () {
      yield Buffer.from('changed');
    })(),
  );
  const other = await serverAt('other', true);
  other.connect({ of: async () => TWO, all: async () => [TWO] });
  const copied = { ...session, kind: 'terminal', bucket: TWO, parts: 3 } as const;
  await other.copies.restore(copied, async ({ size, keep }) => keep(size));
  const object = await other.open(session);
  const text = object ? gunzipSync(await buffer(object.stream)).toString() : '';
  for (const part of [HEADER, 'only in the second', 'only in the first'])
    expect(text).toContain(part);
  await other.copies.remove(copied);
  expect(await keysOf(second)).toBe('');
});
