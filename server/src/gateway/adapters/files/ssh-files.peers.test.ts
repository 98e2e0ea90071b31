import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildPermission, unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { retainedMemory } from '../../../testing/measures/retained-memory.ts';
import { until } from '../../../testing/poll.ts';
import { seeded } from '../../../testing/seeded.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
let here: string;
/** The account's root on the target, and a folder outside of it. */
let root: string;
let outside: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  here = await mkdtemp(join(tmpdir(), 'sallyport-files-'));
  outside = join(world.sshd.home, 'outside');
  root = join(world.sshd.home, 'root');
  for (const folder of [root, outside]) {
    await mkdir(folder);
    await chmod(folder, 0o777);
  }
  await writeFile(join(outside, 'secret'), 'not for files\n', { mode: 0o666 });
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await world.stop();
  await rm(here, { recursive: true, force: true });
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const sftp = (batch: string, login = world.login) =>
  world.ssh.transfer({ program: 'sftp', login, password: world.member.password, batch });
const scp = (...words: readonly string[]) =>
  world.ssh.transfer({
    program: 'scp',
    login: world.login,
    password: world.member.password,
    words,
  });
const entries = (path: string, count = 1) => loggedFiles(world.test.db, path, count);
const there = async () => (await readdir(root)).sort();

it('moves and changes files with sftp in both directions, and logs each operation', async () => {
  const bytes = randomBytes(5_000_001);
  await writeFile(join(here, 'empty'), '');
  await writeFile(join(here, 'up'), bytes, { mode: 0o640 });
  const { code, stderr } = await sftp(
    [
      `put -p ${here}/up first`,
      `get first ${here}/down`,
      'rename first second',
      'mkdir folder',
      `put ${here}/empty folder/empty`,
      'chmod 600 second',
      'symlink second link',
      `get link ${here}/through`,
    ].join('\n'),
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(sha256(await readFile(join(here, 'down')))).toBe(sha256(bytes));
  expect(sha256(await readFile(join(here, 'through')))).toBe(sha256(bytes));
  expect(await there()).toEqual(['folder', 'link', 'second']);
  expect((await stat(join(root, 'second'))).mode & 0o777).toBe(0o600);
  const whole = {
    size: bytes.length,
    sha256: sha256(bytes),
    is_success: true,
    reason: '',
    account: world.sshd.username,
    remote_addr: '127.0.0.1',
  };
  expect(await entries('first', 3)).toMatchObject([
    { ...whole, operate: 'Upload', filename: '/first' },
    { ...whole, operate: 'Download', filename: '/first' },
    { operate: 'Rename', filename: '/first=>/second', is_success: true },
  ]);
  expect(await entries('folder', 2)).toMatchObject([
    { operate: 'Mkdir' },
    { operate: 'Upload', size: 0, sha256: sha256('') },
  ]);
  const removed = await sftp('rm second\nrm folder/empty\nrmdir folder\nrm link');
  expect([removed.code, removed.stderr]).toEqual([0, '']);
  expect(await there()).toEqual([]);
  expect((await entries('folder', 4)).map(({ operate }) => operate)).toEqual([
    'Mkdir',
    'Upload',
    'Delete',
    'Rmdir',
  ]);
});

it('logs each of many small files of a folder with its size and digest', async () => {
  await mkdir(join(root, 'small'));
  const contents = new Map(
    Array.from({ length: 60 }, (_, index) => [`file-${index}`, `content ${index}`]),
  );
  for (const [name, content] of contents) await writeFile(join(root, 'small', name), content);
  const { code, stderr } = await sftp(`get -r small ${here}/small`);
  expect([code, stderr]).toEqual([0, '']);
  const logged = await entries('small/file-', contents.size);
  expect(logged).toHaveLength(contents.size);
  for (const [name, content] of contents) {
    expect(await readFile(join(here, 'small', name), 'utf8')).toBe(content);
    expect(logged.filter(({ filename }) => filename === `/small/${name}`)).toMatchObject([
      { operate: 'Download', size: content.length, sha256: sha256(content), is_success: true },
    ]);
  }
});

it('serves scp over SFTP, and keeps the permissions of a replaced file', async () => {
  await writeFile(join(here, 'old'), 'old\n', { mode: 0o600 });
  await writeFile(join(here, 'new'), 'new\n', { mode: 0o644 });
  expect(await scp(`${here}/old`, 'HOST:place')).toMatchObject({ code: 0, stderr: '' });
  expect(await scp(`${here}/new`, 'HOST:place')).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(root, 'place'), 'utf8')).toBe('new\n');
  expect((await stat(join(root, 'place'))).mode & 0o777).toBe(0o600);
  expect(await scp('HOST:place', `${here}/back`)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(here, 'back'), 'utf8')).toBe('new\n');
  await mkdir(join(here, 'tree/below'), { recursive: true });
  await writeFile(join(here, 'tree/below/leaf'), 'leaf');
  expect(await scp('-r', `${here}/tree`, 'HOST:')).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(root, 'tree/below/leaf'), 'utf8')).toBe('leaf');
});

it("shows the server's own paths, and above the root only the folders that lead to it", async () => {
  await writeFile(join(here, 'one'), 'one');
  expect(await scp(`${here}/one`, `HOST:${root}/by-its-path`)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await readFile(join(root, 'by-its-path'), 'utf8')).toBe('one');
  const { code, stdout } = await sftp(`pwd\ncd /\nls\ncd ${root}\nls by-its-path\nrm by-its-path`);
  expect(code).toBe(0);
  expect(stdout.toString()).toContain(`Remote working directory: ${root}\n`);
  expect(stdout.toString()).toMatch(new RegExp(`ls\\n/?${root.split('/')[1]} *\\n`));
  expect(await scp(`${here}/one`, 'HOST:/elsewhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ermission denied'),
  });
});

it('confines access to the root, against .., links, renames, hard links and new links', async () => {
  await symlink(outside, join(root, 'way-out'));
  await symlink('../outside/secret', join(root, 'secret-out'));
  await symlink('/', join(root, 'slash'));
  await writeFile(join(root, 'mine'), 'mine', { mode: 0o666 });
  const refused = async (command: string) => {
    const { code, stderr } = await sftp(command);
    expect([command, code === 0]).toEqual([command, false]);
    expect([command, stderr.trim() === '']).toEqual([command, false]);
  };
  for (const path of [
    'way-out/secret',
    'secret-out',
    `slash${outside}/secret`,
    '../outside/secret',
    `${outside}/secret`,
  ]) {
    await refused(`get ${path} ${here}/stolen`);
    await refused(`chmod 777 ${path}`);
  }
  await refused('cd way-out');
  expect((await sftp('ls -l way-out/\nls slash')).stdout.toString()).not.toMatch(/secret|etc/);
  await refused('rename mine way-out/mine');
  await refused(`rename mine slash${outside}/mine`);
  await refused(`put ${here}/new way-out/new`);
  await refused(`put ${here}/new secret-out`);
  await refused('symlink ../outside/secret made');
  await refused('symlink way-out/secret made');
  await refused('ln mine hard');
  expect(existsSync(join(here, 'stolen'))).toBe(false);
  expect(await readdir(outside)).toEqual(['secret']);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('not for files\n');
  await refused('get ../../mine /dev/null');
  await refused('cd ../outside');
  expect((await sftp(`symlink ${root}/mine absolute\nget absolute /dev/null`)).code).toBe(0);
  // The links themselves are visible and removable.
  expect(
    (await sftp('ls -l\nrm way-out\nrm secret-out\nrm slash\nrm mine\nrm absolute')).code,
  ).toBe(0);
  expect(await readdir(outside)).toEqual(['secret']);
});

it('rejects operations without their permission with its name, and logs them', async () => {
  const { db } = world.test;
  const server = await buildAsset(db, {
    organization: world.organization,
    hostname: unique('look-only'),
    port: world.sshd.port,
  });
  await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [server],
    systemUsers: [world.systemUser],
    actions: 1,
  });
  await writeFile(join(root, 'seen'), 'seen');
  const login = `${world.member.username}@${world.systemUser}@${server}`;
  const looked = await sftp('ls -l seen', login);
  expect([looked.code, looked.stdout.toString()]).toEqual([0, expect.stringContaining('seen')]);
  for (const command of [
    `get seen ${here}/unseen`,
    `put ${here}/new denied`,
    'rm seen',
    'mkdir denied',
    'rename seen denied',
    'chmod 600 seen',
    'symlink seen denied',
  ])
    expect([command, await sftp(command, login)]).toMatchObject([
      command,
      { code: 1, stderr: expect.stringContaining('ermission') },
    ]);
  expect(await readFile(join(root, 'seen'), 'utf8')).toBe('seen');
  expect(await entries('seen', 5)).toMatchObject([
    { operate: 'Download', is_success: false, reason: 'transfer_denied' },
    { operate: 'Delete', is_success: false, reason: 'transfer_denied' },
    { operate: 'Rename', is_success: false },
    { operate: 'Chmod', is_success: false },
    { operate: 'Symlink', is_success: false },
  ]);
  await entries('denied');
  const { body } = await world.administrator.get<Json[]>(
    'audits/ftp-logs/?search=denied&operate=Upload',
  );
  expect(body).toMatchObject([
    {
      filename: '/denied',
      reason_display: 'Your permission does not include: Upload file.',
      is_success: false,
    },
  ]);
});

it('keeps the old file when a client is killed, and continues with reput and put -a', async () => {
  const big = join(here, 'big');
  const bytes = randomBytes(1024 * 1024);
  await writeFile(big, bytes);
  for (const [name, command] of [
    ['kept', 'reput'],
    ['kept-2', 'put -a'],
  ]) {
    await writeFile(join(root, String(name)), 'kept', { mode: 0o666 });
    // The rate limit keeps scp busy until the test kills it.
    const child = world.ssh.startTransfer({
      program: 'scp',
      login: world.login,
      password: world.member.password,
      words: ['-l', '8000', big, `HOST:${name}`],
    });
    const part = async () => (await there()).find((each) => each.startsWith(`.${name}.sallyport-`));
    await until(
      async () =>
        ((await stat(join(root, (await part()) ?? '')).catch(() => undefined))?.size ?? 0) >
        100_000,
      'the part has bytes',
    );
    child.kill('SIGKILL');
    expect((await entries(`/${name}`)).slice(-1)).toMatchObject([
      { operate: 'Upload', is_success: false, reason: 'file_incomplete' },
    ]);
    expect(await readFile(join(root, String(name)), 'utf8')).toBe('kept');
    const { code, stdout, stderr } = await sftp(
      `ls -l ${name}\n${command} ${big} ${name}\nls -l ${name}`,
    );
    expect([code, stderr]).toEqual([0, '']);
    const sizes = [...stdout.toString().matchAll(/^-rw.* (\d+) \w+ +\d/gm)].map(([, size]) =>
      Number(size),
    );
    expect(sizes).toEqual([expect.any(Number), bytes.length]);
    expect(sizes[0]).toBeGreaterThan(100_000);
    expect(sizes[0]).toBeLessThan(bytes.length);
    expect(sha256(await readFile(join(root, String(name))))).toBe(sha256(bytes));
    expect(await part()).toBe(undefined);
    expect((await entries(`/${name}`, 2)).slice(-1)).toMatchObject([
      { operate: 'Upload', is_success: true, size: bytes.length, sha256: sha256(bytes) },
    ]);
  }
});

it('aborts an upload when its permission ends, and removes the part', async () => {
  const { db } = world.test;
  const server = await buildAsset(db, {
    organization: world.organization,
    hostname: unique('short'),
    port: world.sshd.port,
  });
  const rule = await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [server],
    systemUsers: [world.systemUser],
  });
  const login = `${world.member.username}@${world.systemUser}@${server}`;
  const child = world.ssh.startTransfer({
    program: 'scp',
    login,
    password: world.member.password,
    words: ['-l', '800', join(here, 'big'), 'HOST:ended'],
  });
  const exit = new Promise<number | null>((done) => void child.once('close', done));
  await until(
    async () => (await there()).some((name) => name.startsWith('.ended.sallyport-')),
    'the part exists',
  );
  expect((await world.administrator.delete(`perms/asset-permissions/${rule}/`)).status).toBe(204);
  expect(await exit).not.toBe(0);
  expect(await entries('ended')).toMatchObject([
    { operate: 'Upload', is_success: false, reason: 'connect_expired' },
  ]);
  await until(
    async () => !(await there()).some((name) => name.includes('ended')),
    'the part is removed',
  );
});

it('changes parts of a file in a copy that replaces it', async () => {
  await writeFile(join(root, 'partly'), '0123456789', { mode: 0o666 });
  await writeFile(join(here, 'longer'), '0123456789abcdef');
  expect(await sftp(`reput ${here}/longer partly`)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(root, 'partly'), 'utf8')).toBe('0123456789abcdef');
  expect(await entries('partly')).toMatchObject([
    { operate: 'Upload', size: 16, sha256: sha256('0123456789abcdef') },
  ]);
});

it('lists, moves and logs names with newlines, of 255 bytes and in GBK', async () => {
  const { db } = world.test;
  const long = 'l'.repeat(255);
  const odd = 'line\nbreak\u0007';
  await writeFile(join(root, long), 'long', { mode: 0o666 });
  await writeFile(join(root, odd), 'odd', { mode: 0o666 });
  expect(
    await sftp(`get ${long} ${here}/long\nput ${here}/new ${long}\nget line?break? ${here}/odd`),
  ).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(root, long), 'utf8')).toBe('new\n');
  expect(await entries('break')).toMatchObject([
    { filename: '/line\\nbreak\\x07', sha256: sha256('odd') },
  ]);

  const gbk = await buildAsset(db, {
    organization: world.organization,
    hostname: unique('gbk'),
    port: world.sshd.port,
  });
  const platform = unique('gbk');
  await sql`insert into platform (name, base, charset) values (${platform}, 'Linux', 'gbk')`.execute(
    db,
  );
  await sql`update asset set platform = ${platform} where id = ${gbk}`.execute(db);
  await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [gbk],
    systemUsers: [world.systemUser],
  });
  const login = `${world.member.username}@${world.systemUser}@${gbk}`;
  expect(await sftp(`put ${here}/new 中文.txt\nls`, login)).toMatchObject({ code: 0, stderr: '' });
  const names = (await readdir(root, { encoding: 'buffer' })).map((name) => name.toString('hex'));
  expect(names).toContain(
    Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x2e, 0x74, 0x78, 0x74]).toString('hex'),
  );
  expect((await sftp(`get 中文.txt ${here}/chinese`, login)).code).toBe(0);
  expect(await readFile(join(here, 'chinese'), 'utf8')).toBe('new\n');

  // The charset of an account comes before that of the platform.
  const account = `assets/system-users/${world.systemUser}/`;
  expect((await world.administrator.patch(account, { charset: 'utf8' })).status).toBe(200);
  expect(await sftp(`put ${here}/new 账号.txt`, login)).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(root)).toContain('账号.txt');
  expect((await world.administrator.patch(account, { charset: '' })).status).toBe(200);
});

it('shows granted nodes, servers and accounts as folders when the login names no server', async () => {
  const login = world.member.username;
  const { code, stdout } = await sftp('ls -1', login);
  expect(code).toBe(0);
  const [, node] = stdout.toString().trim().split('\n');
  expect(node).toBeTruthy();
  const listed = await sftp(`ls -1 "${node}"`, login);
  expect(listed.stdout.toString()).toContain(world.hostname);
  await writeFile(join(root, 'deep'), 'deep', { mode: 0o666 });
  expect(await sftp(`get "${node}/${world.hostname}/deep" ${here}/deep`, login)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await readFile(join(here, 'deep'), 'utf8')).toBe('deep');
  for (const command of [
    'mkdir made',
    `rmdir "${node}"`,
    `put ${here}/new here`,
    'get no-such-node/x /dev/null',
  ])
    expect([command, (await sftp(command, login)).code]).toEqual([command, 1]);
});

it('logs scp -O and rsync with the paths of their protocol', async () => {
  const place = join(root, 'old-scp');
  await mkdir(place);
  await chmod(place, 0o777);
  await mkdir(join(here, 'many/inner'), { recursive: true });
  await writeFile(join(here, 'many/inner/leaf'), 'leaf');
  await writeFile(join(here, 'many/nothing'), '');
  expect(await scp('-O', '-p', '-r', `${here}/many`, `HOST:${place}`)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await readFile(join(place, 'many/inner/leaf'), 'utf8')).toBe('leaf');
  expect(await scp('-O', `HOST:${place}/many/inner/leaf`, `${here}/leaf`)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(
    (await entries('old-scp', 3)).toSorted((one, other) =>
      String(one.filename) < String(other.filename) ? -1 : 1,
    ),
  ).toMatchObject([
    {
      operate: 'Download',
      filename: `${place}/many/inner/leaf`,
      size: 4,
      sha256: sha256('leaf'),
      is_success: true,
    },
    {
      operate: 'Upload',
      filename: `many/inner/leaf=>${place}`,
      size: 4,
      sha256: sha256('leaf'),
      is_success: true,
    },
    {
      operate: 'Upload',
      filename: `many/nothing=>${place}`,
      size: 0,
      sha256: sha256(''),
      is_success: true,
    },
  ]);
  const rsync = (...words: readonly string[]) =>
    world.ssh.transfer({
      program: 'rsync',
      login: world.login,
      password: world.member.password,
      words,
    });
  expect(await rsync('-a', `${here}/many/`, `HOST:${place}/synced/`)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await rsync('-a', `HOST:${place}/synced/`, `${here}/synced/`)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await readFile(join(here, 'synced/inner/leaf'), 'utf8')).toBe('leaf');
  expect(await entries('synced', 2)).toMatchObject([
    { operate: 'Upload', filename: expect.stringContaining('rsync --server'), is_success: true },
    {
      operate: 'Download',
      filename: expect.stringContaining('rsync --server --sender'),
      is_success: true,
    },
  ]);
});

/** Exercises SFTP with a library other than OpenSSH. */
const PARAMIKO = `
import hashlib, os, paramiko
transport = paramiko.Transport(("127.0.0.1", int(os.environ["TEST_PORT"])))
transport.connect(username=os.environ["TEST_LOGIN"], password=os.environ["TEST_PASSWORD"])
sftp = paramiko.SFTPClient.from_transport(transport)
sftp.mkdir("python")
sftp.chdir("python")
data = os.urandom(3_000_000)
with sftp.open("data", "wb") as file:
    file.set_pipelined(True)
    file.write(data)
assert sftp.stat("data").st_size == len(data)
with sftp.open("data", "rb") as file:
    file.prefetch()
    assert hashlib.sha256(file.read()).digest() == hashlib.sha256(data).digest()
with sftp.open("data", "r+b") as file:
    file.seek(10)
    file.write(b"changed")
    file.truncate(100)
with sftp.open("data", "ab") as file:
    file.write(b"end")
assert sftp.open("data", "rb").read() == data[:10] + b"changed" + data[17:100] + b"end"
sftp.chmod("data", 0o600)
sftp.utime("data", (1000, 2000))
assert (sftp.stat("data").st_mode & 0o777, sftp.stat("data").st_mtime) == (0o600, 2000)
sftp.symlink("data", "link")
assert sftp.readlink("link") == "data"
sftp.rename("data", "moved")
with sftp.open("other", "wb") as file:
    file.write(b"other")
try:
    sftp.rename("other", "moved")
    raise SystemExit("a rename took the place of a file")
except IOError:
    pass
sftp.posix_rename("other", "moved")
assert sftp.open("moved", "rb").read() == b"other"
assert sorted(sftp.listdir(".")) == ["link", "moved"]
try:
    sftp.open("moved", "xb")
    raise SystemExit("an exclusive open took the place of a file")
except IOError:
    pass
for name in ("link", "moved"):
    sftp.remove(name)
sftp.rmdir("../python")
transport.close()
print("done")
`;

it('opens, changes, appends, links and renames files for python3-paramiko', async () => {
  const environment = {
    PATH: process.env.PATH ?? '',
    TEST_PORT: String(world.port),
    TEST_LOGIN: world.login,
    TEST_PASSWORD: world.member.password,
  };
  const { stdout, stderr } = await promisify(execFile)(
    '/usr/bin/python3',
    ['-W', 'ignore', '-c', PARAMIKO],
    { env: environment },
  );
  expect([stdout.trim(), stderr]).toEqual(['done', '']);
  expect(await there()).not.toContain('python');
});

it('survives malformed SFTP packets and requests for missing files, without leaking memory', async () => {
  const random = seeded(20_261_121);
  const below = (most: number) => Math.floor(random() * most);
  const bytes = (most: number) =>
    Buffer.from(Array.from({ length: below(most) }, () => below(256)));
  const word = (value: number) => {
    const four = Buffer.alloc(4);
    four.writeUInt32BE(value);
    return four;
  };
  const framed = (body: Buffer) => Buffer.concat([word(body.length), body]);
  const string = (value: Buffer) => Buffer.concat([word(value.length), value]);
  const greeting = framed(Buffer.from([1, 0, 0, 0, 3]));
  const paths = ['/', '.', '/mine', '/../..', '/\0', 'x'.repeat(5000)].map((path) =>
    Buffer.from(path),
  );
  const packet = () => {
    const type = Buffer.from([random() < 0.9 ? 3 + below(18) : below(256)]);
    const path = paths[below(paths.length)] ?? Buffer.alloc(0);
    const parts = [
      string(path),
      word(below(64)),
      word(below(16)),
      random() < 0.5 ? bytes(60) : Buffer.concat([word(0), word(below(2 ** 32)), bytes(8)]),
    ];
    const whole = framed(Buffer.concat([type, word(below(1000)), ...parts.slice(below(2))]));
    // Some packets are cut, or have a wrong length.
    if (random() < 0.03) whole.writeUInt32BE(below(2 ** 32));
    return whole;
  };
  const before = await retainedMemory();
  for (let round = 0; round < 20; round++) {
    const input = Buffer.concat([
      ...(round % 5 === 0 ? [bytes(100)] : [greeting]),
      ...Array.from({ length: 60 }, packet),
    ]);
    await world.ssh.run({
      login: world.login,
      password: world.member.password,
      options: ['-s'],
      command: 'sftp',
      input,
    });
  }
  expect((await retainedMemory()) - before).toBeLessThan(20 * 2 ** 20);
  expect(await sftp('ls')).toMatchObject({ code: 0, stderr: '' });
});
