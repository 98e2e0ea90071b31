import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
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

const entries = async (resource: string) => (await admin.get<Json[]>(`audits/operate-logs/?search=${resource}&order=datetime`)).body;

describe('the operate log', () => {
  it('tells who created, changed and deleted what, with the fields before and after', async () => {
    const name = unique('audited');
    const { body } = await admin.post('assets/labels/', { name, value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: 'c' });
    await admin.delete(`assets/labels/${body.id}/`);
    const found = await entries(name);
    expect(found.map((entry) => [entry.action, entry.resource_type, entry.user, entry.remote_addr])).toEqual(
      ['create', 'update', 'delete'].map((action) => [action, 'Label', 'Administrator(admin)', '127.0.0.1']),
    );
    expect(found[0]?.changes).toMatchObject({ name: [null, name], value: [null, 'b'] });
    expect(found[1]?.changes).toEqual({ value: ['b', 'c'] });
  });

  it('has nothing for a change that changes nothing, or that is refused', async () => {
    const name = unique('audited');
    const { body } = await admin.post('assets/labels/', { name, value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: 'b' });
    await admin.patch(`assets/labels/${body.id}/`, { value: '' });
    expect(await entries(name)).toHaveLength(1);
  });

  it('cannot be written, changed or deleted through the API', async () => {
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

  it.each(['create', 'update', 'delete', 'comma delete', 'move a node', 'set a password'])('the change is taken back: %s', async (what) => {
    const { body: label } = await admin.post('assets/labels/', { name: unique('label'), value: 'b' });
    const { body: other } = await admin.post('assets/labels/', { name: unique('label'), value: 'b' });
    const { body: node } = await admin.post('assets/nodes/children/', {});
    const { body: target } = await admin.post('assets/nodes/children/', {});
    const { body: user } = await admin.post('users/users/', { name: 'x', username: unique('u'), email: `${unique('u')}@example.com` });
    const state = async () =>
      JSON.stringify([
        (await sql`select to_jsonb(l) from label l order by id`.execute(test.db)).rows,
        (await sql`select to_jsonb(n) from node n order by id`.execute(test.db)).rows,
        (await sql`select password from account where id = ${user.id}`.execute(test.db)).rows,
      ]);
    await sql`create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`.execute(test.db);
    await sql`create trigger broken before insert on operate_log for each row execute function refuse()`.execute(test.db);
    const before = await state();
    const { status } = await {
      create: () => admin.post('assets/labels/', { name: unique('label'), value: 'x' }),
      update: () => admin.patch(`assets/labels/${label.id}/`, { value: 'x' }),
      delete: () => admin.delete(`assets/labels/${label.id}/`),
      'comma delete': () => admin.delete(`assets/labels/${label.id},${other.id}/`),
      'move a node': () => admin.put(`assets/nodes/${target.id}/children/add/`, { nodes: [node.id] }),
      'set a password': () => admin.put(`users/users/${user.id}/password/`, { password: 'another password' }),
    }[what as 'create']();
    expect([status, await state()]).toEqual([500, before]);
  });
});
