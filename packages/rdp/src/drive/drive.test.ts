import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BadPdu, u16, u32 } from '../byte-reader.ts';
import { ChannelReader, channelPieces } from '../static-channel.ts';
import { BLOCK_BYTES } from './block-spool.ts';
import { DriveChannel } from './drive-channel.ts';
import { DriveFolder } from './drive-folder.ts';
import { PACKET, packet, STATUS, u64 } from './drive-messages.ts';
import { matchesPattern } from './name-pattern.ts';

const KIBIBYTE = 1024;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-drive-'));
});
afterAll(async () => {
  for (const folder of folders) await folder.dispose();
  await rm(directory, { recursive: true, force: true });
});

const folders: DriveFolder[] = [];
function folderOf(bytes = 512 * KIBIBYTE, free = 2 ** 40): DriveFolder {
  const folder = new DriveFolder(join(directory, String(folders.length)), {
    ...{ bytes, entries: 20, freeBytes: async () => free },
  });
  folders.push(folder);
  return folder;
}

const wide = (text: string) => Buffer.from(`${text}\0`, 'utf16le');
const NO_BYTES = Buffer.alloc(0);

/** A server of the channel, which waits for each answer. */
function serverOf(folder: DriveFolder, isWritable = true, isSlow = false) {
  const reader = new ChannelReader(1024 * KIBIBYTE);
  const answers: Buffer[] = [];
  const failures: unknown[] = [];
  let heard: () => void = () => undefined;
  const counts = { accepted: 0, changed: 0 };
  const channel = new DriveChannel(folder, isWritable, {
    toServer: (piece) => {
      const message = reader.push(piece);
      if (!message) return;
      answers.push(message);
      heard();
    },
    ready: () => (isSlow ? new Promise(() => undefined) : Promise.resolve()),
    accepted: () => counts.accepted++,
    changed: () => counts.changed++,
    failed: (error) => failures.push(error),
  });
  const say = (message: Buffer) => {
    for (const piece of channelPieces(message)) channel.read(piece);
  };
  const request = (file: number, major: number, minor: number, ...body: readonly Buffer[]) =>
    packet(PACKET.request, u32(1), u32(file), u32(7), u32(major), u32(minor), ...body);
  const ask = async (...parts: Parameters<typeof request>) => {
    const answered = new Promise<void>((done) => {
      heard = done;
    });
    say(request(...parts));
    await answered;
    const answer = answers.at(-1) ?? NO_BYTES;
    expect(answer.subarray(0, 12).toString('hex')).toBe('724443490100000007000000');
    return { status: answer.readUInt32LE(12), body: answer.subarray(16) };
  };
  const open = async (path: string, disposition = 1, options = 0, access = 0x0012_0089) => {
    const name = wide(path);
    const { status, body } = await ask(
      ...([0, 0, 0, u32(access)] as const),
      ...[u64(0), u32(0), u32(0), u32(disposition), u32(options), u32(name.length), name],
    );
    return { status, file: body.readUInt32LE(0), opened: body[4] };
  };
  const list = async (path: string, pattern = '*') => {
    const { file } = await open(path, 1, 1);
    const names: string[] = [];
    for (let isFirst = true; ; isFirst = false) {
      const name = isFirst ? wide(`${path}\\${pattern}`) : NO_BYTES;
      const { status, body } = await ask(
        ...([file, 12, 1, u32(3), Buffer.from([Number(isFirst)]), u32(name.length)] as const),
        ...[Buffer.alloc(23), name],
      );
      if (status !== STATUS.ok) {
        await ask(file, 2, 0, Buffer.alloc(32));
        return { names, status };
      }
      names.push(body.subarray(4 + 93).toString('utf16le'));
    }
  };
  const write = (file: number, position: number, bytes: Buffer) =>
    ask(file, 4, 0, u32(bytes.length), u64(position), Buffer.alloc(20), bytes);
  const read = async (file: number, position: number, length: number) => {
    const { body } = await ask(file, 3, 0, u32(length), u64(position), Buffer.alloc(20));
    return body.subarray(4);
  };
  const set = (file: number, kind: number, body: Buffer) =>
    ask(file, 6, 0, u32(kind), u32(body.length), Buffer.alloc(24), body);
  return { say, request, ask, open, list, write, read, set, answers, failures, counts, channel };
}

const renameTo = (path: string) =>
  Buffer.concat([Buffer.from([0, 0]), u32(wide(path).length), wide(path)]);

it('announces the drive once the server has confirmed the client or its user', () => {
  const general = Buffer.concat([u16(1), u16(44), u32(2), Buffer.alloc(20)]);
  for (const [flags, last] of [
    [0, packet(PACKET.clientId, u16(1), u16(12), u32(9))],
    [4, packet(PACKET.loggedOn)],
  ] as const) {
    const { say, answers, counts } = serverOf(folderOf());
    say(packet(PACKET.announce, u16(1), u16(12), u32(9)));
    say(packet(PACKET.serverCapabilities, u16(1), u16(0), general, u32(flags), Buffer.alloc(12)));
    if (flags !== 0) say(packet(PACKET.clientId, u16(1), u16(12), u32(9)));
    expect(answers.map((answer) => answer.readUInt16LE(2))).toEqual([
      ...[PACKET.clientId, PACKET.clientName, PACKET.clientCapabilities],
    ]);
    say(last);
    expect(answers.at(-1)?.subarray(4).toString('latin1')).toBe(
      '\x01\0\0\0\x08\0\0\0\x01\0\0\0bastion\0\0\0\0\0',
    );
    say(packet(PACKET.deviceReply, u32(1), u32(STATUS.denied)));
    expect(counts.accepted).toBe(0);
    say(packet(PACKET.deviceReply, u32(1), u32(0)));
    expect(counts.accepted).toBe(1);
  }
});

it('creates, writes, reads, cuts, renames, lists and deletes like a file system', async () => {
  const folder = folderOf();
  const { open, list, write, read, set, ask, counts } = serverOf(folder);
  expect(await open('\\docs', 2, 1)).toMatchObject({ status: STATUS.ok, opened: 0 });
  const created = await open('\\docs\\a.bin', 5, 0x40, 0x0012_0196);
  const content = randomBytes(3 * BLOCK_BYTES + 5);
  expect((await write(created.file, 10, content)).status).toBe(STATUS.ok);
  expect(await read(created.file, 0, 10)).toEqual(Buffer.alloc(10));
  expect(await read(created.file, 10 + BLOCK_BYTES - 3, 70_000)).toEqual(
    content.subarray(BLOCK_BYTES - 3, BLOCK_BYTES - 3 + 70_000),
  );
  // Cut bytes are zeros when the file grows again.
  await set(created.file, 20, u64(100));
  await set(created.file, 20, u64(200));
  expect(await read(created.file, 0, 1000)).toEqual(
    Buffer.concat([Buffer.alloc(10), content.subarray(0, 90), Buffer.alloc(100)]),
  );
  expect((await set(created.file, 10, renameTo('\\docs\\B.bin'))).status).toBe(STATUS.ok);
  expect((await open('\\DOCS\\b.BIN')).status).toBe(STATUS.ok);
  expect((await open('\\docs\\a.bin')).status).toBe(STATUS.missing);
  expect(await list('\\docs')).toEqual({
    names: ['.', '..', 'B.bin'],
    status: STATUS.noMoreFiles,
  });
  expect(await list('\\docs', '*.txt')).toEqual({ names: [], status: STATUS.missing });
  const { file } = await open('\\docs', 1, 1);
  await set(file, 13, Buffer.from([1]));
  await ask(file, 2, 0, Buffer.alloc(32));
  expect(folder.find(['docs', 'b.bin'])?.size).toBe(200);
  await set(created.file, 13, NO_BYTES);
  await ask(created.file, 2, 0, Buffer.alloc(32));
  expect([folder.find(['docs', 'b.bin']), folder.usedBytes]).toEqual([undefined, 0]);
  expect(counts.changed).toBeGreaterThan(5);
  expect(await readdir(directory)).toEqual([]);
});

it('refuses names that lead out, name devices or are unsafe, and moves of a folder into itself', async () => {
  const { open, set } = serverOf(folderOf());
  for (const path of [
    '\\..\\x',
    '\\a\\..\\..\\x',
    '\\.',
    '\\...',
    '\\c:',
    '\\a/../b',
    '\\nul',
    '\\COM1.txt',
    '\\a\u202eb',
    `\\${'x'.repeat(256)}`,
    '\\a*',
    '\\a ',
  ])
    expect((await open(path, 2)).status, path).toBe(STATUS.badName);
  expect((await open('\\missing\\x', 2)).status).toBe(STATUS.missing);
  const { file } = await open('\\one', 2, 1);
  expect((await set(file, 10, renameTo('\\one\\two'))).status).toBe(STATUS.denied);
  expect((await set(file, 10, renameTo('\\..\\two'))).status).toBe(STATUS.badName);
});

it('keeps the desktop from writing without the right, and lets it read', async () => {
  const folder = folderOf();
  const node = folder.create(['in.txt'], false);
  await folder.write(node, 0, Buffer.from('read me'));
  const { open, write, read, set, channel } = serverOf(folder, false);
  const { file, status } = await open('\\in.txt');
  expect([status, (await read(file, 0, 100)).toString()]).toEqual([STATUS.ok, 'read me']);
  for (const wish of [
    () => open('\\new', 2),
    () => open('\\in.txt', 5),
    () => open('\\in.txt', 1, 0x1000),
    () => open('\\in.txt', 1, 0, 0x4000_0000),
    () => write(file, 0, Buffer.from('x')),
    () => set(file, 13, NO_BYTES),
    () => set(file, 10, renameTo('\\y')),
    () => set(file, 20, u64(0)),
  ])
    expect((await wish()).status).toBe(STATUS.denied);
  channel.allowWrites(true);
  expect((await write(file, 0, Buffer.from('R'))).status).toBe(STATUS.ok);
  expect((await read(file, 0, 100)).toString()).toBe('Read me');
});

it('deletes no folder with files, and nothing after the right has ended', async () => {
  const folder = folderOf();
  const { open, set, ask, channel } = serverOf(folder);
  const docs = await open('\\docs', 2, 1);
  await open('\\docs\\a', 2);
  expect((await set(docs.file, 13, Buffer.from([1]))).status).toBe(STATUS.notEmpty);
  const { file } = await open('\\docs\\a', 1, 0x1000);
  channel.allowWrites(false);
  expect((await ask(file, 2, 0, Buffer.alloc(32))).status).toBe(STATUS.ok);
  expect(folder.find(['docs', 'a'])).toBeDefined();
});

it('limits bytes, entries, open files and the space of the disk', async () => {
  const small = serverOf(folderOf(100));
  const { file } = await small.open('\\a', 2);
  expect((await small.write(file, 0, Buffer.alloc(101))).status).toBe(STATUS.full);
  expect((await small.write(file, 2 ** 52, Buffer.alloc(1))).status).toBe(STATUS.full);
  expect((await small.set(file, 20, u64(0x7fff_ffff_ffff_ffffn))).status).toBe(STATUS.full);
  expect((await small.write(file, 0, Buffer.alloc(100))).status).toBe(STATUS.ok);
  for (let index = 1; index < 20; index++) await small.open(`\\${index}`, 2);
  expect((await small.open('\\last', 2)).status).toBe(STATUS.full);
  for (let index = 20; index < 256; index++) await small.open('\\a');
  expect((await small.open('\\a')).status).toBe(STATUS.tooManyOpen);
  const full = serverOf(folderOf(2 ** 40, 10));
  const other = await full.open('\\a', 2);
  expect((await full.write(other.file, 0, Buffer.alloc(11))).status).toBe(STATUS.full);
  expect((await full.write(other.file, 0, Buffer.alloc(10))).status).toBe(STATUS.ok);
});

it('answers requests that wait at the end of the session as for missing files', async () => {
  const folder = folderOf();
  const { open, write, say, request, answers, failures } = serverOf(folder);
  const { file } = await open('\\a', 2);
  await write(file, 0, Buffer.from('x'));
  const last = answers.length + 20;
  for (let count = 0; count < 20; count++)
    say(request(file, 4, 0, u32(1), u64(count), Buffer.alloc(20), Buffer.from('y')));
  await folder.dispose();
  while (answers.length < last && failures.length === 0)
    await new Promise((done) => setImmediate(done));
  expect(failures).toEqual([]);
  expect(answers.at(-1)?.readUInt32LE(12)).toBe(STATUS.missing);
});

it('ends a server that asks faster than it reads, begins without end, or announces too much', () => {
  const slow = serverOf(folderOf(), true, true);
  const ask = slow.request(0, 10, 0, u32(3));
  expect(() => {
    for (let count = 0; count < 1000; count++) slow.say(ask);
  }).toThrow(BadPdu);
  const again = serverOf(folderOf());
  expect(() => {
    for (let count = 0; count < 100; count++)
      again.say(packet(PACKET.announce, u16(1), u16(12), u32(9)));
  }).toThrow(BadPdu);
  for (const piece of [
    Buffer.concat([u32(0xffff_ffff), u32(1)]),
    Buffer.concat([u32(8), u32(1), Buffer.alloc(9)]),
    Buffer.concat([u32(8), u32(3), Buffer.alloc(7)]),
    Buffer.concat([u32(8), u32(2), Buffer.alloc(8)]),
    Buffer.concat([u32(8), u32(0x20_0003), Buffer.alloc(8)]),
  ])
    expect(() => serverOf(folderOf()).channel.read(piece)).toThrow(BadPdu);
});

it('takes memory for a message as its pieces arrive', () => {
  const before = process.memoryUsage().arrayBuffers;
  const piece = Buffer.concat([u32(1024 * KIBIBYTE), u32(1), Buffer.alloc(1)]);
  const readers = Array.from({ length: 64 }, () => new ChannelReader(1024 * KIBIBYTE));
  for (const reader of readers) expect(reader.push(piece)).toBe(undefined);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * KIBIBYTE);
  for (const length of [1, 1600, 4096, 4097, 100_000, 1024 * KIBIBYTE]) {
    const message = randomBytes(length);
    const results = channelPieces(message).map((part) => readers[0]?.push(part));
    expect(results.pop()?.equals(message)).toBe(true);
    expect(results.every((result) => result === undefined)).toBe(true);
  }
});

it('answers random requests, or ends with BadPdu', async () => {
  const folder = folderOf();
  folder.create(['a'], false);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 16 }), fc.uint8Array({ maxLength: 80 }))),
      async (requests) => {
        const server = serverOf(folder);
        await server.open('\\a');
        for (const [major, bytes] of requests)
          server.say(server.request(1, major, 0, Buffer.from(bytes)));
        while (server.answers.length <= requests.length && server.failures.length === 0)
          await new Promise((done) => setImmediate(done));
        expect(server.failures.filter((error) => !(error instanceof BadPdu))).toEqual([]);
      },
    ),
    runs(400),
  );
});

it('lets the process do other work between requests', async () => {
  const { say, request, answers } = serverOf(folderOf());
  for (let count = 0; count < 10; count++) say(request(0, 10, 0, u32(3)));
  await new Promise((done) => setImmediate(done));
  expect(answers.length).toBeLessThan(3);
  while (answers.length < 10) await new Promise((done) => setImmediate(done));
});

it('refuses patterns that are longer than names, and paths that no system has', async () => {
  const { open, list } = serverOf(folderOf());
  expect((await list('', '*'.repeat(255))).status).toBe(STATUS.noMoreFiles);
  expect((await list('', '*'.repeat(256))).status).toBe(STATUS.badName);
  expect((await open('\\a'.repeat(16_383))).status).toBe(STATUS.missing);
  expect((await open('\\a'.repeat(16_384))).status).toBe(STATUS.badName);
});

it('matches names by patterns of DOS in linear time', () => {
  for (const [name, pattern, matches] of [
    ['Report.TXT', '*.txt', true],
    ['a', '?', true],
    ['ab', '?', false],
    ['a.b.c', '*.c', true],
    ['abc', 'a*', true],
    ['', '*', true],
    ['x', '', true],
    ['a'.repeat(200), `${'*a'.repeat(100)}b`, false],
  ] as const)
    expect(matchesPattern(name, pattern), `${name} ${pattern}`).toBe(matches);
});
