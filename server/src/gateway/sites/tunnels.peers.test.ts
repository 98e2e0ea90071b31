import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createIncoming, generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requirePeers } from '../../testing/peers.ts';
import { until } from '../../testing/poll.ts';
import { removeFolder } from '../../testing/remove-folder.ts';
import { MODERN } from '../listeners/ssh/algorithms.ts';
import { SiteConnection } from './site-connection.ts';
import { SiteTunnels } from './tunnels.ts';

// Tunnels of OpenSSH 9.2 (Debian 12), as a site runs it, to a listener that asks for no account.
const site = { id: '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11', name: 'branch' };
const CHANNELS = 1_000;

let folder: string;
let listener: Server;
let echo: Server;
const tunnels = new SiteTunnels();
const programs: ChildProcess[] = [];

beforeAll(async () => {
  requirePeers('openssh-client');
  folder = mkdtempSync(join(tmpdir(), 'sallyport-tunnels-'));
  const [host, own] = [generateSshKeyPair('host'), generateSshKeyPair('site')];
  writeFileSync(join(folder, 'key'), own.private, { mode: 0o600 });
  const accept = createIncoming({
    hostKeys: [host.private],
    algorithms: MODERN,
    ident: 'Test',
    keepaliveMs: 30_000,
    keepaliveMisses: 3,
  });
  listener = createServer((socket) => {
    accept(socket, (connection) => {
      connection.on('error', () => socket.destroy());
      connection.on('authentication', (attempt) => attempt.accept());
      connection.once('ready', () => {
        const tunnel = new SiteConnection({
          site,
          connection,
          transport: socket,
          log: { info: () => undefined, warn: () => undefined, error: () => undefined },
          onOpen: () => tunnels.add(tunnel),
        });
        socket.once('close', () => {
          tunnels.remove(tunnel);
          tunnel.left();
        });
      });
    });
  });
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await Promise.all([listen(listener), listen(echo)]);
  writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${portOf(listener)} ${host.public}\n`);
  await connect();
});
afterAll(async () => {
  for (const program of programs) program.kill('SIGKILL');
  listener?.close();
  echo?.close();
  await removeFolder(folder);
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listen = (server: Server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

/** Opens a tunnel, and waits until it takes channels. */
async function connect(): Promise<ChildProcess> {
  const before = tunnels.of(site.id).length;
  // The number of files that the unit of a site allows.
  const program = spawn(
    'prlimit',
    [
      ...['--nofile=4096:4096', 'ssh'],
      ...['-N', '-F', 'none', '-R', '1080', '-i', join(folder, 'key')],
      ...['-o', 'IdentitiesOnly=yes', '-o', 'ExitOnForwardFailure=yes'],
      ...['-o', `UserKnownHostsFile=${join(folder, 'known_hosts')}`, '-o', 'BatchMode=yes'],
      ...['-p', String(portOf(listener)), 'site@127.0.0.1'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  programs.push(program);
  await until(async () => tunnels.of(site.id).length > before, 'the tunnel', 30_000);
  return program;
}

const open = async (): Promise<Duplex> => {
  const stream = await tunnels.open(
    site,
    { host: 'localhost', port: portOf(echo) },
    AbortSignal.timeout(60_000),
  );
  if (!stream) throw new Error('no tunnel answers');
  return stream;
};

/** Sends data and returns what comes back, of the same length. */
async function reflected(stream: Duplex, data: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  const whole = new Promise<void>((done, failed) => {
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= data.length) done();
    });
    stream.once('close', () => failed(new Error(`closed after ${length} bytes`)));
  });
  stream.write(data);
  await whole;
  return Buffer.concat(parts);
}

it('carries a thousand channels at a time, each with its own data', async () => {
  const streams: Duplex[] = [];
  for (let group = 0; group < CHANNELS / 50; group++)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  expect(tunnels.of(site.id).map(({ channels }) => channels)).toEqual([CHANNELS]);
  const sent = streams.map(() => randomBytes(4_096));
  const received = await Promise.all(
    streams.map((stream, index) => reflected(stream, sent[index] as Buffer)),
  );
  expect(received.every((data, index) => data.equals(sent[index] as Buffer))).toBe(true);
  for (const stream of streams) stream.destroy();
  await until(
    async () => tunnels.of(site.id)[0]?.channels === 0,
    'the end of all channels',
    30_000,
  );
});

it('tries the next tunnel after one that is lost without a sign, and comes back to it', async () => {
  const [first] = programs;
  await connect();
  // The newest tunnel has no channel either: a stopped one is found by its silence.
  first?.kill('SIGSTOP');
  const streams = await Promise.all([open(), open(), open()]);
  for (const stream of streams)
    expect(String(await reflected(stream, Buffer.from('through')))).toBe('through');
  for (const stream of streams) stream.destroy();
  first?.kill('SIGCONT');
  await until(
    async () => {
      await Promise.all(tunnels.of(site.id).map((tunnel) => tunnel.measure()));
      return tunnels.of(site.id).every(({ roundTrip }) => roundTrip !== undefined);
    },
    'round trips of both tunnels',
    60_000,
  );
});

it('ends the streams of a tunnel that is killed, and opens new ones through the other', async () => {
  const streams = await Promise.all(Array.from({ length: 8 }, open));
  const ended = Promise.all(
    streams.map((stream) => Promise.race([once(stream, 'close'), once(stream, 'end')])),
  );
  programs[0]?.kill('SIGKILL');
  programs[1]?.kill('SIGKILL');
  await ended;
  await until(async () => tunnels.of(site.id).length === 0, 'the end of both', 30_000);
  await connect();
  const stream = await open();
  expect(String(await reflected(stream, Buffer.from('again')))).toBe('again');
  stream.destroy();
});
