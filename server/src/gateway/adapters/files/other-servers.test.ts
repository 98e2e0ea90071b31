import { once } from 'node:events';
import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Packet, type SFTPWrapper, Status, ssh2 } from '@sallyport/ssh';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bearer } from '../../../testing/sign-in.ts';
import type { SftpBehavior } from '../../../testing/ssh/sftp-server.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let root: string;
let behavior: SftpBehavior = {};
beforeAll(async () => {
  world = await startWorld({}, startSshServer({ sftp: () => behavior }), sshClient);
  root = join(world.sshd.home, 'root');
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
});
afterAll(() => world.stop());
beforeEach(async () => {
  behavior = {};
  await mkdir(join(root, 'folder'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

/** Runs work with SFTP through the gateway, from a client that sends OpenSSH's order. */
async function withSftp<Value>(
  work: (ask: (run: (sftp: SFTPWrapper, done: Done) => void) => Promise<string>) => Promise<Value>,
): Promise<Value> {
  const client = new ssh2.Client();
  client.connect({
    host: '127.0.0.1',
    port: world.port,
    username: world.login,
    password: world.member.password,
  });
  await once(client, 'ready');
  try {
    const sftp = await new Promise<SFTPWrapper>((done, failed) =>
      client.sftp((error, opened) => (error ? failed(error) : done(opened))),
    );
    return await work(
      (run) => new Promise((settle) => run(sftp, (error) => settle(error ? 'refused' : 'done'))),
    );
  } finally {
    client.end();
    await once(client, 'close');
  }
}
type Done = (error?: Error | null) => void;

/** `ln -s`: the library sends its second path first to servers other than OpenSSH. */
const makeLinks = (links: readonly (readonly [target: string, link: string])[]) =>
  withSftp(async (ask) => {
    const results: string[] = [];
    for (const [target, link] of links)
      results.push(await ask((sftp, done) => sftp.symlink(link, target, done)));
    return results;
  });
/** The paths below a folder; a link with its text. */
async function treeOf(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) paths.push(`${entry.name} -> ${await readlink(path)}`);
    else if (entry.isDirectory())
      paths.push(...(await treeOf(path)).map((inside) => `${entry.name}/${inside}`));
    else paths.push(entry.name);
  }
  return paths.sort();
}

it('makes the links that a client asked for on servers of both orders of the paths', async () => {
  for (const readsDraftOrder of [false, true]) {
    behavior = { readsDraftOrder };
    await rm(root, { recursive: true });
    await mkdir(join(root, 'folder'), { recursive: true });
    await writeFile(join(root, 'file'), 'content');
    const home = await treeOf(world.sshd.home);
    const links = [
      ['stray', 'relative'],
      ['file', 'to-file'],
      [`${root}/file`, 'absolute'],
      ['/etc/passwd', 'out'],
      ['../file', 'folder/up'],
      ['itself', 'itself'],
    ] as const;
    expect([readsDraftOrder, await makeLinks(links)]).toEqual([
      readsDraftOrder,
      ['done', 'done', 'done', 'refused', 'done', 'done'],
    ]);
    expect((await treeOf(world.sshd.home)).filter((path) => !home.includes(path))).toEqual(
      [
        `root/absolute -> ${root}/file`,
        'root/folder/up -> ../file',
        'root/itself -> itself',
        'root/relative -> stray',
        'root/to-file -> file',
      ].sort(),
    );
  }
});

it('leaves no link behind when a server refuses or ignores links, in or out of the root', async () => {
  const before = await treeOf(world.sshd.home);
  for (const status of [Status.UNSUPPORTED, Status.FAILURE, Status.PERMISSION_DENIED, Status.OK])
    for (const readsDraftOrder of [false, true]) {
      behavior = {
        readsDraftOrder,
        refuses: (type) => (type === Packet.SYMLINK ? status : undefined),
      };
      expect(await makeLinks([['stray', 'link']])).toEqual(['refused']);
    }
  behavior = { readsDraftOrder: true };
  expect(await makeLinks([['stray', 'missing/link']])).toEqual(['refused']);
  expect(await makeLinks([['missing/stray', 'link']])).toEqual(['done']);
  await rm(join(root, 'link'));
  expect(await makeLinks([['../outside', 'link']])).toEqual(['refused']);
  expect(await treeOf(world.sshd.home)).toEqual(before);
});

it('copies a link on a server of the order of the draft', async () => {
  behavior = { readsDraftOrder: true };
  await writeFile(join(root, 'file'), 'content');
  expect(await makeLinks([['file', 'link']])).toEqual(['done']);
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const before = await treeOf(world.sshd.home);
  const { status, text } = await member.post(`files/${world.asset}/${world.systemUser}/changes/`, {
    action: 'copy',
    items: [{ path: '/link', to: '/folder/copy' }],
  });
  expect([status, text]).toEqual([200, '{"item":0}\n{"end":true}\n']);
  expect((await treeOf(world.sshd.home)).filter((path) => !before.includes(path))).toEqual([
    'root/folder/copy -> file',
  ]);
});
