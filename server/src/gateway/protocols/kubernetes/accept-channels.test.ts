import type { IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { acceptChannels } from './accept-channels.ts';

const events = {
  onData: () => undefined,
  onFinish: () => undefined,
  onDrain: () => undefined,
  onClose: () => undefined,
};

it.each(['websocket', 'SPDY/3.1'])('rejects a client of %s that has left', async (upgrade) => {
  const [socket] = duplexPair();
  const closed = new Promise((done) => socket.once('close', done));
  socket.destroy();
  await closed;
  const request = { headers: { upgrade } } as IncomingMessage;
  const accepted = acceptChannels({ request, socket, head: Buffer.alloc(0) }, ['error'], events);
  await expect(accepted).rejects.toThrow('the client has left');
});
