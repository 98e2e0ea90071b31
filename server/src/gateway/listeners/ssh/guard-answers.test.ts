import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import {
  createIncoming,
  gatherWrites,
  generateSshKeyPair,
  reportDisconnect,
  ServerDisconnect,
  ssh2,
} from '@sallyport/ssh';
import { expect, it } from 'vitest';
import { IDENT, MODERN } from './algorithms.ts';
import { guardAnswers } from './guard-answers.ts';

const MAX = 20_000;

it('ends the connection of a client that reads no answers with a text, which it can read', async () => {
  const [near, far] = duplexPair();
  const accept = createIncoming({
    hostKeys: [generateSshKeyPair('host').private],
    algorithms: MODERN,
    ident: IDENT,
    keepaliveMs: 0,
    keepaliveMisses: 0,
  });
  gatherWrites(near);
  let exceeded = 0;
  const count = () => {
    exceeded += 1;
  };
  guardAnswers(near, () => accepted, { max: MAX, onExceeded: count });
  const accepted = accept(near, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => context.accept());
  });
  const client = new ssh2.Client();
  const disconnected = new Promise<ServerDisconnect>((done) => {
    client.on('error', (error) => {
      if (error instanceof ServerDisconnect) done(error);
    });
  });
  client.connect({ sock: far, username: 'root', password: 'any', readyTimeout: 0 });
  reportDisconnect(client);
  await once(client, 'ready');
  far.pause();
  while (!near.writableEnded) {
    for (let at = 0; at < 50; at++) client.forwardIn('127.0.0.1', 1, () => undefined);
    await new Promise((done) => setImmediate(done));
  }
  far.resume();
  expect(await disconnected).toMatchObject({
    reason: 11,
    text: 'The client sends requests and does not read the answers.',
  });
  expect(exceeded).toBe(1);
  client.destroy();
  near.destroy();
});
