import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { until } from '../../../testing/poll.ts';
import { enrolTotp } from '../../../testing/second-factors.ts';
import { browser } from '../../../testing/sign-in.ts';
import { FileZillaEngine } from '../../../testing/ssh/filezilla-engine.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
let here: string;
/** The folder that the account opens first. */
let root: string;
const engines: FileZillaEngine[] = [];
beforeAll(async () => {
  world = await startOpenSshWorld();
  here = await mkdtemp(join(tmpdir(), 'sallyport-filezilla-test-'));
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
  await Promise.all(engines.map((engine) => engine.stop()));
  await world?.stop();
  await rm(here, { recursive: true, force: true });
});

async function connect(...answers: readonly string[]) {
  const connected = await FileZillaEngine.connect(
    { port: world.port, login: world.login },
    answers.length > 0 ? answers : [world.member.password],
  );
  engines.push(connected.engine);
  return connected;
}

async function signIn(): Promise<FileZillaEngine> {
  const { engine, signIn: opened } = await connect();
  expect(opened.isDone, opened.log.join('\n')).toBe(true);
  return engine;
}

it('lists, uploads, downloads, renames and removes names with spaces, quotes and Chinese', async () => {
  const engine = await signIn();
  const [local, back, bytes] = [join(here, 'a b ü'), join(here, 'back'), randomBytes(900_000)];
  await writeFile(local, bytes);
  for (const command of ['mkdir "一个 folder"', 'cd "一个 folder"'])
    expect(await engine.run(command)).toMatchObject({ isDone: true });
  for (const name of ['Größe 1.bin', 'with ""quotes"".bin', '报告.bin']) {
    expect(await engine.put(local, name)).toMatchObject({ isDone: true });
    expect(await engine.get(name, back)).toMatchObject({ isDone: true });
    expect(await readFile(back)).toEqual(bytes);
  }
  expect(await engine.run('mv "报告.bin" "新 报告.bin"')).toMatchObject({ isDone: true });
  const { names } = await engine.run('ls');
  expect([...names].sort()).toEqual(['Größe 1.bin', 'with "quotes".bin', '新 报告.bin']);
  expect(await engine.run('chmtime 1700000000 "新 报告.bin"')).toMatchObject({ isDone: true });
  expect(await engine.run('mtime "新 报告.bin"')).toMatchObject({ log: ['1700000000'] });
  expect(await engine.run('rm "新 报告.bin"')).toMatchObject({ isDone: true });
  expect((await engine.run('ls')).names).toHaveLength(2);
});

it('shows the reason of each refusal', async () => {
  const engine = await signIn();
  await mkdir(join(root, 'full'));
  await writeFile(join(root, 'full', 'file'), '');
  await writeFile(join(here, 'small'), 'x');
  const path = (name: string) => join(root, name);
  for (const [result, reason] of [
    [
      await engine.run('mkdir "full"'),
      `mkdir ${path('full')}: received failure with description 'A file or folder with this name already exists.'`,
    ],
    [await engine.run('rm "missing"'), `rm ${path('missing')}: no such file or directory`],
    [
      await engine.get('missing', join(here, 'none')),
      `${path('missing')}: open for read: no such file or directory`,
    ],
    [
      await engine.put(join(here, 'small'), '/etc/forbidden'),
      '/etc/forbidden: open for write: permission denied',
    ],
  ] as const) {
    expect(result).toEqual({ isDone: false, names: [], log: [reason] });
  }
  expect(await engine.run('ls')).toMatchObject({ isDone: true });
});

it('continues an upload and a download after the client died', async () => {
  const bytes = randomBytes(6_000_000);
  const [local, remote] = [join(here, 'large'), join(root, 'large')];
  await writeFile(local, bytes);
  const first = await signIn();
  first.onBuffer = (position) => position > 3_000_000 && first.kill();
  expect(await first.put(local, 'large')).toMatchObject({ isDone: false });
  await until(
    async () =>
      (
        await sql`select 1 from kept_upload
          where session is null and convert_from(place, 'UTF8') = ${remote}`.execute(world.test.db)
      ).rows.length === 1,
    'the part is kept',
  );
  const second = await signIn();
  expect((await second.run('ls')).names).toContain('large');
  // A client that began again would send the other start.
  await writeFile(local, Buffer.concat([Buffer.alloc(1000), bytes.subarray(1000)]));
  expect(await second.put(local, 'large', 'reput')).toMatchObject({ isDone: true });
  expect(await readFile(remote)).toEqual(bytes);
  expect((await readdir(root)).filter((name) => name.includes('sallyport'))).toEqual([]);

  const back = join(here, 'downloaded');
  second.onBuffer = (position) => position > 2_000_000 && second.kill();
  expect(await second.get('large', back)).toMatchObject({ isDone: false });
  expect((await stat(back)).size).toBeGreaterThan(2_000_000);
  const third = await signIn();
  expect(await third.get('large', back, 'reget')).toMatchObject({ isDone: true });
  expect(await readFile(back)).toEqual(bytes);
});

it('asks for the second factor after the password, and refuses a wrong password', async () => {
  const visitor = await browser(world.test, world.member);
  const { recoveryCodes } = await enrolTotp(visitor, world.member.password);
  const { signIn: accepted } = await connect(world.member.password, recoveryCodes[0] ?? '');
  expect(accepted.isDone, accepted.log.join('\n')).toBe(true);
  expect(accepted.log.filter((line) => line.includes('MFA'))).toHaveLength(1);
  const refused = await connect('a wrong password');
  expect(refused.signIn.isDone).toBe(false);
  expect(refused.signIn.log).toContain('Access denied ');
  // Its engine asks again until the server disconnects.
  expect(refused.signIn.log.join('\n')).toContain('Too many authentication failures.');
});
