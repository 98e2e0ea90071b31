import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { until } from '../../server/src/testing/poll.ts';
import type { Space, Started } from './space.ts';

/** A Debian in a folder, booted with its own systemd. It shares the network of this machine. */
export class Machine {
  readonly #space: Space;
  readonly #tree: string;
  #booted: Started | undefined;
  #first = '';

  constructor(space: Space, tree: string) {
    this.#space = space;
    this.#tree = tree;
  }

  get isUp(): boolean {
    return this.#booted?.program.exitCode === null && this.#booted.program.signalCode === null;
  }

  /** Runs a program in the namespaces of that systemd. @throws Error if it fails */
  within(...words: string[]): Promise<string> {
    const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup'];
    return this.#space.run(['nsenter', '--target', this.#first, ...namespaces, ...words]);
  }

  /** Boots, and waits until the probe succeeds there. */
  async boot(probe: () => Promise<boolean>): Promise<void> {
    const booted = this.#space.start([
      'systemd-nspawn',
      '--quiet',
      `--directory=${this.#tree}`,
      '--boot',
      '--register=no',
      '--keep-unit',
      '--console=pipe',
    ]);
    this.#booted = booted;
    const { pid } = booted.program;
    await until(async () => {
      if (!this.isUp) throw new Error(`systemd-nspawn ended: ${booted.said()}`);
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      this.#first = children.trim().split(' ')[0] ?? '';
      return this.#first !== '' && (await probe().catch(() => false));
    }, 'systemd has booted');
  }

  async remove(): Promise<void> {
    if (!this.#booted || !this.isUp) return;
    const ended = once(this.#booted.program, 'exit');
    this.#booted.program.kill('SIGTERM');
    await ended;
  }
}
