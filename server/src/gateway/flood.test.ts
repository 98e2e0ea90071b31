import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUTPUT_WINDOW } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBigFile } from '../testing/files/big-file.ts';
import { type GatewayServer, startGateway } from '../testing/gateway/gateway-server.ts';
import { type MemoryPorts, memoryPorts, PERSON } from '../testing/gateway/memory-ports.ts';
import { startSshServer } from '../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

const MEGABYTES = 48;
let sshd: SshTarget;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;

beforeAll(async () => {
  sshd = await startSshServer();
  directory = await mkdtemp(join(tmpdir(), 'sallyport-flood-'));
  await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n");
  await writeBigFile(join(sshd.home, 'big'), MEGABYTES);
  ports = memoryPorts(sshd);
  server = await startGateway(ports, directory, PERSON);
});
afterAll(async () => {
  await server.stop();
  await sshd.stop();
  await rm(directory, { recursive: true, force: true });
});

async function open(): Promise<TerminalClient> {
  const client = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
  await client.message('open');
  await client.waitFor('ready> ');
  client.keepsOutput = false;
  return client;
}

describe('a flood of output', () => {
  it('stops a flood on Ctrl-C, and keeps the session open', async () => {
    const client = await open();
    client.type('cat big\r');
    await client.until('the flood', () => (client.received > 4_000_000 ? true : undefined));
    client.keepsOutput = true;
    client.type('\x03');
    await client.waitFor('^C');
    await client.waitFor('ready> ');
    client.type('echo alive\r');
    await client.waitFor('\ralive');
    await client.close();
  });

  it('pauses the target at the window when a browser does not acknowledge', async () => {
    const client = await open();
    client.acknowledges = false;
    client.type('cat big\r');
    // The prompt counts too: it is not acknowledged.
    await client.until('the window', () => (client.received >= OUTPUT_WINDOW ? true : undefined));
    // More output could arrive while another session works.
    const other = await open();
    other.keepsOutput = true;
    other.type('head -c 4000000 big | tail -c 10; echo do"n"e\r');
    await other.waitFor('done');
    await other.close();
    expect(client.received).toBeLessThan(OUTPUT_WINDOW + 128 * 1024);
    await client.close();
  });

  it('keeps its speed when a watcher does not read', async () => {
    const client = await open();
    const { session } = await client.message('open');
    const watcher = TerminalClient.watch(server.url, session);
    await watcher.message('resize');
    watcher.socket.pause();
    // The server disconnects a watcher that gives no sign of life, however long the flood takes.
    const signs = setInterval(() => watcher.socket.ping(), 500);
    client.type('head -c 24000000 big\r');
    await client.until('all of it', () => (client.received >= 24_000_000 ? true : undefined));
    watcher.socket.resume();
    clearInterval(signs);
    client.type('echo caught up\r');
    await watcher.waitFor('\rcaught up');
    // Buffers of the kernel hold some megabytes of unread output.
    expect(watcher.received).toBeLessThan(16_000_000);
    await client.close();
  });
});
