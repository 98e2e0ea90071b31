import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Answer, Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, proposed, send } from './testing/scene.ts';

const REPLAYS = 'terminal/replay-storages/';
const COMMANDS = 'terminal/command-storages/';
const RECEIVERS = 'audits/event-receivers/';
const TOKENS = 'settings/scim/tokens/';

let test: TestProgram;
let first: Client;
let second: Client;
let organization: string;
let receiver: string;
let server: string;
beforeAll(async () => {
  test = await startTestProgram();
  first = await bearer(test);
  second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
  organization = await buildOrganization(test.db);
  const created = await first.post<Json>(RECEIVERS, newReceiver());
  expect(created.status, created.text).toBe(201);
  receiver = String(created.body.id);
  server = String((await first.get<Json[]>('terminal/terminals/')).body[0]?.id);
  const on = await first.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
});
afterAll(() => test.stop());

const newReceiver = () => ({ name: unique('receiver'), type: 'syslog', host: '192.0.2.20' });
const newStorage = () => ({
  ...{ name: unique('bucket'), type: 's3', bucket: 'recordings', endpoint: 'https://192.0.2.21' },
  ...{ region: 'eu-1', access_key: 'key', secret_key: 'Kestrel-71-horizon' },
});
const newIndex = () => ({
  ...{ name: unique('index'), type: 'es', hosts: 'https://192.0.2.22', index: 'commands' },
});
const stored = async () => {
  const rows: unknown[] = [];
  for (const table of ['replay_storage', 'command_storage', 'event_receiver', 'scim_token'])
    rows.push((await sql`select * from ${sql.table(table)} order by id`.execute(test.db)).rows);
  const { rows: links } = await sql`select * from event_receiver_organizations`.execute(test.db);
  const { rows: servers } = await sql`select replay_storage, command_storage
    from terminal order by id`.execute(test.db);
  return [...rows, links, servers];
};

it('refuses storages, receivers, and other storages of a server, once the default organization controls', async () => {
  const before = await stored();
  const requests: readonly (() => Promise<Answer<Json>>)[] = [
    () => first.post(REPLAYS, newStorage()),
    () => first.post(COMMANDS, newIndex()),
    () => first.post(RECEIVERS, newReceiver()),
    () => first.patch(`${RECEIVERS}${receiver}/`, { host: '192.0.2.66' }),
    () => first.patch(`${RECEIVERS}${receiver}/`, { organizations: [organization] }),
    () => first.patch(RECEIVERS, [{ id: receiver, is_active: false }]),
    () => first.delete(`${RECEIVERS}${receiver}/`),
    () => first.patch(`terminal/terminals/${server}/`, { replay_storage: 'null' }),
    () => first.patch(`terminal/terminals/${server}/`, { command_storage: 'null' }),
  ];
  for (const [index, request] of requests.entries()) {
    const { status, body, text } = await request();
    expect([index, status, body.code], text).toEqual([index, 409, 'change_must_be_proposed']);
  }
  expect(await stored()).toEqual(before);
});

it('refuses what proves the targets of a platform, and changes it by a change set', async () => {
  const name = unique('platform');
  await sql`insert into platform (name) values (${name})`.execute(test.db);
  const platforms = 'assets/platforms/';
  const { id } = (await first.get<Json[]>(`${platforms}?name=${name}`)).body[0] ?? {};
  for (const change of [
    { old_ssh: true },
    { base: 'Windows' },
    { meta: { security: 'rdp' } },
    { charset: 'gbk' },
  ]) {
    const { status, body, text } = await first.patch<Json>(`${platforms}${id}/`, change);
    expect([status, body.code], text).toEqual([409, 'change_must_be_proposed']);
  }
  expect((await first.patch(`${platforms}${id}/`, { comment: 'Old routers.' })).status).toBe(200);
  const set = await proposed(first, [
    { resource: 'platform', action: 'change', object: String(id), body: { old_ssh: true } },
  ]);
  expect(set.changes[0]?.fields).toEqual({ old_ssh: [false, true] });
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  expect((await first.get<Json>(`${platforms}${id}/`)).body.old_ssh).toBe(true);
  expect((await first.post(platforms, { name: unique('new'), base: 'Linux' })).status).toBe(201);
});

it('makes no token of SCIM, says why in both languages, and still revokes one', async () => {
  const before = await stored();
  const wish = { name: unique('provider'), source: 'saml', date_expired: null };
  const refused = await first.post<Json>(TOKENS, wish);
  expect([refused.status, refused.body.code]).toEqual([409, 'scim_token_controlled']);
  const chinese = await first.with({ 'accept-language': 'zh' }).post<Json>(TOKENS, wish);
  expect(chinese.body.detail).toContain('变更控制');
  await expect(
    sql`insert into scim_token (name, digest, source, created_by, date_expired)
      values ('x', '\\x01', 'saml', 'x', now())`.execute(test.db),
  ).rejects.toMatchObject({ code: 'SP001' });
  expect(await stored()).toEqual(before);
});

it('changes them by change sets of the default organization', async () => {
  const storage = newStorage();
  const set = await proposed(first, [
    { resource: 'replay_storage', action: 'create', body: storage },
    {
      ...{ resource: 'event_receiver', action: 'change', object: receiver },
      body: { host: '192.0.2.66', organizations: [organization] },
    },
    {
      ...{ resource: 'terminal', action: 'change', object: server },
      body: { command_storage: 'null' },
    },
  ]);
  expect(JSON.stringify(set)).not.toContain(storage.secret_key);
  expect((await answer(first, set, 'approve')).status).toBe(403);
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  const changed = (await first.get<Json>(`${RECEIVERS}${receiver}/`)).body;
  expect([changed.host, changed.organizations]).toEqual(['192.0.2.66', [organization]]);
  const storages = (await first.get<Json[]>(REPLAYS)).body;
  expect(storages.map(({ name }) => name)).toContain(storage.name);
});

it('takes no proposal of another organization, and lets an organization be deleted', async () => {
  const elsewhere = first.inOrganization(organization);
  const { status, body } = await send(elsewhere, [
    { resource: 'event_receiver', action: 'delete', object: receiver },
  ]);
  expect([status, body.code]).toEqual([409, 'change_set_settings']);
  const removed = await first.delete<Json>(`orgs/orgs/${organization}/`);
  expect(removed.status, removed.text).toBe(204);
});
