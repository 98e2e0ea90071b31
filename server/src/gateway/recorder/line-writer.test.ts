import { EventEmitter, once } from 'node:events';
import { expect, it } from 'vitest';
import { StorageError } from '../../platform/storage/storage.ts';
import { LineWriter } from './line-writer.ts';

it('reports a full disk once, and closes the file', async () => {
  const failures: Error[] = [];
  let closed = 0;
  const full = () => Promise.reject(new StorageError('full', 'no space left'));
  const file = { append: full, flush: full, close: () => full().finally(() => closed++) };
  const writer = new LineWriter(file, {
    onFailure: (error) => failures.push(error),
    onDrain: () => undefined,
  });
  for (let i = 0; i < 20; i++) writer.add(`${'y'.repeat(32 * 1024)}\n`);
  await writer.end();
  expect(failures).toMatchObject([{ code: 'full' }]);
  expect([writer.hasFailed, closed]).toEqual([true, 1]);
});

it('writes short and long lines in order, and holds no block for a few short ones', async () => {
  const blocks: number[] = [];
  let content = '';
  const file = {
    append: async (block: Buffer, length: number) => {
      blocks.push(block.length);
      content += block.toString('utf8', 0, length);
    },
    flush: async () => undefined,
    close: async () => undefined,
  };
  const writer = () =>
    new LineWriter(file, { onFailure: () => undefined, onDrain: () => undefined });
  const few = writer();
  few.add('one\n');
  few.add('两\n');
  await few.end();
  expect([content, blocks]).toEqual(['one\n两\n', [8]]);
  content = '';
  const lines = [3, 3_000, 2_000, 5, 100_000, 7].map((length) => `${'界'.repeat(length)}\n`);
  const many = writer();
  for (const line of lines) many.add(line);
  await many.end();
  expect(content).toBe(lines.join(''));
});

it('shares large blocks between many recordings, and gives the others small ones', async () => {
  const blocks = new Set<Buffer>();
  const disk = new EventEmitter();
  const released = once(disk, 'free');
  let content = '';
  const file = {
    append: async (block: Buffer, length: number) => {
      blocks.add(block);
      await released;
      content += block.toString('utf8', 0, length);
    },
    flush: async () => undefined,
    close: async () => undefined,
  };
  const lines = Array.from({ length: 100 }, (_, number) => `${number}${'z'.repeat(40_000)}\n`);
  const writers = lines.map((line) => {
    const writer = new LineWriter(file, { onFailure: () => undefined, onDrain: () => undefined });
    writer.add(line);
    return writer;
  });
  const long = '界'.repeat(100_000);
  writers[0]?.add(long);
  const ended = Promise.all(writers.map((writer) => writer.end()));
  const bytes = [...blocks].reduce((sum, block) => sum + block.length, 0);
  expect(blocks.size).toBe(lines.length);
  expect(bytes).toBeLessThan(20 * 1024 * 1024);
  disk.emit('free');
  await ended;
  for (const line of lines) expect(content).toContain(line);
  expect(content).toContain(long);
});

it('returns its blocks when the disk fails, so later recordings get them', async () => {
  const sizes: number[] = [];
  let isFull = true;
  const file = {
    append: async (block: Buffer) => {
      sizes.push(block.length);
      if (isFull) throw new StorageError('full', 'no space left');
    },
    flush: async () => undefined,
    close: async () => undefined,
  };
  const write = async () => {
    const writer = new LineWriter(file, { onFailure: () => undefined, onDrain: () => undefined });
    for (let line = 0; line < 20; line++) writer.add(`${'y'.repeat(40_000)}\n`);
    await writer.end();
  };
  for (let recording = 0; recording < 30; recording++) await write();
  isFull = false;
  sizes.length = 0;
  await write();
  expect(sizes[0]).toBe(512 * 1024);
});
