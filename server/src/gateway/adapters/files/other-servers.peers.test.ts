import { chmod, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { openSshClients } from '../../../testing/ssh/open-ssh.ts';
import type { OpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { startWorld } from '../../../testing/ssh/ssh-world.ts';
import { startSshd } from '../../../testing/ssh/sshd.ts';

requirePeers('gesftpserver');

let world: OpenSshWorld;
let root: string;
beforeAll(async () => {
  const sshd = startSshd({ sftp: '/usr/libexec/gesftpserver' });
  world = await startWorld({}, sshd, openSshClients);
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  await chmod(root, 0o777);
  await world.administrator.patch(`assets/system-users/${world.systemUser}/`, { sftp_root: root });
});
afterAll(() => world?.stop());

it('makes links for sftp on gesftpserver 2, which reads the order of the draft', async () => {
  await writeFile(join(root, 'file'), 'content');
  const home = await readdir(world.sshd.home);
  const { code, stderr } = await world.ssh.transfer({
    program: 'sftp',
    login: world.login,
    password: world.member.password,
    batch: 'ln -s stray mylink\nln -s file to-file\n',
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(await readdir(world.sshd.home)).toEqual(home);
  expect((await readdir(root)).sort()).toEqual(['file', 'mylink', 'to-file']);
  expect(await readlink(join(root, 'mylink'))).toBe('stray');
  expect(await readlink(join(root, 'to-file'))).toBe('file');
  expect(await loggedFiles(world.test.db, 'mylink', 1)).toMatchObject([
    { operate: 'Symlink', filename: '/mylink=>stray', is_success: true },
  ]);
});
