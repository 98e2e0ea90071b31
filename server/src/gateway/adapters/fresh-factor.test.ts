import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { BuiltUser } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes, wrongCode } from '../../testing/second-factors.ts';
import { bearer, browser } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

let world: SshWorld;
let member: BuiltUser;
let rule: string;
let secret: string;
beforeAll(async () => {
  world = await startSshWorld();
  member = world.member;
  const { body } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  rule = String(body[0]?.id);
  expect(
    (await world.administrator.patch(`perms/asset-permissions/${rule}/`, { mfa_minutes: 5 })).body,
  ).toMatchObject({ mfa_minutes: 5 });
});
afterAll(() => world.stop());

const ssh = (
  command: string | undefined,
  more: Partial<Parameters<SshWorld['ssh']['run']>[0]> = {},
) =>
  world.ssh.run({
    login: world.login,
    password: member.password,
    ...(command !== undefined && { command }),
    ...more,
  });
const lastFactor = async () => (await world.lastSession()).second_factor;
const ended = () =>
  until(async () => (await world.lastSession()).is_finished === true, 'the session has ended');

it('rejects connections without a recent second factor, explains it to users without one, and rejects 1441 minutes', async () => {
  expect(await ssh('echo in')).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('requires a second factor verified in the last 5 min'),
  });
  expect((await ssh(undefined, { options: ['-tt'] })).stdout.toString()).toContain(
    'your account has no authenticator',
  );
  expect(
    (await world.administrator.patch(`perms/asset-permissions/${rule}/`, { mfa_minutes: 1441 }))
      .status,
  ).toBe(400);
});

it('asks for the second factor in SSH and web terminals, accepts a recent one, and records which', async () => {
  const { db } = world.test;
  ({ secret } = await enrolTotp(await browser(world.test, member), member.password));
  // The sign-in asks for no second factor, so that the connection has to.
  await sql`update account set mfa_level = 0 where id = ${member.id}`.execute(db);
  expect((await ssh('echo in')).code).toBe(255);
  await forgetUsedCodes(db, member.id);
  const { stdout, code } = await ssh(undefined, {
    options: ['-tt'],
    input: `${wrongCode(secret)}\n${codeOf(secret)}\necho i"n"\nexit 3\n`,
  });
  expect([code, stdout.toString()]).toEqual([3, expect.stringMatching(/incorrect[\s\S]*in\r\n/)]);
  await ended();
  expect(await lastFactor()).toBe('asked');

  const web = (await bearer(world.test, member)).inOrganization(world.organization);
  const connect = () =>
    TerminalClient.connect(
      world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
      { asset: world.asset, system_user: world.systemUser },
      web.headers,
    );
  const first = await connect();
  expect(await first.message('need_factor')).toMatchObject({ again: false });
  await forgetUsedCodes(db, member.id);
  first.send({ type: 'factor', code: codeOf(secret) });
  await first.message('open');
  expect(await lastFactor()).toBe('asked');
  first.type('exit\r');
  await first.message('closed');
  const second = await connect();
  await second.message('open');
  expect(await lastFactor()).toBe('recent');
  second.type('exit\r');
  await second.message('closed');
  await sql`update web_session set mfa_verified = mfa_verified - interval '301 seconds' where user_id = ${member.id}`.execute(
    db,
  );
  const late = await connect();
  for (let attempt = 1; attempt <= 3; attempt++) {
    await until(
      () => late.messages.filter(({ type }) => type === 'need_factor').length === attempt,
      'the server asks for the code',
    );
    late.send({ type: 'factor', code: wrongCode(secret) });
  }
  expect(await late.message('closed')).toMatchObject({ code: 'mfa_failed' });
});

it('accepts the code of the sign-in for commands, and applies the strictest permission', async () => {
  const { db } = world.test;
  await sql`update account set mfa_level = 1 where id = ${member.id}`.execute(db);
  await forgetUsedCodes(db, member.id);
  expect((await ssh('echo in', { code: codeOf(secret) })).stdout.toString()).toBe('in\n');
  expect(await lastFactor()).toBe('recent');
  const second = {
    name: 'second',
    users: [member.id],
    assets: [world.asset],
    system_users: [world.systemUser],
  };
  expect((await world.administrator.post('perms/asset-permissions/', second)).status).toBe(201);
  await sql`update account set mfa_level = 0 where id = ${member.id}`.execute(db);
  expect((await ssh('echo in')).code).toBe(255);
  await world.administrator.patch(`perms/asset-permissions/${rule}/`, { mfa_minutes: 0 });
  expect((await ssh('echo in')).code).toBe(0);
  expect(await lastFactor()).toBe('none');
});
