import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../poll.ts';
import type { OpenSsh } from './open-ssh.ts';

/** Headers that start a program of lrzsz in the terminal of a user. */
const HEADER = new RegExp(`\\*\\*${String.fromCharCode(0x18)}B0[01][0-9a-f]{12}`);
const PATIENCE = 30_000;

export interface ZmodemTerminalOptions {
  readonly ssh: OpenSsh;
  readonly login: string;
  readonly password: string;
  /** The program that starts at a header, `rz` or `sz`, with its working folder. */
  readonly program: readonly [string, ...string[]];
  readonly folder: string;
}

/**
 * The terminal of a user who runs OpenSSH: it starts a program of lrzsz at a header and connects it
 * until it ends, like terminals with ZMODEM do.
 */
export class ZmodemTerminal {
  /** Output that no program took. */
  screen = '';
  /** Exit statuses of the programs. */
  readonly exits: (number | null)[] = [];
  private readonly ssh: ChildProcess;
  private readonly options: ZmodemTerminalOptions;
  private running: ChildProcess | undefined;

  constructor(options: ZmodemTerminalOptions) {
    this.options = options;
    const { ssh, login, password } = options;
    const call = { login, password, options: ['-tt', '-e', 'none'] };
    this.ssh = spawn('ssh', ssh.words(call), {
      env: ssh.environment(call),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.ssh.stdout?.on('data', (chunk: Buffer) => this.take(chunk));
    this.ssh.stdin?.on('error', () => undefined);
  }

  type(text: string): void {
    this.ssh.stdin?.write(text);
  }

  async sees(text: string): Promise<void> {
    await until(() => this.screen.includes(text), `${text} on the screen`, PATIENCE).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(this.screen.slice(-2000))}`);
      },
    );
  }

  /** Waits until a number of programs have ended. */
  async ran(count: number): Promise<void> {
    await until(() => this.exits.length >= count, `${count} programs have ended`, PATIENCE);
  }

  /**
   * Waits until the shell shows keys again: those that arrive before the last bytes of a transfer
   * are dropped. Leaves an empty line.
   */
  async isOpenForKeys(): Promise<void> {
    const before = this.screen.length;
    await until(() => {
      this.type('#');
      return this.screen.slice(before).includes('#');
    }, 'the shell shows keys');
    this.type('\x15');
  }

  async ends(): Promise<void> {
    if (this.ssh.exitCode === null) await once(this.ssh, 'close');
  }

  kill(): void {
    this.ssh.kill('SIGKILL');
    this.running?.kill('SIGKILL');
  }

  private take(chunk: Buffer): void {
    if (!this.running) {
      this.screen += chunk.toString('latin1');
      const at = this.screen.search(HEADER);
      if (at < 0) return;
      const frames = Buffer.from(this.screen.slice(at), 'latin1');
      this.screen = this.screen.slice(0, at);
      this.start().stdin?.write(frames);
      return;
    }
    this.running.stdin?.write(chunk);
  }

  private start(): ChildProcess {
    const { program, folder } = this.options;
    const [name, ...words] = program;
    const child = spawn(name, words, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.ssh.stdin?.write(chunk));
    child.once('close', (code) => {
      this.running = undefined;
      this.exits.push(code);
    });
    this.running = child;
    return child;
  }
}
