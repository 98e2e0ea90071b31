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
