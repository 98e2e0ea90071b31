// npm run packaging [-- container|service|package]: builds the image and runs it with the compose
// file; installs the unit, and the Debian package, in a separate Debian and boots it with systemd.
// Signs in to each, works in it, stops it during a session, and starts it again. Needs root and
// Debian's packages, and takes minutes.
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSshd } from '../server/src/testing/ssh/sshd.ts';
import { launchChromium } from './harness/browser.ts';
import { ADMIN } from './harness/server.ts';
import { packContainer } from './packaging/container.ts';
import { makeDebian } from './packaging/debian.ts';
import { tryDebianPackage } from './packaging/debian-package.ts';
import type { Packaged } from './packaging/packaged.ts';
import { packService } from './packaging/service.ts';
import { Space } from './packaging/space.ts';
import { tryOut } from './packaging/trial.ts';

const PEERS = {
  podman: 'podman',
  crun: 'crun',
  catatonit: 'catatonit',
  debootstrap: 'debootstrap',
  'systemd-nspawn': 'systemd-container',
  sshd: 'openssh-server',
  'chromium-headless-shell': 'chromium-headless-shell',
};
const missing = Object.entries(PEERS).flatMap(([program, name]) =>
  spawnSync('sh', ['-c', 'PATH=$PATH:/usr/sbin:/usr/libexec/podman command -v "$1"', 'sh', program])
    .status === 0
    ? []
    : [name],
);
if (missing.length > 0)
  throw new Error(
    `Programs are missing; install them with: apt-get install -y --no-install-recommends ${missing.join(' ')}`,
  );

const filter = process.argv[2] ?? '';
// On disk by default, because trees and images take 5 GB; TMPDIR overrides it.
const folder = await mkdtemp(join(process.env.TMPDIR ?? '/var/tmp', 'sallyport-packaging-'));
await chmod(folder, 0o711);
const say = (line: string) => process.stdout.write(`${line}\n`);
let debianFolder: Promise<string> | undefined;
/** A folder with an unmodified Debian. */
const debian = () => {
  debianFolder ??= makeDebian(join(folder, 'debian')).then(() => join(folder, 'debian'));
  return debianFolder;
};
const space = await Space.open();
const [browser, sshd] = [await launchChromium(), await startSshd()];

const PACKAGINGS: Readonly<Record<string, () => Promise<Packaged>>> = {
  container: () => packContainer(space, folder, debian, ADMIN.password),
  async service() {
    const tree = join(folder, 'service');
    await space.run(['cp', '-a', await debian(), tree]);
    return packService(space, tree, ADMIN.password);
  },
};

try {
  if ('package'.startsWith(filter)) {
    const tree = join(folder, 'package');
    await space.run(['cp', '-a', await debian(), tree]);
    await tryDebianPackage(space, tree, { browser, sshd, say: (line) => say(`package: ${line}`) });
  }
  for (const [name, pack] of Object.entries(PACKAGINGS)) {
    if (!name.startsWith(filter)) continue;
    say(`${name}: is made`);
    const packaged = await pack();
    try {
      await tryOut(packaged, browser, sshd, (line) => say(`${name}: ${line}`));
    } catch (error) {
      say(await packaged.log().catch(() => 'no log'));
      throw error;
    } finally {
      await packaged.remove();
    }
  }
} finally {
  await Promise.all([browser.close(), sshd.stop()]);
  await space.close();
  await rm(folder, { recursive: true, force: true });
}
