import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { StorageError } from './storage.ts';
import { createWriteProbe } from './write-probe.ts';

it('tries a new file in each folder and leaves none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-probe-'));
  expect(await createWriteProbe([folder])()).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  expect(await createWriteProbe([folder, join(folder, 'none')])()).toBe('missing');
  await rm(folder, { recursive: true });
});

it('answers in two seconds for a disk that hangs, and tries it once', async () => {
  let attempts = 0;
  const probe = createWriteProbe(['one'], {
    attemptIn: () => {
      attempts += 1;
      return new Promise(() => undefined);
    },
  });
  expect(await Promise.all([probe(), probe()])).toEqual(['hanging', 'hanging']);
  expect(await probe()).toBe('hanging');
  expect(attempts).toBe(1);
});

it('returns the problem of the disk', async () => {
  const probe = createWriteProbe(['one'], {
    attemptIn: async () => {
      throw new StorageError('full', 'no space left on device');
    },
  });
  expect(await probe()).toBe('full');
});

it('keeps the last answer of a slow disk until the limit, and then says that it hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    let answer: () => void = () => undefined;
    let isSlow = false;
    const probe = createWriteProbe(['one'], {
      patienceSeconds: () => 30,
      attemptIn: () =>
        new Promise((done) => {
          answer = done;
          if (!isSlow) done();
        }),
    });
    const ask = async (milliseconds: number) => {
      const problem = probe();
      await vi.advanceTimersByTimeAsync(milliseconds);
      return problem;
    };
    expect(await ask(0)).toBeUndefined();
    isSlow = true;
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await ask(1_600)).toBeUndefined();
    expect(await ask(20_000)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ask(1_600)).toBe('hanging');
    answer();
    expect(await ask(0)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
