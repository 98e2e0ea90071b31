import { createHash } from 'node:crypto';
import type { ServerChannel } from '../../platform/ssh/ssh2.ts';
import {
  CHANGE_PASSWORD_SCRIPT,
  GROUP_SCRIPT,
  PASSWORD_SCRIPT,
  USER_SCRIPT,
} from '../remote/windows/accounts.ts';
import { AUTHORIZED_KEY_SCRIPT, CHANGE_KEY_SCRIPT } from '../remote/windows/keys.ts';
import { PROGRAM_SCRIPT } from '../remote/windows/programs.ts';
import { FACTS_SCRIPT, GATHER_USERS_SCRIPT } from '../remote/windows/reading.ts';
import { windowsScript } from '../remote/windows/wire.ts';
import { type HostileServer, startHostileServer } from './hostile-ssh.ts';

/**
 * OpenSSH for Windows, played from a transcript. **There is no Windows and no PowerShell on the machine of the tests**: the answers below were written after
 * Microsoft's documentation of the cmdlets and of CIM, not recorded from a server. What this proves is what we send (the command, the script, its values on standard input, and nothing else)
 * and what we make of the answers; not what PowerShell does with the scripts.
 */
export interface WindowsTranscript extends HostileServer {
  /** What the host was asked to do, in its order. */
  readonly runs: WindowsRun[];
  /** The commands that were asked for; all are the same. */
  readonly commands: ReadonlySet<string>;
  /** Everything that came to standard input. */
  readonly input: () => string;
  /** Channels whose near side has ended. */
  readonly ended: () => number;
}

/** One run of a script. */
export interface WindowsRun {
  readonly module: string;
  readonly isCheck: boolean;
  readonly values: readonly string[];
}

/** What the host writes: a line of a report, output or errors of a program, bytes on standard error, or the end of the connection. `asks` returns what was answered. */
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
/** The scripts by their digests, as they come over the wire. */
export const DIGESTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, script]) => [name, digestOf(windowsScript(script))]),
);

/** Starts a host that plays; `accepts` decides about passwords. */
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
      new Played(channel, play, (run) => runs.push(run));
    },
    (context) => {
      if (context.method === 'password') return accepts(context.username, context.password);
      // Without a password it says which methods there are.
      return context.method === 'publickey';
    },
  );
  return { ...server, runs, commands, input: () => input, ended: () => ended };
}

/** One channel: reads the script and its values, and then plays. */
class Played {
  private readonly channel: ServerChannel;
  private readonly play: Play;
  private readonly onRun: (run: WindowsRun) => void;
  private readonly lines: string[] = [];
  private rest = '';
  private told: Generator<WindowsLine, void, string> | undefined;

  constructor(channel: ServerChannel, play: Play, onRun: (run: WindowsRun) => void) {
    this.channel = channel;
    this.play = play;
    this.onRun = onRun;
    channel.on('error', () => undefined);
    channel.on('data', (chunk: Buffer) => this.hear(chunk.toString('latin1')));
    // What sshd of Windows and PowerShell may print before: lines end with CRLF.
    channel.write('Microsoft Windows [Version 10.0.20348.2700]\r\n\r\nsallyport:ready\r\n');
  }

  private hear(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (this.told) this.go(line);
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
    this.told = this.play(run);
    this.go('');
  }

  private go(answer: string): void {
    for (let next = this.told?.next(answer); next && !next.done; next = this.told?.next('')) {
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
