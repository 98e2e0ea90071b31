import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import { requirePeers } from '../../testing/peers.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../testing/ssh/open-ssh-world.ts';
import { startSshd, type TestSshd } from '../../testing/ssh/sshd.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

let world: OpenSshWorld;
/** Brings a second account of this machine. */
let other: TestSshd;
let source: string;
let sudoers: string;
beforeAll(async () => {
  requirePeers('sudo');
  [world, other] = await Promise.all([startOpenSshWorld(), startSshd()]);
  const { sshd, administrator } = world;
  sudoers = `/etc/sudoers.d/sallyport-${sshd.username}`;
  await writeFile(sudoers, `${sshd.username} ALL=(ALL) ALL\n`, { mode: 0o440 });
  const { body } = await administrator.post<{ id: string }>('assets/system-users/', {
    name: unique('source'),
    protocol: 'ssh',
    username: sshd.username,
    password: sshd.password,
    private_key: sshd.privateKey,
    auto_push: false,
  });
  source = body.id;
});
afterAll(async () => {
  await rm(sudoers, { force: true });
  await Promise.all([world.stop(), other.stop()]);
});

/** Connects to an account of the target that is reached from the first one. */
async function connect(method: string, username: string, password: string) {
  const { administrator, asset, member, organization, test } = world;
  const account = await administrator.post<{ id: string }>('assets/system-users/', {
    name: unique('account'),
    protocol: 'ssh',
    username,
    password,
    su_from: source,
    su_method: method,
    auto_push: false,
  });
  expect(account.status, account.text).toBe(201);
  await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [account.body.id],
  });
  const web = (await bearer(test, member)).inOrganization(organization);
  return TerminalClient.connect(
    test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset, system_user: account.body.id },
    web.headers,
  );
}

it.each(['su', 'sudo'])('switches on a real server with %s', async (method) => {
  const client = await connect(
    method,
    other.username,
    method === 'su' ? (other.password ?? '') : '',
  );
  await client.message('open');
  client.type('echo I am $(id -un)\r');
  await client.waitFor(`I am ${other.username}`);
  // The shell of the first account is not behind it.
  client.type('exit\r');
  await client.message('closed');
  expect(client.output).not.toContain(String(other.password));
});

it('refuses a password that su of a real server rejects', async () => {
  const client = await connect('su', other.username, 'not the password');
  expect(await client.message('closed')).toMatchObject({ code: 'connect_switch_failed' });
});
