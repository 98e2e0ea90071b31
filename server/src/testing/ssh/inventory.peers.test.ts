import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset } from '../builders.ts';
import { requirePeers } from '../peers.ts';
import { bearer } from '../sign-in.ts';
import { type SshWorld, startSshWorld } from './ssh-world.ts';

requirePeers('ansible-core');

const INVENTORY = resolve(import.meta.dirname, '../../../../packaging/ansible/inventory.py');

let world: SshWorld;
let folder: string;
let secret: string;
beforeAll(async () => {
  world = await startSshWorld();
  folder = await mkdtemp(join(tmpdir(), 'sallyport-inventory-'));
  const own = await bearer(world.test, world.member);
  const { body: key } = await own.post<{ id: string; secret: string }>(
    'authentication/access-keys/',
    { password: world.member.password },
  );
  secret = key.secret;
  await writeFile(join(folder, 'key'), `${key.id}:${key.secret}\n`);
  const program = `#!/bin/sh\necho '${world.member.password}'\n`;
  await writeFile(join(folder, 'password'), program, { mode: 0o700 });
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

const environment = (key: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  LANG: 'C.UTF-8',
  BASTION_URL: world.test.visitor.url,
  BASTION_KEY_FILE: key,
  BASTION_SSH_PORT: String(world.port),
});
const list = (key = join(folder, 'key')) =>
  promisify(execFile)('ansible-inventory', ['-i', INVENTORY, '--list'], { env: environment(key) });

/** Runs a module of ansible on all hosts. The password comes from a program. */
async function runModule(...words: readonly string[]): Promise<string> {
  const ran = promisify(execFile)('ansible', ['-i', INVENTORY, 'all', ...words], {
    env: {
      ...environment(join(folder, 'key')),
      ANSIBLE_HOST_KEY_CHECKING: 'False',
      ANSIBLE_NOCOLOR: '1',
      // The first value of an option counts: Ansible would refuse to send a password.
      ANSIBLE_SSH_ARGS: ['PasswordAuthentication=yes', 'PreferredAuthentications=password']
        .concat(`UserKnownHostsFile=${join(folder, 'known')}`)
        .map((option) => `-o ${option}`)
        .join(' '),
      SSH_ASKPASS: join(folder, 'password'),
      SSH_ASKPASS_REQUIRE: 'force',
    },
  });
  return ran.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it('lists the granted assets of a user for ansible, to be reached through the SSH listener', async () => {
  const other = await buildAsset(world.test.db, { organization: world.organization });
  const { stdout } = await list();
  const inventory = JSON.parse(stdout) as {
    _meta: { hostvars: Record<string, unknown> };
    platform_Linux: { hosts: string[] };
  };
  expect(inventory._meta.hostvars).toEqual({
    [world.hostname]: {
      ansible_host: '127.0.0.1',
      ansible_port: world.port,
      ansible_user: `${world.member.username}@@${world.hostname}`,
      ansible_remote_tmp: '$HOME/.ansible/tmp',
      ansible_async_dir: '.ansible_async',
      ansible_ssh_transfer_method: 'piped',
      bastion_asset: world.asset,
      bastion_address: '127.0.0.1',
    },
  });
  expect(inventory.platform_Linux.hosts).toEqual([world.hostname]);
  expect(stdout).not.toContain(other);
  expect(stdout).not.toContain(secret);
});

it('runs modules, copies files and waits for background work with the inventory', {
  timeout: 300_000,
}, async () => {
  expect(await runModule('-m', 'ping')).toContain('"ping": "pong"');
  const [source, copy] = [join(folder, 'source'), join(world.sshd.home, 'copied')];
  await writeFile(source, 'a text with an ü\n'.repeat(20_000));
  const copied = await runModule('-m', 'copy', '-a', `src=${source} dest=${copy} mode=0640`);
  expect(copied).toContain('CHANGED');
  expect(await readFile(copy, 'utf8')).toBe(await readFile(source, 'utf8'));
  const fetched = join(folder, 'fetched');
  await runModule('-m', 'fetch', '-a', `src=${copy} dest=${fetched} flat=yes`);
  expect(await readFile(fetched, 'utf8')).toBe(await readFile(source, 'utf8'));
  const waited = await runModule('-B', '60', '-P', '1', '-m', 'command', '-a', 'echo done');
  expect(waited).toContain('"stdout": "done"');
  // The name of the bastion's user makes no folder.
  expect((await readdir(world.sshd.home)).filter((name) => name.startsWith('~'))).toEqual([]);
});

it('reports a refused key without its secret', async () => {
  const key = join(folder, 'refused');
  await writeFile(key, `${crypto.randomUUID()}:no-such-secret`);
  const { stderr } = await list(key);
  // Ansible wraps its warnings, and the place depends on the path of this folder.
  expect(stderr.replace(/\s+/g, ' ')).toContain('check the access key');
  expect(stderr).not.toContain('no-such-secret');
});
