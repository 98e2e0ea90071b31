import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openLocalStorage } from '../platform/storage/local-storage.ts';
import { createRecordings, type Recordings } from '../platform/storage/recordings.ts';
import { openSpool, type Spool } from '../platform/storage/spool.ts';
import { type GatewayServer, startGateway } from '../testing/gateway/gateway-server.ts';
import { type MemoryPorts, memoryPorts, PERSON } from '../testing/gateway/memory-ports.ts';
import { startSshServer } from '../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

type Operation = 'create' | 'append' | 'flush' | 'close';

/** A disk whose operations of a kind hang until it answers again. */
class HangingDisk {
  private readonly hung = new Set<Operation>();
  private readonly waiting: (() => void)[] = [];

  hang(...operations: readonly Operation[]): void {
    for (const one of operations) this.hung.add(one);
  }

  answer(): void {
    this.hung.clear();
    for (const done of this.waiting.splice(0)) done();
  }

  private async reach(operation: Operation): Promise<void> {
    if (this.hung.has(operation)) await new Promise<void>((done) => this.waiting.push(done));
  }

  wrap(spool: Spool): Spool {
    return {
      ...spool,
      create: async (key, beginning) => {
        await this.reach('create');
        const file = await spool.create(key, beginning);
        return {
          append: async (block, length) => {
            await this.reach('append');
            await file.append(block, length);
          },
          flush: async () => {
            await this.reach('flush');
            await file.flush();
          },
          close: async (hasCopy) => {
            await this.reach('close');
            await file.close(hasCopy);
          },
        };
      },
    };
  }
}

let sshd: SshTarget;
let folder: string;
let disk: HangingDisk;
let recordings: Recordings;
let ports: MemoryPorts;
let server: GatewayServer;
let seconds = 1;
beforeAll(async () => {
  sshd = await startSshServer();
  await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-hanging-'));
  disk = new HangingDisk();
  seconds = 1;
  recordings = createRecordings({
    isOneFolder: true,
    spool: disk.wrap(await openSpool(folder)),
    storage: await openLocalStorage(folder),
  });
  recordings.waitWhile(() => seconds);
  ports = memoryPorts(sshd);
  server = await startGateway(ports, folder, PERSON, recordings);
});
afterEach(async () => {
  disk.answer();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const connect = () => TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
async function openTerminal(): Promise<TerminalClient> {
  const client = await connect();
  await client.message('open');
  await client.waitFor('ready> ');
  return client;
}

it.each([
  ['flush', ['flush']],
  ['append', ['append']],
  ['flush and close', ['flush', 'close']],
] as const)(
  'ends a session whose disk hangs in %s, refuses others, and completes the recording later',
  async (_name, operations) => {
    const client = await openTerminal();
    disk.hang(...operations);
    client.type('echo reco"rded"\r');
    expect(await client.message('closed')).toMatchObject({
      code: 'session_disk_hanging',
      message: expect.stringContaining('does not answer'),
    });
    const row = ports.row();
    expect(await client.until('the end of the row', () => row.end)).toMatchObject({
      reason: 'session_disk_hanging',
      replayState: 'failed',
    });
    expect(recordings.isHanging()).toBe(true);
    expect(await (await connect()).message('closed')).toMatchObject({
      code: 'session_disk_hanging',
    });
    await server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'failed' });

    disk.answer();
    await expect
      .poll(
        async () => {
          await server.gateway.finishLeft();
          return row.end?.replayState;
        },
        { timeout: 20_000 },
      )
      .toBe('recovered');
    const later = await openTerminal();
    await later.close();
  },
);

it('refuses a session whose recording cannot be created in time', async () => {
  disk.hang('create');
  expect(await (await connect()).message('closed')).toMatchObject({ code: 'session_disk_hanging' });
});

it('keeps a session whose disk answers before the limit', async () => {
  seconds = 600;
  const client = await openTerminal();
  disk.hang('append', 'flush');
  client.type('echo sl"ow"\r');
  await client.waitFor('slow');
  disk.answer();
  client.type('echo st"ill"; exit\r');
  expect(await client.message('closed')).not.toMatchObject({ code: 'session_disk_hanging' });
  const row = ports.row();
  expect(await client.until('the end of the row', () => row.end)).toMatchObject({
    replayState: 'finished',
  });
});
