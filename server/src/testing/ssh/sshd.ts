import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';
import type { SshTarget } from './ssh-target.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';
const DROPBEAR = '/usr/sbin/dropbear';
/** Attempts to connect, at most 50 ms apart; generous for busy machines. */
const START_ATTEMPTS = 3_000;
const ACCOUNT_ATTEMPTS = 5;

/** A real OpenSSH server that runs for one test. */
export interface TestSshd extends SshTarget {
  /** Path of the private key, for OpenSSH clients. */
  readonly keyFile: string;
  /** Path of a `known_hosts` file with this server's key. */
  readonly knownHostsFile: string;
}

export interface TestSshdOptions {
  /** Additional lines of sshd_config. */
  readonly config?: readonly string[];
  /** Defaults to Ed25519. */
  readonly hostKeyType?: 'ed25519' | 'rsa' | 'dsa';
  readonly clientKeyType?: 'ed25519' | 'rsa' | 'dsa';
  /** Login shell of the test account (needs root); defaults to bash. */
  readonly shell?: string;
  /** Program that serves SFTP; defaults to OpenSSH's own. */
  readonly sftp?: string;
  /** Words before the command of the server, for a network namespace. */
  readonly within?: readonly string[];
  /** Starts Dropbear instead, with the same keys and account (needs root). */
  readonly isDropbear?: boolean;
}

/** Starts sshd on a free loopback port, with an own account that `stop` removes. */
export async function startSshd(options: TestSshdOptions = {}): Promise<TestSshd> {
  requirePeers('openssh-server', 'openssh-client');
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-sshd-'));
  await chmod(directory, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });

  const keyFile = join(directory, 'client_key');
  const hostKeyFile = join(directory, 'host_key');
  const knownHostsFile = join(directory, 'known_hosts');
  const { hostKeyType = 'ed25519', clientKeyType = 'ed25519' } = options;
  await makeKey(keyFile, clientKeyType);
  await makeKey(hostKeyFile, hostKeyType);
  const account = isRoot
    ? await makeAccount(directory, options.shell ?? '/bin/bash')
    : { username: userInfo().username, password: undefined, home: userInfo().homedir };
  await writeFile(join(directory, 'authorized_keys'), await readFile(`${keyFile}.pub`), {
    mode: 0o644,
  });

  const port = await freePort();
  const configFile = join(directory, 'sshd_config');
  await writeFile(
    configFile,
    [
      'ListenAddress 127.0.0.1',
      `Port ${port}`,
      `HostKey ${hostKeyFile}`,
      `PidFile ${join(directory, 'pid')}`,
      `AuthorizedKeysFile ${join(directory, 'authorized_keys')}`,
      'StrictModes no',
      'UsePAM no',
      `PasswordAuthentication ${isRoot ? 'yes' : 'no'}`,
      'PermitRootLogin no',
      'MaxStartups 300',
      'MaxSessions 300',
      'LogLevel ERROR',
      'PrintMotd no',
      'PrintLastLog no',
      `Subsystem sftp ${options.sftp ?? 'internal-sftp'}`,
      ...(options.config ?? []),
      '',
    ].join('\n'),
  );

  const start = async () =>
    options.isDropbear
      ? startDropbear({ directory, hostKeyFile, port, ...account })
      : startServer([SSHD, '-D', '-e', '-f', configFile], port, options.within);
  let server = await start();
  const rememberHostKey = async () => {
    const [type, key] = (await readFile(`${hostKeyFile}.pub`, 'utf8')).split(' ');
    await writeFile(knownHostsFile, `[127.0.0.1]:${port} ${type} ${key}\n`);
  };
  await rememberHostKey();
  const kill = async () => {
    await endServer(server);
    if (isRoot) await endProcessesOf(account.username);
  };

  return {
    host: '127.0.0.1',
    port,
    username: account.username,
    privateKey: await readFile(keyFile, 'utf8'),
    keyFile,
    password: account.password,
    knownHostsFile,
    home: account.home,
    kill,
    restartWithNewHostKey: async () => {
      await endServer(server);
      await rm(hostKeyFile);
      await rm(`${hostKeyFile}.pub`);
      await makeKey(hostKeyFile, hostKeyType);
      await rememberHostKey();
      server = await start();
    },
    stop: async () => {
      await kill();
      if (isRoot) await run('userdel', ['-f', account.username]).catch(() => undefined);
      await removeFolder(directory);
    },
  };
}

async function makeKey(file: string, type: string): Promise<void> {
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'test', '-f', file]);
}

async function makeAccount(
  directory: string,
  shell: string,
): Promise<{ username: string; password: string; home: string }> {
  const username = `spt${randomBytes(4).toString('hex')}`;
  const password = randomBytes(12).toString('base64url');
  const home = join(directory, 'home');
  await whenUnlocked(() =>
    run('useradd', [
      '--no-user-group',
      '--create-home',
      '--home-dir',
      home,
      '--shell',
      shell,
      username,
    ]),
  );
  await whenUnlocked(async () => {
    const child = spawn('chpasswd', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${username}:${password}\n`);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error('chpasswd could not set the password of the test account');
  });
  return { username, password, home };
}

/**
 * Retries a change of this machine's accounts: parallel tests do the same, and the programs wait
 * for the lock only a few seconds.
 */
async function whenUnlocked(change: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await change();
      return;
    } catch (error) {
      if (attempt === ACCOUNT_ATTEMPTS) throw error;
    }
  }
}

interface Dropbear {
  readonly directory: string;
  readonly hostKeyFile: string;
  readonly port: number;
  readonly username: string;
  readonly home: string;
}

/** Starts Dropbear, which reads the keys of an account from its home folder. */
async function startDropbear(about: Dropbear): Promise<ChildProcess> {
  requirePeers('dropbear-bin');
  const { directory, hostKeyFile, port, username, home } = about;
  const [hostKey, keys] = [join(directory, 'dropbear_key'), join(home, '.ssh')];
  await run('dropbearconvert', ['openssh', 'dropbear', hostKeyFile, hostKey]);
  await mkdir(keys, { recursive: true, mode: 0o700 });
  await copyFile(join(directory, 'authorized_keys'), join(keys, 'authorized_keys'));
  await run('chown', ['-R', username, keys]);
  const words = ['-F', '-E', '-p', `127.0.0.1:${port}`, '-r', hostKey];
  return startServer([DROPBEAR, ...words, '-P', join(directory, 'pid')], port);
}

async function startServer(
  words: readonly string[],
  port: number,
  within: readonly string[] = [],
): Promise<ChildProcess> {
  const [program = '', ...rest] = [...within, ...words];
  const server = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  const complaints: Buffer[] = [];
  server.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (server.exitCode !== null) break;
    if (await answers(port, within)) return server;
    await new Promise((done) => setTimeout(done, 20));
  }
  server.kill();
  throw new Error(`${program} did not start: ${Buffer.concat(complaints).toString()}`);
}

async function endServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill();
  await ended;
}

/**
 * Returns true if a process belongs to this machine. A private host has own processes and accounts,
 * whose ids may equal ours.
 */
const isOfThisMachine = (pid: number): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid');
  } catch {
    // The process has ended.
    return false;
  }
};

/**
 * Connections outlive their sshd. The account belongs to this test alone, so all its processes are
 * ours.
 */
async function endProcessesOf(username: string): Promise<void> {
  const { stdout } = await run('ps', ['-eo', 'pid=,args=,user:32=']).catch(() => ({ stdout: '' }));
  for (const line of stdout.split('\n')) {
    if (!line.endsWith(` ${username}`) && !line.includes(`sshd: ${username}`)) continue;
    const pid = Number.parseInt(line, 10);
    if (!Number.isInteger(pid) || pid <= 1 || !isOfThisMachine(pid)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

async function answers(port: number, within: readonly string[]): Promise<boolean> {
  const [program, ...rest] = within;
  if (program !== undefined)
    return run(program, [...rest, 'bash', '-c', `: 3<>/dev/tcp/127.0.0.1/${port}`]).then(
      () => true,
      () => false,
    );
  const socket = connect(port, '127.0.0.1');
  return new Promise((done) => {
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
