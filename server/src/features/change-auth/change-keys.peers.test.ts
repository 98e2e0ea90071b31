import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { publicKeyLine } from '../../platform/ssh-keys.ts';
import { buildAsset, buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PLANS = 'xpack/change-auth-plan/plan/';
const EXECUTIONS = 'xpack/change-auth-plan/plan-execution/';
const SUBTASKS = 'xpack/change-auth-plan/plan-execution-subtask/';
/** A key of the account that was installed on the server by hand. */
const OTHER = generateSshKeyPair('somebody else');

let test: TestProgram;
let host: PrivateHost;
let administrator: Client;
let asset: string;
beforeAll(async () => {
  [test, host] = await Promise.all([startTestProgram(), startPrivateHost()]);
  const organization = await buildOrganization(test.db);
  administrator = (await bearer(test)).inOrganization(organization);
  const admin = await administrator.post('assets/admin-users/', {
    name: unique('admin'),
    username: 'admin',
    password: host.passwords.admin,
  });
  asset = await buildAsset(test.db, { organization, port: host.port });
  await administrator.patch(`assets/assets/${asset}/`, { admin_user: admin.body.id });
  await administrator.post('assets/asset-users/', {
    asset,
    username: 'plain',
    password: host.passwords.plain,
    private_key: host.privateKey,
  });
  await host.inside(`printf '%s\\n' '${OTHER.public.trim()}' >>/home/plain/.ssh/authorized_keys`);
});
afterAll(() => Promise.all([test?.stop(), host?.stop()]));

const list = async (path: string) => (await administrator.get<Json[]>(path)).body;
/** Returns true if the sshd accepts a secret of the account. */
const accepts = (secret: { readonly password: string } | { readonly privateKey: string }) =>
  new Promise<boolean>((done) => {
    const client = new ssh2.Client();
    client.once('ready', () => {
      client.end();
      done(true);
    });
    client.once('error', () => done(false));
    client.connect({ host: host.host, port: host.port, username: 'plain', ...secret });
  });
const keysAtHost = () => host.inside('cat /home/plain/.ssh/authorized_keys');
/** Stored secrets of the account, latest first. */
async function stored(): Promise<{ password: string | null; key: string | null }[]> {
  const { rows } = await sql<{ id: string; password: string | null; private_key: string | null }>`
    select id, password, private_key from asset_user
    where asset_id = ${asset} and username = 'plain' order by version desc`.execute(test.db);
  const open = (id: string, column: string, sealed: string | null) =>
    sealed && test.program.vault.open(sealed, `asset_user.${column}.${id}`);
  return rows.map(({ id, password, private_key: key }) => ({
    password: open(id, 'password', password),
    key: open(id, 'private_key', key),
  }));
}
const planOf = async (body: Json): Promise<string> => {
  const created = await administrator.post(PLANS, {
    name: unique('plan'),
    username: 'plain',
    assets: [asset],
    password_strategy: 'keep',
    ...body,
  });
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
};
const start = async (plan: string) =>
  String((await administrator.post(EXECUTIONS, { plan })).body.task);
const subtaskOf = async (execution: string) =>
  (await list(`${SUBTASKS}?plan_execution_id=${execution}`))[0] ?? {};
const over = (id: string) =>
  until(
    async () =>
      !['queued', 'running'].includes(
        String((await administrator.get(`common/jobs/${id}/`)).body.state),
      ),
    'the run is over',
  );
async function runPlan(plan: string): Promise<Json> {
  const id = await start(plan);
  await over(id);
  return subtaskOf(id);
}
const pending = async () =>
  (await sql`select 1 from change_auth_subtask where pending is not null`.execute(test.db)).rows
    .length;

it('replaces the key after a sign-in with the new one, and keeps the password and foreign keys', async () => {
  const plan = await planOf({ key_strategy: 'random_all' });
  expect(await runPlan(plan)).toMatchObject({ is_success: true, step: 'finished', reason: '' });
  const [latest, before] = await stored();
  expect([latest?.password, before?.key]).toEqual([host.passwords.plain, host.privateKey]);
  const key = latest?.key ?? '';
  expect(publicKeyLine(key, undefined, '')).toMatch(/^ssh-ed25519 /);
  expect([
    await accepts({ privateKey: key }),
    await accepts({ privateKey: host.privateKey }),
  ]).toEqual([true, false]);
  expect([
    await accepts({ password: host.passwords.plain }),
    await accepts({ privateKey: OTHER.private }),
  ]).toEqual([true, true]);
  expect([(await keysAtHost()).trim().split('\n').length, await pending()]).toEqual([2, 0]);
  const [execution] = await list(`${EXECUTIONS}?plan_id=${plan}`);
  expect(execution).toMatchObject({
    password_strategy: 'keep',
    key_strategy: 'random_all',
    result_summary: { succeed: 1, failed: 0, total: 1 },
  });
  expect((await administrator.get(`common/jobs/${execution?.id}/log/`)).text).not.toContain(
    'PRIVATE',
  );
});

it('sets a custom key, a shared key, and both secrets in one run', async () => {
  const own = generateSshKeyPair('own').private;
  const custom = await planOf({ key_strategy: 'custom', private_key: own });
  expect((await administrator.get(`${PLANS}${custom}/`)).text).not.toContain('PRIVATE');
  for (const time of ['first', 'again'])
    expect([time, await runPlan(custom)]).toMatchObject([time, { is_success: true, reason: '' }]);
  expect([await accepts({ privateKey: own }), (await stored())[0]?.key]).toEqual([true, own]);
  expect(
    await runPlan(await planOf({ password_strategy: 'random_all', key_strategy: 'random_one' })),
  ).toMatchObject({ is_success: true, reason: '' });
  const [latest] = await stored();
  expect([
    await accepts({ privateKey: latest?.key ?? '' }),
    await accepts({ password: latest?.password ?? '' }),
  ]).toEqual([true, true]);
  expect([
    await accepts({ privateKey: own }),
    await accepts({ password: host.passwords.plain }),
  ]).toEqual([false, false]);
});

it('sets an RSA key on a platform with old SSH', async () => {
  const platform = unique('old');
  expect(
    (
      await administrator.post('assets/platforms/', {
        name: platform,
        base: 'Linux',
        old_ssh: true,
      })
    ).status,
  ).toBe(201);
  expect((await administrator.patch(`assets/assets/${asset}/`, { platform })).status).toBe(200);
  expect(await runPlan(await planOf({ key_strategy: 'random_all' }))).toMatchObject({
    is_success: true,
    reason: '',
  });
  const key = (await stored())[0]?.key ?? '';
  expect([
    publicKeyLine(key, undefined, '')?.split(' ')[0],
    await accepts({ privateKey: key }),
  ]).toEqual(['ssh-rsa', true]);
  await administrator.patch(`assets/assets/${asset}/`, { platform: 'Linux' });
});

it('removes a key that the server rejects or whose connection ends before the verifying sign-in', async () => {
  const [before, keys] = [await stored(), await keysAtHost()];
  // The sshd ignores keys in a folder that others may write.
  await host.inside('chmod 777 /home/plain');
  expect(await runPlan(await planOf({ key_strategy: 'random_all' }))).toMatchObject({
    is_success: false,
    needs_attention: false,
    can_retry: true,
    reason: expect.stringContaining('The new key was removed'),
  });
  await host.inside('chmod 755 /home/plain');
  expect([await keysAtHost(), await stored(), await pending()]).toEqual([keys, before, 0]);

  await host.inside('echo "sleep 60" >/home/plain/.ssh/rc; chown plain /home/plain/.ssh/rc');
  const id = await start(await planOf({ key_strategy: 'random_all' }));
  await until(
    async () => (await subtaskOf(id)).step === 'verify',
    'the new key is there and not proved',
  );
  await until(async () => (await keysAtHost()) !== keys, 'the server has the new key');
  await administrator.post(`common/jobs/${id}/cancel/`, {});
  await until(async () => (await keysAtHost()) === keys, 'the new key is gone');
  await until(
    async () => (await administrator.get(`${EXECUTIONS}${id}/`)).body.is_finished === true,
    'the run is over',
  );
  await host.inside('rm /home/plain/.ssh/rc');
  await over(id);
  await until(async () => {
    await runHousekeeping(test, 'settle-change-auth');
    return (await pending()) === 0;
  }, 'it is known which key is in force');
  expect(await subtaskOf(id)).toMatchObject({
    is_success: false,
    needs_attention: false,
    reason: expect.stringContaining('The old key is still valid'),
  });
  expect([await stored(), await accepts({ privateKey: before[0]?.key ?? '' })]).toEqual([
    before,
    true,
  ]);
});

it('rejects invalid plans with their field', async () => {
  const refused = async (body: Json) => {
    const answer = await administrator.post(PLANS, {
      name: unique('plan'),
      username: 'plain',
      assets: [asset],
      password_strategy: 'keep',
      ...body,
    });
    return [answer.status, Object.keys(answer.body)];
  };
  expect(await refused({})).toEqual([400, ['password_strategy']]);
  expect(await refused({ key_strategy: 'custom' })).toEqual([400, ['private_key']]);
  expect(await refused({ key_strategy: 'custom', private_key: 'no key' })).toEqual([
    400,
    ['private_key'],
  ]);
  expect(await refused({ key_strategy: 'custom', private_key: OTHER.public })).toEqual([
    400,
    ['private_key'],
  ]);
  expect(await refused({ key_strategy: 'other' })).toEqual([400, ['key_strategy']]);
});
