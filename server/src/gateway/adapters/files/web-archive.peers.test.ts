import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
let member: Client;
let root: string;
let outside: string;
let base: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  [root, outside] = [join(world.sshd.home, 'root'), join(world.sshd.home, 'outside')];
  for (const folder of [root, outside]) {
    await mkdir(folder);
    await chmod(folder, 0o777);
  }
  await writeFile(join(outside, 'secret'), 'not for files\n', { mode: 0o666 });
  await writeFile(join(root, 'digits'), '0123456789');
  await world.administrator.patch(`assets/system-users/${world.systemUser}/`, { sftp_root: root });
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  base = `files/${world.asset}/${world.systemUser}`;
  await member.post(`${base}/connect/`);
});
afterAll(() => world.stop());

const at = (path: string) => `path=${encodeURIComponent(path)}`;

it('sends folders and selections as an archive that Python reads, and lists unreadable files', async () => {
  await mkdir(join(root, 'tree/inner'), { recursive: true });
  await writeFile(join(root, 'tree/inner/leaf.txt'), 'leaf');
  await writeFile(join(root, 'tree/größe.txt'), 'x'.repeat(100_000));
  await utimes(join(root, 'tree/größe.txt'), 1_600_000_000, 1_600_000_000);
  await writeFile(join(root, 'tree/closed'), 'closed', { mode: 0o000 });
  await symlink(join(outside, 'secret'), join(root, 'tree/out'));
  const answer = await fetch(
    new URL(
      `/api/v1/${base}/zip/?${at('/tree')}&${at('/digits')}&name=all`,
      world.test.visitor.url,
    ),
    { headers: member.headers },
  );
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
    200,
    `attachment; filename="all.zip"; filename*=UTF-8''all.zip`,
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-zip-'));
  try {
    await writeFile(join(folder, 'all.zip'), Buffer.from(await answer.arrayBuffer()));
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      'import sys,zipfile,json\nz=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None\nprint(json.dumps({n:z.read(n).decode() for n in z.namelist()}))',
      join(folder, 'all.zip'),
    ]);
    const content = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(content).sort()).toEqual(
      [
        'MISSING.txt',
        'digits',
        'tree/',
        'tree/closed',
        'tree/größe.txt',
        'tree/inner/',
        'tree/inner/leaf.txt',
      ].sort(),
    );
    expect(content['tree/inner/leaf.txt']).toBe('leaf');
    expect(content['tree/größe.txt']).toBe('x'.repeat(100_000));
    expect(content['MISSING.txt']).toMatch(/^\/tree\/closed: /);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  expect((await member.get(`${base}/zip/?${at('/nothing')}`)).status).toBe(404);
  expect((await member.get(`${base}/zip/`)).body).toMatchObject({ code: 'file_chosen' });
});
