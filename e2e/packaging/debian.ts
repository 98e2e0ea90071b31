import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const RELEASE = 'bookworm';
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Creates a small Debian with systemd in a new folder. Node and npm are where the Node image has
 * them.
 */
export async function makeDebian(folder: string): Promise<void> {
  await execute('debootstrap', [
    '--variant=minbase',
    '--include=ca-certificates,systemd-sysv',
    RELEASE,
    folder,
  ]);
  const local = join(folder, 'usr/local');
  await cp(process.execPath, join(local, 'bin/node'));
  await mkdir(join(local, 'lib/node_modules'), { recursive: true });
  const { stdout: modules } = await execute('npm', ['root', '--global']);
  await execute('cp', ['-a', join(modules.trim(), 'npm'), join(local, 'lib/node_modules/npm')]);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  // Where the operator's Node would be installed.
  for (const name of ['node', 'npm'])
    await symlink(`/usr/local/bin/${name}`, join(folder, 'usr/bin', name));
  // A network may have its own certificate authority, which this machine trusts.
  await cp(AUTHORITIES, join(folder, AUTHORITIES), { force: true });
  await mkdir(join(local, 'etc'), { recursive: true });
  await writeFile(join(local, 'etc/npmrc'), `cafile=${AUTHORITIES}\n`);
}
