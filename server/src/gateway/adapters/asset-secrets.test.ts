import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAssetAccounts, type NewAssetSecret } from '../../features/assets/accounts.ts';
import { writeOperateLog } from '../../features/audits/index.ts';
import { systemCaller } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let member: Client;
beforeAll(async () => {
  world = await startSshWorld();
  await writeFile(join(world.sshd.home, 'notes.txt'), 'notes');
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());

const accounts = () =>
  createAssetAccounts({
    db: world.test.db,
    vault: world.test.program.vault,
    audit: writeOperateLog,
  });
const by = systemCaller('System');
const store = (secret: Omit<NewAssetSecret, 'origin'>) =>
  world.test.db.transaction((tx) => accounts().add({ origin: 'user', ...secret }, by, tx));
const good = () => ({ username: world.sshd.username, password: world.sshd.password ?? '' });

/** Builds an asset at the target, with a system user that the member may use. */
async function granted(account: Json): Promise<{
  readonly asset: string;
  readonly hostname: string;
  readonly systemUser: string;
  readonly name: string;
}> {
  const { administrator, test, organization, sshd } = world;
  const [hostname, name] = [unique('target'), unique('account')];
  const asset = await buildAsset(test.db, { organization, hostname, port: sshd.port });
  const created = await administrator.post('assets/system-users/', {
    name,
    login_mode: 'auto',
    protocol: 'ssh',
    sftp_root: sshd.home,
    ...account,
  });
  expect(created.status, created.text).toBe(201);
  const systemUser = String(created.body.id);
  const rule = {
    name: unique('rule'),
    users: [world.member.id],
    assets: [asset],
    system_users: [systemUser],
  };
  expect((await administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  return { asset, hostname, systemUser, name };
}
const run = (
  { name, hostname }: { readonly name: string; readonly hostname: string },
  { username, password } = world.member,
) => world.ssh.run({ login: `${username}@${name}@${hostname}`, password, command: 'echo $USER' });
const listed = async ({
  asset,
  systemUser,
}: {
  readonly asset: string;
  readonly systemUser: string;
}) =>
  (await member.get(`files/${asset}/${systemUser}/entries/?path=${encodeURIComponent('/')}`)).text;

it('prefers the secret of the asset over that of the system user, for commands and files, on this asset only', async () => {
  const account = { username: world.sshd.username, password: 'not the password of the asset' };
  const [own, other] = [await granted(account), await granted(account)];
  expect((await run(own)).code).not.toBe(0);
  await store({ assetId: own.asset, ...good() });
  expect((await run(own)).stdout.toString()).toBe(`${world.sshd.username}\n`);
  expect(await listed(own)).toContain('entries');
  expect((await run(other)).code).not.toBe(0);
});

it('uses the latest version of a secret, and restores an earlier version', async () => {
  const target = await granted({
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  const first = await store({ assetId: target.asset, ...good() });
  await store({
    assetId: target.asset,
    username: world.sshd.username,
    password: 'changed by mistake',
  });
  expect((await run(target)).code).not.toBe(0);
  await world.test.db.transaction((tx) => accounts().restore(first, 'user', by, tx));
  expect((await run(target)).code).toBe(0);
  const versions = await accounts().versions(target.asset, world.sshd.username);
  expect(versions.map(({ version, isLatest }) => [version, isLatest])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ]);
  const stored = JSON.stringify(
    (await sql`select * from asset_user where asset_id = ${target.asset}`.execute(world.test.db))
      .rows,
  );
  const logged = JSON.stringify(
    (await sql`select * from operate_log where resource_type = 'asset_user'`.execute(world.test.db))
      .rows,
  );
  for (const text of [stored, logged])
    for (const secret of [world.sshd.password ?? '', 'changed by mistake'])
      expect(text).not.toContain(secret);
  expect(logged).toContain(`${world.sshd.username}@${target.hostname}`);
});

it("keeps the system user's key when a password is stored, and its password when a key is stored", async () => {
  const withKey = await granted({
    username: world.sshd.username,
    private_key: world.sshd.privateKey,
  });
  await store({
    assetId: withKey.asset,
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  expect((await run(withKey)).code).toBe(0);
  const withPassword = await granted({
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  await store({
    assetId: withPassword.asset,
    username: world.sshd.username,
    privateKey: world.sshd.privateKey,
  });
  expect((await run(withPassword)).code).toBe(0);
});

it('uses a stored secret for its own username only, including system users that take the name of the user', async () => {
  const other = await granted({
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  await store({ assetId: other.asset, ...good(), username: 'somebody-else' });
  expect((await run(other)).code).not.toBe(0);

  const namesake = await buildUser(world.test.db, {
    username: world.sshd.username,
    memberOf: [{ organization: world.organization, role: 'User' }],
  });
  const dynamic = await granted({
    username_same_with_user: true,
    password: 'not the password of the asset',
  });
  const rule = {
    name: unique('rule'),
    users: [namesake.id],
    assets: [dynamic.asset],
    system_users: [dynamic.systemUser],
  };
  expect((await world.administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  expect((await run(dynamic, namesake)).code).not.toBe(0);
  await store({ assetId: dynamic.asset, ...good() });
  expect((await run(dynamic, namesake)).code).toBe(0);
  // The other user of this system user has a different username.
  expect((await run(dynamic)).code).not.toBe(0);
});

it('rejects the secret of an admin user or another system user with the same username', async () => {
  const target = await granted({
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  const admin = await world.administrator.post('assets/admin-users/', {
    name: unique('admin'),
    ...good(),
  });
  expect(
    (
      await world.administrator.patch(`assets/assets/${target.asset}/`, {
        admin_user: admin.body.id,
      })
    ).status,
  ).toBe(200);
  expect((await run(target)).code).not.toBe(0);
  // Without a preferred identity, `best` returns the admin user.
  expect(await accounts().best(target.asset, world.sshd.username)).toMatchObject({
    table: 'admin_user',
    id: admin.body.id,
  });
});

it('prefers the secret of the asset over that of the admin user in background jobs, and deletes it with the asset', async () => {
  const target = await granted({ username: world.sshd.username, password: 'x' });
  const wrong = {
    name: unique('admin'),
    username: world.sshd.username,
    password: 'not the password of the asset',
  };
  const admin = (await world.administrator.post('assets/admin-users/', wrong)).body.id;
  await world.administrator.patch(`assets/assets/${target.asset}/`, { admin_user: admin });
  const tested = async () => {
    const { body } = await world.administrator.post(`assets/assets/${target.asset}/tasks/`, {
      action: 'test',
    });
    const state = async () =>
      (await world.administrator.get(`common/jobs/${body.task}/`)).body.state;
    await until(
      async () => !['queued', 'running'].includes(String(await state())),
      'the job has ended',
    );
    return (
      (await world.administrator.get(`assets/assets/${target.asset}/`)).body.connectivity as Json
    ).status;
  };
  expect(await tested()).toBe(0);
  await store({ assetId: target.asset, ...good() });
  expect(await tested()).toBe(1);
  expect((await world.administrator.delete(`assets/assets/${target.asset}/`)).status).toBe(204);
  expect(await accounts().versions(target.asset, world.sshd.username)).toEqual([]);
});

it('tests the accounts of a query, each with its own secret, and shows the results in the list', async () => {
  const target = await granted({
    username: world.sshd.username,
    password: 'not the password of the asset',
  });
  const { administrator } = world;
  const test = async (query: string) => {
    const started = await administrator.post(`assets/asset-users/tasks/?${query}`, {
      action: 'test',
    });
    expect(started.status, started.text).toBe(201);
    const job = async () => (await administrator.get(`common/jobs/${started.body.task}/`)).body;
    await until(
      async () => !['queued', 'running'].includes(String((await job()).state)),
      'the job has ended',
    );
    const { lines } = (await administrator.get(`common/jobs/${started.body.task}/log/`)).body as {
      lines: readonly { readonly text: string }[];
    };
    return lines.map(({ text }) => text);
  };
  const rows = async () =>
    (
      await administrator.get<(Json & { connectivity: Json })[]>(
        `assets/asset-users/?asset_id=${target.asset}`,
      )
    ).body;
  expect(await rows()).toMatchObject([{ backend: 'system_user', connectivity: { status: 2 } }]);
  expect((await test(`asset_id=${target.asset}`))[0]).toContain(
    `${world.sshd.username}@${target.hostname}: `,
  );
  expect(await rows()).toMatchObject([
    {
      connectivity: {
        status: 0,
        reason: expect.stringContaining('did not accept the credentials'),
      },
    },
  ]);
  const created = await administrator.post('assets/asset-users/', {
    asset: target.asset,
    username: world.sshd.username,
    password: 'wrong as well',
  });
  await administrator.post('assets/asset-users/', { asset: target.asset, ...good() });
  expect((await test(`id=${created.body.id}`)).at(-1)).toBe('0 succeeded, 1 failed, 0 skipped.');
  // Testing an old version does not change the state of the account.
  expect((await test(`asset_id=${target.asset}&latest=1`)).at(-1)).toBe(
    '1 succeeded, 0 failed, 0 skipped.',
  );
  expect((await rows())[0]).toMatchObject({
    backend: 'db',
    version: 2,
    connectivity: { status: 1 },
  });
  expect(
    (await administrator.post('assets/asset-users/tasks/?prefer=nothing', { action: 'test' }))
      .status,
  ).toBe(400);
  expect((await administrator.post('assets/asset-users/tasks/', { action: 'format' })).status).toBe(
    400,
  );
  expect((await member.post('assets/asset-users/tasks/', { action: 'test' })).status).toBe(403);
});
