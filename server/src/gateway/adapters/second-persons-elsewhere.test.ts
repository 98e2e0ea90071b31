import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, it } from 'vitest';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const secretKey = randomBytes(32).toString('hex');
let one: TestProgram;
let other: TestProgram;
let sshd: SshTarget;
let organization: string;
let reviewer: BuiltUser;
let client: TerminalClient;
let session: string;

const base = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');
const at = async (server: TestProgram, user: BuiltUser) =>
  (await bearer(server, user)).inOrganization(organization);

beforeAll(async () => {
  [one, sshd] = await Promise.all([startTestProgram({ secretKey }), startSshServer()]);
  other = await startTestProgram({ secretKey, databaseUrl: one.databaseUrl });
  organization = await buildOrganization(one.db);
  const member = await buildUser(one.db, { memberOf: [{ organization, role: 'User' }] });
  reviewer = await buildUser(one.db, { memberOf: [{ organization, role: 'Auditor' }] });
  const administrator = (await bearer(one)).inOrganization(organization);
  const asset = await buildAsset(one.db, { organization, port: sshd.port });
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
    needs_watcher: true,
    approvers: [reviewer.id],
  });
  client = await TerminalClient.connect(
    base(one),
    { asset, system_user: systemUser },
    (await at(one, member)).headers,
  );
  ({ session } = await client.message('open'));
});
afterAll(async () => {
  await client.close();
  await other.stop();
  await one.stop();
  await sshd.stop();
});

async function watch(server: TestProgram, by: Client) {
  const watcher = new TerminalClient(`${base(server)}/ws/watch/?session=${session}`, by.headers);
  await watcher.message('resize');
  return watcher;
}

/** Waits for the latest state of the lock: whether input passes. */
const passes = (is: boolean) =>
  client.until(is ? 'input passes' : 'input waits', () => {
    const locks = client.messages.flatMap((message) =>
      message.type === 'locked' ? [message.message] : [],
    );
    return locks.length > 0 && (locks.at(-1) === null) === is ? true : undefined;
  });

it('passes input while the reviewer watches through another server, until the reviewer leaves', async () => {
  await passes(false);
  const watcher = await watch(other, await at(other, reviewer));
  await passes(true);
  client.type('echo fr"om" there\r');
  await watcher.waitFor('from there');
  watcher.socket.terminate();
  await passes(false);
});

it('stops input when the reviewer signs out at the other server', async () => {
  const by = await at(other, reviewer);
  await watch(other, by);
  await passes(true);
  await by.post('/core/auth/logout/', {});
  await passes(false);
});

it('stops input when the reviewer at the other server is silent', async () => {
  const watcher = await watch(other, await at(other, reviewer));
  await passes(true);
  watcher.socket.pause();
  await passes(false);
  watcher.socket.terminate();
});
