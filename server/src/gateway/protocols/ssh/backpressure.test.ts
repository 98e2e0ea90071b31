import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { MAX_TRANSPORT_BACKLOG } from '../../limits.ts';
import { guardBacklog } from './backpressure.ts';

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
