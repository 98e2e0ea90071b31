import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { answerChallenge } from '@sallyport/vnc';
import { freePort } from '../free-port.ts';
import { startDevice, type TestDevice } from '../hosts/device.ts';
import { requirePeers } from '../peers.ts';

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
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A server that accepts every VNC challenge and announces 64 by 48 pixels. Afterwards the test
 * controls its output, and receives all input of the gateway.
 */
export async function startScriptedVnc(
  talk: (socket: Socket) => void,
  hear: (bytes: Buffer) => void = () => undefined,
): Promise<TestDevice> {
  return startDevice((socket) => {
    const answers = [Buffer.from([1, 2]), Buffer.alloc(16, 7), Buffer.alloc(4), serverInit(64, 48)];
    // Each step of the handshake answers one message: version, security type, challenge response,
    // ClientInit.
    const lengths = [12, 1, 16, 1];
    let step = 0;
    let kept = Buffer.alloc(0);
    socket.write('RFB 003.008\n');
    socket.on('data', (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes]);
      for (
        let length = lengths[step];
        length !== undefined && kept.length >= length;
        length = lengths[step]
      ) {
        kept = kept.subarray(length);
        socket.write(answers[step] ?? Buffer.alloc(0));
        step += 1;
        if (step === lengths.length) talk(socket);
      }
      if (step === lengths.length && kept.length > 0) {
        hear(kept);
        kept = Buffer.alloc(0);
      }
    });
  });
}

function serverInit(width: number, height: number): Buffer {
  const init = Buffer.alloc(24 + 4);
  init.writeUInt16BE(width, 0);
  init.writeUInt16BE(height, 2);
  Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]).copy(init, 4);
  init.writeUInt32BE(4, 20);
  init.write('name', 24);
  return init;
}
