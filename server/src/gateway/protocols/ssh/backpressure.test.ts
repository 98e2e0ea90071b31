import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import {
  MAX_TRANSPORT_BACKLOG,
  TERMINAL_WINDOW,
  UNREAD_OUTPUT,
  WAITING_BLOCK,
} from '../../limits.ts';
import { guardBacklog, guardWindow } from './backpressure.ts';

it('reports a server that keeps requesting and reads no answer', async () => {
  const server = createServer((socket) => {
    socket.pause();
    socket.on('error', () => undefined);
    const asking = setInterval(() => socket.write('?'), 5);
    socket.once('close', () => clearInterval(asking));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const transport: Socket = connect(port, '127.0.0.1');
  await once(transport, 'connect');
  const noticed = new Promise<number>((done) =>
    guardBacklog(transport, () => done(transport.writableLength)),
  );
  // An answer to each request, much longer than the request.
  transport.on('data', (asked) => transport.write(Buffer.alloc(asked.length * 64 * 1024)));
  expect(await noticed).toBeGreaterThan(MAX_TRANSPORT_BACKLOG);
  transport.destroy();
  server.close();
});

/** A channel like that of the SSH library: packets push data, and reads request none. */
function channelOf(onExceeded: () => void): Readable {
  const channel = new Readable({ read: () => undefined, highWaterMark: 2 * 1024 * 1024 });
  guardWindow(channel, TERMINAL_WINDOW, onExceeded);
  return channel;
}

it('merges single bytes while they wait, and keeps their order', async () => {
  const channel = channelOf(() => expect.unreachable());
  const pieces: Buffer[] = [];
  channel.on('data', (piece: Buffer) => pieces.push(piece));
  channel.pause();
  const sent = Buffer.from(Array.from({ length: UNREAD_OUTPUT }, (_, at) => at % 251));
  for (const [at] of sent.entries()) {
    channel.push(sent.subarray(at, at + 1));
    // The library may touch the stream between pushes.
    if (at % 5000 === 0) await new Promise((done) => setImmediate(done));
  }
  channel.push(Buffer.from('a large piece'.repeat(1000)));
  channel.push(null);
  const ended = once(channel, 'end');
  channel.resume();
  await ended;
  expect(
    Buffer.concat(pieces).equals(Buffer.concat([sent, Buffer.from('a large piece'.repeat(1000))])),
  ).toBe(true);
  expect(pieces.length).toBeLessThan(2 * (UNREAD_OUTPUT / WAITING_BLOCK));
});

it('reports single bytes beyond every window', () => {
  let isExceeded = false;
  const channel = channelOf(() => {
    isExceeded = true;
  });
  channel.pause();
  const byte = Buffer.from('a');
  for (let sent = 0; sent < 4 * 1024 * 1024 && !isExceeded; sent++) channel.push(byte);
  expect(isExceeded).toBe(true);
});
