import type { ExitStatus } from './conversation.ts';
import type { RemotePlatform } from './module.ts';
import { COMMANDS, READY, STARTED, SUDO_PROMPT } from './wire.ts';
import { RemoteRefusal } from './words.ts';

/** The way to become root; `none` if the account is root, or root is not needed. */
export type Become =
  | { readonly method: 'none' }
  | { readonly method: 'sudo' | 'su'; readonly password?: string | undefined };

/** Maximum output of a login before our shell is ready, in bytes. */
const MAX_NOISE = 64 * 1024;

/** Reads output until the shell is ready for the script. Answers a password prompt, once. */
export class Escalation {
  readonly command: string;
  private readonly become: Become;
  private readonly answer: (line: string) => void;
  private output = '';
  private errors = '';
  private hasAnswered = false;
  isReady = false;

  constructor(become: Become, platform: RemotePlatform, answer: (line: string) => void) {
    this.become = become;
    this.answer = answer;
    const isBsd = platform === 'BSD' || platform === 'MacOS';
    this.command = COMMANDS[isBsd && become.method === 'su' ? 'suOfBsd' : become.method];
  }

  /** Feeds output; returns the part that belongs to the script. @throws RemoteRefusal */
  onOutput(chunk: Buffer): Buffer {
    const text = this.output + chunk.toString('latin1');
    const at = text.search(new RegExp(`(^|\\n)${READY}\\r?\\n`));
    if (at < 0) {
      if (text.length > MAX_NOISE) throw new RemoteRefusal('remote_account');
      this.output = text;
      return Buffer.alloc(0);
    }
    this.isReady = true;
    const end = text.indexOf('\n', text.indexOf(READY, at));
    return Buffer.from(text.slice(end + 1), 'latin1');
  }

  /** Feeds error output before the script. @throws RemoteRefusal */
  onErrors(chunk: Buffer): void {
    const { become } = this;
    this.errors = (this.errors + chunk.toString('latin1')).slice(-MAX_NOISE);
    if (become.method === 'none') return;
    const isPrompt =
      become.method === 'sudo'
        ? this.errors.endsWith(SUDO_PROMPT)
        : /[:：]\s*$/.test(Buffer.from(this.errors, 'latin1').toString()) &&
          !this.errors.endsWith('\n');
    if (!isPrompt) return;
    if (this.hasAnswered)
      throw new RemoteRefusal('remote_become_secret', { method: become.method });
    if (!become.password) throw new RemoteRefusal('remote_become_asks', { method: become.method });
    this.hasAnswered = true;
    this.errors = '';
    this.answer(`${become.password}\n`);
  }

  /** True if another program than our shell has written something. */
  get hasOtherOutput(): boolean {
    return !this.hasShell && (this.output + this.errors).trim() !== '';
  }

  /** True if another program waits for input, such as the command line of a device. */
  get showsPrompt(): boolean {
    return !this.hasShell && /[>#$%:\]] ?$/.test(this.output);
  }

  private get hasShell(): boolean {
    return new RegExp(`(^|\\n)${STARTED}\\r?\\n`).test(this.output);
  }

  /** The reason for an end before the shell was ready. */
  ended(status: ExitStatus): RemoteRefusal {
    const { method } = this.become;
    // A signal ended the program, or the server went down. Devices send their words and no status.
    if (status === 'signal' || (status === undefined && !this.hasOtherOutput))
      return new RemoteRefusal('remote_interrupted');
    if (method === 'none' || !this.hasShell) return new RemoteRefusal('remote_account');
    if (status === 127) return new RemoteRefusal('remote_tool', { tool: method });
    return new RemoteRefusal(
      this.hasAnswered && method === 'su' ? 'remote_become_secret' : 'remote_become',
      { method },
    );
  }
}
