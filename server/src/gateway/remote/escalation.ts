import type { RemotePlatform } from './module.ts';
import { COMMANDS, READY, SUDO_PROMPT } from './wire.ts';
import { RemoteRefusal } from './words.ts';

/** How an account becomes root. `none`: it is root already, or nothing needs root. */
export type Become =
  | { readonly method: 'none' }
  | { readonly method: 'sudo' | 'su'; readonly password?: string | undefined };

/** Output that a login may print before our shell is ready. */
const MOST_NOISE = 64 * 1024;

/** Reads what comes until the shell of a script is ready, and answers the question for a password once, and only if it is asked. */
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

  /** Takes output; returns what belongs to the script. @throws RemoteRefusal */
  onOutput(chunk: Buffer): Buffer {
    const text = this.output + chunk.toString('latin1');
    const at = text.search(new RegExp(`(^|\\n)${READY}\\r?\\n`));
    if (at < 0) {
      if (text.length > MOST_NOISE) throw new RemoteRefusal('remote_account');
      this.output = text;
      return Buffer.alloc(0);
    }
    this.isReady = true;
    const end = text.indexOf('\n', text.indexOf(READY, at));
    return Buffer.from(text.slice(end + 1), 'latin1');
  }

  /** Takes the errors before the script. @throws RemoteRefusal */
  onErrors(chunk: Buffer): void {
    const { become } = this;
    this.errors = (this.errors + chunk.toString('latin1')).slice(-MOST_NOISE);
    if (become.method === 'none') return;
    const isAsked =
      become.method === 'sudo'
        ? this.errors.endsWith(SUDO_PROMPT)
        : /[:：]\s*$/.test(Buffer.from(this.errors, 'latin1').toString()) &&
          !this.errors.endsWith('\n');
    if (!isAsked) return;
    if (this.hasAnswered)
      throw new RemoteRefusal('remote_become_secret', { method: become.method });
    if (!become.password) throw new RemoteRefusal('remote_become_asks', { method: become.method });
    this.hasAnswered = true;
    this.errors = '';
    this.answer(`${become.password}\n`);
  }

  /** Why the program ended before its shell was ready. */
  ended(status: number | undefined): RemoteRefusal {
    const { method } = this.become;
    // A signal ended it, or the server went down.
    if (status === undefined) return new RemoteRefusal('remote_interrupted');
    if (method === 'none') return new RemoteRefusal('remote_account');
    if (status === 127) return new RemoteRefusal('remote_tool', { tool: method });
    return new RemoteRefusal(
      this.hasAnswered && method === 'su' ? 'remote_become_secret' : 'remote_become',
      { method },
    );
  }
}
