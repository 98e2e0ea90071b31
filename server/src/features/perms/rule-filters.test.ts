import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
const names = {
  user: '',
  group: unique('group'),
  node: unique('node'),
  host: unique('host'),
  account: unique('account'),
};
const rules = { direct: unique('rule'), inherited: unique('rule'), over: unique('rule') };
let nodeId: string;

const make = async (path: string, body: Json): Promise<string> => {
  const answer = await admin.post<{ id: string }>(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const person = await buildUser(test.db);
  names.user = person.username;
  const group = await make('users/groups/', { name: names.group, users: [person.id] });
  nodeId = await make('assets/nodes/children/', { value: names.node });
  const host = await make('assets/assets/', {
    hostname: names.host,
    ip: '10.77.0.1',
    platform: 'Linux',
    protocols: ['ssh/22'],
    nodes: [nodeId],
  });
  const account = await make('assets/system-users/', {
    name: names.account,
    username: 'deploy',
    login_mode: 'manual',
  });
  await make('perms/asset-permissions/', {
    name: rules.direct,
    users: [person.id],
    assets: [host],
    system_users: [account],
  });
  await make('perms/asset-permissions/', {
    name: rules.inherited,
    user_groups: [group],
    nodes: [nodeId],
    system_users: [account],
  });
  const [start, end] = ['2020-01-01 00:00:00 +0000', '2021-01-01 00:00:00 +0000'];
  await make('perms/asset-permissions/', {
    name: rules.over,
    users: [person.id],
    system_users: [account],
    date_start: start,
    date_expired: end,
  });
});
afterAll(() => test.stop());

const namesBy = async (query: string) => {
  const { body } = await admin.get<{ name: string }[]>(
    `perms/asset-permissions/?order=name&${query}`,
  );
  return body.map(({ name }) => name).sort();
};

describe('rules are found', () => {
  const { direct, inherited, over } = rules;
  const all = [direct, inherited, over].sort();

  it.each([
    ['a user, with inheritance from groups', () => `username=${names.user}`, all],
    ['a user, without inheritance', () => `username=${names.user}&all=0`, [direct, over]],
    ['a group', () => `user_group=${names.group}`, [inherited]],
    ['an asset, with inheritance from nodes', () => `hostname=${names.host}`, [direct, inherited]],
    ['an asset, without inheritance', () => `hostname=${names.host}&all=0`, [direct]],
    ['an address', () => 'ip=10.77.0.1&all=1', [direct, inherited]],
    ['a node by its name', () => `node=${names.node}`, [inherited]],
    ['a node by its id', () => `node_id=${nodeId}`, [inherited]],
    ['a system user', () => `system_user=${names.account}`, all],
    ['validity now', () => `system_user=${names.account}&is_valid=1`, [direct, inherited]],
    ['invalidity now', () => `system_user=${names.account}&is_valid=0`, [over]],
    ['several filters', () => `hostname=${names.host}&user_group=${names.group}`, [inherited]],
    ['an unknown user', () => 'username=nobody-at-all', []],
  ])('finds permissions by %s', async (_what, query, expected) => {
    expect(await namesBy(query())).toEqual([...expected].sort());
  });
});

it('filters assets by system user, with as many matches as the system user reports', async () => {
  const { body: accounts } = await admin.get<{ id: string; assets_amount: number }[]>(
    `assets/system-users/?name=${names.account}`,
  );
  const { body } = await admin.get<{ hostname: string }[]>(
    `assets/assets/?system_user_id=${accounts[0]?.id}`,
  );
  expect([body.map(({ hostname }) => hostname), accounts[0]?.assets_amount]).toEqual([
    [names.host],
    1,
  ]);
  for (const other of [crypto.randomUUID(), 'no id'])
    expect((await admin.get<Json[]>(`assets/assets/?system_user_id=${other}`)).body).toEqual([]);
});

it('filters assets by a label and its value', async () => {
  const { body } = await admin.get<{ id: string }[]>(`assets/assets/?hostname=${names.host}`);
  const [tag, value] = [unique('tag'), 'prod'];
  await make('assets/labels/', { name: tag, value, assets: [body[0]?.id] });
  for (const [label, count] of [
    [`${tag}:${value}`, 1],
    [`${tag}%23${value}`, 1],
    [`${tag}:test`, 0],
    [tag, 0],
  ] as const)
    expect((await admin.get<Json[]>(`assets/assets/?label=${label}`)).body, label).toHaveLength(
      count,
    );
});

it('counts the assets of a system user again after its permissions reach others', async () => {
  const account = await make('assets/system-users/', {
    name: unique('account'),
    username: 'deploy',
    login_mode: 'manual',
  });
  const { body } = await admin.get<{ id: string }[]>(`assets/assets/?hostname=${names.host}`);
  const amount = async () => {
    const path = `assets/system-users/?limit=15&id=${account}`;
    const page = await admin.get<{ results: { assets_amount: number }[] }>(path);
    return page.body.results[0]?.assets_amount;
  };
  expect(await amount()).toBe(0);
  const rule = await make('perms/asset-permissions/', {
    name: unique('rule'),
    assets: [body[0]?.id],
    system_users: [account],
  });
  expect(await amount()).toBe(1);
  expect((await admin.get<Json>(`assets/system-users/${account}/`)).body.assets_amount).toBe(1);
  expect((await admin.delete(`perms/asset-permissions/${rule}/`)).status).toBe(204);
  expect(await amount()).toBe(0);
});
