import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync, renameSync, symlinkSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Packet } from '@sallyport/ssh';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openFileContext } from '../../../../testing/gateway/file-context.ts';
import { requirePeers } from '../../../../testing/peers.ts';
import type { FileRecord } from '../../../ports/records.ts';
import { beginUpload } from '../../../sessions/files/begin-upload.ts';
import { openDownload } from '../../../sessions/files/download.ts';
import type { FileContext } from '../../../sessions/files/file-context.ts';
import { SessionFiles } from '../../../sessions/files/session-files.ts';
import { TargetFileError } from '../../target-end.ts';
import { SftpClient } from './sftp-client.ts';

const TYPE_AT = 4;

let home: string;
let outside: string;
let context: FileContext;
let notes: FileRecord[];
/** The types of the requests so far. */
let requests: number[];
/** Requests that the target had not answered before the next ones left count once. */
let roundTrips: number;
/** Called before a request leaves. */
let onRequest: (type: number) => void;
let stop: () => void;
let server: ChildProcessWithoutNullStreams;

beforeEach(async () => {
  requirePeers('openssh-server');
  // A path that was proven a moment ago stays proven on a slow machine, too.
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now);
  home = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-sftp-')));
  outside = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-outside-')));
  await mkdir(join(home, 'folder'));
  for (const folder of [join(home, 'folder'), outside])
    for (const name of ['one', 'two']) await writeFile(join(folder, name), name);
  server = spawn('/usr/lib/openssh/sftp-server', ['-d', home]);
  server.stdin.on('error', () => undefined);
  stop = () => server.kill();
  onRequest = () => undefined;
  notes = [];
  let isAnswered = true;
  const client = new SftpClient({
    write(packet) {
      const type = packet[TYPE_AT] ?? 0;
      onRequest(type);
      requests.push(type);
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
      server.stdin.write(packet);
    },
    broken: stop,
    silent: stop,
    close: stop,
  });
  server.stdout.on('data', (chunk: Buffer) => {
    isAnswered = true;
    client.push(chunk);
  });
  start();
  await client.start();
  expect(client.resolvesLinks).toBe(true);
  context = await openFileContext(client, (record) => notes.push(record));
});

afterEach(async () => {
  vi.restoreAllMocks();
  stop();
  for (const folder of [home, outside]) await rm(folder, { recursive: true });
});

/** Begins to count. */
function start(): void {
  requests = [];
  roundTrips = 0;
}

async function download(name: string): Promise<string> {
  const file = await openDownload(context, `/folder/${name}`);
  const content = await file.read(0, 32 * 1024);
  await file.close();
  return String(content);
}

async function upload(name: string, content: string, mode = 0o640): Promise<void> {
  const file = await beginUpload(context, `/folder/${name}`, { overwrite: true, mode });
  await file.writeAhead(0, Buffer.from(content));
  await file.complete();
}

/** Replaces the folder by a link out of the root when the next request of a type leaves. */
function swapFolderAt(wanted: number): void {
  onRequest = (type) => {
    if (type !== wanted) return;
    onRequest = () => undefined;
    // The server may still work on earlier requests, and must not see the moment without a folder.
    server.kill('SIGSTOP');
    while (!/\) [Tt] /.test(readFileSync(`/proc/${server.pid}/stat`, 'utf8')));
    renameSync(join(home, 'folder'), join(home, 'moved'));
    symlinkSync(outside, join(home, 'folder'));
    server.kill('SIGCONT');
  };
}

it('takes five requests to the file server of OpenSSH for a small file, and follows no new link', async () => {
  expect(await download('one')).toBe('one');
  start();
  expect(await download('two')).toBe('two');
  expect(requests).toHaveLength(5);
  await rm(join(home, 'folder', 'two'));
  await symlink('/etc/passwd', join(home, 'folder', 'two'));
  await expect(download('two')).rejects.toMatchObject({ problem: { code: 'file_outside' } });
});

it('opens a listed file in one round trip, with the closing of the file before, and follows no new link', async () => {
  for await (const _ of new SessionFiles(context).list('/folder'));
  await download('one');
  start();
  const opening = openDownload(context, '/folder/two');
  expect(requests).toEqual([Packet.CLOSE, Packet.LSTAT, Packet.OPEN, Packet.REALPATH]);
  const file = await opening;
  expect(String(await file.read(0, 32 * 1024))).toBe('two');
  await file.close();
  swapFolderAt(Packet.OPEN);
  await expect(download('two')).rejects.toMatchObject({ problem: { code: 'file_outside' } });
  expect(notes.at(-1)).toMatchObject({ operation: 'download', reason: 'file_outside' });
});

it('writes a small file with eight requests in four round trips', async () => {
  await upload('first', 'first');
  start();
  await upload('new', 'content');
  expect([requests.length, roundTrips]).toEqual([8, 4]);
  expect(await readFile(join(home, 'folder', 'new'), 'utf8')).toBe('content');
  expect((await stat(join(home, 'folder', 'new'))).mode & 0o777).toBe(0o640);
  await upload('new', 'other', 0o600);
  expect(await readFile(join(home, 'folder', 'new'), 'utf8')).toBe('other');
  // A replaced file keeps its permissions.
  expect((await stat(join(home, 'folder', 'new'))).mode & 0o777).toBe(0o640);
  expect((await readdir(join(home, 'folder'))).toSorted()).toEqual(['first', 'new', 'one', 'two']);
});

it.each([
  { moment: 'opens', type: Packet.OPEN },
  { moment: 'writes', type: Packet.WRITE },
  { moment: 'closes', type: Packet.CLOSE },
])(
  'places no upload outside of the root when its folder becomes a link while the target $moment it',
  async ({ type }) => {
    swapFolderAt(type);
    await expect(upload('one', 'changed')).rejects.toMatchObject({
      problem: { code: 'file_outside' },
    });
    expect((await readdir(outside)).toSorted()).toEqual(['one', 'two']);
    for (const folder of [outside, join(home, 'moved')])
      expect(await readFile(join(folder, 'one'), 'utf8')).toBe('one');
    expect(notes).toMatchObject([{ operation: 'upload', reason: 'file_outside' }]);
  },
);

it('closes each handle once, because the target gives it to the next file', async () => {
  await upload('first', 'first');
  swapFolderAt(Packet.CLOSE);
  start();
  await expect(upload('one', 'changed')).rejects.toThrow();
  expect(requests.filter((type) => type === Packet.CLOSE)).toHaveLength(1);
});

it('reports a failure of a write that was answered ahead, and leaves the old file', async () => {
  const file = await beginUpload(context, '/folder/one', { overwrite: true });
  Object.assign(context.files, {
    write: () => Promise.reject(new TargetFileError('failed')),
  });
  await file.writeAhead(0, Buffer.from('changed'));
  await expect(file.complete()).rejects.toMatchObject({ problem: { code: 'file_failed' } });
  expect(await readFile(join(home, 'folder', 'one'), 'utf8')).toBe('one');
  expect((await readdir(join(home, 'folder'))).toSorted()).toEqual(['one', 'two']);
  expect(notes).toMatchObject([{ operation: 'upload', reason: 'file_failed' }]);
});

it('waits for the target when more than 32 KiB of an upload are unanswered', async () => {
  const file = await beginUpload(context, '/folder/large', { overwrite: true });
  const unanswered = new Promise<void>(() => undefined);
  Object.assign(context.files, { write: () => unanswered });
  await file.writeAhead(0, Buffer.alloc(32 * 1024));
  let isAnswered = false;
  void file.writeAhead(32 * 1024, Buffer.alloc(1)).then(() => {
    isAnswered = true;
  });
  await context.files.attributesOf(Buffer.from(home), false);
  expect(isAnswered).toBe(false);
});

it('closes a file that was read without another request, too', async () => {
  await download('one');
  start();
  await expect.poll(() => requests).toEqual([Packet.CLOSE]);
});
