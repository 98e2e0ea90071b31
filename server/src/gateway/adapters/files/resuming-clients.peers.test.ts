import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { until } from '../../../testing/poll.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { openSftp } from '../../../testing/ssh/sftp-calls.ts';

requirePeers('putty-tools', 'lftp', 'python3-paramiko');
const run = promisify(execFile);

let world: OpenSshWorld;
let root: string;
let here: string;
let fingerprint: string;
const bytes = randomBytes(600_000);
beforeAll(async () => {
  world = await startOpenSshWorld();
  here = await mkdtemp(join(tmpdir(), 'sallyport-resuming-'));
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  await chmod(root, 0o777);
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
  const { stdout } = await run('ssh-keyscan', [
    '-t',
    'ed25519',
    '-p',
    `${world.port}`,
    '127.0.0.1',
  ]);
  await writeFile(join(here, 'keys'), stdout);
  const { stdout: shown } = await run('ssh-keygen', ['-lf', join(here, 'keys')]);
  fingerprint = shown.split(' ')[1] ?? '';
});
afterAll(async () => {
  await world?.stop();
  await rm(here, { recursive: true, force: true });
});

/** Leaves the part of a file by a client that dies. */
async function interrupt(name: string, path = join(root, name)): Promise<void> {
  const { sftp, call, kill } = await openSftp({
    port: world.port,
    login: world.login,
    password: world.member.password,
  });
  const handle = await call<Buffer>((_, done) => sftp.open(path, 'w', done));
  await call((_, done) =>
    sftp.write(handle, bytes, 0, 200_000, 0, (error) => done(error, undefined)),
  );
  await kill();
  await until(
    async () =>
      (
        await sql`select 1 from kept_upload
          where session is null and convert_from(place, 'UTF8') = ${path}`.execute(world.test.db)
      ).rows.length === 1,
    'the part is kept',
  );
}

const environment = () => ({ ...process.env, HOME: here, LANG: 'C.UTF-8' });
const remote = (name: string) => join(root, name);

const psftp = async (commands: string) => {
  await writeFile(join(here, 'batch'), `${commands}\n`);
  await writeFile(join(here, 'password'), world.member.password, { mode: 0o600 });
  const { stdout, stderr } = await run(
    'psftp',
    [
      ...['-batch', '-P', String(world.port), '-l', world.login, '-hostkey', fingerprint],
      ...['-pwfile', join(here, 'password'), '-b', join(here, 'batch'), '127.0.0.1'],
    ],
    { env: environment() },
  );
  return stdout + stderr;
};

const lftp = async (commands: string) => {
  const { stdout, stderr } = await run(
    'lftp',
    [
      '-c',
      [
        'set sftp:auto-confirm yes; set net:max-retries 1; set cmd:fail-exit yes; set xfer:log no',
        `set sftp:connect-program "ssh -a -x -o UserKnownHostsFile=${here}/known"`,
        `open -p ${world.port} -u "${world.login},${world.member.password}" sftp://127.0.0.1`,
        commands,
      ].join('; '),
    ],
    { env: environment() },
  );
  return stdout + stderr;
};

/** Appends as WinSCP does with a partial file, and gives the file its name afterwards. */
const PARTIAL = `
import os, sys, paramiko
port, login, password, local, remote = sys.argv[1:]
transport = paramiko.Transport(('127.0.0.1', int(port)))
transport.connect(username=login, password=password)
sftp = paramiko.SFTPClient.from_transport(transport)
size = sftp.stat(remote + '.filepart').st_size
print(size)
with open(local, 'rb') as source, sftp.open(remote + '.filepart', 'a') as target:
    source.seek(size)
    target.write(source.read())
sftp.posix_rename(remote + '.filepart', remote)
transport.close()
`;

it.each([
  {
    client: 'psftp 0.78 reput',
    name: 'by-psftp',
    resume: (local: string, name: string) => psftp(`reput ${local} ${remote(name)}`),
  },
  {
    client: 'lftp 4.9.2 put -c',
    name: 'by-lftp',
    resume: (local: string, name: string) => lftp(`put -c ${local} -o ${remote(name)}`),
  },
  {
    client: 'lftp 4.9.2 reput',
    name: 'by-lftp-reput',
    resume: (local: string, name: string) => lftp(`reput ${local} -o ${remote(name)}`),
  },
  {
    client: 'lftp 4.9.2 mirror -R -c',
    name: 'mirrored',
    resume: (local: string) => lftp(`mirror -R -c --no-perms ${join(local, '..')} ${root}`),
  },
])('continues an interrupted upload with $client', async ({ name, resume }) => {
  await mkdir(join(here, name));
  const local = join(here, name, name);
  // A client that began again would send the other start.
  await writeFile(local, Buffer.concat([Buffer.alloc(1000), bytes.subarray(1000)]));
  // `mirror -c` continues only with files that are older than their parts.
  await utimes(local, 1_700_000_000, 1_700_000_000);
  for (const old of [undefined, 'the old file']) {
    if (old === undefined) await rm(remote(name), { force: true });
    else await writeFile(remote(name), old, { mode: 0o666 });
    await interrupt(name);
    const output = await resume(local, name);
    expect(await readFile(remote(name)), output).toEqual(bytes);
    expect((await readdir(root)).filter((each) => each.includes('sallyport'))).toEqual([]);
  }
});

it('continues the partial file of WinSCP, and gives it the final name', async () => {
  const local = join(here, 'winscp');
  await writeFile(local, bytes);
  await interrupt('by-winscp.filepart');
  const { stdout } = await run('/usr/bin/python3', [
    ...['-c', PARTIAL, String(world.port), world.login, world.member.password, local],
    remote('by-winscp'),
  ]);
  expect(stdout.trim()).toBe('199999');
  expect(await readFile(remote('by-winscp'))).toEqual(bytes);
  expect((await readdir(root)).filter((each) => each.includes('winscp'))).toEqual(['by-winscp']);
});
