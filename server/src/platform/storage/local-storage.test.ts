import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFilesBelow } from '../../testing/open-files.ts';
import { until } from '../../testing/poll.ts';
import { openLocalStorage } from './local-storage.ts';
import type { Storage } from './storage.ts';
import { describeStorage } from './testing/storage-contract.ts';

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'sallyport-storage-')), 'objects');
  storage = await openLocalStorage(folder);
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

describeStorage('a folder', async () => {
  const own = await mkdtemp(join(tmpdir(), 'sallyport-storage-'));
  return {
    storage: await openLocalStorage(own),
    dispose: () => rm(own, { recursive: true, force: true }),
  };
});

async function* content(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

describe('a storage in a folder', () => {
  it('makes files and folders accessible only to its own account', async () => {
    await storage.put('day/one', content(Buffer.from('secret')));
    const modes = await Promise.all(
      [folder, join(folder, 'day'), join(folder, 'day/one')].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it('removes partial files of a crash and does not list them', async () => {
    await storage.put('day/whole', content(Buffer.from('x')));
    for (const name of ['whole.0123456789ab.part', 'old.cast.gz.part'])
      await writeFile(join(folder, 'day', name), 'half');
    const keys: string[] = [];
    for await (const key of storage.list()) keys.push(key);
    expect(keys).toEqual(['day/whole']);
    await storage.removeRemains();
    expect(await readdir(join(folder, 'day'))).toEqual(['whole']);
  });

  it('removes a folder with its last object, and keeps the root', async () => {
    await storage.put('a/b/one', content(Buffer.from('x')));
    await storage.put('a/two', content(Buffer.from('x')));
    await storage.delete('a/b/one');
    expect(await readdir(join(folder, 'a'))).toEqual(['two']);
    await storage.delete('a/two');
    expect(await readdir(folder)).toEqual([]);
  });

  it('skips hidden files, invalid names and dangling links', async () => {
    await mkdir(join(folder, '.trash'));
    await writeFile(join(folder, '.trash/name'), '');
    await writeFile(join(folder, 'Read Me.txt'), '');
    await symlink('/nowhere/at/all', join(folder, 'dangling'));
    const keys: string[] = [];
    for await (const key of storage.list()) keys.push(key);
    expect(keys).toEqual(['dangling']);
    expect(await storage.stat('dangling')).toBeUndefined();
  });

  it('rejects a file in place of its folder', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openLocalStorage(join(folder, 'file'))).rejects.toMatchObject({
      name: 'StorageError',
      code: 'exists',
    });
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder should be');
    await expect(storage.put('day/one', content(Buffer.from('x')))).rejects.toMatchObject({
      name: 'StorageError',
    });
  });

  it('closes every file, also after an aborted read or put', async () => {
    await storage.put('day/one', content(randomBytes(1_000_000)));
    (await storage.open('day/one')).stream.destroy();
    await expect(storage.open('day/one', { start: 2_000_000 })).rejects.toMatchObject({
      code: 'range',
    });
    await expect(
      storage.put(
        'day/two',
        (async function* () {
          yield randomBytes(10);
          throw new Error('gone');
        })(),
      ),
    ).rejects.toMatchObject({ code: 'unavailable' });
    await until(async () => (await openFilesBelow(folder)).length === 0, 'every file is closed');
  });
});
