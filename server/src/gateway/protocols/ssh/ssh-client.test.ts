import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTime } from './ssh-client.ts';

it('swallows the rejection of an answer that arrives after an abort', async () => {
  const unhandled: unknown[] = [];
  const keep = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', keep);
  const late = Promise.withResolvers<void>();
  await expect(
    inTime(late.promise, 60_000, AbortSignal.abort(new Error('given up')), { host: 'web-01' }),
  ).rejects.toThrow('given up');
  late.reject(new Error('the connection is lost'));
  await turn();
  await turn();
  process.off('unhandledRejection', keep);
  expect(unhandled).toEqual([]);
});
