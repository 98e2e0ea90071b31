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
let live: TerminalClient;
let session: string;
beforeAll(async () => {
  [test, sshd] = await Promise.all([startTestProgram(), startSshServer()]);
  here = await buildOrganization(test.db);
  const member = await buildUser(test.db, { memberOf: [{ organization: here, role: 'User' }] });
  const administrator = (await bearer(test)).inOrganization(here);
  const asset = await buildAsset(test.db, { organization: here, port: sshd.port });
  const account = {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  const systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  });
  live = await TerminalClient.connect(
    base(),
    { asset, system_user: systemUser },
    (await bearer(test, member)).inOrganization(here).headers,
  );
  session = (await live.message('open')).session;
});
afterAll(async () => {
  await live.close();
  await test.stop();
  await sshd.stop();
});

const base = () => test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');

interface Auditor {
  readonly user: BuiltUser;
  readonly client: Client;
}

const LOSSES: Readonly<Record<string, (auditor: Auditor) => Promise<unknown>>> = {
  'signing out': ({ client }) => client.post('/core/auth/logout/', {}),
  'losing the role': ({ user }) =>
    sql`update organization_member set role = 'User' where user_id = ${user.id}`.execute(test.db),
  'leaving the organization': ({ user }) =>
    sql`delete from organization_member where user_id = ${user.id}`.execute(test.db),
  'being disabled': ({ user }) =>
    sql`update account set is_active = false where id = ${user.id}`.execute(test.db),
  expiring: ({ user }) =>
    sql`update account set date_expired = now() - interval '1 second' where id = ${user.id}`.execute(
      test.db,
    ),
  'a password that an administrator sets': async ({ user }) =>
    (await bearer(test)).put(`users/users/${user.id}/password/`, {
      password: 'Another-1-password',
    }),
  'being deleted': ({ user }) => sql`delete from account where id = ${user.id}`.execute(test.db),
};

it.each(Object.entries(LOSSES))('ends watching after %s', async (_name, lose) => {
  const user = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Auditor' }] });
  const client = (await bearer(test, user)).inOrganization(here);
  const watcher = new TerminalClient(`${base()}/ws/watch/?session=${session}`, client.headers);
  await watcher.message('resize');
  await lose({ user, client });
  const { code } = await watcher.message('closed');
  expect(['session_signed_out', 'session_watch_ended']).toContain(code);
  expect(
    (await (await bearer(test)).inOrganization(here).get<Json>(`terminal/sessions/${session}/`))
      .body.is_finished,
  ).toBe(false);
});
