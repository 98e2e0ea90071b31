import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Characters of stderr to keep of a background program. */
const MOST_SAID = 4096;
const MOST_OUTPUT = 64 * 1024 * 1024;

/**
 * Private control groups in the layout that containers and systemd expect; the machine may use
 * another. The group is below the machine's root group. Mounts are visible in this space only.
 */
const SETUP = `
set -e
mount --make-rprivate /
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir /sys/fs/cgroup/$1
echo $$ >/sys/fs/cgroup/$1/cgroup.procs
echo ready
exec sleep infinity
`;

/** Takes the groups away that are left, the innermost first. */
const REMOVE = `mount -t cgroup2 cgroup2 /sys/fs/cgroup && find /sys/fs/cgroup/$1 -depth -type d -exec rmdir {} +`;

/** A background program. */
export interface Started {
  readonly program: ChildProcess;
  /** Returns the end of its stderr. */
  readonly said: () => string;
}

/** Where images are built and systemd runs: a mount namespace with control groups for itself. */
export class Space {
  readonly #name: string;
  readonly #keeper: ChildProcess;

  private constructor(name: string) {
    this.#name = name;
    this.#keeper = spawn('unshare', ['--mount', 'sh', '-c', SETUP, 'space', name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  static async open(): Promise<Space> {
    const space = new Space(`sallyport-packaging-${process.pid}`);
    const greeting = await Promise.race([
      once(space.#keeper.stdout ?? space.#keeper, 'data'),
      once(space.#keeper, 'exit').then(() => undefined),
    ]);
    if (!greeting) throw new Error('control groups of its own could not be made: is this root?');
    return space;
  }

  /** Starts a background program in the space and its control groups. */
  start(words: readonly string[]): Started {
    const program = spawn('nsenter', this.#enter(words), { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    program.stderr.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-MOST_SAID);
    });
    return { program, said: () => errors };
  }

  /** Runs a program in the space to its end and returns its output. @throws Error when it fails */
  async run(words: readonly string[]): Promise<string> {
    return (await execute('nsenter', this.#enter(words), { maxBuffer: MOST_OUTPUT })).stdout;
  }

  #enter(words: readonly string[]): string[] {
    const join = 'echo $$ >/sys/fs/cgroup/$0/cgroup.procs; exec "$@"';
    return [
      '--target',
      String(this.#keeper.pid),
      '--mount',
      'sh',
      '-c',
      join,
      this.#name,
      ...words,
    ];
  }

  async close(): Promise<void> {
    const ended = once(this.#keeper, 'exit');
    this.#keeper.kill('SIGKILL');
    await ended;
    await execute('unshare', ['--mount', 'sh', '-c', REMOVE, 'remove', this.#name]).catch(
      () => undefined,
    );
  }
}
