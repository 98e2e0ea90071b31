import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from './platform/db/sql.ts';
import { buildAsset, buildOrganization, buildUser } from './testing/builders.ts';
import type { Json } from './testing/client.ts';
import { keepDeviceKeys } from './testing/device-keys.ts';
import { until } from './testing/poll.ts';
import {
  clientOf,
  confirmDevice,
  type Machine,
  prepareMachine,
} from './testing/sallyctl/sallyctl.ts';
import { bearer } from './testing/sign-in.ts';
import { type SshWorld, startSshWorld } from './testing/ssh/ssh-world.ts';

let world: SshWorld;
let machine: Machine;
beforeAll(async () => {
  world = await startSshWorld();
  await keepDeviceKeys(world.test.db);
});
afterAll(() => world.stop());

const stored = async () => JSON.parse(await readFile(machine.file, 'utf8')) as Json;
const token = async () => String((await stored()).token);
const isIn = async (text: string) =>
  (await clientOf(world.test, text).get('users/profile/')).status === 200;
const signIn = () => machine.signIn(world.test, world.member);

describe('the sign-in of a machine', () => {
  beforeEach(async () => {
    machine = await prepareMachine();
  });
  afterEach(() => machine.stop());

  it('stores the token for its owner only, and nowhere else', async () => {
    const { code, ended } = await machine.begin(world.test);
    await confirmDevice(world.test, world.member, code);
    const { stdout, code: exit } = await ended;
    expect([exit, stdout]).toEqual([
      0,
      expect.stringContaining(`(${world.member.username}) until `),
    ]);
    expect((await stat(machine.file)).mode & 0o777).toBe(0o600);
    const text = await token();
    expect(stdout).not.toContain(text);
    expect(world.test.log()).not.toContain(text);
    expect(await isIn(text)).toBe(true);
    await chmod(machine.file, 0o644);
    expect(await machine.run(['ls'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('chmod 600'),
    });
  });

  it('ends with logout, on the server and on the machine', async () => {
    await signIn();
    const text = await token();
    expect(await machine.run(['logout'])).toMatchObject({ code: 0 });
    expect(await isIn(text)).toBe(false);
    expect(await machine.run(['ls'])).toMatchObject({ code: 3 });
    expect(await machine.run(['logout'])).toMatchObject({ code: 3 });
  });

  it('replaces an earlier sign-in, which ends', async () => {
    await signIn();
    const first = await token();
    await signIn();
    expect([await isIn(first), await isIn(await token())]).toEqual([false, true]);
  });

  it('fails when it is denied, expired, or confirmed by another account than expected', async () => {
    const own = await bearer(world.test, world.member);
    const denied = await machine.begin(world.test);
    await own.post('authentication/device/deny/', { user_code: denied.code });
    expect(await denied.ended).toMatchObject({
      code: 1,
      stderr: 'The sign-in of this device was denied.\n',
    });
    const expired = await machine.begin(world.test);
    await sql`update device_sign_in set date_expired = now()`.execute(world.test.db);
    expect((await confirmDevice(world.test, world.member, expired.code)).status).toBe(400);
    expect(await expired.ended).toMatchObject({ code: 1 });
    const other = await machine.begin(world.test, ['--user', 'somebody.else']);
    expect((await confirmDevice(world.test, world.member, other.code)).body).toMatchObject({
      code: 'device_other_user',
    });
    await expect(stat(machine.file)).rejects.toThrow('ENOENT');
  });

  it('says that it was revoked, or that its account was disabled', async () => {
    await signIn();
    const own = await bearer(world.test, world.member);
    const { body } = await own.get<Json[]>('users/profile/sign-ins/');
    const row = body.find(({ device }) => String(device).startsWith('sallyctl'));
    await own.delete(`users/profile/sign-ins/${row?.id}/`);
    const ended = { code: 3, stderr: expect.stringContaining('has ended') };
    expect(await machine.run(['ls'])).toMatchObject(ended);
    await signIn();
    const disable = (is_active: boolean) =>
      sql`update account set is_active = ${is_active} where id = ${world.member.id}`.execute(
        world.test.db,
      );
    await disable(false);
    expect(await machine.run(['ls'])).toMatchObject(ended);
    await disable(true);
  });

  it('sends no token without TLS, except on this machine', async () => {
    expect(await machine.run(['login', 'http://bastion.example.com'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no TLS'),
    });
    expect(await machine.run(['login', 'http://127.0.0.1:1'])).toMatchObject({ code: 6 });
  });
});

/** Signs a machine in, for all tests of a group. */
function useMachine(): void {
  beforeAll(async () => {
    machine = await prepareMachine();
    await signIn();
  });
  afterAll(() => machine.stop());
}

describe('the list', () => {
  useMachine();

  it('shows assets with accounts, as a table, in Chinese, and for programs', async () => {
    const { stdout } = await machine.run(['ls']);
    expect(stdout).toMatch(/^NAME +ADDRESS +PROTOCOLS +ACCOUNTS +ORGANIZATION\n/);
    expect(stdout).toContain(world.hostname);
    expect((await machine.run(['ls'], { LANG: 'zh_CN.UTF-8' })).stdout).toMatch(/^名称 +地址/);
    const json = JSON.parse((await machine.run(['ls', world.hostname, '--json'])).stdout);
    expect(json).toEqual([
      expect.objectContaining({
        kind: 'asset',
        id: world.asset,
        name: world.hostname,
        accounts: [{ name: world.accountName, username: world.sshd.username, protocol: 'ssh' }],
      }),
    ]);
    expect(JSON.parse((await machine.run(['ls', 'nothing-like-it', '--json'])).stdout)).toEqual([]);
  });

  it('rejects unknown commands and options, and a limit that is none', async () => {
    for (const name of ['dance', 'constructor'])
      expect(await machine.run([name])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          `^There is no command "${name}"\\. Commands: login, logout, ssh, scp, db, ls, `,
        ),
      });
    expect(await machine.run([])).toMatchObject({ code: 2 });
    for (const words of [['ls', '--fast'], ['--fast=1'], ['login', '--fast']])
      expect(await machine.run(words)).toEqual({
        code: 2,
        stdout: '',
        stderr: `There is no flag --fast.\nUsage: sallyctl COMMAND\nsallyctl --help lists the commands.\n`,
      });
    expect((await machine.run(['ls', '--fast'], { LANG: 'zh_CN.UTF-8' })).stderr).toBe(
      '没有选项 --fast。\n用法：sallyctl 命令\nsallyctl --help 列出所有命令。\n',
    );
    expect(await machine.run(['ls', '--limit', '0'])).toMatchObject({ code: 2 });
    const help = await machine.run(['--help']);
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: sallyctl COMMAND\n/),
      stderr: '',
    });
    for (const words of [['help'], ['ls', '--help'], ['ssh', '-h'], ['db', '--help']])
      expect(await machine.run(words)).toEqual(help);
    expect((await machine.run(['--version'])).stdout).toMatch(/^sallyctl \d+\.\d+\.\d+\n$/);
  });
});

describe('ssh and scp', () => {
  useMachine();

  const password = () => ({ TEST_PASSWORD: world.member.password });

  it('runs a command on an asset, with the host keys of the bastion checked', async () => {
    for (const target of [world.hostname, `${world.hostname}@${world.accountName}`, world.asset])
      expect(
        await machine.run(['ssh', target, 'echo', 'seen-$((6*7)); exit 5'], password()),
      ).toMatchObject({ code: 5, stdout: 'seen-42\n' });
    // Nothing of the known hosts is left.
    expect((await readdir(machine.home)).filter((name) => name.startsWith('sallyctl-'))).toEqual(
      [],
    );
  });

  it('asks for nothing on a signed-in machine, and leaves no key there', async () => {
    const keys = async () =>
      (await sql`select 1 from device_ssh_key`.execute(world.test.db)).rows.length;
    const before = await keys();
    const { code, stdout } = await machine.run(['ssh', world.hostname, 'echo', 'in-$((6*7))']);
    expect([code, stdout]).toEqual([0, 'in-42\n']);
    expect((await readdir(machine.home)).filter((name) => name.startsWith('sallyctl-'))).toEqual(
      [],
    );
    expect(await keys()).toBe(before);
  });

  it('asks as before where the bastion takes no keys', async () => {
    const set = (isOn: boolean) =>
      world.administrator.patch('settings/setting/', { TERMINAL_PUBLIC_KEY_AUTH: isOn });
    await set(false);
    expect(await machine.run(['ssh', world.hostname, 'exit 4'], password())).toMatchObject({
      code: 4,
    });
    await set(true);
  });

  it('does not connect to a bastion with another host key', async () => {
    const { rows } = await sql<{ type: string; public_key: string }>`
      select type, public_key from listener_key where type <> 'host-ca'`.execute(world.test.db);
    await sql`update listener_key set public_key = type || ' AAAAC3NzaC1lZDI1NTE5AAAAIA'
      where type <> 'host-ca'`.execute(world.test.db);
    const { code, stdout } = await machine.run(['ssh', world.hostname, 'echo', 'no'], password());
    expect([code, stdout]).toEqual([255, '']);
    for (const { type, public_key } of rows)
      await sql`update listener_key set public_key = ${public_key} where type = ${type}`.execute(
        world.test.db,
      );
  });

  it('names the account, the port and the file of one asset for scp', async () => {
    const remote = `${world.hostname}@${world.accountName}:/tmp/a file`;
    const { code, stdout } = await machine.run(['scp', '-r', './here:1', remote]);
    const { args, files } = JSON.parse(stdout) as { args: string[]; files: string[] };
    expect(code).toBe(7);
    expect(args).toEqual(
      expect.arrayContaining([`User=${world.login}`, 'StrictHostKeyChecking=yes']),
    );
    expect(args.slice(-6)).toEqual([
      '-P',
      `${world.port}`,
      '-r',
      '--',
      './here:1',
      '127.0.0.1:/tmp/a file',
    ]);
    expect(files[0]).toMatch(/^sallyport-bastion ssh-ed25519 /);
    expect(await machine.run(['scp', 'a', 'b'])).toMatchObject({ code: 2 });
    expect(await machine.run(['scp', 'one:a', 'two:b'])).toMatchObject({ code: 2 });
  });

  it('reports assets of other organizations as unknown, and accounts that are not granted', async () => {
    const organization = await buildOrganization(world.test.db);
    await buildAsset(world.test.db, { organization, hostname: 'hidden-elsewhere' });
    for (const target of ['hidden-elsewhere', 'not-there@root'])
      expect(await machine.run(['ssh', target])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('You have no access to'),
      });
    expect(await machine.run(['ssh', `${world.hostname}@root-of-all`])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`  ${world.hostname}@${world.accountName}`),
    });
    expect(await machine.run(['ssh'])).toMatchObject({ code: 2 });
  });
});

describe('a recording', () => {
  useMachine();

  it('plays for auditors, and for no other user', async () => {
    await world.ssh.run({
      login: world.login,
      password: world.member.password,
      options: ['-tt'],
      input: 'echo "kept $((40+2))"\nexit\n',
    });
    await until(
      async () => (await world.lastSession()).replay_state === 'finished',
      'the recording is finished',
    );
    const id = String((await world.lastSession()).id);
    expect(await machine.run(['replay', id])).toMatchObject({ code: 4 });
    const auditor = await buildUser(world.test.db, {
      memberOf: [{ organization: world.organization, role: 'Auditor' }],
    });
    await machine.signIn(world.test, auditor);
    const words = ['--organization', world.organization];
    expect(await machine.run(['replay', id, ...words])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('kept 42'),
    });
    expect(await machine.run(['replay', crypto.randomUUID(), ...words])).toMatchObject({ code: 5 });
    expect(await machine.run(['replay', id, '--speed', 'fast'])).toMatchObject({ code: 2 });
    const elsewhere = await buildUser(world.test.db, {
      memberOf: [{ organization: await buildOrganization(world.test.db), role: 'Auditor' }],
    });
    await machine.signIn(world.test, elsewhere);
    expect((await machine.run(['replay', id, ...words])).code).not.toBe(0);
  });
});

it('downloads the program with its checksum', async () => {
  const program = await world.test.visitor.get('/download/sallyctl.mjs');
  expect(program.headers.get('content-disposition')).toContain('sallyctl.mjs');
  expect(program.text).toMatch(/^#!\/usr\/bin\/env node\n/);
  const { createHash } = await import('node:crypto');
  expect((await world.test.visitor.get('/download/sallyctl.mjs.sha256')).text).toBe(
    `${createHash('sha256').update(program.text).digest('hex')}  sallyctl.mjs\n`,
  );
});
