import { createHash } from 'node:crypto';
import type { ServerChannel } from '@sallyport/ssh';
import {
  CHANGE_PASSWORD_SCRIPT,
  GROUP_SCRIPT,
  PASSWORD_SCRIPT,
  USER_SCRIPT,
} from '../../gateway/remote/windows/accounts.ts';
import { AUTHORIZED_KEY_SCRIPT, CHANGE_KEY_SCRIPT } from '../../gateway/remote/windows/keys.ts';
import {
  FACTS_SCRIPT,
  GATHER_USERS_SCRIPT,
  PROGRAM_SCRIPT,
} from '../../gateway/remote/windows/programs.ts';
import { windowsScript } from '../../gateway/remote/windows/wire.ts';
import { type HostileServer, startHostileServer } from '../ssh/hostile-ssh.ts';

/**
 * OpenSSH for Windows, imitated by a transcript. **The test machine has neither Windows nor
 * PowerShell**: the answers follow Microsoft's documentation of the cmdlets and of CIM, and were
 * not recorded. Tests prove what we send (command, script, values on standard input, nothing else)
 * and how we handle the answers, but not what PowerShell does with the scripts.
 */
export interface WindowsTranscript extends HostileServer {
  /** The runs on the host, in order. */
  readonly runs: WindowsRun[];
  /** The received commands; all are equal. */
  readonly commands: ReadonlySet<string>;
  /** All data received on standard input. */
  readonly input: () => string;
  /** Number of channels that the client has closed. */
  readonly ended: () => number;
}

/** One run of a script. */
export interface WindowsRun {
  readonly module: string;
  readonly isCheck: boolean;
  readonly values: readonly string[];
}

/**
 * Output of the host: a report line, program output or errors, bytes on standard error, or the end
 * of the connection. `asks` yields the answer.
 */
export type WindowsLine =
  | string
  | {
      readonly output?: Buffer | string;
      readonly errors?: Buffer | string;
      readonly stderr?: string;
      readonly raw?: string;
    }
  | 'cut'
  | 'wait';

/** Plays one run. */
export type Play = (run: WindowsRun) => Generator<WindowsLine, void, string>;

const SCRIPTS: Readonly<Record<string, string>> = {
  ping: 'go',
  facts: FACTS_SCRIPT,
  'gather-users': GATHER_USERS_SCRIPT,
  group: GROUP_SCRIPT,
  user: USER_SCRIPT,
  password: PASSWORD_SCRIPT,
  'change-password': CHANGE_PASSWORD_SCRIPT,
  'authorized-key': AUTHORIZED_KEY_SCRIPT,
  'change-key': CHANGE_KEY_SCRIPT,
  program: PROGRAM_SCRIPT,
};
const digestOf = (script: string) => createHash('sha256').update(script).digest('hex').slice(0, 16);
/** Digests of the scripts as sent, by module. */
export const DIGESTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, script]) => [name, digestOf(windowsScript(script))]),
);

/** Starts a host that plays runs; `accepts` decides on passwords. */
export async function startWindows(
  play: Play,
  accepts: (username: string, password: string) => boolean = () => true,
): Promise<WindowsTranscript> {
  const runs: WindowsRun[] = [];
  const commands = new Set<string>();
  let input = '';
  let ended = 0;
  const server = await startHostileServer(
    () => undefined,
    (command, channel) => {
      commands.add(command);
      channel.on('data', (chunk: Buffer) => {
        input += chunk.toString('latin1');
      });
      channel.on('close', () => {
        ended += 1;
      });
      new PlayedChannel(channel, play, (run) => runs.push(run));
    },
    (context) => {
      if (context.method === 'password') return accepts(context.username, context.password);
      // Reject a request without a password, which lists the available methods.
      return context.method === 'publickey';
    },
  );
  return { ...server, runs, commands, input: () => input, ended: () => ended };
}

/** One channel: reads the script and its values, then plays the run. */
class PlayedChannel {
  private readonly channel: ServerChannel;
  private readonly play: Play;
  private readonly onRun: (run: WindowsRun) => void;
  private readonly lines: string[] = [];
  private rest = '';
  private playing: Generator<WindowsLine, void, string> | undefined;

  constructor(channel: ServerChannel, play: Play, onRun: (run: WindowsRun) => void) {
    this.channel = channel;
    this.play = play;
    this.onRun = onRun;
    channel.on('error', () => undefined);
    channel.on('data', (chunk: Buffer) => this.hear(chunk.toString('latin1')));
    // Output of sshd and PowerShell before the script; lines end with CRLF.
    channel.write('Microsoft Windows [Version 10.0.20348.2700]\r\n\r\nsallyport:ready\r\n');
  }

  private hear(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (this.playing) this.go(line);
      else if (line === '#go') this.begin();
      else this.lines.push(Buffer.from(line, 'base64').toString());
    }
  }

  private begin(): void {
    const [script = '', check, ...values] = this.lines;
    const digest = digestOf(script);
    const module =
      Object.keys(DIGESTS).find((name) => DIGESTS[name] === digest) ?? `unknown script ${digest}`;
    const run = { module, isCheck: check === '1', values };
    this.onRun(run);
    this.playing = this.play(run);
    this.go('');
  }

  private go(answer: string): void {
    for (let next = this.playing?.next(answer); next && !next.done; next = this.playing?.next('')) {
      const line = next.value;
      if (line === 'cut') return void this.channel.destroy();
      if (line === 'wait') return;
      this.write(line);
      if (line === 'asks') return;
    }
    this.channel.exit(0);
    this.channel.end();
  }

  private write(line: Exclude<WindowsLine, 'cut' | 'wait'>): void {
    const { channel } = this;
    const encoded = (text: Buffer | string) => Buffer.from(text).toString('base64');
    if (typeof line === 'string') channel.write(`sallyport:${encoded(line)}\r\n`);
    else {
      if (line.output !== undefined) channel.write(`sallyport-output:${encoded(line.output)}\n`);
      if (line.errors !== undefined) channel.write(`sallyport-errors:${encoded(line.errors)}\n`);
      if (line.stderr !== undefined) channel.stderr.write(line.stderr);
      if (line.raw !== undefined) channel.write(line.raw);
    }
  }
}
