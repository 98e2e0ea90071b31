import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INPUT_WINDOW } from '@sallyport/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayServer, startGateway } from '../testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../testing/gateway/memory-ports.ts';
import { flood, type HostileServer, startHostileServer } from '../testing/ssh/hostile-ssh.ts';
import { startSshServer } from '../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';
import { MAX_WAITING_INPUT } from './limits.ts';

let sshd: SshTarget;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;
let hostile: HostileServer | undefined;

beforeAll(async () => {
  sshd = await startSshServer();
  await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-hostile-'));
  ports = memoryPorts(sshd);
  server = await startGateway(ports, directory, PERSON);
});
afterEach(async () => {
  await server.stop();
  await hostile?.stop();
  hostile = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function open(): Promise<TerminalClient> {
  const client = await TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
  await client.message('open');
  return client;
}

/** Opens a terminal on a hostile target. */
async function openAt(target: HostileServer): Promise<TerminalClient> {
  hostile = target;
  const grant = grantFor(sshd);
  ports.grant = { ...grant, asset: { ...grant.asset, ip: target.host, port: target.port } };
  ports.login = { username: 'somebody', password: 'secret' };
  return open();
}

describe('output', () => {
  const SWITCHES = {
    'the alternate screen': '\\e[?1049h\\e[?1049l',
    'the hidden cursor': '\\e[?25l\\e[?25h',
    'bracketed paste': '\\e[?2004h\\e[?2004l',
  };
  it.each(Object.entries(SWITCHES))(
    'survives a flood of switches of %s, and records the next command',
    async (_name, sequence) => {
      const client = await open();
      await client.waitFor('ready> ');
      client.keepsOutput = false;
      client.type(`yes $'${sequence}' | tr -d '\\n'\r`);
      await client.until('the flood', () => (client.received > 3_000_000 ? true : undefined));
      client.keepsOutput = true;
      client.type('\x03');
      await client.waitFor('ready> ');
      client.type('echo after the fl"oo"d\r');
      await client.waitFor('after the flood');
      await client.until('the command in the log', () =>
        ports.row().commands.find(({ input }) => input === 'echo after the fl"oo"d'),
      );
      client.type('exit\r');
      await client.message('closed');
      expect(await client.until('the end of the row', () => ports.row().end)).toMatchObject({
        replayState: 'finished',
      });
    },
  );

  it.each(['L', 'M', 'S', 'T', 'b', 'I', 'Z'])(
    'ignores a sequence with a repeat count of two billion (%s)',
    async (final) => {
      const client = await open();
      await client.waitFor('ready> ');
      client.type(`printf 'x\\033[2147483647${final}\\n'\r`);
      await client.waitFor('ready> ');
      client.type('echo still he"re"\r');
      await client.waitFor('still here');
      await client.until('the command in the log', () =>
        ports.row().commands.find(({ input }) => input.startsWith('echo still')),
      );
      await client.close();
    },
  );

  it('ends the session when the target exceeds the channel window', async () => {
    let sent = 0;
    const target = await startHostileServer((_channel, packets) => {
      // A packet size that does not divide the window.
      const packet = Buffer.alloc(30_001, 'a');
      flood(
        packets,
        () => {
          sent += packet.length;
          return packets.data(packet);
        },
        () => sent > 256 * 1024 * 1024,
      );
    });
    const client = await openAt(target);
    client.acknowledges = false;
    expect(await client.message('closed')).toMatchObject({ code: 'connect_target_flooded' });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('input', () => {
  it('stays responsive for a megabyte of Enter keys', async () => {
    const client = await open();
    await client.waitFor('ready> ');
    client.type(`echo beg"u"n; head -c ${16 * 64 * 1024} > /dev/null; echo al"l"\r`);
    await client.waitFor('begun');
    for (let frame = 0; frame < 16; frame++) client.socket.send(Buffer.alloc(64 * 1024, '\r'));
    // Count turns of the event loop instead of time: a blocked loop has none.
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    // The target may drop echoes at this speed, but no keys.
    await client.waitFor('all');
    clearInterval(counting);
    expect(turns).toBeGreaterThan(100);
    await client.close();
  });

  it('batches frames of one key into few packets', async () => {
    const frames = 5000;
    let bytes = 0;
    let packets = 0;
    const target = await startHostileServer((channel) => {
      channel.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        packets++;
      });
    });
    const client = await openAt(target);
    for (let frame = 0; frame < frames; frame++) client.socket.send(Buffer.from('\r'));
    await client.until('all keys', () => (bytes === frames ? true : undefined));
    expect(packets).toBeLessThan(frames / 10);
    await client.close();
  });

  it('delivers all input of a client that respects the window, after the target resumes reading', async () => {
    const total = 16 * 1024 * 1024;
    let passed = 0;
    const hearing = Promise.withResolvers<void>();
    const target = await startHostileServer((channel, packets) => {
      packets.deafen();
      channel.on('data', (chunk: Buffer) => {
        passed += chunk.length;
      });
      void hearing.promise.then(() => packets.hear());
    });
    const client = await openAt(target);
    const acknowledged = () =>
      client.messages.findLast((message) => message.type === 'taken')?.bytes;
    expect(await client.until('the beginning', acknowledged)).toBe(0);
    const frame = Buffer.alloc(32 * 1024, 'a');
    let sent = 0;
    let pauses = 0;
    while (sent < total) {
      if (sent - (acknowledged() ?? 0) < INPUT_WINDOW) {
        client.socket.send(frame);
        sent += frame.length;
      } else {
        pauses++;
        // The network buffers are full.
        if (pauses === 100) hearing.resolve();
        expect(client.closeCode).toBeUndefined();
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    expect(pauses).toBeGreaterThan(0);
    hearing.resolve();
    await client.until('everything has arrived', () =>
      passed === total && (acknowledged() ?? 0) > total - INPUT_WINDOW ? true : undefined,
    );
    await client.close();
  });

  it('ends the session when the target reads nothing, before input fills memory', async () => {
    const target = await startHostileServer((_channel, packets) => packets.deafen());
    const client = await openAt(target);
    // Much more than the network buffers hold.
    for (
      let sent = 0;
      sent < MAX_WAITING_INPUT * 64 && client.closeCode === undefined;
      sent += 32 * 1024
    ) {
      client.socket.send(Buffer.alloc(32 * 1024, 'a'));
      await new Promise((done) => setImmediate(done));
    }
    expect(await client.until('close', () => client.closeCode)).toBe(1009);
  });

  it('limits resizes to a few, and always applies the last', async () => {
    const client = await open();
    await client.waitFor('ready> ');
    for (let turn = 0; turn < 2000; turn++)
      client.send({ type: 'resize', cols: 20 + (turn % 200), rows: 20 + (turn % 100) });
    client.send({ type: 'resize', cols: 123, rows: 45 });
    client.type('until [ "$(stty size)" = "45 123" ]; do sleep 0.05; done; echo as lar"g"e\r');
    await client.waitFor('as large');
    await client.close();
  });

  it('rejects a terminal with too many cells', async () => {
    const client = await open();
    client.send({ type: 'resize', cols: 1000, rows: 1000 });
    expect(await client.until('close', () => client.closeCode)).toBe(1007);
  });
});
