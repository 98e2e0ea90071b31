import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSshClients } from '../../../testing/ssh/open-ssh.ts';
import type { OpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { startWorld } from '../../../testing/ssh/ssh-world.ts';
import { startSshd } from '../../../testing/ssh/sshd.ts';

let world: OpenSshWorld;
let root: string;
beforeAll(async () => {
  world = await startWorld({}, startSshd({ isDropbear: true }), openSshClients);
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  await chmod(root, 0o777);
  await world.administrator.patch(`assets/system-users/${world.systemUser}/`, { sftp_root: root });
});
afterAll(() => world?.stop());

const ask = (command: string, more: { readonly input?: string | Buffer } = {}) =>
  world.ssh.run({ login: world.login, password: world.member.password, command, ...more });

it('runs commands on Dropbear with input, output, errors, status and signals', async () => {
  const { code, stdout, stderr } = await ask('echo out; echo fault >&2; exit 7');
  expect([code, stdout.toString(), stderr]).toEqual([7, 'out\n', 'fault\n']);
  const input = randomBytes(300_000);
  expect((await ask('cat', { input })).stdout).toEqual(input);
  const large = await ask('head -c 5000000 /dev/zero');
  expect([large.code, large.stdout.length]).toEqual([0, 5_000_000]);
  // OpenSSH's client has 255 for a signal.
  expect((await ask('kill -KILL $$')).code).toBe(255);
});

it('gives a terminal on Dropbear', async () => {
  const shell = world.ssh.shell({ login: world.login, password: world.member.password });
  let output = '';
  const lines = ['tty; echo "end-of-$(echo shell)"\n', 'exit 0\n'];
  shell.onOutput((chunk) => {
    output += chunk;
    // The prompt, and the output of the first line.
    const isReady = lines.length === 2 ? output.includes('$ ') : output.includes('end-of-shell');
    if (isReady) shell.type(lines.shift() ?? '');
  });
  await shell.ended;
  expect(output).toContain('/dev/pts/');
});

it('moves files to and from Dropbear with sftp and scp', async () => {
  const [local, back, bytes] = [
    join(root, '..', 'local'),
    join(root, '..', 'back'),
    randomBytes(2_000_000),
  ];
  await writeFile(local, bytes);
  const call = { login: world.login, password: world.member.password };
  const batch = `put -p ${local} ${root}/a\nrename ${root}/a ${root}/b\nget ${root}/b ${back}\nln -s b ${root}/c\n`;
  const { code, stderr } = await world.ssh.transfer({ ...call, program: 'sftp', batch });
  expect([code, stderr]).toEqual([0, '']);
  expect(await readFile(back)).toEqual(bytes);
  const words = [local, `HOST:${root}/d`];
  expect((await world.ssh.transfer({ ...call, program: 'scp', words })).code).toBe(0);
  expect(await readFile(join(root, 'd'))).toEqual(bytes);
});
