import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Person } from '../../gateway/ports/people.ts';
import type { GatewayPorts } from '../../gateway/ports.ts';
import {
  type RecordingFiles,
  recordingFiles,
} from '../../platform/storage/testing/recording-files.ts';
import { removeFolder } from '../remove-folder.ts';
import { startSshServer } from '../ssh/ssh-server.ts';
import type { SshTarget } from '../ssh/ssh-target.ts';
import { TerminalClient } from '../terminals/terminal-client.ts';
import { type GatewayServer, startGateway } from './gateway-server.ts';
import { type MemoryPorts, type MemoryRow, memoryPorts, PERSON } from './memory-ports.ts';

/**
 * The setup of a test file: one SSH server for all tests, and a gateway with own ports for each.
 */
export interface GatewayRig {
  readonly sshd: SshTarget;
  /** Folder of the recordings. */
  readonly directory: string;
  readonly ports: MemoryPorts;
  readonly server: GatewayServer;
  /** The user of new connections. */
  person: Person;
  connect(): Promise<TerminalClient>;
  /** Requests a terminal and waits for its prompt. */
  openTerminal(): Promise<TerminalClient>;
  /** Waits for the end of a session row; defaults to the only row. */
  finished(client: TerminalClient, row?: MemoryRow): Promise<NonNullable<MemoryRow['end']>>;
  recordingOf(row: MemoryRow): RecordingFiles;
}

/** Registers the setup for the tests of a file. */
export function gatewayRig(
  more: Partial<GatewayPorts> = {},
  startTarget: () => Promise<SshTarget> = startSshServer,
): GatewayRig {
  let sshd: SshTarget;
  let directory: string;
  let ports: MemoryPorts;
  let server: GatewayServer;
  let person = PERSON;
  beforeAll(async () => {
    sshd = await startTarget();
    await writeFile(join(sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
  });
  afterAll(() => sshd.stop());
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sallyport-gateway-'));
    ports = Object.assign(memoryPorts(sshd), more);
    person = PERSON;
    server = await startGateway(ports, directory, () => person);
  });
  afterEach(async () => {
    await server.stop();
    await removeFolder(directory);
  });
  const connect = () => TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
  return {
    get sshd() {
      return sshd;
    },
    get directory() {
      return directory;
    },
    get ports() {
      return ports;
    },
    get server() {
      return server;
    },
    get person() {
      return person;
    },
    set person(who) {
      person = who;
    },
    connect,
    async openTerminal() {
      const client = await connect();
      await client.message('open');
      await client.waitFor('ready> ');
      return client;
    },
    finished: (client, row = ports.row()) => client.until('the end of the row', () => row.end),
    recordingOf: ({ session }) =>
      recordingFiles(directory, { id: session.id, startedAt: session.dateStart }),
  };
}
