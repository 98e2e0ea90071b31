import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { RELAY, startByteRelay } from './byte-relay.ts';
import { processorSeconds } from './processor.ts';
import type { TargetedServer } from './target.ts';

/** A way for the OpenSSH client to the same sshd, by the name that the configuration has for it. */
export interface Route {
  readonly name: string;
  readonly host: string;
  /**
   * CPU seconds of the bastion so far. Absent for the jump host, whose processes come and go with
   * each connection.
   */
  readonly cost?: () => number;
}

/** The ways to one sshd, each signed in with a key. */
export interface Routes {
  readonly straight: Route;
  /** Through a program of Node.js that passes bytes. */
  readonly relay: Route;
  readonly jumpHost: Route;
  readonly bastion: Route;
  readonly bastionJump: Route;
  /** Starts the client. */
  open(
    route: Route,
    words: readonly string[],
    input: 'ignore' | 'pipe' | number,
    output: 'ignore' | 'pipe',
  ): ChildProcess;
  stop(): Promise<void>;
}

/**
 * Starts a jump host of OpenSSH, gives the administrator of the bastion a key, and writes the
 * client's configuration, with `options` for all routes.
 */
export async function startRoutes(
  { server, sshd, client }: TargetedServer,
  folder: string,
  options: readonly string[] = [],
): Promise<Routes> {
  const jump = await startSshd();
  const relay = await startByteRelay(sshd.port);
  const key = (await readFile(`${jump.keyFile}.pub`, 'utf8')).trim();
  await client.put('users/profile/public-key/', { public_key: key, password: ADMIN_PASSWORD });
  const config = join(folder, 'ssh_config');
  const entry = (
    name: string,
    port: number,
    user: string,
    keyFile: string,
    more: readonly string[] = [],
  ) =>
    [
      `Host ${name}`,
      'HostName 127.0.0.1',
      `Port ${port}`,
      `User ${user}`,
      `IdentityFile ${keyFile}`,
      `HostKeyAlias ${name}`,
      ...more,
    ].join('\n  ');
  const entries = [
    entry('jump', jump.port, jump.username, jump.keyFile),
    entry('straight', sshd.port, sshd.username, sshd.keyFile),
    entry('relay', relay.port, sshd.username, sshd.keyFile),
    entry('behind', sshd.port, sshd.username, sshd.keyFile, ['ProxyJump jump']),
    entry('direct', server.sshPort, 'admin@target@target', jump.keyFile),
    entry('bastion', server.sshPort, 'admin', jump.keyFile),
    `Host target\n  User ${sshd.username}\n  IdentityFile none\n  ProxyJump bastion`,
    `Host *\n  LogLevel ERROR\n  BatchMode yes\n  IdentitiesOnly yes\n  StrictHostKeyChecking accept-new\n  UserKnownHostsFile ${join(folder, 'known_hosts')}${options.map((line) => `\n  ${line}`).join('')}`,
  ];
  await writeFile(config, `${entries.join('\n')}\n`);
  const cost = () => processorSeconds(server.pid);
  return {
    straight: { name: 'ssh straight to the server', host: 'straight' },
    relay: { name: RELAY, host: 'relay' },
    jumpHost: { name: 'ssh -J through OpenSSH', host: 'behind' },
    bastion: { name: 'bastion', host: 'direct', cost },
    bastionJump: { name: 'ssh -J through the bastion', host: 'target', cost },
    open: (route, words, input, output) => {
      const [options, command] = [
        words.filter((word) => word.startsWith('-')),
        words.filter((word) => !word.startsWith('-')),
      ];
      return spawn('ssh', ['-F', config, ...options, route.host, ...command], {
        stdio: [input, output, 'inherit'],
      });
    },
    async stop() {
      await relay.stop();
      await jump.stop();
    },
  };
}

/** Waits for the client to end. @throws Error for another code than 0 */
export async function ended(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`ssh ended with ${code}`);
}
