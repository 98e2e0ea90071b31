import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVault, directKey } from '../crypto/vault.ts';
import { openLocalRecordings, openLocalStorage } from './local-storage.ts';
import { createRecordings, type RecordedSession, type Recordings } from './recordings.ts';
import { openSpool } from './spool.ts';
import { StorageError } from './storage.ts';
import { recordingFiles } from './testing/recording-files.ts';

const STARTED = new Date('2026-03-04T23:59:59Z');
let folder: string;
let recordings: Recordings;
let session: RecordedSession;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-recordings-'));
  recordings = await openLocalRecordings(folder);
  session = { id: randomUUID(), startedAt: STARTED };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const textOf = async (recorded: RecordedSession, from = recordings) => {
  const opened = await from.open(recorded);
  return opened && gunzipSync(await buffer(opened.stream)).toString();
};
const known = async (day: string) => {
  const ids: string[] = [];
  for await (const { sessionId } of recordings.upTo(day)) ids.push(sessionId);
  return ids;
};
const append = (text: string) =>
  [Buffer.from(`${text}and what the block held before`), text.length] as const;

describe('a recording', () => {
  it('writes a private file while running and compresses it when it is kept', async () => {
    const files = recordingFiles(folder, session);
    const running = await recordings.begin(session, 'header\n');
    await running.append(...append('one\n'));
    await running.flush();
    expect((await readdir(files.folder)).length).toBe(1);
    expect([
      (await stat(files.folder)).mode & 0o777,
      (await stat(files.running)).mode & 0o777,
    ]).toEqual([0o700, 0o600]);
    expect([await recordings.find(session), await recordings.open(session)]).toEqual([
      undefined,
      undefined,
    ]);
    await running.append(...append('two\n'));
    await running.close();
    await running.keep();
    expect(await readdir(files.folder)).toEqual([`${session.id}.cast.gz`]);
    expect(await textOf(session)).toBe('header\none\ntwo\n');
    const { size } = (await recordings.find(session)) ?? {};
    const part = await recordings.open(session, { start: 2, length: 5 });
    expect([part?.size, part && (await buffer(part.stream)).length]).toEqual([size, 5]);
  });

  it('keeps every byte on both sides of the size that is compressed in one step', async () => {
    const { files } = createVault(directKey(randomBytes(32)));
    for (const isSealed of [false, true])
      for (const bytes of [0, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1]) {
        const sealing = await openLocalRecordings(folder, files);
        sealing.sealWhile(() => isSealed);
        const one = { id: randomUUID(), startedAt: STARTED };
        const running = await sealing.begin(one, '');
        const content = randomBytes(bytes).toString('latin1');
        await running.append(Buffer.from(content, 'latin1'), bytes);
        await running.close();
        const digest = await running.keep();
        const stored = await buffer((await sealing.open(one))?.stream ?? Readable.from([]));
        expect(gunzipSync(stored).toString('latin1') === content).toBe(true);
        expect(await sealing.digestOf(one)).toEqual(digest);
      }
  });

  it('keeps recordings that begin and end at the same time in one folder', async () => {
    const texts = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const one = { id: randomUUID(), startedAt: STARTED };
        const running = await recordings.begin(one, `${number}\n`);
        await running.close();
        await running.keep();
        return textOf(one);
      }),
    );
    expect(texts).toEqual(texts.map((_, number) => `${number}\n`));
  });

  it('syncs the running file of a brief recording only if the recording is not kept', async () => {
    const spool = await openSpool(folder);
    const steps: string[] = [];
    let fails = false;
    const own = createRecordings({
      spool: {
        ...spool,
        async create(...words) {
          const file = await spool.create(...words);
          const close = (hasCopy?: boolean) => {
            steps.push(hasCopy ? 'close' : 'sync and close');
            return file.close(hasCopy);
          };
          return { ...file, close };
        },
        async sync(key) {
          steps.push('sync');
          await spool.sync(key);
        },
      },
      storage: {
        ...(await openLocalStorage(folder)),
        async put() {
          if (fails) throw new StorageError('full', 'no room');
        },
      },
    });
    const record = async (text: string) => {
      const session = { id: randomUUID(), startedAt: new Date() };
      const running = await own.begin(session, '{"version":2}\n');
      await running.append(Buffer.from(text), text.length);
      await running.close();
      return running.keep();
    };
    await record('brief');
    expect(steps.splice(0)).toEqual(['close']);
    fails = true;
    await expect(record('brief')).rejects.toMatchObject({ code: 'full' });
    expect(steps.splice(0)).toEqual(['close', 'sync']);
    await expect(record('long'.repeat(1024))).rejects.toMatchObject({ code: 'full' });
    expect(steps).toEqual(['sync and close']);
  });

  it('keeps a brief recording whose running file was removed', async () => {
    const running = await recordings.begin(session, 'header\n');
    await running.append(...append('line\n'));
    await running.close();
    await rm(recordingFiles(folder, session).running);
    await running.keep();
    expect(await textOf(session)).toBe('header\nline\n');
  });

  it('reports a longer running recording that was removed', async () => {
    const running = await recordings.begin(session, 'header\n'.repeat(1000));
    await running.close();
    await rm(recordingFiles(folder, session).running);
    await expect(running.keep()).rejects.toMatchObject({ name: 'StorageError', code: 'missing' });
  });

  it('rejects a second recording of the same session', async () => {
    const running = await recordings.begin(session, 'header\n');
    await expect(recordings.begin(session, 'header\n')).rejects.toMatchObject({ code: 'exists' });
    await running.close();
  });

  it('rejects anything but a session id', async () => {
    for (const id of [
      '',
      '..',
      '../../etc/passwd',
      `${randomUUID()}/x`,
      `${randomUUID()}\u0000`,
      randomUUID().toUpperCase(),
      `../${randomUUID()}`,
    ]) {
      const hostile = { id, startedAt: STARTED };
      for (const work of [
        () => recordings.begin(hostile, ''),
        () => recordings.add(hostile, ''),
        () => recordings.find(hostile),
        () => recordings.open(hostile),
      ])
        await expect(work()).rejects.toMatchObject({ code: 'invalid_key' });
    }
    await expect(
      recordings.find({ id: session.id, startedAt: new Date('+012026-01-01T00:00:00Z') }),
    ).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('finds a recording of an earlier version', async () => {
    const files = recordingFiles(folder, session);
    await mkdir(files.folder);
    await writeFile(files.finished, gzipSync('from before'));
    expect(await textOf(session)).toBe('from before');
  });
});

describe('after a crash', () => {
  it('truncates and keeps an unfinished recording after a crash', async () => {
    const running = await recordings.begin(session, 'header\n');
    await running.append(...append('torn'));
    await running.close();
    await writeFile(`${recordingFiles(folder, session).finished}.part`, 'half');
    const [unfinished, ...others] = await recordings.unfinished();
    expect([unfinished?.sessionId, unfinished?.size, others]).toEqual([session.id, 11, []]);
    expect([
      (await unfinished?.tail(4))?.toString(),
      (await unfinished?.tail(1000))?.toString(),
    ]).toEqual(['torn', 'header\ntorn']);
    await unfinished?.keep(7);
    expect(await textOf(session)).toBe('header\n');
    expect(await readdir(recordingFiles(folder, session).folder)).toEqual([
      `${session.id}.cast.gz`,
    ]);
    expect(await recordings.unfinished()).toEqual([]);
  });

  it('keeps a recording again if a crash prevented the removal of its running file', async () => {
    await recordings.add(session, 'header\n');
    const running = await recordings.begin(session, 'header\n');
    await running.close();
    for (const unfinished of await recordings.unfinished()) await unfinished.keep(unfinished.size);
    expect(await textOf(session)).toBe('header\n');
    expect(await readdir(recordingFiles(folder, session).folder)).toEqual([
      `${session.id}.cast.gz`,
    ]);
  });
});

describe('the recordings of days', () => {
  it('lists and removes recordings up to a day in order, finished or not', async () => {
    const on = (day: string) => ({ id: randomUUID(), startedAt: new Date(`${day}T12:00:00Z`) });
    const [first, second, third, unfinished] = [
      on('2026-01-30'),
      on('2026-01-31'),
      on('2026-02-01'),
      on('2026-01-31'),
    ];
    for (const recorded of [third, second, first]) await recordings.add(recorded, 'x');
    await (await recordings.begin(unfinished, 'x')).close();
    expect(await known('2026-01-29')).toEqual([]);
    expect(await known('2026-01-31')).toEqual([unfinished.id, first.id, second.id]);
    for await (const recording of recordings.upTo('2026-01-31')) await recording.remove();
    expect(await known('9999-12-31')).toEqual([third.id]);
    expect(await readdir(folder)).toEqual(['2026-02-01']);
  });
});

describe('with a storage elsewhere', () => {
  it('leaves a recording on the local disk while the other storage fails, and keeps it there at the next start', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'sallyport-elsewhere-'));
    try {
      const storage = await openLocalStorage(elsewhere);
      let isDown = true;
      const put: typeof storage.put = (...words) =>
        isDown
          ? Promise.reject(new StorageError('unavailable', 'the store does not answer'))
          : storage.put(...words);
      const both = createRecordings({
        spool: await openSpool(folder),
        storage: { ...storage, put },
      });
      const running = await both.begin(session, 'header\n');
      await running.close();
      await expect(running.keep()).rejects.toMatchObject({ code: 'unavailable' });
      expect([await both.find(session), await readdir(elsewhere)]).toEqual([undefined, []]);
      isDown = false;
      for (const unfinished of await both.unfinished()) await unfinished.keep(unfinished.size);
      expect([
        await textOf(session, both),
        await readdir(folder),
        await readdir(elsewhere),
      ]).toEqual(['header\n', [], ['2026-03-04']]);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});

it('reports the free space', async () => {
  expect(await recordings.freeBytes()).toBeGreaterThan(0);
});
