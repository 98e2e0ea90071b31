import { request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onUnaskedUpgrade } from './unasked-upgrade.ts';

let server: Server;
let closed: Promise<void>;
beforeAll(async () => {
  let done: () => void;
  closed = new Promise((settle) => {
    done = settle;
  });
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('close', () => done());
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    socket.resume();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

// Node 24: without a listener, such a request emits `close` alone.
it('fails, and closes the connection, when a server answers 101 to a request without an upgrade', async () => {
  const { port } = server.address() as AddressInfo;
  const answer = new Promise((settle, fail) => {
    const outgoing = request({ host: '127.0.0.1', port });
    onUnaskedUpgrade(outgoing, fail);
    outgoing.once('error', fail).once('response', settle).end();
  });
  await expect(answer).rejects.toThrow('unexpected status 101');
  await closed;
});
