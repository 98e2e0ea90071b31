import { once } from 'node:events';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Packet, packetOf, type SFTPWrapper, Status, ssh2 } from '@sallyport/ssh';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { loggedFiles } from '../../../testing/files/file-log.ts';
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

it('moves no link, alone or in a folder, to a place from which it leads out of the root', async () => {
  await mkdir(join(root, 'a/b/c'), { recursive: true });
  await writeFile(join(root, 'a/b/file'), 'content');
  const links = [
    ['../../file', 'a/b/to-root'],
    ['../file', 'a/b/to-folder'],
    [`${root}/file`, 'a/b/absolute'],
    ['../../../file', 'a/b/c/deep'],
  ] as const;
  expect(await makeLinks(links)).toEqual(['done', 'done', 'done', 'done']);
  // Made on the server, out of the root already.
  await symlink('/etc', join(root, 'a/b/out'));
  await symlink('../../../..', join(root, 'a/b/far'));
  const before = await treeOf(world.sshd.home);
  const moves = (pairs: readonly (readonly [string, string])[]) =>
    withSftp(async (ask) => {
      const results: string[] = [];
      for (const [from, to] of pairs)
        results.push(await ask((sftp, done) => sftp.rename(from, to, done)));
      return results;
    });
  expect(
    await moves([
      ['a/b/to-root', 'to-root'],
      ['a/b/to-root', 'a/to-root'],
      ['a/b/c', 'c'],
      ['a/b', 'b'],
      ['a/b/c/deep', 'deep'],
    ]),
  ).toEqual(['refused', 'refused', 'refused', 'refused', 'refused']);
  expect(await treeOf(world.sshd.home)).toEqual(before);
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const { text } = await member.post(`files/${world.asset}/${world.systemUser}/changes/`, {
    action: 'move',
    items: [{ path: '/a/b', to: '/b' }],
  });
  expect(text).toContain('file_link_outside');
  expect(await treeOf(world.sshd.home)).toEqual(before);
  expect(
    await moves([
      ['a/b/to-folder', 'a/to-folder'],
      ['a/b/absolute', 'absolute'],
      ['a/b/out', 'out'],
      ['a/b/far', 'far'],
      ['a/b', 'a/renamed'],
      ['a', 'folder/a'],
    ]),
  ).toEqual(['done', 'done', 'done', 'done', 'done', 'done']);
});

it('makes no link with “..” after a name, which another link could lead out of the root', async () => {
  await mkdir(join(root, 'top/sub'), { recursive: true });
  expect(await makeLinks([['../top', 'folder/s']])).toEqual(['done']);
  const before = await treeOf(world.sshd.home);
  const texts = ['s/../../outside', 's/..', './s/./../../outside', '../folder/s/../../outside'];
  for (const text of texts)
    expect([text, await makeLinks([[text, 'folder/l']])]).toEqual([text, ['refused']]);
  expect(await treeOf(world.sshd.home)).toEqual(before);
  expect(await makeLinks([['./.././top/sub', 'folder/l']])).toEqual(['done']);
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

// OpenSSH's client: "Received message too long", because .bashrc printed something.
it('shows the text that a start file prints in place of file transfer', async () => {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const path = `files/${world.asset}/${world.systemUser}/connect/`;
  for (const [printed, shown] of [
    ['Welcome to web-01\r\n', 'Welcome to web-01'],
    ['\u001b[31mred\u0007\n', '[31mred'],
    ['欢迎登录 server\n', '欢迎登录 server'],
    [`${'x'.repeat(300)}\n`, 'x'.repeat(100)],
  ] as const) {
    const version = packetOf(Packet.VERSION, 3);
    behavior = {
      answers: (type) =>
        type === Packet.INIT ? Buffer.concat([Buffer.from(printed), version]) : undefined,
    };
    const { status, text } = await member.post(path);
    expect([status, text]).toEqual([status, expect.stringContaining('"code":"files_text"')]);
    expect(text).toContain(`“${shown}”`);
    await member.delete(path);
  }
  behavior = {
    answers: (type) => (type === Packet.INIT ? Buffer.from([0, 0, 0, 1, 9]) : undefined),
  };
  expect((await member.post(path)).text).toContain('"code":"files_not_offered"');
  await member.delete(path);
});

/** The entries of the file-transfer log for a file: operation, success and reason. */
const logOf = async (name: string, count: number) =>
  (await loggedFiles(world.test.db, `/${name}`, count)).map(
    ({ operate, is_success: isSuccess, reason }) => `${operate} ${isSuccess} ${reason}`,
  );
const REFUSED = ['Upload true ', 'Chmod false file_attributes'];

it('keeps an upload whose server refuses its time and mode, by the way that the server takes', async () => {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const put = (name: string) =>
    member.send(
      'PUT',
      `files/${world.asset}/${world.systemUser}/uploads/upload-${name}/?path=/${name}&size=3&offset=0&overwrite=1&modified_at=1600000000`,
      new Uint8Array(Buffer.from('new')),
      'application/octet-stream',
    );
  const modeOf = async (name: string) => (await stat(join(root, name))).mode & 0o777;
  for (const [name, refused, isTimed] of [
    ['by-path', [Packet.FSETSTAT], true],
    ['by-none', [Packet.FSETSTAT, Packet.SETSTAT], false],
  ] as const)
    for (const status of [Status.UNSUPPORTED, Status.NO_SUCH_FILE, Status.PERMISSION_DENIED]) {
      const file = `${name}-${status}`;
      behavior = {
        refuses: (type) => ((refused as readonly number[]).includes(type) ? status : undefined),
      };
      const { status: answered, text, body } = await put(file);
      expect([file, answered], text).toEqual([file, 200]);
      expect(body).toMatchObject({ complete: true });
      expect([file, 'attributes_refused' in Object(body)]).toEqual([file, !isTimed]);
      const log = isTimed ? ['Upload true '] : REFUSED;
      expect([file, await logOf(file, log.length)]).toEqual([file, log]);
      expect(await readFile(join(root, file), 'utf8')).toBe('new');
      expect((await stat(join(root, file))).mtimeMs === 1_600_000_000_000).toBe(isTimed);
      // A replaced secret stays one.
      await writeFile(join(root, `secret-${file}`), 'old');
      await chmod(join(root, `secret-${file}`), 0o400);
      expect((await put(`secret-${file}`)).status).toBe(200);
      expect((await modeOf(`secret-${file}`)) & 0o077).toBe(0);
    }
});

it('tells a client that the server refuses the time of its upload, and keeps the file', async () => {
  const upload = (name: string) =>
    withSftp(
      (ask) =>
        new Promise<string[]>((settle, failed) => {
          void ask((sftp) =>
            sftp.open(`${root}/${name}`, 'w', (error, handle) => {
              if (error) return failed(error);
              const answers = [
                ask((_, done) => sftp.write(handle, Buffer.from('new'), 0, 3, 0, done)),
                ask((_, done) => sftp.futimes(handle, 1_600_000_000, 1_600_000_000, done)),
              ];
              void Promise.all(answers).then(async (all) =>
                settle([...all, await ask((_, done) => sftp.close(handle, done))]),
              );
            }),
          );
        }),
    );
  behavior = {
    refuses: (type) =>
      type === Packet.FSETSTAT || type === Packet.SETSTAT ? Status.UNSUPPORTED : undefined,
  };
  expect(await upload('untimed')).toEqual(['done', 'refused', 'done']);
  expect(await readFile(join(root, 'untimed'), 'utf8')).toBe('new');
  expect(await logOf('untimed', 2)).toEqual(REFUSED);
  behavior = {};
  expect(await upload('timed')).toEqual(['done', 'done', 'done']);
  expect((await stat(join(root, 'timed'))).mtimeMs).toBe(1_600_000_000_000);
  expect(await logOf('timed', 1)).toEqual(['Upload true ']);
});

it('drops an upload that would be open to more users than its client asked for', async () => {
  const results: string[] = [];
  const ways: readonly (readonly number[])[] = [
    [Packet.FSETSTAT],
    [Packet.FSETSTAT, Packet.SETSTAT],
  ];
  for (const refused of ways) {
    behavior = {
      refuses: (type) => (refused.includes(type) ? Status.UNSUPPORTED : undefined),
    };
    results.push(
      await withSftp((ask) =>
        ask((sftp, done) =>
          sftp.open(`${root}/secret`, 'w', { mode: 0o644 }, (error, handle) => {
            if (error) return done(error);
            sftp.fchmod(handle, 0o600, (failed) => {
              if (failed) done(failed);
              else sftp.close(handle, done);
            });
          }),
        ),
      ),
    );
    const kept = await stat(join(root, 'secret')).catch(() => undefined);
    results.push(kept ? (kept.mode & 0o777).toString(8) : 'none');
    await rm(join(root, 'secret'), { force: true });
  }
  expect(results).toEqual(['done', '600', 'refused', 'none']);
});

it('says that the root is missing when a server refuses to resolve or to show it', async () => {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const path = `files/${world.asset}/${world.systemUser}/`;
  for (const refused of [Packet.REALPATH, Packet.STAT])
    for (const status of [Status.FAILURE, Status.PERMISSION_DENIED, Status.NO_SUCH_FILE]) {
      await member.delete(`${path}connect/`);
      behavior = { refuses: (type) => (type === refused ? status : undefined) };
      const { text } = await member.post(`${path}connect/`);
      expect([refused, status, text]).toEqual([
        refused,
        status,
        expect.stringContaining('"code":"file_root"'),
      ]);
    }
  expect(world.test.log()).not.toContain('"level":50');
});

const MANY = 700;

/** Deletes a folder through the file manager. */
async function removeFolder(path: string, signal?: AbortSignal): Promise<Response> {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const address = `/api/v1/files/${world.asset}/${world.systemUser}/changes/`;
  return fetch(new URL(address, world.test.visitor.url), {
    method: 'POST',
    headers: { ...member.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'delete', items: [{ path }] }),
    ...(signal && { signal }),
  });
}

it('deletes a large folder without looking up each file, and follows no link', async () => {
  const folder = join(root, 'large');
  const outside = join(world.sshd.home, 'outside');
  await mkdir(join(folder, 'inner/deep'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'kept'), 'kept');
  for (let index = 0; index < MANY; index++) await writeFile(join(folder, `file-${index}`), '');
  await writeFile(join(folder, 'inner/deep/file'), '');
  await writeFile(join(folder, 'back\\slash'), '');
  await symlink(outside, join(folder, 'link-out'));
  await symlink('nowhere', join(folder, 'inner/link'));
  const counts = new Map<number, number>();
  behavior = {
    answers: (type) => void counts.set(type, (counts.get(type) ?? 0) + 1),
  };
  const answer = await removeFolder('/large');
  expect((await answer.text()).split('\n').slice(-3)).toEqual(['{"item":0}', '{"end":true}', '']);
  expect(await readdir(root)).toEqual(['folder']);
  expect(await readdir(outside)).toEqual(['kept']);
  expect(counts.get(Packet.REMOVE)).toBe(MANY + 4);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // Each lookup would take three requests. The folder is checked again every half second.
  expect(all).toBeLessThan(MANY * 2.5);
  await rm(outside, { recursive: true });
});

it('stops deleting a folder when the user leaves, also while the server answers nothing', async () => {
  const folder = join(root, 'stopped');
  await mkdir(folder);
  for (let index = 0; index < MANY; index++) await writeFile(join(folder, `file-${index}`), '');
  const most = 300;
  let removals = 0;
  const leaving = new AbortController();
  behavior = {
    answers: (type) => {
      if (type !== Packet.REMOVE || ++removals <= most) return undefined;
      return Buffer.alloc(0);
    },
  };
  const answer = await removeFolder('/stopped', leaving.signal);
  const reader = answer.body?.getReader();
  // Lines tell how many were deleted, each second, until the server falls silent.
  for (let seen = ''; !seen.includes(`{"item":0,"removed":${most}}`); ) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`the answer ended after: ${seen}`);
    seen += Buffer.from(value ?? []).toString();
  }
  leaving.abort();
  const [entry] = await loggedFiles(world.test.db, '/stopped', 1);
  expect(entry).toMatchObject({ operate: 'Rmdir', is_success: false, reason: 'file_stopped' });
  expect(await readdir(folder)).toHaveLength(MANY - most);
  // Some requests are in flight, and no more follow.
  expect(removals).toBeLessThan(most + 100);
});
