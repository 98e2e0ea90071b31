import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SshAccess } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildPermission, buildUser } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { executeOperatorCommand } from '../../../testing/operator-command.ts';
import { until } from '../../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes, wrongCode } from '../../../testing/second-factors.ts';
import { bearer, browser, tryToSignIn } from '../../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import {
  createSecurityDevice,
  type SecurityDevice,
  startAgent,
} from '../../../testing/ssh/security-device.ts';

const run = promisify(execFile);

let world: OpenSshWorld;
beforeAll(async () => {
  world = await startOpenSshWorld();
});
afterAll(() => world.stop());

/** Creates a member with the permissions of the first one. */
async function newMember(): Promise<BuiltUser> {
  const user = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'User' }],
  });
  await buildPermission(world.test.db, {
    organization: world.organization,
    users: [user.id],
    assets: [world.asset],
    systemUsers: [world.systemUser],
  });
  return user;
}

const loginOf = ({ username }: BuiltUser) => `${username}@@${world.hostname}`;
const trySsh = (user: BuiltUser, more: Partial<Parameters<OpenSshWorld['ssh']['run']>[0]> = {}) =>
  world.ssh.run({ login: loginOf(user), password: user.password, command: 'echo in', ...more });
const lastLog = async ({ username }: BuiltUser) =>
  (
    await sql<Json>`select type, status, reason, mfa, user_agent, ip from login_log where username = ${username} order by datetime desc limit 1`.execute(
      world.test.db,
    )
  ).rows[0];
const set = async (name: string, value: boolean) => {
  const superuser = await bearer(world.test);
  const answer = await superuser.patch('settings/setting/', { terminal: { [name]: value } });
  if (answer.status !== 200)
    throw new Error(`the setting was answered with ${answer.status} ${answer.text}`);
};

it('signs in with a password by both methods, logs it, and ends the sign-in with the connection', async () => {
  const user = await newMember();
  for (const method of ['password', 'keyboard-interactive']) {
    const { code, stdout } = await trySsh(user, {
      options: ['-o', `PreferredAuthentications=${method}`],
    });
    expect([method, code, stdout.toString()]).toEqual([method, 0, 'in\n']);
  }
  expect(await lastLog(user)).toMatchObject({ type: 'T', status: true, reason: '' });
  const left = () =>
    sql`select 1 from web_session where user_id = ${user.id} and kind = 'ssh'`.execute(
      world.test.db,
    );
  await until(async () => (await left()).rows.length === 0, 'the sign-ins have ended');
});

it('shows port and host keys in the console, by which clients verify the bastion', async () => {
  const user = await newMember();
  const asUser = (await bearer(world.test, user)).inOrganization(world.organization);
  const { body } = await asUser.get<SshAccess>('terminal/ssh/');
  expect([body.port, body.host_keys.length]).toEqual([world.port, 3]);
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-known-'));
  const file = join(folder, 'known_hosts');
  const strictly = {
    options: ['-o', 'StrictHostKeyChecking=yes', '-o', `UserKnownHostsFile=${file}`],
  };
  await writeFile(
    file,
    body.host_keys.map(({ public_key }) => `[127.0.0.1]:${body.port} ${public_key}\n`).join(''),
  );
  expect((await trySsh(user, strictly)).stdout.toString()).toBe('in\n');
  await writeFile(file, '');
  expect((await trySsh(user, strictly)).code).toBe(255);
  expect((await world.test.visitor.get('terminal/ssh/')).status).toBe(401);
  await rm(folder, { recursive: true });
});

it.each(['ed25519', 'ecdsa'] as const)(
  'accepts a security device with %s through the agent of OpenSSH, and rejects another one',
  async (type) => {
    const user = await newMember();
    const [device, stranger] = [createSecurityDevice(type), createSecurityDevice(type)];
    await sql`
      insert into ssh_key (user_id, name, public_key)
      values (${user.id}, 'token', ${device.line})`.execute(world.test.db);
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-agent-'));
    const sign = async (holder: SecurityDevice, name: string) => {
      const [socket, keyFile] = [join(folder, name), join(folder, `${name}.pub`)];
      await writeFile(keyFile, holder.line);
      const stop = await startAgent(holder, socket);
      const options = ['PreferredAuthentications=publickey', `IdentityAgent=${socket}`];
      const answer = await trySsh(user, {
        keyFile,
        password: '',
        options: options.flatMap((option) => ['-o', option]),
      });
      stop();
      return answer;
    };
    expect((await sign(stranger, 'stranger')).stderr).toContain('Permission denied');
    expect((await sign(device, 'device')).stdout.toString()).toBe('in\n');
    await rm(folder, { recursive: true });
  },
);

it('accepts the key of the profile, and rejects another key, an unknown user and a disabled method', async () => {
  const user = await newMember();
  const { keyFile } = world.sshd;
  const byKey = { keyFile, password: '', options: ['-o', 'PreferredAuthentications=publickey'] };
  expect((await trySsh(user, byKey)).stderr).toContain('Permission denied');
  await sql`update account set public_key = ${await readFile(`${keyFile}.pub`, 'utf8')} where id = ${user.id}`.execute(
    world.test.db,
  );
  expect((await trySsh(user, byKey)).stdout.toString()).toBe('in\n');
  const nobody = { ...user, username: 'nobody-of-this-name' };
  expect(await trySsh(nobody, byKey)).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('Permission denied'),
  });
  await set('TERMINAL_PUBLIC_KEY_AUTH', false);
  expect((await trySsh(user, byKey)).stderr).toContain(
    'Permission denied (password,keyboard-interactive)',
  );
  await set('TERMINAL_PUBLIC_KEY_AUTH', true);
  await set('TERMINAL_PASSWORD_AUTH', false);
  expect((await trySsh(user)).stderr).toContain('Permission denied (publickey)');
  await set('TERMINAL_PASSWORD_AUTH', true);
});

it.each(['rsa', 'ecdsa'])('accepts a key of the type %s', async (type) => {
  const user = await newMember();
  const keyFile = join(world.test.dataDirectory, `key-${type}`);
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', keyFile]);
  await sql`update account set public_key = ${await readFile(`${keyFile}.pub`, 'utf8')} where id = ${user.id}`.execute(
    world.test.db,
  );
  expect(
    (
      await trySsh(user, {
        keyFile,
        password: '',
        options: ['-o', 'PreferredAuthentications=publickey'],
      })
    ).stdout.toString(),
  ).toBe('in\n');
});

it('asks for a second factor after password and key, accepts code and recovery code, and rejects a wrong one', async () => {
  const user = await newMember();
  const { secret, recoveryCodes } = await enrolTotp(await browser(world.test, user), user.password);
  await sql`update account set public_key = ${await readFile(`${world.sshd.keyFile}.pub`, 'utf8')} where id = ${user.id}`.execute(
    world.test.db,
  );
  const byKey = { keyFile: world.sshd.keyFile, password: '' };
  expect((await trySsh(user)).code).toBe(255);
  expect((await trySsh(user, { code: wrongCode(secret) })).code).toBe(255);
  expect(await lastLog(user)).toMatchObject({ status: false, reason: 'mfa_failed' });
  expect((await trySsh(user, { ...byKey, code: recoveryCodes[0] ?? '' })).stdout.toString()).toBe(
    'in\n',
  );
  await forgetUsedCodes(world.test.db, user.id);
  expect((await trySsh(user, { code: codeOf(secret) })).stdout.toString()).toBe('in\n');
  expect(await lastLog(user)).toMatchObject({ status: true, mfa: 1 });
});

it('changes an expired password during the sign-in, by the password rules', async () => {
  const user = await newMember();
  await sql`update account set date_password_last_updated = now() - interval '20000 days' where id = ${user.id}`.execute(
    world.test.db,
  );
  expect((await trySsh(user, { newPassword: user.password })).code).toBe(255);
  expect((await trySsh(user, { newPassword: 'Quite-another-1' })).stdout.toString()).toBe('in\n');
  expect((await trySsh({ ...user, password: 'Quite-another-1' })).stdout.toString()).toBe('in\n');
});

it('locks the account for browsers too after failures, and answers unknown users like known ones', async () => {
  const user = await newMember();
  const wrong = { password: 'wrong', options: ['-o', 'PreferredAuthentications=password'] };
  const nobody = { ...user, username: 'nobody-of-that-name' };
  const answers = [];
  for (let turn = 0; turn < 7; turn++) answers.push((await trySsh(user, wrong)).stderr);
  expect(new Set(answers).size).toBe(1);
  expect((await trySsh(nobody, wrong)).stderr).toBe(
    answers[0]?.replace(user.username, nobody.username),
  );
  expect((await trySsh(user)).code).toBe(255);
  expect(await lastLog(user)).toMatchObject({ reason: 'block_login' });
  expect((await tryToSignIn(world.test, user)).body).toMatchObject({ error: 'block_login' });
});

it('shows in OpenSSH why the connection ends after six wrong passwords', async () => {
  const options = ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=9'];
  const { code, stderr } = await trySsh(await newMember(), {
    password: 'wrong',
    options: options.flatMap((option) => ['-o', option]),
  });
  expect(code).toBe(255);
  expect(stderr).toContain(':14: Too many authentication failures. Connect again');
});

it('rejects a disabled account, and one that has to set up a second factor', async () => {
  const user = await newMember();
  await sql`update account set mfa_level = 2 where id = ${user.id}`.execute(world.test.db);
  expect((await trySsh(user)).code).toBe(255);
  expect(await lastLog(user)).toMatchObject({ reason: 'mfa_unset' });
  await sql`update account set is_active = false where id = ${user.id}`.execute(world.test.db);
  expect((await trySsh(user)).code).toBe(255);
  expect(await lastLog(user)).toMatchObject({ reason: 'user_inactive' });
});

it('offers the printed host keys, limits SHA-1 and CBC to old clients, and uses strict key exchange', async () => {
  const { stdout } = await run('ssh-keyscan', ['-T', '60', '-p', String(world.port), '127.0.0.1']);
  const hostKeyLines = stdout.split('\n').filter((line) => line.startsWith('['));
  expect(hostKeyLines.map((line) => line.split(' ')[1]).sort()).toEqual([
    'ecdsa-sha2-nistp256',
    'ssh-ed25519',
    'ssh-rsa',
  ]);
  const { rows } = await sql<{
    type: string;
    private_key: string;
    public_key: string;
  }>`select * from listener_key`.execute(world.test.db);
  expect(
    rows.flatMap(({ type, public_key: key }) => (type === 'host-ca' ? [] : [key])).sort(),
  ).toEqual(hostKeyLines.map((line) => line.split(' ').slice(1).join(' ')).sort());
  const printed = await executeOperatorCommand(world.test, ['host-keys'], {
    SALLYPORT_SSH_PORT: String(world.port),
  });
  expect(printed.stdout).toContain('SHA256:');
  for (const line of hostKeyLines) expect(printed.stdout).toContain(line);
  expect(printed.stdout).toContain(
    `@cert-authority * ${rows.find(({ type }) => type === 'host-ca')?.public_key}\n`,
  );
  expect(rows.every(({ private_key: key }) => key.startsWith('v2$'))).toBe(true);

  const user = await newMember();
  const old = [
    ['-c', 'aes128-cbc'],
    ['-m', 'hmac-sha1'],
    ['-o', 'KexAlgorithms=diffie-hellman-group14-sha1'],
    ['-o', 'HostKeyAlgorithms=ssh-rsa', '-o', 'UserKnownHostsFile=/dev/null'],
  ];
  for (const options of old)
    expect([
      options,
      (
        await trySsh(user, {
          options: [
            '-o',
            'LogLevel=INFO',
            ...options,
            ...(options[0] === '-m' ? ['-c', 'aes128-ctr'] : []),
          ],
        })
      ).stderr,
    ]).toMatchObject([options, expect.stringContaining('Unable to negotiate')]);
  await set('TERMINAL_SSH_OLD_CLIENTS', true);
  for (const options of old)
    expect([options, (await trySsh(user, { options })).stdout.toString()]).toEqual([
      options,
      'in\n',
    ]);
  await set('TERMINAL_SSH_OLD_CLIENTS', false);
  const { stderr } = await trySsh(user, { options: ['-o', 'LogLevel=DEBUG3'] });
  expect(stderr).toContain('will use strict KEX ordering');
});

it('rejects forwarding of ports, sockets, the agent and X11', async () => {
  const user = await newMember();
  const forwarded = await trySsh(user, {
    command: 'echo "$SSH_AUTH_SOCK$DISPLAY"',
    options: ['-A', '-X'],
  });
  expect(forwarded.stdout.toString()).toBe('\n');
  const local = await world.ssh.run({
    login: loginOf(user),
    password: user.password,
    options: ['-W', `127.0.0.1:${world.sshd.port}`],
  });
  expect(local).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('stdio forwarding failed'),
  });
  const remote = await trySsh(user, {
    options: ['-R', '0:127.0.0.1:1', '-o', 'ExitOnForwardFailure=yes'],
  });
  expect(remote.stderr).toContain('remote port forwarding failed');
});

it('closes connections of other protocols, and reports the listener as healthy', async () => {
  for (const bytes of [
    'GET / HTTP/1.1\r\n\r\n',
    `SSH-2.0-x\r\n${'\0'.repeat(20)}`,
    'x'.repeat(70_000),
  ]) {
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(bytes);
    await new Promise((done) => void socket.once('close', done));
  }
  expect((await world.test.visitor.get<Json>('/api/health/')).body).toMatchObject({
    status: 1,
    dependencies: { ssh: { status: 'up' } },
  });
});

it('waits for the named reviewers of a sign-in, and ends on rejection or Ctrl-C', async () => {
  const user = await newMember();
  const boss = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'Admin' }],
  });
  const reviewer = (await bearer(world.test, boss)).inOrganization(world.organization);
  const superuser = await bearer(world.test);
  await superuser.patch('settings/setting/', { security: { LOGIN_CONFIRM_ENABLE: true } });
  expect(
    (
      await reviewer.patch(`authentication/login-confirm-settings/${user.id}/`, {
        reviewers: [boss.id],
      })
    ).status,
  ).toBe(200);
  const states = async () =>
    (
      await sql<{
        id: string;
        status: string;
      }>`select id, status from ticket where user_id = ${user.id} order by date_created desc`.execute(
        world.test.db,
      )
    ).rows;
  const openTicket = async () => {
    await until(async () => (await states())[0]?.status === 'open', 'the ticket exists');
    return `tickets/tickets/${(await states())[0]?.id}/`;
  };
  for (const method of ['password', 'keyboard-interactive']) {
    const approved = trySsh(user, {
      options: [
        '-o',
        'LogLevel=INFO',
        '-o',
        `PreferredAuthentications=${method},keyboard-interactive`,
      ],
    });
    await reviewer.patch(await openTicket(), { action: 'approve' });
    const { code, stdout, stderr } = await approved;
    expect([method, code, stdout.toString()]).toEqual([method, 0, 'in\n']);
    expect(stderr).toContain(`Reviewers: Name of ${boss.username}`);
  }
  const rejected = trySsh(user, { options: ['-o', 'LogLevel=INFO'] });
  await reviewer.patch(await openTicket(), { action: 'reject' });
  const refused = await rejected;
  expect([refused.code, refused.stdout.toString()]).toEqual([255, '']);
  expect(refused.stderr).toContain('A reviewer did not confirm this sign-in.');
  expect(await lastLog(user)).toMatchObject({
    type: 'T',
    status: false,
    reason: 'login_confirm_refused',
  });
  const call = { login: loginOf(user), password: user.password, command: 'echo in' };
  const left = spawn('ssh', world.ssh.words(call), {
    env: world.ssh.environment(call),
    stdio: 'ignore',
  });
  await openTicket();
  left.kill('SIGINT');
  await until(async () => (await states())[0]?.status === 'closed', 'the ticket is closed');
  await superuser.patch('settings/setting/', { security: { LOGIN_CONFIRM_ENABLE: false } });
});
