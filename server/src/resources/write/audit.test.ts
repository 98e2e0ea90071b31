import type { ChangeInWords } from '@sallyport/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const entries = async (resource: string) =>
  (await admin.get<Json[]>(`audits/operate-logs/?search=${resource}&order=datetime`)).body;

describe('the operate log', () => {
  it('logs author, action and fields before and after', async () => {
    const name = unique('audited');
    const { body } = await admin.post('assets/labels/', { name, value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: 'c' });
    await admin.delete(`assets/labels/${body.id}/`);
    const log = await entries(name);
    expect(
      log.map((entry) => [entry.action, entry.resource_type, entry.user, entry.remote_addr]),
    ).toEqual(
      ['create', 'update', 'delete'].map((action) => [
        action,
        'Label',
        'Administrator(admin)',
        '127.0.0.1',
      ]),
    );
    expect(log[0]?.changes).toMatchObject({ name: [null, name], value: [null, 'b'] });
    expect(log[1]?.changes).toEqual({ value: ['b', 'c'] });
    expect(log[2]?.changes).toMatchObject({ name: [name, null], value: ['c', null] });
  });

  it("shows changes in the reader's language and time zone, with names of linked and deleted objects", async () => {
    const [group, person, hostname] = [unique('group'), unique('person'), unique('host')];
    const { body: user } = await admin.post('users/users/', {
      name: person,
      username: person,
      email: `${person}@example.com`,
    });
    const { body: asset } = await admin.post('assets/assets/', {
      hostname,
      ip: '10.0.0.1',
      platform: 'Linux',
      protocols: ['ssh/22'],
    });
    const { body: account } = await admin.post('assets/system-users/', {
      name: unique('account'),
      username: 'deploy',
      login_mode: 'manual',
    });
    const { body: rule } = await admin.post('perms/asset-permissions/', {
      name: group,
      system_users: [account.id],
    });
    const changed = await admin.patch(`perms/asset-permissions/${rule.id}/`, {
      users: [user.id],
      assets: [asset.id],
      is_active: false,
      actions: ['connect'],
      date_expired: '2030-01-01 00:00:00 +0000',
    });
    expect(changed.status, changed.text).toBe(200);
    await admin.delete(`assets/assets/${asset.id}/`);
    const reader = admin.with({ 'accept-language': 'zh', 'x-tz': 'Asia/Shanghai' });
    const { body } = await reader.get<Json[]>(
      `audits/operate-logs/?resource_id=${rule.id}&action=update`,
    );
    expect(body[0]?.resource_type).toBe('资产授权');
    const texts = Object.fromEntries(
      ((body[0]?.changes_display ?? []) as ChangeInWords[]).map(({ field, ...words }) => [
        field,
        words,
      ]),
    );
    expect(texts).toMatchObject({
      users: {
        label: '用户',
        before: '',
        after: person,
        before_objects: [],
        after_objects: [{ name: person, resource: 'user', id: user.id }],
      },
      // A deleted object keeps its name, without a link.
      assets: {
        label: '资产',
        before: '',
        after: hostname,
        after_objects: [{ name: hostname, resource: 'asset', id: null }],
      },
      is_active: { label: '激活中', before: '是', after: '否', after_objects: [] },
      actions: { before: expect.stringContaining('全部'), after: '连接' },
      date_expired: { label: '失效日期', after: '2030-01-01 08:00:00 +0800' },
    });
    const file = await reader.get(
      `audits/operate-logs/?resource_id=${rule.id}&action=update&format=csv`,
    );
    expect(file.text).toContain('激活中: 是 → 否');
    expect(file.text).toContain(`资产: - → ${hostname}`);
  });

  it('finds entries by the kind of object: by name, and by title in both languages', async () => {
    const name = unique('kind');
    await admin.post('assets/labels/', { name, value: 'b' });
    for (const kind of ['label', 'Label', '标签']) {
      const { body } = await admin.get<Json[]>(
        `audits/operate-logs/?search=${name}&resource_type=${encodeURIComponent(kind)}`,
      );
      expect(body, kind).toHaveLength(1);
    }
    for (const kind of ['asset', 'nothing'])
      expect(
        (await admin.get<Json[]>(`audits/operate-logs/?search=${name}&resource_type=${kind}`)).body,
      ).toEqual([]);
  });

  it("logs the real changes of the caller's profile", async () => {
    const person = await buildUser(test.db);
    const own = await bearer(test, person);
    await own.patch('users/profile/', { phone: '1' });
    await own.patch('users/profile/', { phone: '2', wechat: '' });
    await own.patch('users/profile/', { phone: '2' });
    const { body } = await admin.get<Json[]>(`audits/operate-logs/?resource_id=${person.id}`);
    expect(body.map(({ changes }) => changes)).toEqual([
      { phone: ['1', '2'] },
      { phone: [expect.toSatisfy((before) => !before), '1'] },
    ]);
  });

  it('logs nothing for a change without effect or a rejected change', async () => {
    const name = unique('audited');
    const { body } = await admin.post('assets/labels/', { name, value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: '' });
    expect(await entries(name)).toHaveLength(1);
  });

  it('rejects writing, changing and deleting entries through the API', async () => {
    const { body } = await admin.get<{ results: Json[] }>('audits/operate-logs/?limit=1');
    const id = body.results[0]?.id;
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `${id}/`],
      ['PATCH', `${id}/`],
      ['DELETE', `${id}/`],
    ] as const)
      expect((await admin.request(method, `audits/operate-logs/${path}`, {})).status).toBe(405);
  });
});

describe('when the entry cannot be written', () => {
  afterEach(() => sql`drop trigger if exists broken on operate_log`.execute(test.db));

  it.each(['create', 'update', 'delete', 'comma delete', 'move a node', 'set a password'])(
    'rolls back the change: %s',
    async (what) => {
      const { body: label } = await admin.post('assets/labels/', {
        name: unique('label'),
        value: 'b',
      });
      const { body: other } = await admin.post('assets/labels/', {
        name: unique('label'),
        value: 'b',
      });
      const { body: node } = await admin.post('assets/nodes/children/', {});
      const { body: target } = await admin.post('assets/nodes/children/', {});
      const { body: user } = await admin.post('users/users/', {
        name: 'x',
        username: unique('u'),
        email: `${unique('u')}@example.com`,
      });
      const state = async () =>
        JSON.stringify([
          (await sql`select to_jsonb(l) from label l order by id`.execute(test.db)).rows,
          (await sql`select to_jsonb(n) from node n order by id`.execute(test.db)).rows,
          (await sql`select password from account where id = ${user.id}`.execute(test.db)).rows,
        ]);
      await sql`create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`.execute(
        test.db,
      );
      await sql`create trigger broken before insert on operate_log for each row execute function refuse()`.execute(
        test.db,
      );
      const before = await state();
      const { status } = await {
        create: () => admin.post('assets/labels/', { name: unique('label'), value: 'x' }),
        update: () => admin.patch(`assets/labels/${label.id}/`, { value: 'x' }),
        delete: () => admin.delete(`assets/labels/${label.id}/`),
        'comma delete': () => admin.delete(`assets/labels/${label.id},${other.id}/`),
        'move a node': () =>
          admin.put(`assets/nodes/${target.id}/children/add/`, { nodes: [node.id] }),
        'set a password': () =>
          admin.put(`users/users/${user.id}/password/`, { password: 'another password' }),
      }[what as 'create']();
      expect([status, await state()]).toEqual([500, before]);
    },
  );
});
