import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { answerChallenge } from '@sallyport/vnc';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';

const run = promisify(execFile);
const XVNC = '/usr/bin/Xvnc';
/** The well-known key with which VNC servers obscure the password in their file. */
const FILE_KEY = Buffer.from([23, 82, 107, 6, 35, 78, 88, 7]).toString('latin1');

/** TigerVNC's server with its own screen, for one test. */
export interface TestXvnc {
  readonly port: number;
  readonly password: string;
  /** For X programs, such as `:1`. */
  readonly display: string;
  /** Fills the screen with a color, `#rrggbb`. */
  fill(color: string): Promise<void>;
  /** Kills the server, like a crash. */
  kill(): void;
  stop(): Promise<void>;
}

/**
 * Starts a server with a password on a free loopback port; defaults to `320x240` and classic VNC
 * authentication.
 */
export async function startXvnc(
  options: {
    readonly size?: string;
    readonly securityTypes?: string;
    readonly more?: readonly string[];
  } = {},
): Promise<TestXvnc> {
  requirePeers('tigervnc-standalone-server', 'x11-xserver-utils');
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-xvnc-'));
  const password = 'Kw7#pLz2';
  const passwordFile = join(folder, 'passwd');
  await writeFile(passwordFile, answerChallenge(Buffer.from(password, 'latin1'), FILE_KEY), {
    mode: 0o600,
  });
  const port = await freePort();
  const { size = '320x240', securityTypes = 'VncAuth', more = [] } = options;
  const parts = [
    '-displayfd',
    '3',
    '-rfbport',
    String(port),
    '-localhost',
    '-SecurityTypes',
    securityTypes,
    '-PasswordFile',
    passwordFile,
  ];
  const screen = [
    '-geometry',
    size,
    '-depth',
    '24',
    '-nolisten',
    'tcp',
    '-ac',
    '-BlacklistThreshold',
    '1000',
  ];
  const child: ChildProcess = spawn(XVNC, [...parts, ...screen, ...more], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  });
  const numbers = child.stdio[3] as Readable;
  const number = await Promise.race([
    once(numbers, 'data').then(([chunk]) => String(chunk).trim()),
    once(child, 'exit').then(() => Promise.reject(new Error(`Xvnc ended at once: ${output}`))),
  ]);
  const display = `:${number}`;
  return {
    port,
    password,
    display,
    fill: async (color) => void (await run('xsetroot', ['-display', display, '-solid', color])),
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
      await removeFolder(folder);
    },
  };
}
