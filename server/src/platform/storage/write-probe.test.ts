import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
  const probe = createWriteProbe(['one'], () => {
    attempts += 1;
    return new Promise(() => undefined);
  });
  expect(await Promise.all([probe(), probe()])).toEqual(['hanging', 'hanging']);
  expect(await probe()).toBe('hanging');
  expect(attempts).toBe(1);
});

it('returns the problem of the disk', async () => {
  const probe = createWriteProbe(['one'], async () => {
    throw new StorageError('full', 'no space left on device');
  });
  expect(await probe()).toBe('full');
});
