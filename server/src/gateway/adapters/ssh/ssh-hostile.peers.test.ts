import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../../testing/client.ts';
import { retainedMemory } from '../../../testing/measures/retained-memory.ts';
import { until } from '../../../testing/poll.ts';
import { seeded } from '../../../testing/seeded.ts';
import { openSshClients } from '../../../testing/ssh/open-ssh.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { MAX_UNAUTHENTICATED_PER_ADDRESS } from '../../limits.ts';

let world: OpenSshWorld;
beforeAll(async () => {
  world = await startOpenSshWorld({ sshTrustedProxies: ['127.0.0.0/8'] });
});
afterAll(() => world.stop());

const PROXY = 'PROXY TCP4 203.0.113.9 127.0.0.1 40000 22\r\n';
const TOO_MANY = 'Too many connections of this address have not signed in yet.';
const KEXINIT = 20;

async function open(): Promise<Socket> {
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes and the end of the stream, and waits until the server closes. */
async function send(...pieces: readonly (string | Buffer)[]): Promise<void> {
  const socket = await open();
  const closed = once(socket, 'close');
  socket.resume();
  for (const piece of pieces) socket.write(piece);
  socket.end();
  await closed;
}

function packet(random: () => number): Buffer {
  const payload = Buffer.from(
    Array.from({ length: 1 + Math.floor(random() * 400) }, () => Math.floor(random() * 256)),
  );
  // Half of them look like the beginning of a key exchange.
  if (random() < 0.5) payload[0] = KEXINIT;
  else payload[0] = Math.floor(random() * 100);
  const padding = 8 - ((payload.length + 5) % 8) + 4;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(
    random() < 0.8 ? payload.length + padding + 1 : Math.floor(random() * 2 ** 32),
  );
  head[4] = random() < 0.8 ? padding : 255;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

it('survives random packets before the sign-in, without leaking memory', async () => {
  const random = seeded(20_260_120);
  const before = await retainedMemory();
  for (let round = 0; round < 150; round++) {
    const packets = Array.from({ length: 1 + Math.floor(random() * 5) }, () => packet(random));
    const header = random() < 0.9 ? PROXY : 'PROXY nonsense\r\n';
    await send(header, random() < 0.9 ? 'SSH-2.0-fuzz\r\n' : 'SSH-9.9\r\n', ...packets);
  }
  expect((await retainedMemory()) - before).toBeLessThan(20 * 2 ** 20);
  expect((await world.test.visitor.get<Json>('/api/health/')).body).toMatchObject({
    dependencies: { ssh: { status: 'up' } },
  });
});

it("takes the client's address from a trusted proxy, and rejects connections without its header", async () => {
  const direct = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    command: 'true',
  });
  expect(direct.code).toBe(255);
  expect(direct.stderr.toString()).toContain(
    ':2: The proxy sent no valid PROXY protocol header, which the configuration',
  );
  // Does what HAProxy does with `send-proxy`.
  const relay = createServer((client) => {
    const upstream = connect(world.port, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.write(PROXY);
    client.pipe(upstream).pipe(client);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const ssh = await openSshClients((relay.address() as AddressInfo).port);
  const { code, stdout } = await ssh.run({
    login: world.login,
    password: world.member.password,
    command: 'echo in',
  });
  expect([code, stdout.toString()]).toEqual([0, 'in\n']);
  expect(await world.lastSession()).toMatchObject({ remote_addr: '203.0.113.9' });
  await ssh.stop();
  relay.close();
});

it('counts the addresses of an IPv6 network as one', async () => {
  const from = (address: string) => `PROXY TCP6 ${address} ::1 12345 22\r\n`;
  const greetings: string[] = [];
  const sockets: Socket[] = [];
  for (let index = 0; index <= MAX_UNAUTHENTICATED_PER_ADDRESS; index++) {
    const socket = await open();
    socket.write(from(`2001:db8:0:7:${index.toString(16)}::1`));
    greetings.push(String((await once(socket, 'data'))[0]));
    sockets.push(socket);
  }
  expect(greetings.map((text) => text.includes(TOO_MANY))).toEqual(
    greetings.map((_, index) => index === MAX_UNAUTHENTICATED_PER_ADDRESS),
  );
  const other = await open();
  other.write(from('2001:db8:0:8::1'));
  expect(String((await once(other, 'data'))[0])).not.toContain(TOO_MANY);
  for (const socket of [...sockets, other]) socket.destroy();
});

it('limits the unauthenticated connections of an address', async () => {
  const sockets: Socket[] = [];
  for (let index = 0; index < MAX_UNAUTHENTICATED_PER_ADDRESS; index++) {
    const socket = await open();
    socket.write(PROXY);
    sockets.push(socket);
  }
  const greeted = (socket: Socket) => once(socket, 'data');
  await Promise.all(sockets.map(greeted));
  const oneMore = await open();
  const closed = once(oneMore, 'close');
  oneMore.write(PROXY);
  expect(String(await greeted(oneMore))).toContain(TOO_MANY);
  await closed;
  // Other addresses are not affected, and closed connections free their places.
  const other = await open();
  other.write(PROXY.replace('203.0.113.9', '203.0.113.10'));
  expect(String(await greeted(other))).not.toContain(TOO_MANY);
  for (const socket of [...sockets, other]) socket.destroy();
  await until(async () => {
    const again = await open();
    again.write(PROXY);
    const first = String(await greeted(again));
    again.destroy();
    return !first.includes(TOO_MANY);
  }, 'there is room again');
});
