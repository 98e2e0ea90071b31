import { until } from '../poll.ts';
import type { SshCalls, SshShell } from './ssh-calls.ts';

/** A user in the menu of the SSH listener. */
export class MenuClient {
  output = '';
  exit: number | null | undefined;
  private readonly shell: SshShell;
  private seen = 0;

  constructor(
    ssh: SshCalls,
    { username, password }: { username: string; password: string },
    environment: Record<string, string> = {},
  ) {
    this.shell = ssh.shell({ login: username, password, environment });
    this.shell.onOutput((chunk) => {
      this.output += String(chunk);
    });
    void this.shell.ended.then((code) => {
      this.exit = code;
    });
  }

  type(text: string): void {
    this.shell.type(text);
  }

  /** Waits for text after the previously awaited text. */
  async sees(text: string): Promise<void> {
    await until(
      () => this.output.indexOf(text, this.seen) >= 0,
      `the menu shows ${text}: ${JSON.stringify(this.output.slice(this.seen))}`,
    );
    this.seen = this.output.indexOf(text, this.seen) + text.length;
  }

  /** Waits for the end of the client, and returns its status. */
  async ends(): Promise<number | null> {
    await until(() => this.exit !== undefined, 'the client ends');
    return this.exit ?? null;
  }
}
