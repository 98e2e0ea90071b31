import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

const list = (key = join(folder, 'key')) =>
  promisify(execFile)('ansible-inventory', ['-i', INVENTORY, '--list'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      LANG: 'C.UTF-8',
      BASTION_URL: world.test.visitor.url,
      BASTION_KEY_FILE: key,
      BASTION_SSH_PORT: String(world.port),
    },
  });

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
      bastion_asset: world.asset,
      bastion_address: '127.0.0.1',
    },
  });
  expect(inventory.platform_Linux.hosts).toEqual([world.hostname]);
  expect(stdout).not.toContain(other);
  expect(stdout).not.toContain(secret);
});

it('reports a refused key without its secret', async () => {
  const key = join(folder, 'refused');
  await writeFile(key, `${crypto.randomUUID()}:no-such-secret`);
  const { stderr } = await list(key);
  // Ansible wraps its warnings, and the place depends on the path of this folder.
  expect(stderr.replace(/\s+/g, ' ')).toContain('check the access key');
  expect(stderr).not.toContain('no-such-secret');
});
