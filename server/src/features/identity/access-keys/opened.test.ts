import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildPermission,
  buildSystemUser,
  buildUser,
} from '../../../testing/builders.ts';
import type { Client } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let sshd: SshTarget;
let admin: Client;
let user: BuiltUser;
let asset: string;
let account: string;
beforeAll(async () => {
  test = await startTestProgram();
  sshd = await startSshServer();
  admin = await bearer(test);
  user = await buildUser(test.db);
  asset = await buildAsset(test.db, { port: sshd.port });
  account = await buildSystemUser(test.db);
  const sealed = test.program.vault.seal(sshd.privateKey, `system_account.private_key.${account}`);
  await sql`
    update system_account
    set login_mode = 'auto', username = ${sshd.username}, private_key = ${sealed}
    where id = ${account}`.execute(test.db);
  await buildPermission(test.db, { users: [user.id], assets: [asset], systemUsers: [account] });
});
afterAll(async () => {
  await test.stop();
  await sshd.stop();
});

interface Key {
  readonly id: string;
  readonly secret: string;
}

/** Opens a terminal with a signed request. */
async function openWith({ id, secret }: Key): Promise<TerminalClient> {
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', secret)
    .update(`(request-target): get /ws/terminal/\ndate: ${date}`)
    .digest('base64');
  const authorization = `Signature keyId="${id}",algorithm="hmac-sha256",headers="(request-target) date",signature="${signature}"`;
  const client = await TerminalClient.connect(
    test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset, system_user: account },
    { date, authorization },
  );
  await client.message('open');
  return client;
}

it.each<[string, (key: Key, own: Client) => Promise<unknown>]>([
  [
    'revoked by an administrator',
    (key) => admin.delete(`users/users/${user.id}/access-keys/${key.id}/`),
  ],
  ['deleted by its owner', (key, own) => own.delete(`authentication/access-keys/${key.id}/`)],
  [
    'switched off',
    (key, own) => own.patch(`authentication/access-keys/${key.id}/`, { is_active: false }),
  ],
  [
    'ended by its date',
    (key, own) =>
      own.patch(`authentication/access-keys/${key.id}/`, {
        date_expired: '2020-01-01 00:00:00 +0000',
      }),
  ],
])('ends the terminal of a key that is %s', async (_how, end) => {
  const own = await bearer(test, user);
  const key = (await own.post<Key>('authentication/access-keys/', { password: user.password }))
    .body;
  const other = await openWith(
    (await own.post<Key>('authentication/access-keys/', { password: user.password })).body,
  );
  const terminal = await openWith(key);
  await end(key, own);
  await until(() => terminal.closeCode !== undefined, 'the terminal of the key ended');
  expect(other.closeCode).toBeUndefined();
  await other.close();
});
