import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let sshd: SshTarget;
let here: string;
let there: string;
let asset: string;
let systemUser: string;
let member: BuiltUser;
beforeAll(async () => {
  [test, sshd] = await Promise.all([startTestProgram(), startSshServer()]);
  const { db } = test;
  [here, there] = [await buildOrganization(db), await buildOrganization(db)];
  member = await buildUser(db, { memberOf: [{ organization: here, role: 'User' }] });
  const administrator = (await bearer(test)).inOrganization(here);
  asset = await buildAsset(db, { organization: here, port: sshd.port });
  const account = {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  const rule = {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  };
  expect((await administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
});
afterAll(async () => {
  await test.stop();
  await sshd.stop();
});

const base = () => test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
const signedIn = async (
  options: Parameters<typeof buildUser>[1],
  organization: string,
): Promise<Client> =>
  (await bearer(test, await buildUser(test.db, options))).inOrganization(organization);
const watch = (caller: Client, id: string) =>
  new TerminalClient(`${base()}/ws/watch/?session=${id}`, caller.headers);

it('shows, watches and ends a live session within its organization only', async () => {
  const person = (await bearer(test, member)).inOrganization(here);
  const client = await TerminalClient.connect(
    base(),
    { asset, system_user: systemUser },
    person.headers,
  );
  await client.message('open');
  const auditor = await signedIn({ memberOf: [{ organization: here, role: 'Auditor' }] }, here);
  const [row] = (await auditor.get<Json[]>('terminal/sessions/?is_finished=false')).body;
  const id = String(row?.id);
  const watcher = watch(auditor, id);
  expect(await watcher.message('resize')).toMatchObject({ cols: 80, rows: 24 });

  const strangers = {
    'an auditor there': await signedIn(
      { memberOf: [{ organization: there, role: 'Auditor' }] },
      there,
    ),
    'an administrator there': await signedIn(
      { memberOf: [{ organization: there, role: 'Admin' }] },
      there,
    ),
    'the super administrator, looking there': (await bearer(test)).inOrganization(there),
  };
  for (const [who, stranger] of Object.entries(strangers)) {
    const invented = await watch(stranger, crypto.randomUUID()).message('closed');
    const real = watch(stranger, id);
    expect([who, await real.message('closed'), real.output]).toEqual([who, invented, '']);
    const ends = await stranger.post('terminal/tasks/kill-session/', [id]);
    const none = await stranger.post('terminal/tasks/kill-session/', [crypto.randomUUID()]);
    expect([who, ends.status, ends.text.replaceAll(id, '')]).toEqual([
      who,
      none.status,
      none.text.replace(/[0-9a-f-]{36}/g, ''),
    ]);
  }
  client.type('echo still he"re"\r');
  await client.waitFor('still here');
  client.type('exit\r');
  await client.message('closed');
});

it('tells a returning user that the server of the session died, and tells no other user', async () => {
  const session = crypto.randomUUID();
  await sql`
    insert into session (id, org_id, "user", user_id, asset, "system_user", is_finished, end_reason)
    values (${session}, ${here}, 'member', ${member.id}, 'box', 'root', true, 'interrupted')`.execute(
    test.db,
  );
  const codeFor = async (user: BuiltUser, id: string) => {
    const person = await bearer(test, user);
    const client = await TerminalClient.resume(base(), { session: id }, person.headers);
    return (await client.message('closed')).code;
  };
  const stranger = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
  expect(await codeFor(member, session)).toBe('session_server_died');
  expect(await codeFor(stranger, session)).toBe('session_gone');
  expect(await codeFor(member, 'no id')).toBe('session_gone');
  await sql`update session set end_reason = 'session_finished' where id = ${session}`.execute(
    test.db,
  );
  expect(await codeFor(member, session)).toBe('session_gone');
});

it('rejects an account without a grant on an asset with another granted account', async () => {
  const administrator = (await bearer(test)).inOrganization(here);
  const person = (await bearer(test, member)).inOrganization(here);
  const make = async () => {
    const account = {
      name: unique('account'),
      username: sshd.username,
      login_mode: 'auto',
      protocol: 'ssh',
      private_key: sshd.privateKey,
      priority: 1,
    };
    return String((await administrator.post('assets/system-users/', account)).body.id);
  };
  const [lower, foreign] = [await make(), await make()];
  const rule = { name: unique('rule'), users: [member.id], assets: [asset], system_users: [lower] };
  expect((await administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  const connect = (account: string) =>
    TerminalClient.connect(base(), { asset, system_user: account }, person.headers);
  expect(await (await connect(foreign)).message('closed')).toMatchObject({
    code: 'connect_denied',
    retry: false,
  });
  // The priority orders the accounts in lists; it never limits them.
  const client = await connect(lower);
  await client.message('open');
  client.type('exit\r');
  await client.message('closed');
});

it('rejects an asset of another organization exactly like a missing one', async () => {
  const stranger = await signedIn({ memberOf: [{ organization: there, role: 'Admin' }] }, there);
  const closed = async (request: { asset: string; system_user: string }) =>
    (await TerminalClient.connect(base(), request, stranger.headers)).message('closed');
  const real = await closed({ asset, system_user: systemUser });
  expect(await closed({ asset: crypto.randomUUID(), system_user: crypto.randomUUID() })).toEqual(
    real,
  );
  expect(JSON.stringify(real)).not.toContain(asset);
});
