import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSshClients } from '../../server/src/testing/ssh/open-ssh.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { startByteRelay } from './byte-relay.ts';
import type { BenchServer } from './server.ts';
import { startTargeted, type TargetedServer } from './target.ts';
import type { World } from './world.ts';

/** Runs commands of `sftp`. @throws Error when one fails */
export type Sftp = (batch: string) => Promise<void>;

/** The ways of `sftp` to one sshd. */
export interface SftpRoutes extends Pick<TargetedServer, 'client' | 'ids'> {
  readonly server: BenchServer;
  readonly sshd: TestSshd;
  readonly direct: Sftp;
  /** Through a program of Node.js that passes bytes. */
  readonly relay: Sftp;
  readonly bastion: Sftp;
  stop(): Promise<void>;
}

/** Starts an sshd and a bastion in front of it. The root of the account is its home. */
export async function startSftpRoutes(world: World): Promise<SftpRoutes> {
  const target = await startTargeted(world, { withSsh: true });
  const { server, sshd, client, ids } = target;
  const clients = await openSshClients(server.sshPort);
  const relay = await startByteRelay(sshd.port);
  await client.patch(`assets/system-users/${ids.system_user}/`, { sftp_root: 'home' });
  const bastion = async (batch: string) => {
    const { code, stderr } = await clients.transfer({
      program: 'sftp',
      login: 'admin@target@target',
      password: ADMIN_PASSWORD,
      batch,
    });
    if (code !== 0) throw new Error(`sftp through the bastion: ${stderr}`);
  };
  // The first connection loads code that later ones share.
  await bastion('ls');
  return {
    server,
    sshd,
    client,
    ids,
    direct: (batch) => straight(sshd, batch),
    relay: (batch) => straight(sshd, batch, relay.port),
    bastion,
    async stop() {
      await relay.stop();
      await clients.stop();
      await target.stop();
    },
  };
}

async function straight(
  { host, port, username, keyFile, knownHostsFile }: TestSshd,
  batch: string,
  through = port,
): Promise<void> {
  const options = [
    '-q',
    '-F',
    'none',
    '-i',
    keyFile,
    '-P',
    String(through),
    '-o',
    `HostKeyAlias=[${host}]:${port}`,
    '-o',
    `UserKnownHostsFile=${knownHostsFile}`,
    '-b',
    '-',
    `${username}@${host}`,
  ];
  const child = spawn('/usr/bin/sftp', options, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(batch);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`sftp straight to the server ended with ${code}`);
}

/** Seconds that work takes. */
export async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Creates a folder of equal files. */
export async function fillFolder(
  folder: string,
  count: number,
  content: string | Buffer,
): Promise<void> {
  await mkdir(folder);
  for (let index = 0; index < count; index += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, more) =>
        writeFile(join(folder, `entry-${index + more}.txt`), content),
      ),
    );
  }
}
