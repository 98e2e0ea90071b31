import { createHash } from 'node:crypto';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadPdu, u16, u32 } from '../byte-reader.ts';
import { ClipboardFilter, type FileRights } from './clipboard.ts';
import type { FileFailure } from './file-read.ts';
import {
  messageOf,
  PIECE_BYTES,
  readFileList,
  readFormats,
  safeName,
  writeFileList,
} from './messages.ts';
import { PieceReader } from './pieces.ts';

const LIMITS = { files: 1000, bytes: 2 ** 31 - 1 };
const STREAMS = 0x04;
const [FAILED, OK] = [2, 1];
const capabilities = (flags: number) =>
  Buffer.concat([u16(1), u16(0), u16(1), u16(12), u32(2), u32(flags)]);
const format = (id: number, name: string) =>
  Buffer.concat([u32(id), Buffer.from(`${name}\0`, 'utf16le')]);
const FILE_FORMAT = 0xc0bc;
const FILES_AND_TEXT = Buffer.concat([
  format(13, ''),
  format(FILE_FORMAT, 'FileGroupDescriptorW'),
  format(0xc0ba, 'FileContents'),
  format(0xc0fd, 'Preferred DropEffect'),
]);
const ask = (streamId: number, index: number, kind: number, position: number, length: number) =>
  Buffer.concat([
    u32(streamId),
    u32(index),
    u32(kind),
    u32(position % 2 ** 32),
    u32(Math.floor(position / 2 ** 32)),
    u32(length),
  ]);
const answer = (streamId: number, bytes: Buffer) => Buffer.concat([u32(streamId), bytes]);

/** An entry of a file list in the form of xrdp and Windows. */
function entry(name: string, size: number, attributes = 0x20): Buffer {
  const bytes = Buffer.alloc(592);
  bytes.writeUInt32LE(0x4064, 0);
  bytes.writeUInt32LE(attributes, 36);
  bytes.writeUInt32LE(Math.floor(size / 2 ** 32), 64);
  bytes.writeUInt32LE(size % 2 ** 32, 68);
  bytes.write(name, 72, 'utf16le');
  return bytes;
}
const list = (...entries: readonly Buffer[]) => Buffer.concat([u32(entries.length), ...entries]);

/** A message in chunks, with padding like that of xrdp. */
function cut(kind: number, flags: number, body: Buffer, filling = 4, size = PIECE_BYTES): Buffer[] {
  const message = Buffer.concat([messageOf(kind, flags, body), Buffer.alloc(filling)]);
  return Array.from({ length: Math.ceil(message.length / size) }, (_, index) => {
    const isLast = (index + 1) * size >= message.length;
    return Buffer.concat([
      u32(message.length),
      u32((index === 0 ? 1 : 0) | (isLast ? 2 : 0)),
      message.subarray(index * size, (index + 1) * size),
    ]);
  });
}

interface Message {
  readonly kind: number;
  readonly flags: number;
  readonly body: Buffer;
}

/** Reassembles the filter's output to one side. */
class Receiver {
  readonly messages: Message[] = [];
  readonly #reader = new PieceReader();
  #contents: { flags: number; streamId: number; parts: Buffer[] } | undefined;

  take(piece: Buffer): void {
    expect(piece.length).toBeLessThanOrEqual(PIECE_BYTES + 8);
    for (const arrived of this.#reader.push(piece)) {
      if (arrived.type === 'message') this.messages.push(arrived);
      else if (arrived.type === 'contents') this.#contents = { ...arrived, parts: [] };
      else if (arrived.type === 'part') this.#contents?.parts.push(Buffer.from(arrived.bytes));
      else if (this.#contents) {
        const { flags, streamId, parts } = this.#contents;
        this.messages.push({ kind: 9, flags, body: answer(streamId, Buffer.concat(parts)) });
      }
    }
  }

  taken(): Message[] {
    return this.messages.splice(0);
  }
}

interface Entry {
  readonly operation: string;
  readonly name: string;
  size: number;
  reason?: FileFailure | undefined;
  sha256?: string | undefined;
  isOver: boolean;
}

function rig(
  files: FileRights,
  texts = { copy: false, paste: false },
  capabilitiesOf = { server: STREAMS, client: STREAMS },
) {
  const [server, browser] = [new Receiver(), new Receiver()];
  const entries: Entry[] = [];
  const rights: FileRights[] = [];
  const report = (operation: string) => ({
    begin: (name: string) => {
      const setup: Entry = { operation, name, size: 0, isOver: false };
      entries.push(setup);
      return {
        add: (bytes: number) => {
          setup.size += bytes;
        },
        end: (reason?: FileFailure, sha256?: string) =>
          void Object.assign(setup, { reason, sha256, isOver: true }),
      };
    },
    refused: (name: string, reason: FileFailure) =>
      void entries.push({ operation, name, size: 0, reason, isOver: true }),
  });
  const filter = new ClipboardFilter({ texts, files }, LIMITS, {
    toServer: (piece) => server.take(piece),
    toBrowser: (piece) => browser.take(piece),
    files: (now) => void rights.push(now),
    uploads: report('upload'),
    downloads: report('download'),
  });
  const say =
    (from: 'client' | 'server') =>
    (kind: number, flags: number, body: Buffer, filling?: number) => {
      for (const piece of cut(kind, flags, body, filling)) filter.read(from, piece);
    };
  const [fromServer, fromPage] = [say('server'), say('client')];
  fromServer(7, 0, capabilities(capabilitiesOf.server | 2));
  fromPage(7, 0, capabilities(capabilitiesOf.client | 2));
  const agreed = [browser.taken(), server.taken()].map((messages) =>
    messages[0]?.body.readUInt32LE(12),
  );
  return { filter, server, browser, entries, rights, fromServer, fromPage, agreed };
}

const BOTH = { upload: true, download: true };

/** Sets up a desktop that has offered these files to the page. */
function offered(files: readonly Buffer[], rights: FileRights = BOTH) {
  const setup = rig(rights);
  setup.fromServer(2, 0, FILES_AND_TEXT);
  setup.fromPage(4, 0, u32(FILE_FORMAT));
  setup.fromServer(5, OK, list(...files));
  setup.server.taken();
  setup.browser.taken();
  return setup;
}

it.each([
  [BOTH, { server: STREAMS, client: STREAMS }, [14, 14], [BOTH]],
  [
    { upload: false, download: true },
    { server: STREAMS | 0x30, client: STREAMS | 0x30 },
    [14, 14],
    [{ upload: false, download: true }],
  ],
  [{ upload: false, download: false }, { server: STREAMS | 0x30, client: STREAMS }, [2, 2], []],
  [BOTH, { server: 0, client: STREAMS }, [2, 2], []],
  [BOTH, { server: STREAMS, client: 0 }, [14, 2], []],
])(
  'negotiates files if the rights allow it and both sides can (%j, %j), and never locks or huge files',
  (files, capabilitiesOf, flags, known) => {
    const setup = rig(files, undefined, capabilitiesOf);
    expect(setup.agreed).toEqual(flags);
    expect(setup.rights).toEqual(known);
  },
);

it.each([
  { upload: true, download: true },
  { upload: true, download: false },
  { upload: false, download: true },
  { upload: false, download: false },
])('passes file lists by the right of their direction: %j', (files) => {
  const { fromServer, fromPage, server, browser } = rig(files);
  fromServer(2, 0, FILES_AND_TEXT);
  if (files.download)
    expect(readFormats(browser.taken()[0]?.body ?? Buffer.alloc(0))).toEqual([
      { id: FILE_FORMAT, name: 'FileGroupDescriptorW' },
    ]);
  else {
    expect(browser.taken()).toEqual([]);
    expect(server.taken().map(({ kind, flags }) => [kind, flags])).toEqual([[3, OK]]);
  }
  fromPage(4, 0, u32(FILE_FORMAT));
  if (files.download) expect(server.taken().map(({ kind }) => kind)).toEqual([4]);
  else expect(browser.taken().map(({ kind, flags }) => [kind, flags])).toEqual([[5, FAILED]]);
  browser.taken();
  server.taken();

  fromPage(2, 0, FILES_AND_TEXT);
  const names = readFormats(server.taken()[0]?.body ?? Buffer.alloc(0)).map(({ name }) => name);
  expect(names).toEqual(files.upload ? ['FileGroupDescriptorW', 'Preferred DropEffect'] : []);
  fromServer(4, 0, u32(FILE_FORMAT));
  if (files.upload) expect(browser.taken().map(({ kind }) => kind)).toEqual([4]);
  else expect(server.taken().map(({ kind, flags }) => [kind, flags])).toEqual([[5, FAILED]]);
  // Files are copied, never moved; the filter answers without asking the page.
  fromServer(4, 0, u32(0xc0fd));
  expect(browser.taken()).toEqual([]);
  expect(server.taken()[0]).toMatchObject(
    files.upload ? { kind: 5, flags: OK, body: u32(1) } : { kind: 5, flags: FAILED },
  );
});

it('logs a file downloaded in pieces once, with size and digest, and logs empty files', () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, at) => at & 255));
  const { fromServer, fromPage, server, browser, entries } = offered([
    entry('report.pdf', 5000),
    entry('empty.txt', 0),
  ]);
  fromPage(8, 0, ask(1, 0, 1, 0, 0));
  // The filter drops the lock id, because locks are not negotiated, and sets the length of a size
  // request.
  expect(server.taken()[0]?.body).toEqual(ask(1, 0, 1, 0, 8));
  fromServer(9, OK, answer(1, Buffer.concat([u32(5000), u32(0)])));
  expect(browser.taken()[0]?.body).toEqual(answer(1, Buffer.concat([u32(5000), u32(0)])));
  expect(entries).toEqual([]);
  for (const [streamId, position] of [
    [2, 0],
    [3, 2000],
    [4, 4000],
  ] as const) {
    fromPage(8, 0, Buffer.concat([ask(streamId, 0, 2, position, 2000), u32(0)]));
    const request = server.taken()[0]?.body;
    const length = Math.min(2000, 5000 - position);
    expect(request).toEqual(ask(streamId, 0, 2, position, length));
    fromServer(9, OK, answer(streamId, content.subarray(position, position + length)));
    expect(browser.taken()[0]).toMatchObject({
      kind: 9,
      flags: OK,
      body: answer(streamId, content.subarray(position, position + length)),
    });
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  expect(entries).toEqual([
    {
      operation: 'download',
      name: 'report.pdf',
      size: 5000,
      reason: undefined,
      sha256,
      isOver: true,
    },
  ]);
  // The filter answers reads at the end of the file itself.
  fromPage(8, 0, ask(5, 0, 2, 5000, 10));
  expect(browser.taken()[0]).toMatchObject({ kind: 9, flags: OK, body: u32(5) });
  fromPage(8, 0, ask(6, 1, 1, 0, 8));
  fromServer(9, OK, answer(6, Buffer.alloc(8)));
  expect(entries[1]).toMatchObject({
    name: 'empty.txt',
    size: 0,
    isOver: true,
    reason: undefined,
    sha256: createHash('sha256').digest('hex'),
  });
  expect(server.taken()).toHaveLength(1);
});

it('logs an upload from its first request, in any order of pieces, and marks failed or unfinished files', () => {
  const { fromServer, fromPage, server, browser, entries } = rig(BOTH);
  fromPage(2, 0, FILES_AND_TEXT);
  fromServer(4, 0, u32(FILE_FORMAT));
  fromPage(
    5,
    OK,
    list(
      entry('photos\\a.png', 300),
      entry('b.png', 300),
      entry('c.png', 300),
      entry('photos', 0, 0x10),
    ),
  );
  browser.taken();
  expect(
    readFileList(server.taken().at(-1)?.body ?? Buffer.alloc(0), LIMITS.files)?.map(
      ({ name, size, isFolder }) => [name, size, isFolder],
    ),
  ).toEqual([
    ['photos\\a.png', 300, false],
    ['b.png', 300, false],
    ['c.png', 300, false],
    ['photos', 0, true],
  ]);
  fromServer(8, 0, ask(1, 0, 2, 100, 200));
  fromServer(8, 0, ask(1, 0, 2, 0, 100));
  expect(entries).toMatchObject([{ operation: 'upload', name: 'photos\\a.png', isOver: false }]);
  // Two requests with one stream id are answered in order.
  fromPage(9, OK, answer(1, Buffer.alloc(200)));
  fromPage(9, OK, answer(1, Buffer.alloc(100)));
  expect(entries[0]).toMatchObject({
    size: 300,
    isOver: true,
    reason: undefined,
    sha256: undefined,
  });
  fromServer(8, 0, ask(2, 1, 2, 0, 100));
  fromPage(9, FAILED, u32(2));
  expect(entries[1]).toMatchObject({ name: 'b.png', size: 0, isOver: true, reason: 'file_failed' });
  fromServer(8, 0, ask(3, 2, 2, 0, 100));
  fromPage(9, OK, answer(3, Buffer.alloc(100)));
  // A folder has no content.
  fromServer(8, 0, ask(4, 3, 2, 0, 100));
  expect(server.taken().at(-1)).toMatchObject({ kind: 9, flags: FAILED, body: u32(4) });
  fromPage(2, 0, Buffer.alloc(0));
  expect(entries[2]).toMatchObject({
    name: 'c.png',
    size: 100,
    isOver: true,
    reason: 'file_incomplete',
  });
});

it('ends transfers and fails pending requests when a right ends, and drops late answers', () => {
  const { filter, fromServer, fromPage, server, browser, entries, rights } = offered([
    entry('a', 4000),
  ]);
  fromPage(8, 0, ask(1, 0, 2, 0, 2000));
  fromPage(8, 0, ask(2, 0, 2, 2000, 2000));
  const pieces = cut(9, OK, answer(1, Buffer.alloc(2000, 7)));
  filter.read('server', pieces[0] ?? Buffer.alloc(0));
  filter.setRights({
    texts: { copy: false, paste: false },
    files: { upload: true, download: false },
  });
  // Complete the current message first: chunks of two messages must not mix.
  expect(browser.taken()).toEqual([]);
  filter.read('server', pieces[1] ?? Buffer.alloc(0));
  expect(
    browser.taken().map(({ flags, body }) => [flags, body.readUInt32LE(0), body.length]),
  ).toEqual([
    [OK, 1, 2004],
    [FAILED, 2, 4],
  ]);
  expect(entries).toMatchObject([
    { name: 'a', size: 2000, reason: 'transfer_denied', isOver: true },
  ]);
  fromServer(9, OK, answer(2, Buffer.alloc(2000)));
  expect(browser.taken()).toEqual([]);
  server.taken();
  for (const streamId of [3, 4]) fromPage(8, 0, ask(streamId, 0, 2, 0, 10));
  expect(server.taken()).toEqual([]);
  expect(browser.taken().map(({ flags, body }) => [flags, body.readUInt32LE(0)])).toEqual([
    [FAILED, 3],
    [FAILED, 4],
  ]);
  expect(entries.slice(1)).toMatchObject([
    { operation: 'download', name: 'a', reason: 'transfer_denied', isOver: true },
  ]);
  expect(rights).toEqual([BOTH, { upload: true, download: false }]);
  fromServer(2, 0, FILES_AND_TEXT);
  expect(browser.taken()).toEqual([]);
});

it('limits reads to announced files, their size, 2 GiB, and a number of parallel requests', () => {
  const { fromPage, server, browser, entries } = offered([
    entry('a', 2 ** 31),
    entry('b', 2 ** 31 - 1),
  ]);
  const refused = (body: Buffer) => {
    fromPage(8, 0, body);
    expect(server.taken()).toEqual([]);
    const [{ kind, flags } = { kind: 0, flags: 0 }] = browser.taken();
    return [kind, flags];
  };
  expect(refused(ask(1, 2, 2, 0, 10))).toEqual([9, FAILED]);
  expect(refused(ask(1, 2 ** 31, 2, 0, 10))).toEqual([9, FAILED]);
  expect(refused(ask(1, 0, 2, 0, 10))).toEqual([9, FAILED]);
  expect(entries).toMatchObject([{ name: 'a', reason: 'desktop_file_size', isOver: true }]);
  expect(refused(ask(1, 1, 2, 0, 5 * 1024 * 1024))).toEqual([9, FAILED]);
  expect(refused(ask(1, 1, 2, 0, 0))).toEqual([9, FAILED]);
  expect(refused(ask(1, 1, 2, 2 ** 32, 10))).toEqual([9, FAILED]);
  for (let count = 0; count < 32; count++) fromPage(8, 0, ask(count, 1, 2, count * 10, 10));
  expect(server.taken()).toHaveLength(32);
  expect(refused(ask(99, 1, 2, 0, 10))).toEqual([9, FAILED]);
});

it.each([
  ['contents without a request', 9, OK, answer(9, Buffer.alloc(4))],
  ['contents longer than requested', 9, OK, answer(1, Buffer.alloc(11))],
  ['a size that is none', 9, OK, answer(2, Buffer.alloc(4))],
  ['contents without the number of a request', 9, OK, Buffer.alloc(2)],
  ['a list that ends too early', 5, OK, Buffer.concat([u32(2), entry('a', 1)])],
  ['a list with more than it says', 5, OK, Buffer.concat([list(entry('a', 1)), Buffer.alloc(3)])],
  ['a name without an end', 5, OK, list(entry('x'.repeat(260), 1))],
  ['a file request of an unknown kind', 8, 0, ask(1, 0, 3, 0, 10)],
  ['a request that is too short', 8, 0, Buffer.alloc(20)],
])('ends the session when a server sends %s', (_name, kind, flags, body) => {
  const { fromServer, fromPage } = offered([entry('a', 100)]);
  fromPage(8, 0, ask(1, 0, 2, 0, 10));
  fromPage(8, 0, ask(2, 0, 1, 0, 8));
  fromPage(4, 0, u32(FILE_FORMAT));
  expect(() => fromServer(kind, flags, body, 0)).toThrow(BadPdu);
});

it('ends the session when a page floods requests, or mixes chunks of two messages', () => {
  const { filter, fromPage } = offered([entry('a', 4000)]);
  fromPage(8, 0, ask(1, 0, 2, 0, 4000));
  const [first = Buffer.alloc(0)] = cut(9, OK, answer(1, Buffer.alloc(4000)));
  filter.read('server', first);
  expect(() => {
    for (let count = 0; count < 100; count++) fromPage(8, 0, ask(count, 7, 2, 0, 10));
  }).toThrow(BadPdu);
  expect(() => filter.read('server', first)).toThrow(BadPdu);
});

it.each([
  ['report.pdf', 'report.pdf'],
  ['资料\\年度报告.docx', '资料\\年度报告.docx'],
  ['2026-01-01T10:00:00.log', '2026-01-01T10_00_00.log'],
  ['a/b', 'a_b'],
  ['con', 'con_'],
  ['Aux.txt', 'Aux_.txt'],
  ['console.log', 'console.log'],
  ['photo\u202egnp.exe', 'photo_gnp.exe'],
  ['line\nbreak', 'line_break'],
  ['dot.', 'dot_'],
  ['\ud800', '_'],
  ['..', undefined],
  ['a\\..\\b', undefined],
  ['a\\.. \\b', undefined],
  ['a\\\\b', undefined],
  ['\\a', undefined],
  ['/etc/passwd', undefined],
  ['C:\\a', undefined],
  ['c:a', undefined],
  ['', undefined],
  [Array.from({ length: 33 }, () => 'a').join('\\'), undefined],
])('passes the name %j as %j', (name, safe) => {
  expect(safeName(name)).toBe(safe);
  const { fromServer, fromPage, browser } = offered([]);
  fromPage(4, 0, u32(FILE_FORMAT));
  fromServer(5, OK, list(entry(name, 1)));
  const [{ flags, body } = { flags: 0, body: Buffer.alloc(0) }] = browser.taken();
  // The filter drops a whole list if one name leaves its folder.
  if (safe === undefined) expect(flags).toBe(FAILED);
  else expect(readFileList(body, LIMITS.files)?.map((file) => file.name)).toEqual([safe]);
});

it('drops a list of too many files, and a list that arrives after another offer', () => {
  const { fromServer, fromPage, browser } = offered([]);
  const answerOf = (body: Buffer) => {
    fromPage(4, 0, u32(FILE_FORMAT));
    fromServer(5, OK, body);
    return browser.taken()[0]?.flags;
  };
  const files = (count: number) =>
    list(...Array.from({ length: count }, (_, index) => entry(`${index}`, 1)));
  expect(answerOf(files(1000))).toBe(OK);
  expect(answerOf(files(1001))).toBe(FAILED);
  fromPage(4, 0, u32(FILE_FORMAT));
  fromServer(2, 0, FILES_AND_TEXT);
  browser.taken();
  fromServer(5, OK, files(1));
  expect(browser.taken()[0]?.flags).toBe(FAILED);
});

it('parses a file list that it has serialized', () => {
  const files = [
    {
      name: 'a\\b',
      isFolder: false,
      size: 5 * 2 ** 32 + 7,
      written: Buffer.from('0102030405060708', 'hex'),
    },
    { name: 'c', isFolder: true, size: undefined, written: undefined },
  ];
  expect(readFileList(writeFileList(files), LIMITS.files)).toEqual(files);
});

it(
  'throws only BadPdu on random input, and passes nothing without its right',
  () => {
    const side = fc.constantFrom('client' as const, 'server' as const);
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(FILES_AND_TEXT),
      fc.constant(u32(FILE_FORMAT)),
      fc.constant(capabilities(0x3e)),
      fc
        .tuple(fc.string({ maxLength: 12 }), fc.nat({ max: 3000 }))
        .map(([name, size]) => list(entry(name, size), entry('b', 9))),
      fc
        .tuple(
          fc.nat({ max: 3 }),
          fc.nat({ max: 2 }),
          fc.nat({ max: 3 }),
          fc.nat({ max: 3000 }),
          fc.nat({ max: 3000 }),
        )
        .map((of) => ask(...of)),
      fc
        .tuple(fc.nat({ max: 3 }), fc.nat({ max: 2000 }))
        .map(([streamId, length]) => answer(streamId, Buffer.alloc(length))),
    );
    const step = fc.tuple(
      side,
      fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99),
      fc.nat({ max: 3 }),
      body,
      fc.nat({ max: 5 }),
      fc.integer({ min: 1, max: 1600 }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        (steps, upload, download) => {
          const { filter, server, browser } = rig({ upload, download });
          try {
            for (const [from, kind, flags, content, filling, size] of steps)
              for (const piece of cut(kind, flags, content, filling, size))
                filter.read(from, piece);
          } catch (error) {
            if (!(error instanceof BadPdu)) throw error;
          }
          const contents = (messages: readonly Message[]) =>
            messages.filter(
              ({ kind, flags: marks, body: bytes }) =>
                kind === 9 && marks === OK && bytes.length > 4,
            );
          if (!download) expect(contents(browser.messages)).toEqual([]);
          if (!upload) expect(contents(server.messages)).toEqual([]);
        },
      ),
      runs(2000),
    );
  },
  limitOf(60_000),
);
