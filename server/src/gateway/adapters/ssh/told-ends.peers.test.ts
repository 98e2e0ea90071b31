import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { requirePeers } from '../../../testing/peers.ts';
import { type OpenSsh, openSshClients } from '../../../testing/ssh/open-ssh.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import {
  INTRODUCTION_MS,
  SIGN_IN_MS,
  SSH_KEEPALIVE_MISSES,
  SSH_KEEPALIVE_MS,
} from '../../limits.ts';

requirePeers('openssh-client', 'putty-tools');

let world: OpenSshWorld;
let here: string;
/** Lets the relay change a byte in each part of the input of a client. */
let isDamaging = false;
const relay = createServer((client) => {
  const upstream = connect(world.port, '127.0.0.1');
  for (const socket of [client, upstream]) socket.on('error', () => undefined);
  client.on('data', (data: Buffer) => {
    if (isDamaging) data.writeUInt8(data.readUInt8(data.length - 20) ^ 1, data.length - 20);
    upstream.write(data);
  });
  client.on('end', () => upstream.end());
  upstream.pipe(client);
});
let relayed: OpenSsh;

beforeAll(async () => {
  here = await mkdtemp(join(tmpdir(), 'sallyport-ends-'));
  world = await startOpenSshWorld();
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  relayed = await openSshClients(relayPort());
  await writeFile(join(here, 'password'), world.member.password, { mode: 0o600 });
});
afterAll(async () => {
  relay.close();
  await relayed.stop();
  await world.stop();
  await rm(here, { recursive: true });
});
afterEach(() => {
  isDamaging = false;
  vi.restoreAllMocks();
});
const relayPort = () => (relay.address() as AddressInfo).port;

/** Follows a client: its output so far, and its whole text when it has ended. */
function follow(child: ChildProcess) {
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const look of waiting) look();
    });
  child.stdin?.on('error', () => undefined);
  return {
    child,
    shows: (wanted: string) =>
      new Promise<void>((done) => {
        const look = () => {
          if (text.includes(wanted)) done();
        };
        waiting.add(look);
        look();
      }),
    ended: once(child, 'close').then(() => text),
  };
}

const openSsh = (ssh: OpenSsh, options: readonly string[], environment = {}) => {
  const call = { login: world.login, password: world.member.password, command: 'echo in; cat' };
  return follow(
    spawn('ssh', [...ssh.words({ ...call, options })], {
      env: { ...ssh.environment(call), ...environment },
    }),
  );
};

/** PuTTY's client. It shows the fingerprint of an unknown server and refuses it. */
async function plink(port: number) {
  const words = ['-batch', '-ssh', '-P', String(port), '-l', world.login];
  const env = { ...process.env, HOME: here };
  const first = await follow(spawn('plink', [...words, '127.0.0.1', 'true'], { env })).ended;
  const fingerprint = /SHA256:[\w+/]+/.exec(first)?.[0] ?? 'none';
  const known = ['-hostkey', fingerprint, '-pwfile', join(here, 'password'), '127.0.0.1'];
  return follow(spawn('plink', [...words, ...known, 'echo in; cat'], { env }));
}

const DAMAGED = 'The server received a damaged packet. The network may have changed it.';

it.each([
  ['AES-GCM', ['-c', 'aes128-gcm@openssh.com']],
  ['ChaCha20', ['-c', 'chacha20-poly1305@openssh.com']],
  ['a MAC of the encrypted packet', ['-c', 'aes256-ctr', '-m', 'hmac-sha2-256-etm@openssh.com']],
  ['a MAC of the plain packet', ['-c', 'aes128-ctr', '-m', 'hmac-sha2-512']],
])('tells OpenSSH of a damaged packet with %s', async (_, options) => {
  const ssh = openSsh(relayed, options);
  await ssh.shows('in\n');
  isDamaging = true;
  ssh.child.stdin?.write('some input that arrives with another byte\n');
  expect(await ssh.ended).toMatch(new RegExp(`:5: ${DAMAGED}`));
});

it('tells PuTTY of a damaged packet', async () => {
  const client = await plink(relayPort());
  await client.shows('in\n');
  isDamaging = true;
  client.child.stdin?.write('some input that arrives with another byte\n');
  expect(await client.ended).toContain(`"${DAMAGED}"`);
});

/** Runs the timer that the listener has set with this time. */
function expire(timers: { readonly mock: { readonly calls: unknown[][] } }, ms: number): void {
  const [run] = timers.mock.calls.findLast(([, time]) => time === ms) ?? [];
  (run as () => void)();
}

it('tells OpenSSH that its sign-in took too long', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const askpass = join(here, 'askpass');
  await writeFile(askpass, '#!/bin/sh\necho asked >&2\nhead -c 1 "$ASKED"\n', { mode: 0o700 });
  const answer = join(here, 'answer');
  await once(spawn('mkfifo', [answer]), 'close');
  const ssh = openSsh(world.ssh, [], { SSH_ASKPASS: askpass, ASKED: answer });
  await ssh.shows('asked');
  expire(timers, SIGN_IN_MS);
  await writeFile(answer, '\n');
  expect(await ssh.ended).toContain(':11: The sign-in took too long. Connect again.');
});

it('tells clients that the key exchange did not begin, and programs of other protocols', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const open = async (text: string) => {
    const socket = connect(world.port, '127.0.0.1');
    let read = '';
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString('latin1');
    });
    socket.write(text);
    await once(socket, 'data');
    return { socket, closed: once(socket, 'close').then(() => read) };
  };
  const slow = await open('SSH-2.0-slow\r\n');
  expire(timers, INTRODUCTION_MS);
  expect(await slow.closed).toContain('The client did not begin the key exchange in time.');
  const web = await open('GET / HTTP/1.1\r\nHost: bastion\r\n\r\n');
  expect(await web.closed).toContain('The first line of the client is not one of SSH.');
});

it('tells a client that did not answer why it was disconnected', async () => {
  const intervals = vi.spyOn(globalThis, 'setInterval');
  const ssh = openSsh(world.ssh, []);
  await ssh.shows('in\n');
  for (let ask = 0; ask <= SSH_KEEPALIVE_MISSES; ask++) {
    const keepalives = intervals.mock.calls.filter(([, time]) => time === SSH_KEEPALIVE_MS);
    // No answer arrives between these calls.
    for (const [run] of keepalives) (run as () => void)();
  }
  expect(await ssh.ended).toContain(':10: The client did not answer the server.');
});

it('tells a client during its sign-in that the server stops', async () => {
  const other = await startOpenSshWorld();
  const socket: Socket = connect(other.port, '127.0.0.1');
  let read = '';
  socket.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1');
  });
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await other.stop();
  await closed;
  expect(read).toContain('The server is shutting down. Connect again later.');
});
