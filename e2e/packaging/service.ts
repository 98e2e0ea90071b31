import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../server/src/testing/free-port.ts';
import { until } from '../../server/src/testing/poll.ts';
import { type Packaged, settings } from './packaged.ts';
import type { Space, Started } from './space.ts';

const execute = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const UNIT = 'packaging/systemd/sallyport.service';
const NAME = 'sallyport';
/** The account that owns the program; the server cannot write it. */
const BUILDER = 'sallyport-build';

/**
 * Installs the sources and the unit in a separate Debian as the guide for operators says, and boots
 * it with its own systemd.
 */
export async function packService(space: Space, tree: string, password: string): Promise<Packaged> {
  const home = join(tree, 'opt/sallyport');
  for (const name of [NAME, BUILDER])
    await execute('chroot', [
      tree,
      'useradd',
      '--system',
      '--home-dir',
      '/opt/sallyport',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ]);
  await mkdir(home, { recursive: true });
  const copy =
    'git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -c | tar -x -C "$1"';
  await execute('sh', ['-c', copy, 'sh', home], { cwd: ROOT });
  await execute('chroot', [tree, 'chown', '-R', `${BUILDER}:`, '/opt/sallyport']);
  await space.run([
    'systemd-nspawn',
    '--quiet',
    `--directory=${tree}`,
    '--register=no',
    '--keep-unit',
    '--as-pid2',
    `--user=${BUILDER}`,
    '--chdir=/opt/sallyport',
    'npm',
    'run',
    'build',
  ]);
  await execute('install', ['-m', '644', join(ROOT, UNIT), join(tree, 'etc/systemd/system/')]);
  const [httpPort, sshPort] = [await freePort(), await freePort()];
  const environment = Object.entries(settings(password, httpPort, sshPort)).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  await mkdir(join(tree, 'etc/sallyport'), { mode: 0o700 });
  await writeFile(join(tree, 'etc/sallyport/sallyport.env'), environment.join(''), { mode: 0o600 });
  await execute('chroot', [tree, 'systemctl', 'enable', NAME]);

  let machine: Started | undefined;
  let first = '';
  /** Runs a program in the namespaces of that systemd. */
  const within = (...words: string[]) =>
    space.run([
      'nsenter',
      '--target',
      first,
      '--mount',
      '--pid',
      '--uts',
      '--ipc',
      '--cgroup',
      ...words,
    ]);
  const isUp = () => machine?.program.exitCode === null && machine.program.signalCode === null;
  const main = async () =>
    (await within('systemctl', 'show', '--property=MainPID', '--value', NAME)).trim();

  async function boot(): Promise<void> {
    const booted = space.start([
      'systemd-nspawn',
      '--quiet',
      `--directory=${tree}`,
      '--boot',
      '--register=no',
      '--keep-unit',
      '--console=pipe',
    ]);
    machine = booted;
    await until(async () => {
      if (!isUp()) throw new Error(`systemd-nspawn ended: ${booted.said()}`);
      first =
        (await readFile(`/proc/${booted.program.pid}/task/${booted.program.pid}/children`, 'utf8'))
          .trim()
          .split(' ')[0] ?? '';
      if (first === '') return false;
      return within('systemctl', 'is-active', NAME).then(
        (state) => state.trim() === 'active',
        () => false,
      );
    }, 'systemd starts the unit');
  }

  return {
    url: `http://127.0.0.1:${httpPort}`,
    data: join(tree, 'var/lib/sallyport'),
    start: async () => void (await (isUp() ? within('systemctl', 'start', NAME) : boot())),
    async stop() {
      await within('systemctl', 'stop', NAME);
      const ended = await within(
        'systemctl',
        'show',
        '--property=Result',
        '--property=ExecMainStatus',
        NAME,
      );
      if (!ended.includes('Result=success') || !ended.includes('ExecMainStatus=0'))
        throw new Error(`the unit ended with ${ended}`);
    },
    async check() {
      await within('systemctl', 'is-active', NAME);
      const failed = await within('systemctl', 'list-units', '--failed', '--plain', '--no-legend');
      if (failed.trim() !== '') throw new Error(`units have failed: ${failed}`);
    },
    async inside(script) {
      const pid = await main();
      return within('nsenter', '--target', pid, '--mount', 'sh', '-c', script, 'sh', pid);
    },
    log: () => within('journalctl', '--unit', NAME, '--output=cat', '--no-pager'),
    async remove() {
      if (!machine || !isUp()) return;
      const ended = once(machine.program, 'exit');
      machine.program.kill('SIGTERM');
      await ended;
    },
  };
}
