import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { callTool, connectAgent, createAgent } from '../../testing/agents.ts';
import { buildAsset, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let owner: Client;
beforeAll(async () => {
  world = await startSshWorld();
  owner = await bearer(world.test, world.member);
});
afterAll(() => world.stop());

const leash = (values: Json = {}) =>
  createAgent(owner, { hosts: 'wanted-*', password: world.member.password, ...values });

const ticketsOf = async () =>
  (
    await sql<{ id: string; title: string; body: string; user_id: string; status: string }>`
      select t.id, t.title, t.body, t.user_id, t.status from ticket t
      order by t.date_created desc`.execute(world.test.db)
  ).rows;

async function request(token: string, host: string, more: Json = {}): Promise<Json> {
  const client = await connectAgent(world.test, token);
  const reason = 'The disk of this host fills up';
  const account = world.accountName;
  const answer = await callTool(client, 'request_access', { host, account, reason, ...more });
  await client.close();
  return answer;
}

it('files a request of its owner in the words of the agent, and reaches the host once it is approved', async () => {
  const host = unique('wanted-host');
  const { organization } = world;
  const asset = await buildAsset(world.test.db, { organization, hostname: host });
  const { id, token } = await leash({ name: 'disk-check' });
  const client = await connectAgent(world.test, token);
  const listed = async () => (await callTool(client, 'list_hosts', {})).hosts as readonly Json[];
  expect(await listed()).toEqual([]);
  const answer = await request(token, host, { minutes: 30 });
  expect(answer).toMatchObject({ state: 'done', output: '' });
  expect(await callTool(client, 'ask', { call: answer.call })).toMatchObject({ state: 'done' });
  const [ticket] = await ticketsOf();
  expect(ticket).toMatchObject({ title: `disk-check: ${host}`, user_id: world.member.id });
  expect(ticket?.body).toContain('The disk of this host fills up');
  expect(ticket?.body).toMatch(/disk-check, Test client/);
  expect(ticket?.body).toMatch(/not of its owner|并非其所有者/);
  const { body: calls } = await owner.get<Json[]>(`agents/calls/?agent=${id}`);
  expect(calls).toMatchObject([{ tool: 'request_access', host, state: 'done' }]);
  // The request gives nothing before an administrator decides.
  expect(await callTool(client, 'run', { host, command: 'id' })).toMatchObject({
    state: 'refused',
  });
  const approved = await world.administrator.post(
    `tickets/request-asset-perm/${ticket?.id}/approve/`,
    { confirmed_assets: [asset], confirmed_system_user: [world.systemUser] },
  );
  expect(approved.status, approved.text).toBe(200);
  expect(await listed()).toMatchObject([{ host }]);
  await client.close();
});

it('files a repeated request once, a few requests only, and none outside of the leash', async () => {
  const { id, token } = await leash({ name: unique('many') });
  const before = (await ticketsOf()).length;
  const again = unique('wanted-again');
  const answers = await Promise.all([request(token, again), request(token, again)]);
  expect(answers[0]?.call).toBe(answers[1]?.call);
  expect(await request(token, 'elsewhere')).toMatchObject({ state: 'refused', call: '' });
  for (let count = 1; count < 5; count++)
    expect((await request(token, unique('wanted'))).state).toBe('done');
  expect((await ticketsOf()).length).toBe(before + 5);
  const client = await connectAgent(world.test, token);
  const args = { host: unique('wanted'), account: 'a', reason: 'more' };
  const refused = await client.callTool({ name: 'request_access', arguments: args });
  expect(refused.isError).toBe(true);
  for (const bad of [{ reason: '' }, { minutes: 10_000 }, { host: 'wanted-\u202E' }]) {
    const wrong = { ...args, ...bad };
    const answer = await client
      .callTool({ name: 'request_access', arguments: wrong })
      .catch(() => undefined);
    expect([bad, answer === undefined || answer.isError]).toEqual([bad, true]);
  }
  await client.close();
  expect((await ticketsOf()).length).toBe(before + 5);
  const { body } = await owner.get<Json>(`agents/agents/${id}/`);
  expect(body).toMatchObject({ used_commands: 5, used_bytes: 0 });
});

it('files no request for an account outside of the leash', async () => {
  const { token } = await leash({ name: unique('accounts'), accounts: 'deploy\nread-*' });
  const host = unique('wanted');
  for (const account of ['root', 'deploy2'])
    expect(await request(token, host, { account })).toMatchObject({ state: 'refused', call: '' });
  for (const account of ['deploy', 'read-logs'])
    expect((await request(token, host, { account })).state).toBe('done');
});

it('repeats a request that was not filed', async () => {
  const { token } = await leash({ name: unique('repeated') });
  const client = await connectAgent(world.test, token);
  const [host, organization] = [unique('wanted'), unique('later')];
  const args = { host, account: 'a', reason: 'more', organization };
  const ask = () => client.callTool({ name: 'request_access', arguments: args });
  expect((await ask()).isError).toBe(true);
  await sql`update organization set name = ${organization} where id = ${world.organization}`.execute(
    world.test.db,
  );
  expect(await callTool(client, 'request_access', args)).toMatchObject({ state: 'done' });
  await client.close();
});

it('masks a secret in the words of an agent', async () => {
  const { token } = await leash({ name: unique('masked') });
  const secret = `AKIA${'ABCD1234EFGH5678'}`;
  await request(token, unique('wanted'), { reason: `with ${secret}` });
  const [ticket] = await ticketsOf();
  expect(ticket?.body).not.toContain(secret);
});

it('files nothing in an organization that the owner does not belong to', async () => {
  const { token } = await leash({ name: unique('foreign') });
  const before = (await ticketsOf()).length;
  const client = await connectAgent(world.test, token);
  const host = unique('wanted');
  const args = { host, account: 'a', reason: 'more', organization: unique('none') };
  const refused = await client.callTool({ name: 'request_access', arguments: args });
  expect(refused.isError).toBe(true);
  await client.close();
  expect((await ticketsOf()).length).toBe(before);
});
