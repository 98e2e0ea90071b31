import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SshAccess } from '@sallyport/contract';
import { type SFTPWrapper, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requirePeers } from '../../../testing/peers.ts';
import { until } from '../../../testing/poll.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

requirePeers('curl', 'sshfs', 'fuse3');
const run = promisify(execFile);

/** Status codes of SFTP. */
const PERMISSION_DENIED = 3;
const FAILURE = 4;

let world: OpenSshWorld;
let root: string;
let here: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  here = await mkdtemp(join(tmpdir(), 'sallyport-mounts-'));
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  await chmod(root, 0o777);
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
});
afterAll(async () => {
  await world?.stop();
  await rm(here, { recursive: true, force: true });
});

/** Opens SFTP with a library that sends exactly the requests of a test. */
async function openSftp(): Promise<{ readonly sftp: SFTPWrapper; end(): Promise<void> }> {
  const client = new ssh2.Client();
  client.connect({
    host: '127.0.0.1',
    port: world.port,
    username: world.login,
    password: world.member.password,
  });
  await once(client, 'ready');
  const sftp = await new Promise<SFTPWrapper>((done, failed) =>
    client.sftp((error, opened) => (error ? failed(error) : done(opened))),
  );
  return {
    sftp,
    async end() {
      client.end();
      await once(client, 'close');
    },
  };
}

it('shows a file that is being written to its writer, under its final path', async () => {
  const { sftp, end } = await openSftp();
  const call = <Value>(
    work: (done: (error: Error | null | undefined, value: Value) => void) => void,
  ) =>
    new Promise<Value>((done, failed) =>
      work((error, value) => (error ? failed(error) : done(value))),
    );
  const handle = await call<Buffer>((done) => sftp.open(`${root}/new`, 'w', { mode: 0o640 }, done));
  expect(await call((done) => sftp.lstat(`${root}/new`, done))).toMatchObject({
    size: 0,
    mode: 0o100640,
  });
  await call<void>((done) => sftp.write(handle, Buffer.from('written'), 0, 7, 0, done));
  await call<void>((done) => sftp.setstat('./new', { mode: 0o600 }, done));
  expect(await call((done) => sftp.stat(`${root}/new`, done))).toMatchObject({
    size: 7,
    mode: 0o100600,
  });
  const reading = await call<Buffer>((done) => sftp.open(`${root}/new`, 'r', done));
  const read = Buffer.alloc(7);
  await call<number>((done) => sftp.read(reading, read, 0, 7, 0, done));
  expect(read.toString()).toBe('written');
  await call<void>((done) => sftp.close(reading, done));
  await call<void>((done) => sftp.ext_openssh_fsync(handle, done));
  await call<void>((done) => sftp.close(handle, done));
  expect(await readFile(join(root, 'new'), 'utf8')).toBe('written');
  expect((await stat(join(root, 'new'))).mode & 0o777).toBe(0o600);
  const volume = await call<{ f_bsize: number; f_blocks: number }>((done) =>
    sftp.ext_openssh_statvfs(root, done as never),
  );
  expect(volume.f_bsize * volume.f_blocks).toBeGreaterThan(1_000_000);
  await expect(call((done) => sftp.lstat(`${root}/missing`, done))).rejects.toThrow();
  await end();
});

it('refuses listed files that became links or pipes before they are opened, and continues', async () => {
  const folder = join(root, 'listed');
  const outside = await mkdtemp(join(tmpdir(), 'sallyport-outside-'));
  await writeFile(join(outside, 'two'), 'not for files', { mode: 0o644 });
  await chmod(outside, 0o755);
  await mkdir(folder);
  for (const name of ['one', 'two', 'three', 'four']) await writeFile(join(folder, name), name);
  const { sftp, end } = await openSftp();
  const open = (name: string) =>
    new Promise<Buffer>((done, failed) =>
      sftp.open(`${folder}/${name}`, 'r', (error, handle) =>
        error ? failed(error) : done(handle),
      ),
    );
  const content = async (name: string) => {
    const handle = await open(name);
    const bytes = Buffer.alloc(100);
    const count = await new Promise<number>((done, failed) =>
      sftp.read(handle, bytes, 0, bytes.length, 0, (error, read) =>
        error ? failed(error) : done(read),
      ),
    );
    await new Promise((done) => sftp.close(handle, done));
    return bytes.toString('utf8', 0, count);
  };
  try {
    await new Promise((done) => sftp.readdir(folder, done));
    expect(await content('one')).toBe('one');
    await rm(join(folder, 'two'));
    await symlink(join(outside, 'two'), join(folder, 'two'));
    await expect(open('two')).rejects.toMatchObject({ code: PERMISSION_DENIED });
    await rm(join(folder, 'three'));
    await run('mkfifo', ['-m', '666', join(folder, 'three')]);
    await expect(open('three')).rejects.toMatchObject({ code: FAILURE });
    // The target waits for a writer of the pipe.
    await writeFile(join(folder, 'three'), '');
    expect(await content('four')).toBe('four');
    await rename(folder, `${folder}-moved`);
    await symlink(outside, folder);
    await expect(open('two')).rejects.toMatchObject({ code: PERMISSION_DENIED });
  } finally {
    await end();
    await rm(outside, { recursive: true });
  }
});

it('keeps the order of many requests in flight: writes before the closing, reads of many files', async () => {
  const { sftp, end } = await openSftp();
  const open = (path: string, flags: 'r' | 'w') =>
    new Promise<Buffer>((done, failed) =>
      sftp.open(path, flags, (error, handle) => (error ? failed(error) : done(handle))),
    );
  const close = (handle: Buffer) =>
    new Promise<void>((done, failed) =>
      sftp.close(handle, (error) => (error ? failed(error) : done())),
    );
  try {
    const pieces = Array.from({ length: 64 }, (_, index) => Buffer.alloc(4096, String(index)));
    const names = Array.from({ length: 30 }, (_, index) => `${root}/many-${index}`);
    await Promise.all(
      names.map(async (name) => {
        const handle = await open(name, 'w');
        // Neither the writes nor the closing wait for an answer.
        pieces.forEach((piece, index) => {
          sftp.write(handle, piece, 0, piece.length, index * piece.length, () => undefined);
        });
        await close(handle);
      }),
    );
    const whole = Buffer.concat(pieces);
    for (const name of names) expect((await readFile(name)).equals(whole)).toBe(true);
    const handles = await Promise.all(names.map((name) => open(name, 'r')));
    await Promise.all(
      handles.map(async (handle) => {
        const bytes = Buffer.alloc(whole.length);
        await Promise.all(
          pieces.map(
            (piece, index) =>
              new Promise<void>((done, failed) =>
                sftp.read(
                  handle,
                  bytes,
                  index * piece.length,
                  piece.length,
                  index * piece.length,
                  (error) => (error ? failed(error) : done()),
                ),
              ),
          ),
        );
        await close(handle);
        expect(bytes.equals(whole)).toBe(true);
      }),
    );
  } finally {
    await end();
  }
});

it('serves sshfs: files are created, truncated, renamed and removed', async () => {
  const mount = join(here, 'mount');
  await mkdir(mount);
  const config = join(here, 'ssh_config');
  const lines = [
    'HostName 127.0.0.1',
    `Port ${world.port}`,
    `User ${world.login}`,
    'StrictHostKeyChecking no',
    'UserKnownHostsFile /dev/null',
  ];
  await writeFile(
    config,
    ['Host bastion', ...lines, 'PreferredAuthentications password'].join('\n'),
  );
  const words = ['bastion:', mount, '-f', '-F', config, '-o', 'password_stdin'];
  const child: ChildProcess = spawn('sshfs', words, { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput += chunk.toString();
  });
  child.stdin?.end(`${world.member.password}\n`);
  const isMounted = async () => (await readFile('/proc/mounts', 'utf8')).includes(mount);
  try {
    await until(
      async () => (await isMounted()) || child.exitCode !== null,
      'the file system is mounted',
    );
    expect([child.exitCode, errorOutput]).toEqual([null, expect.not.stringContaining('rror')]);
    await writeFile(join(mount, 'created'), 'first line\n');
    await appendFile(join(mount, 'created'), 'second line\n');
    expect(await readFile(join(mount, 'created'), 'utf8')).toBe('first line\nsecond line\n');
    await truncate(join(mount, 'created'), 5);
    await rename(join(mount, 'created'), join(mount, 'renamed'));
    await utimes(join(mount, 'renamed'), 1_000_000_000, 1_000_000_000);
    expect(await readFile(join(root, 'renamed'), 'utf8')).toBe('first');
    expect((await stat(join(root, 'renamed'))).mtimeMs).toBe(1_000_000_000_000);
    await run('cp', ['/etc/passwd', join(mount, 'copied')]);
    // The kernel tells sshfs about a closed file after the program continues.
    await until(() => existsSync(join(root, 'copied')), 'the copy is complete');
    expect(await readFile(join(root, 'copied'), 'utf8')).toBe(
      await readFile('/etc/passwd', 'utf8'),
    );
    await rm(join(mount, 'copied'));
    await expect(stat(join(root, 'copied'))).rejects.toThrow();
  } finally {
    if (await isMounted()) await run('fusermount3', ['-u', mount]);
    child.kill();
    await closed;
  }
});

it('uploads and downloads with curl, whose SSH is libssh2, once its user knows the host keys', async () => {
  const { body } = await world.administrator.get<SshAccess>('terminal/ssh/');
  const login = join(here, 'curl.conf');
  await writeFile(login, `user = "${world.login}:${world.member.password}"`, { mode: 0o600 });
  const curl = (...words: readonly string[]) =>
    run('curl', ['-sS', '-K', login, ...words], { env: { ...process.env, HOME: here } });
  const address = `sftp://127.0.0.1:${world.port}${root}/by-curl`;
  const sent = join(here, 'sent');
  await writeFile(sent, Buffer.alloc(300_000, 'sallyport'));
  await mkdir(join(here, '.ssh'));
  const known = join(here, '.ssh/known_hosts');
  await writeFile(known, '');
  await expect(curl('-T', sent, address)).rejects.toThrow();
  expect(existsSync(join(root, 'by-curl'))).toBe(false);
  const lines = body.host_keys.map(({ public_key: key }) => `[127.0.0.1]:${world.port} ${key}\n`);
  await writeFile(known, lines.join(''));
  await curl('-T', sent, address);
  expect(await readFile(join(root, 'by-curl'))).toEqual(await readFile(sent));
  const got = join(here, 'got');
  await curl('-o', got, address);
  expect(await readFile(got)).toEqual(await readFile(sent));
});
