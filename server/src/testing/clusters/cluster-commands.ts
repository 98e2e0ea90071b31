import { spawn } from 'node:child_process';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import {
  acceptChannels,
  type PendingUpgrade,
} from '../../gateway/protocols/kubernetes/accept-channels.ts';
import { type Channels, channelsOf } from '../../gateway/protocols/kubernetes/channels.ts';

/** A running command, or the process that `attach` enters. */
interface Running {
  write(bytes: Buffer): void;
  end(): void;
  resize(size: { readonly Width: number; readonly Height: number }): unknown;
  pause(): void;
  resume(): void;
  kill(): void;
}

export interface CommandUpgrade extends PendingUpgrade {
  readonly query: URLSearchParams;
  readonly folder: string;
}

const isOn = (query: URLSearchParams, name: string) =>
  ['true', '1'].includes((query.get(name) ?? '').toLowerCase());

/** Runs a command in a folder of this machine, and sends its output and its exit. */
function start(
  { query, folder }: CommandUpgrade,
  channels: () => Channels,
  finished: (status: object) => void,
): Running {
  const [program = 'sh', ...words] = query.getAll('command');
  const exited = (code: number | null) =>
    finished(
      code === 0
        ? { status: 'Success' }
        : {
            status: 'Failure',
            reason: 'NonZeroExitCode',
            message: `command terminated with non-zero exit code: exit status ${code}`,
            details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
          },
    );
  if (isOn(query, 'tty')) {
    const terminal = spawnTerminal(program, words, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', PS1: '$ ', TERM: 'xterm' },
      encoding: null,
    });
    // The types of the package know texts only.
    terminal.onData((bytes: string | Buffer) => {
      if (!channels().write('stdout', Buffer.from(bytes))) terminal.pause();
    });
    terminal.onExit(({ exitCode }) => exited(exitCode));
    return {
      write: (bytes) => terminal.write(bytes.toString('utf8')),
      end: () => terminal.write('\x04'),
      // `kubectl` sends zeros if its terminal has no size.
      resize: ({ Width, Height }) => Width > 0 && Height > 0 && terminal.resize(Width, Height),
      pause: () => terminal.pause(),
      resume: () => terminal.resume(),
      kill: () => terminal.kill('SIGKILL'),
    };
  }
  const child = spawn(program, words, { cwd: folder });
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (bytes: Buffer) => {
      if (!channels().write(name, bytes)) child[name].pause();
    });
  child.stdin.on('error', () => undefined);
  child.once('error', (error) =>
    finished({ status: 'Failure', reason: 'InternalError', message: error.message }),
  );
  child.once('close', exited);
  return {
    write: (bytes) => child.stdin.write(bytes),
    end: () => child.stdin.end(),
    resize: () => undefined,
    pause: () => child.stdout.pause(),
    resume: () => {
      child.stdout.resume();
      child.stderr.resume();
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** Serves `exec` and `attach` by programs of this machine. */
export async function serveCommand(upgrade: CommandUpgrade): Promise<void> {
  const { query } = upgrade;
  const channels = channelsOf({
    stdin: isOn(query, 'stdin'),
    stdout: isOn(query, 'stdout'),
    stderr: isOn(query, 'stderr'),
    tty: isOn(query, 'tty'),
  });
  let running: Running | undefined;
  const early: (() => void)[] = [];
  const whenRunning = (work: (command: Running) => void) => {
    if (running) work(running);
    else early.push(() => running && work(running));
  };
  const side = await acceptChannels(upgrade, channels, {
    onData: (channel, bytes) =>
      whenRunning((command) => {
        if (channel === 'stdin') command.write(bytes);
        else if (channel === 'resize') command.resize(JSON.parse(bytes.toString('utf8')));
      }),
    onFinish: (channel) => whenRunning((command) => channel === 'stdin' && command.end()),
    onDrain: () => whenRunning((command) => command.resume()),
    onClose: () => whenRunning((command) => command.kill()),
  });
  running = start(
    upgrade,
    () => side,
    (status) => {
      side.write('error', Buffer.from(JSON.stringify({ metadata: {}, ...status })));
      side.close();
    },
  );
  for (const work of early) work();
}
