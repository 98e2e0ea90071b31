import type { IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { joinStreams } from './relay-upgrade.ts';

const answer = { headers: { upgrade: 'websocket' } } as IncomingMessage;
const head = Buffer.alloc(0);

it.each(['client', 'API server'])('ends both streams when the %s has left before', async (who) => {
  const [socket] = duplexPair();
  const [stream] = duplexPair();
  const gone = who === 'client' ? socket : stream;
  const closed = new Promise((done) => gone.once('close', done));
  gone.destroy();
  await closed;
  await joinStreams({ socket, head }, { stream, head, answer }, () => undefined);
  expect([socket.destroyed, stream.destroyed]).toEqual([true, true]);
});
