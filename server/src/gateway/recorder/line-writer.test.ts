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
