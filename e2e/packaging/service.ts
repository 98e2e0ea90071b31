import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../server/src/testing/free-port.ts';
import { Machine } from './machine.ts';
import { type Packaged, settings } from './packaged.ts';
import type { Space } from './space.ts';

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

  const machine = new Machine(space, tree);
  const within = (...words: string[]) => machine.within(...words);
  const main = async () =>
    (await within('systemctl', 'show', '--property=MainPID', '--value', NAME)).trim();
  const isActive = async () => (await within('systemctl', 'is-active', NAME)).trim() === 'active';

  return {
    url: `http://127.0.0.1:${httpPort}`,
    data: join(tree, 'var/lib/sallyport'),
    async start() {
      if (machine.isUp) await within('systemctl', 'start', NAME);
      else await machine.boot(isActive);
    },
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
    remove: () => machine.remove(),
  };
}
