import { type ChildProcess, spawn } from 'node:child_process';
import { until } from '../../testing/poll.ts';
import type { OpenSsh } from './open-ssh.ts';

/** A real `ssh` in the menu of the listener. */
export class MenuClient {
  output = '';
  exit: number | null | undefined;
  private readonly child: ChildProcess;
  private seen = 0;

  constructor(ssh: OpenSsh, { username, password }: { username: string; password: string }, environment: Record<string, string> = {}) {
    const call = { login: username, password, options: ['-tt', '-o', 'SendEnv=LC_ALL'], environment };
    this.child = spawn('ssh', [...ssh.words(call)], { env: ssh.environment(call), stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (chunk) => {
      this.output += String(chunk);
    });
    this.child.once('close', (code) => {
      this.exit = code;
    });
  }

  /** Types keys. */
  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Waits for text behind what was waited for before. */
  async sees(text: string): Promise<void> {
    await until(() => this.output.indexOf(text, this.seen) >= 0, `the menu shows ${text}: ${JSON.stringify(this.output.slice(this.seen))}`);
    this.seen = this.output.indexOf(text, this.seen) + text.length;
  }

  /** Waits for the end of the client, and returns its status. */
  async ends(): Promise<number | null> {
    await until(() => this.exit !== undefined, 'the client ends');
    return this.exit ?? null;
  }
}
