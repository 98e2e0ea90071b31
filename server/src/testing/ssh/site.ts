import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SiteInstall, siteTunnelWords } from '@sallyport/contract';
import type { Client } from '../client.ts';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';

const run = promisify(execFile);

/** Port and name with which a test's site connects, and the ports that it permits. */
export interface SitePlace {
  readonly port: number;
  readonly login: string;
  readonly ports: readonly number[];
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
}

/** The machine of a site: the programs that the install command and the unit name. */
export class SiteMachine {
  readonly folder: string;
  #tunnel: ChildProcess | undefined;

  readonly #within: readonly string[];

  /** `within`: words before the command of a tunnel, for a network namespace. */
  constructor(within: readonly string[] = []) {
    this.#within = within;
    requirePeers('openssh-client', 'curl');
    this.folder = mkdtempSync(join(tmpdir(), 'sallyport-site-'));
  }

  /** Runs the install command of the console, in the folder of the test. */
  async join({ command }: SiteInstall): Promise<void> {
    const own = command.replaceAll('sudo ', '').replaceAll('/etc/sallyport-site', this.folder);
    await run('/bin/sh', ['-c', own]);
  }

  /** Makes a key as the install command does, and joins with it. */
  async joinWith(client: Client, installKey: string) {
    if (!existsSync(this.#key))
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.#key]);
    const { status, text } = await client.post('assets/sites/join/', {
      install_key: installKey,
      public_key: readFileSync(`${this.#key}.pub`, 'utf8'),
    });
    return { status, text };
  }

  get #key(): string {
    return join(this.folder, 'key');
  }

  /** Runs `ssh` as the unit does, with more options before its own. Returns its process. */
  ssh(place: SitePlace, more: readonly string[] = []): ChildProcess {
    const [program = '', ...words] = [...this.#within, 'ssh', ...more, ...this.#words(place)];
    return spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  #words(place: SitePlace): string[] {
    return siteTunnelWords({ host: '127.0.0.1', ...place }).map((word) =>
      word.replace('/etc/sallyport-site', this.folder),
    );
  }

  /** Runs `ssh` with the key of the site for something else than its tunnel. */
  misuse(place: SitePlace, options: readonly string[], command: readonly string[]): ChildProcess {
    const words = this.#words(place);
    const own = words.slice(words.indexOf('-i'));
    return spawn('ssh', [...options, ...own, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Opens the tunnel. */
  connect(place: SitePlace, more: readonly string[] = []): void {
    this.#tunnel = this.ssh(place, more);
  }

  /** Ends the tunnel as a lost machine does. */
  async disconnect(): Promise<void> {
    const tunnel = this.#tunnel;
    if (!tunnel || tunnel.exitCode !== null || tunnel.signalCode !== null) return;
    const ended = once(tunnel, 'close');
    tunnel.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.disconnect();
    await removeFolder(this.folder);
  }
}

/** Waits for the end of a program, and returns what it wrote to its error stream. */
export async function errorsOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(child, 'close');
  return text;
}
