import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createIncoming, generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import { afterEach, expect, it, vi } from 'vitest';
import { IDENT, MODERN } from '../listeners/ssh/algorithms.ts';
import { MAX_CHANNELS, SiteConnection } from './site-connection.ts';

const site = { id: '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11', name: 'branch' };
const ends: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

/** Opens the tunnel of a client that answers to no channel, or echoes on each. */
async function openTunnel(isEchoing = false): Promise<{ tunnel: SiteConnection; socket: Socket }> {
  const accept = createIncoming({
    hostKeys: [generateSshKeyPair('host').private],
    algorithms: MODERN,
    ident: IDENT,
    keepaliveMs: 0,
    keepaliveMisses: 0,
  });
  const opened = Promise.withResolvers<{ tunnel: SiteConnection; socket: Socket }>();
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    accept(socket, (connection) => {
      connection.on('error', () => socket.destroy());
      connection.on('authentication', (attempt) => attempt.accept());
      connection.once('ready', () => {
        const tunnel = new SiteConnection({
          site,
          connection,
          transport: socket,
          log: { info: () => undefined, warn: () => undefined, error: () => undefined },
          onOpen: () => opened.resolve({ tunnel, socket }),
        });
      });
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = new ssh2.Client();
  client.on('error', () => undefined);
  client.on('tcp connection', (_details, take) => {
    if (!isEchoing) return;
    const channel = take();
    channel.pipe(channel);
  });
  client.connect({
    host: '127.0.0.1',
    port: (listener.address() as AddressInfo).port,
    username: 'site',
  });
  await once(client, 'ready');
  await new Promise<void>((done, failed) => {
    client.forwardIn('127.0.0.1', 1080, (error) => (error ? failed(error) : done()));
  });
  const { tunnel, socket } = await opened.promise;
  ends.push(() => {
    client.destroy();
    socket.destroy();
    listener.close();
  });
  return { tunnel, socket };
}

it.each([{ resolves: false }, { resolves: true }])(
  'ends a tunnel that is silent for 25 seconds, unless its client resolves a name ($resolves)',
  async ({ resolves }) => {
    const { tunnel, socket } = await openTunnel();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    if (resolves) tunnel.resolves();
    void tunnel.measure();
    await vi.advanceTimersByTimeAsync(24_000);
    expect(socket.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(socket.destroyed).toBe(!resolves);
  },
);

it('carries the full number of channels, opens no further one, and one again after an end', async () => {
  const { tunnel } = await openTunnel(true);
  const streams = await Promise.all(
    Array.from({ length: MAX_CHANNELS }, () => tunnel.openChannel()),
  );
  expect([tunnel.channels, tunnel.isOpen]).toEqual([MAX_CHANNELS, false]);
  const echoes = streams.map(async (stream, index) => {
    stream.write(`${index}`);
    const [echo] = await once(stream, 'data');
    return String(echo);
  });
  expect(await Promise.all(echoes)).toEqual(streams.map((_, index) => `${index}`));
  streams[0]?.destroy();
  await vi.waitFor(() => expect(tunnel.isOpen).toBe(true), 30_000);
  expect(tunnel.channels).toBe(MAX_CHANNELS - 1);
}, 60_000);
