import { FileType } from '@sallyport/ssh';
import { beforeEach, expect, it } from 'vitest';
import { openFileContext } from '../../../testing/gateway/file-context.ts';
import type { FileRecord } from '../../ports/records.ts';
import type { FolderEntry, TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import { openDownload } from './download.ts';
import type { FileContext } from './file-context.ts';
import { SessionFiles } from './session-files.ts';

const ROOT = '/home/ops';
const CONTENT = Buffer.from('the content');
const LARGE = Buffer.alloc(32 * 1024, 'large');
const DIGEST = '6e569e05cb6f8608572c79d63b365dc31617bf84d7393d2cb9d2f1ffe0edf95b';

/** The requests to the target, in order. */
let questions: string[];
let links: Set<string>;
/** False for a target that answers with the path itself. */
let resolvesLinks: boolean;
let notes: FileRecord[];
let onOpen: () => void;
/** The entries of each folder. */
let listed: FolderEntry[];
let context: FileContext;

const target = (): Partial<TargetFiles> => {
  const ask = (what: string, path: Buffer) => {
    questions.push(`${what} ${path}`);
    return String(path);
  };
  return {
    readLength: 256 * 1024,
    get resolvesLinks() {
      return resolvesLinks;
    },
    realPath: async (path) => {
      const name = ask('realpath', path);
      const link = [...links].find((one) => name === one || name.startsWith(`${one}/`));
      if (link && resolvesLinks) return Buffer.from(name.replace(link, '/etc'));
      return Buffer.from(name === '.' ? ROOT : name);
    },
    readLink: async (path) => {
      ask('readlink', path);
      return Buffer.from('/etc');
    },
    attributesOf: async (path) => {
      const name = ask('lstat', path);
      if (name.endsWith('missing')) throw new TargetFileError('missing');
      const type = links.has(name) ? FileType.LINK : FileType.FOLDER;
      if (name.endsWith('.txt') && !links.has(name))
        return { mode: FileType.FILE | 0o644, size: CONTENT.length };
      if (name.endsWith('.large')) return { mode: FileType.FILE | 0o644, size: LARGE.length };
      return { mode: type | 0o755 };
    },
    attributesOfOpen: async (handle) => {
      ask('fstat', handle);
      return { mode: FileType.FILE | 0o644, size: CONTENT.length };
    },
    open: async (path) => {
      const name = ask('open', path);
      onOpen();
      return Buffer.from(`handle of ${name.slice(ROOT.length)}`);
    },
    readPieces: async (handle, offset, length) => {
      const content = ask(`read ${offset}`, handle).endsWith('.large') ? LARGE : CONTENT;
      return [content.subarray(offset, offset + length)];
    },
    openFolder: async (path) => Buffer.from(ask('opendir', path)),
    readFolder: async () => (listed.length > 0 ? listed.splice(0) : undefined),
    closeHandle: async (handle) => void ask('close', handle),
    releaseHandle: (handle) => void ask('close', handle),
  };
};

beforeEach(async () => {
  questions = [];
  links = new Set();
  resolvesLinks = false;
  notes = [];
  onOpen = () => undefined;
  listed = [];
  const files = target() as TargetFiles;
  context = await openFileContext(files, (record) => notes.push(record));
  questions = [];
});

async function download(path: string): Promise<Buffer> {
  const file = await openDownload(context, path);
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const piece = await file.read(at, 32 * 1024);
    if (piece.length === 0) break;
    pieces.push(piece);
    at += piece.length;
  }
  await file.close();
  return Buffer.concat(pieces);
}

const isRead = (question: string) => question.startsWith('read ');

it('asks the target six questions about a small file after another one of the same folder', async () => {
  await download('/one.txt');
  questions = [];
  expect(await download('/two.txt')).toEqual(CONTENT);
  expect(questions.toSorted()).toEqual([
    'close handle of /two.txt',
    'lstat /home/ops/two.txt',
    'lstat /home/ops/two.txt',
    'open /home/ops/two.txt',
    'read 0 handle of /two.txt',
    'realpath /home/ops',
  ]);
});

it('asks a target that resolves links five questions about such a file, at any depth', async () => {
  resolvesLinks = true;
  await download('/folder/one.txt');
  questions = [];
  expect(await download('/folder/two.txt')).toEqual(CONTENT);
  expect(questions.toSorted()).toEqual([
    'close handle of /folder/two.txt',
    'lstat /home/ops/folder/two.txt',
    'open /home/ops/folder/two.txt',
    'read 0 handle of /folder/two.txt',
    'realpath /home/ops/folder/two.txt',
  ]);
});

it('asks the target again at the end when the client waits for more bytes', async () => {
  const file = await openDownload(context, '/one.txt');
  await file.read(0, 32 * 1024);
  questions = [];
  for (let count = 0; count < 2; count++)
    expect(await file.read(CONTENT.length, 32 * 1024)).toHaveLength(0);
  expect(questions).toEqual([`read ${CONTENT.length} handle of /one.txt`]);
});

it('reads no file from 32 KiB on before the client asks', async () => {
  const file = await openDownload(context, '/one.large');
  expect(questions.filter(isRead)).toEqual([]);
  expect(await file.read(0, LARGE.length)).toEqual(LARGE);
});

it('keeps the start of at most 16 files, and reads the others when the client asks', async () => {
  const names = Array.from({ length: 17 }, (_, index) => `/${index}.txt`);
  const files = [];
  for (const name of names) files.push(await openDownload(context, name));
  questions = [];
  for (const file of files) expect(await file.read(0, 32 * 1024)).toEqual(CONTENT);
  expect(questions.filter(isRead)).toEqual(['read 0 handle of /0.txt']);
});

it('reads nothing of a file that the client only looks at or lists', async () => {
  const files = new SessionFiles(context);
  expect(await files.stat('/one.txt')).toMatchObject({ size: CONTENT.length });
  for await (const batch of files.list('/')) expect(batch).toEqual([]);
  expect(questions.filter(isRead)).toEqual([]);
});

it('passes no byte that was read ahead after the right to download has ended', async () => {
  const file = await openDownload(context, '/one.txt');
  context = Object.assign(context, {
    require: () => {
      throw new Refusal('transfer_denied');
    },
  });
  await expect(file.read(0, 32 * 1024)).rejects.toThrow('transfer_denied');
});

it('logs each download with its size and the digest of the bytes that passed', async () => {
  for (const path of ['/one.txt', '/two.txt']) expect(await download(path)).toEqual(CONTENT);
  const entry = { operation: 'download', size: CONTENT.length, sha256: DIGEST, reason: undefined };
  expect(notes).toEqual([
    { ...entry, path: '/one.txt' },
    { ...entry, path: '/two.txt' },
  ]);
});

it('logs a small file once it has passed, also when the client never closes it', async () => {
  const file = await openDownload(context, '/one.txt');
  await file.read(0, 32 * 1024);
  expect(notes).toMatchObject([{ size: CONTENT.length, sha256: DIGEST, reason: undefined }]);
  await file.close(new Refusal('file_incomplete'));
  expect(notes).toHaveLength(1);
});

it('logs a small file again when the client reads it again', async () => {
  const file = await openDownload(context, '/one.txt');
  await file.read(0, 32 * 1024);
  await file.read(0, 32 * 1024);
  await file.close();
  const entry = { size: CONTENT.length, sha256: DIGEST, reason: undefined };
  expect(notes).toMatchObject([entry, entry]);
});

it('does not close a file before its log entry is written', async () => {
  let write: () => void = () => undefined;
  context = Object.assign(context, {
    note: () =>
      new Promise<void>((done) => {
        write = done;
      }),
  });
  const file = await openDownload(context, '/one.txt');
  await file.read(0, 32 * 1024);
  let isClosed = false;
  const closing = file.close().then(() => {
    isClosed = true;
  });
  await new Promise((done) => setImmediate(done));
  expect(isClosed).toBe(false);
  write();
  await closing;
});

it('logs no byte of a file that was read ahead for a client that does not read', async () => {
  await (await openDownload(context, '/one.txt')).close();
  expect(notes).toMatchObject([{ size: 0, reason: 'file_incomplete' }]);
});

it.each([
  { resolves: true, link: '/home/ops/folder' },
  { resolves: true, link: '/home/ops/folder/two.txt' },
  { resolves: false, link: '/home/ops/folder' },
  { resolves: false, link: '/home/ops/folder/two.txt' },
])(
  'rejects a file when $link becomes a link at the opening (resolved by the target: $resolves)',
  async ({ resolves, link }) => {
    resolvesLinks = resolves;
    await download('/folder/one.txt');
    notes = [];
    onOpen = () => links.add(link);
    await expect(openDownload(context, '/folder/two.txt')).rejects.toThrow('file_outside');
    expect(questions.at(-1)).toBe('close handle of /folder/two.txt');
    expect(notes).toEqual([
      { operation: 'download', path: '/folder/two.txt', reason: 'file_outside' },
    ]);
  },
);

it('checks the whole path of a file in another folder', async () => {
  await download('/folder/one.txt');
  links.add('/home/ops/other');
  questions = [];
  await expect(openDownload(context, '/other/one.txt')).rejects.toThrow('file_outside');
  expect(questions).not.toContain('open /home/ops/other/one.txt');
});

/** Lists a folder with these regular files, and reads one of them. */
async function listAndRead(folder: string, ...names: string[]): Promise<void> {
  listed = [...names, 'one.txt'].map((name) => ({
    name: Buffer.from(name),
    longName: '',
    attributes: { mode: FileType.FILE | 0o644, size: CONTENT.length },
  }));
  for await (const _ of new SessionFiles(context).list(folder));
  await download(`${folder}/one.txt`);
  questions = [];
  notes = [];
}

it('looks at a listed file, opens it and resolves its path in one round trip', async () => {
  resolvesLinks = true;
  await listAndRead('/folder', 'two.txt');
  const opening = openDownload(context, '/folder/two.txt');
  expect(questions).toEqual([
    'lstat /home/ops/folder/two.txt',
    'open /home/ops/folder/two.txt',
    'realpath /home/ops/folder/two.txt',
  ]);
  expect(await (await opening).read(0, 32 * 1024)).toEqual(CONTENT);
  expect(questions.filter((question) => question.startsWith('open'))).toHaveLength(1);
});

it('opens an unlisted file only after the answer about its kind', async () => {
  resolvesLinks = true;
  await listAndRead('/folder');
  const opening = openDownload(context, '/folder/two.txt');
  expect(questions).toEqual(['lstat /home/ops/folder/two.txt']);
  await opening;
});

it.each(['/home/ops/folder', '/home/ops/folder/two.txt'])(
  'rejects a listed file when %s has become a link',
  async (link) => {
    resolvesLinks = true;
    await listAndRead('/folder', 'two.txt');
    links.add(link);
    await expect(openDownload(context, '/folder/two.txt')).rejects.toThrow('file_outside');
    await expect.poll(() => questions).toContain('close handle of /folder/two.txt');
    expect(notes).toMatchObject([{ reason: 'file_outside' }]);
  },
);

it('rejects a listed file that has become a pipe, while the target waits for its writer', async () => {
  resolvesLinks = true;
  await listAndRead('/folder', 'two.txt');
  Object.assign(context.files, {
    attributesOf: async () => ({ mode: 0o010644 }),
    open: () => new Promise(() => undefined),
  });
  await expect(openDownload(context, '/folder/two.txt')).rejects.toThrow('file_kind');
});
