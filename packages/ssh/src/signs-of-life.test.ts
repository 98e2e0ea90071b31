import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { protocolOf, sendMessage, socketOf } from './internals.ts';
import { countAnyPacket } from './signs-of-life.ts';
import { connectPair, type Pair } from './testing/connect-pair.ts';

const IGNORE = Buffer.from([2, 0, 0, 0, 0]);
const UNIMPLEMENTED = Buffer.from([3, 0, 0, 0, 7]);
const INTERVAL = 1000;
const KEEPALIVE = { keepaliveInterval: INTERVAL, keepaliveCountMax: 2 };
/** More questions than ssh2 alone asks a server that answers none. */
const QUESTIONS = 6;

let pair: Pair;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  pair.close();
});

async function connect(side: 'client' | 'server'): Promise<Pair> {
  pair = await connectPair(() => undefined, { [side]: KEEPALIVE });
  countAnyPacket(pair.client);
  return pair;
}

/** Lets one side ask its questions, which the other answers with a packet. */
async function ask(from: object, to: object, answer: Buffer): Promise<void> {
  Reflect.set(protocolOf(to), 'requestFailure', () => sendMessage(protocolOf(to), answer));
  for (let question = 0; question < QUESTIONS; question++) {
    const answered = once(socketOf(from), 'data');
    vi.advanceTimersByTime(INTERVAL);
    await answered;
    await turn();
  }
}

it('keeps a connection whose server answers the keep-alive with UNIMPLEMENTED or sends anything else', async () => {
  const { client, connection } = await connect('client');
  const onError = vi.fn();
  client.on('error', onError);
  for (const answer of [UNIMPLEMENTED, IGNORE]) await ask(client, connection, answer);
  expect(onError).not.toHaveBeenCalled();
});

it('ends a connection whose server sends nothing', async () => {
  const { client, connection } = await connect('client');
  const onError = vi.fn();
  client.on('error', onError);
  await ask(client, connection, UNIMPLEMENTED);
  socketOf(connection).pause();
  vi.advanceTimersByTime(INTERVAL * 5);
  expect(onError).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ level: 'client-timeout' }),
  );
});

it('serves a client that answers the keep-alive with UNIMPLEMENTED', async () => {
  const { client, connection } = await connect('server');
  const onError = vi.fn();
  connection.on('error', onError);
  await ask(connection, client, UNIMPLEMENTED);
  expect(onError).not.toHaveBeenCalled();
});
