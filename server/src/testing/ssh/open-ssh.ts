import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';
import type { SshCall, SshCalls, SshResult } from './ssh-calls.ts';

/** Options of OpenSSH's `ssh`. */
export interface OpenSshCall extends SshCall {
  readonly keyFile?: string;
}

/** Options of a file-transfer program. `HOST:` in the words marks a remote path. */
export interface TransferCall {
  readonly program: 'sftp' | 'scp' | 'rsync';
  readonly login: string;
  readonly password: string;
  readonly words?: readonly string[];
  /** Commands of `sftp`, one per line. */
  readonly batch?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** OpenSSH clients for the listener of a test. */
export interface OpenSsh extends SshCalls {
  run(call: OpenSshCall): Promise<SshResult>;
  /** Runs a file-transfer program. */
  transfer(call: TransferCall): Promise<SshResult>;
  /** Starts a file-transfer program. */
  startTransfer(call: TransferCall): ChildProcess;
  /** The command line words, for tests that start the client themselves. */
  words(call: OpenSshCall): readonly string[];
  environment(call: OpenSshCall): NodeJS.ProcessEnv;
  /**
   * Writes a configuration in which `bastion` is the listener and all other hosts are reached
   * through it. Verifies host keys against `knownHosts`.
   */
  jumpConfig(call: { readonly login: string; readonly knownHosts: string }): Promise<string>;
}

/** Answers each prompt from the environment: passwords are never part of a command line. */
const ASKPASS = `#!/bin/sh
case "$1" in
  *MFA*) printf '%s\\n' "$TEST_CODE" ;;
  *Answer*)
    # Print the question for assertions.
    printf '%s\\n' "$1" >&2
    printf '%s\\n' "$TEST_CODE"
    ;;
  *"New password"*) printf '%s\\n' "$TEST_NEW_PASSWORD" ;;
  *) printf '%s\\n' "$TEST_PASSWORD" ;;
esac
`;

/** Prepares the clients for a listener on loopback. */
export async function openSshClients(port: number): Promise<OpenSsh> {
  requirePeers('openssh-client', 'rsync');
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-openssh-'));
  const askpass = join(directory, 'askpass');
  await writeFile(askpass, ASKPASS);
  await chmod(askpass, 0o700);
  const knownHosts = join(directory, 'known_hosts');
  const words = ({ login, command, keyFile, options = [] }: OpenSshCall) => [
    // OpenSSH uses the first value of an option.
    ...options,
    ...[
      '-F',
      'none',
      '-o',
      'LogLevel=ERROR',
      '-p',
      String(port),
      '-l',
      login,
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      `UserKnownHostsFile=${knownHosts}`,
    ],
    ...[
      '-o',
      'NumberOfPasswordPrompts=1',
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      `IdentityFile=${keyFile ?? 'none'}`,
    ],
    '127.0.0.1',
    ...(command === undefined ? [] : [command]),
  ];
  const environment = ({
    password = '',
    code = '',
    newPassword = '',
    environment: more = {},
  }: SshCall): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH ?? '',
    HOME: directory,
    LANG: 'C.UTF-8',
    SSH_ASKPASS: askpass,
    SSH_ASKPASS_REQUIRE: 'force',
    TEST_PASSWORD: password,
    TEST_CODE: code,
    TEST_NEW_PASSWORD: newPassword,
    ...more,
  });
  const startTransfer = (call: TransferCall): ChildProcess => {
    const { program, login, password, batch, environment: more } = call;
    const settings: Readonly<Record<string, string>> = {
      // Batch mode never prompts for a password, unless the option is set first.
      BatchMode: 'no',
      LogLevel: 'ERROR',
      Port: String(port),
      User: login,
      StrictHostKeyChecking: 'accept-new',
      UserKnownHostsFile: knownHosts,
      NumberOfPasswordPrompts: '1',
      IdentitiesOnly: 'yes',
      IdentityFile: 'none',
    };
    const options = [
      '-F',
      'none',
      ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ];
    const callWords = (call.words ?? []).map((word) => word.replace('HOST:', '127.0.0.1:'));
    const line =
      program === 'rsync'
        ? ['-e', ['ssh', ...options].join(' '), ...callWords]
        : [...options, ...callWords];
    const all = program === 'sftp' ? [...options, '-b', '-', ...callWords, '127.0.0.1'] : line;
    const child = spawn(program, all, {
      env: environment({ login, password, ...(more && { environment: more }) }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(batch ?? '');
    return child;
  };
  return {
    words,
    shell(call) {
      const sent = Object.keys(call.environment ?? {}).flatMap((name) => ['-o', `SendEnv=${name}`]);
      const options = [...(call.options ?? []), ...sent, '-tt'];
      const child = spawn('ssh', words({ ...call, options }), {
        env: environment(call),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.on('error', () => undefined);
      return {
        type: (text) => void child.stdin.write(text),
        onOutput: (take) => void child.stdout.on('data', take),
        ended: new Promise((done) => child.once('close', done)),
        kill: () => void child.kill('SIGKILL'),
      };
    },
    environment,
    async jumpConfig(call) {
      const [config, known] = [join(directory, 'config'), join(directory, 'jump_known_hosts')];
      await writeFile(known, call.knownHosts);
      const lines = [
        ...[
          'Host bastion',
          '  HostName 127.0.0.1',
          `  Port ${port}`,
          `  User ${call.login}`,
          'Host * !bastion',
          '  ProxyJump bastion',
          'Host *',
        ],
        ...[
          '  LogLevel ERROR',
          '  StrictHostKeyChecking yes',
          `  UserKnownHostsFile ${known}`,
          '  GlobalKnownHostsFile none',
          '  IdentityFile none',
        ],
        ...['  IdentitiesOnly yes', '  NumberOfPasswordPrompts 1', '  SendEnv LANG LC_*'],
      ];
      await writeFile(config, `${lines.join('\n')}\n`);
      return config;
    },
    startTransfer,
    transfer: (call) => resultOf(startTransfer(call)),
    async run(call) {
      const child = spawn('ssh', words(call), {
        env: environment(call),
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      // The client may end before it has read all input.
      child.stdin.on('error', () => undefined);
      const ended = resultOf(child);
      const { until } = call;
      if (until) {
        let output = '';
        child.stdin.write(call.input ?? '');
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString('latin1');
          if (until.test(output)) child.stdin.end();
        });
      } else child.stdin.end(call.input ?? '');
      return ended;
    },
    stop: () => removeFolder(directory),
  };
}

async function resultOf(child: ChildProcess): Promise<SshResult> {
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(output), stderr: Buffer.concat(errors).toString('utf8') };
}
