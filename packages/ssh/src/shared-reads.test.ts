import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shareReads } from './shared-reads.ts';

let accepted: Socket;
let peer: Socket;
beforeEach(async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  peer = connect({ host: '127.0.0.1', port: address.port });
  [accepted] = (await once(server, 'connection')) as [Socket];
  server.close();
});
afterEach(() => {
  accepted.destroy();
  peer.destroy();
});

const nextChunk = async (socket: Socket) => {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return { chunk, text: chunk.toString() };
};

it('reads accepted and outgoing sockets into one memory', async () => {
  shareReads(accepted);
  shareReads(peer);
  peer.write('from the client');
  const first = await nextChunk(accepted);
  accepted.write('from the server');
  const second = await nextChunk(peer);
  expect([first.text, second.text]).toEqual(['from the client', 'from the server']);
  expect(second.chunk.buffer).toBe(first.chunk.buffer);
});

it('queues copies while the socket is paused', async () => {
  shareReads(accepted);
  shareReads(peer);
  peer.write('a');
  await nextChunk(accepted);
  accepted.once('readable', () => undefined);
  peer.write('waits here');
  await once(accepted, 'readable');
  accepted.write('overwrites the shared memory');
  await nextChunk(peer);
  expect(String(accepted.read())).toBe('waits here');
});

it('stops reading a paused socket and delivers every byte after that', async () => {
  shareReads(accepted);
  const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg');
  accepted.once('data', () => accepted.pause());
  peer.end(sent);
  await once(accepted, 'pause');
  expect(accepted.bytesRead).toBeLessThan(sent.length);
  const received: Buffer[] = [];
  accepted.removeAllListeners('data');
  const before = accepted.bytesRead;
  accepted.on('data', (chunk: Buffer) => received.push(Buffer.from(chunk)));
  accepted.resume();
  await once(accepted, 'end');
  const all = Buffer.concat(received);
  expect(all.equals(sent.subarray(sent.length - all.length))).toBe(true);
  expect(all.length).toBeGreaterThanOrEqual(sent.length - before);
});

it('leaves other streams and destroyed sockets as they are', async () => {
  const stream = new PassThrough();
  shareReads(stream);
  stream.end('unchanged');
  expect(String((await once(stream, 'data'))[0])).toBe('unchanged');
  accepted.destroy();
  expect(() => shareReads(accepted)).not.toThrow();
});
