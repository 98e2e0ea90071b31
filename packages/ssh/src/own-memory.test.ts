import { expect, it } from 'vitest';
import { shareOffer } from './incoming.ts';
import { offerOf, protocolOf } from './internals.ts';
import { withOwnMemory } from './own-memory.ts';
import { connectPair } from './testing/connect-pair.ts';

it('gives small buffers separate memory, and restores the pool also after an error', () => {
  const { poolSize } = Buffer;
  const own = withOwnMemory(() => [Buffer.from('a text'), Buffer.concat([Buffer.alloc(3)])]);
  expect(own.map(({ buffer }) => buffer.byteLength)).toEqual([6, 3]);
  const fail = () => {
    throw new Error('it fails');
  };
  expect(() => withOwnMemory(fail)).toThrow('it fails');
  expect([Buffer.poolSize, Buffer.from('a text').buffer.byteLength]).toEqual([poolSize, poolSize]);
});

it('lets clients of the same algorithms share an offer, with which they exchange keys again', async () => {
  const pairs = [await connectPair(() => undefined), await connectPair(() => undefined)];
  try {
    const algorithms = {};
    for (const { client } of pairs) shareOffer(client, algorithms);
    const [first, second] = pairs.map(({ client }) => offerOf(protocolOf(client)));
    expect(first).toBe(second);
    for (const { connection } of pairs)
      await new Promise<void>((done) => connection.rekey(() => done()));
  } finally {
    for (const pair of pairs) pair.close();
  }
});
