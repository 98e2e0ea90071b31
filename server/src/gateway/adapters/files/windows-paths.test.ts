import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import type { SftpBehavior } from '../../../testing/ssh/sftp-server.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let member: Client;
let home: string;
let root: string;
let behavior: SftpBehavior;
const files = () => `files/${world.asset}/${world.systemUser}`;

beforeAll(async () => {
  world = await startWorld({}, startSshServer({ sftp: () => behavior }), sshClient);
  ({ home } = world.sshd);
  root = join(home, 'root');
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  await world.administrator.patch(`assets/system-users/${world.systemUser}/`, { sftp_root: root });
});
afterAll(() => world.stop());
beforeEach(async () => {
  behavior = { readsBackslashes: 'all' };
  await mkdir(join(root, 'folder'), { recursive: true });
  await writeFile(join(home, 'outside'), 'secret');
  await writeFile(join(root, 'inside'), 'content');
});
afterEach(async () => {
  await member.delete(`${files()}/connect/`);
  await rm(root, { recursive: true });
});

const read = (path: string) => member.get(`${files()}/content/?path=${encodeURIComponent(path)}`);
const put = (path: string) =>
  member.send(
    'PUT',
    `${files()}/uploads/upload-1/?path=${encodeURIComponent(path)}&size=3&offset=0&overwrite=1`,
    new Uint8Array(Buffer.from('new')),
    'application/octet-stream',
  );
const change = (action: string, items: readonly object[]) =>
  member.post(`${files()}/changes/`, { action, items });

const ESCAPES = [
  '/..\\outside',
  '/folder/..\\..\\outside',
  '/folder\\..\\..\\outside',
  '/.\\../outside',
];

it.each([
  ['resolves paths', 'all'],
  // A server in front of a file system of Windows may resolve paths as texts.
  ['resolves paths by their text', 'files'],
] as const)(
  'lets no name with a backslash out of the root on a server that %s',
  async (_name, kind) => {
    behavior = { readsBackslashes: kind };
    for (const path of ESCAPES) {
      const answers = [
        await read(path),
        await put(path),
        await change('delete', [{ path }]),
        await change('move', [{ path, to: '/taken' }]),
        await change('copy', [{ path, to: '/taken' }]),
        await change('move', [{ path: '/inside', to: path }]),
        await change('make_folder', [{ path: `${path}-folder` }]),
      ];
      for (const [index, { status, text }] of answers.entries()) {
        expect([path, index, status < 300 && !text.includes('"code"'), text]).toEqual([
          path,
          index,
          false,
          expect.not.stringContaining('secret'),
        ]);
      }
    }
    expect(await readFile(join(home, 'outside'), 'utf8')).toBe('secret');
    expect(await readdir(root)).toEqual(['folder', 'inside']);
  },
);

it('follows no link whose text leads out of the root by backslashes', async () => {
  await symlink('..\\outside', join(root, 'link'));
  expect((await read('/link')).text).not.toContain('secret');
});

it('serves names with a backslash on servers that keep it', async () => {
  behavior = {};
  await writeFile(join(root, 'a\\b'), 'with a backslash');
  expect((await read('/a\\b')).text).toBe('with a backslash');
  expect((await put('/..\\new')).status).toBe(200);
  expect(await readFile(join(root, '..\\new'), 'utf8')).toBe('new');
});
