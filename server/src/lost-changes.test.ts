import type { AttentionItem, LostRequest } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser, unique } from './testing/builders.ts';
import type { Client, Json, Page } from './testing/client.ts';
import { createEarlierDatabase, type EarlierDatabase } from './testing/earlier-database.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

const PATH = 'audits/lost-changes/';

interface Lost {
  readonly id: string;
  readonly user: string;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string;
  readonly changes: Json;
  readonly is_settled: boolean;
  readonly settled_by: string;
  readonly request: LostRequest | null;
}

let database: EarlierDatabase;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  database = await createEarlierDatabase();
  test = await startTestProgram({ databaseUrl: database.url });
  admin = await bearer(test);
});
afterAll(async () => {
  await test?.stop();
  await database?.drop();
});

const lost = async (client = admin) =>
  (await client.get<Page<Lost>>(`${PATH}?limit=100`)).body.results;
const lostOf = async (resource: string) =>
  (await lost()).filter((one) => one.resource === resource);
const create = async (path: string, body: Json) => {
  const answer = await admin.post<Json>(path, body);
  expect(answer.status).toBe(201);
  return String(answer.body.id);
};
const attention = async () =>
  (await admin.get<readonly AttentionItem[]>('common/attention/')).body.find(
    ({ kind }) => kind === 'lost_changes',
  );
const send = ({ method, path, body }: LostRequest) =>
  admin.request(method, path, body ?? undefined);

it('lists changes that a failover took away, and makes each again by its request', async () => {
  const [kept, gone, changed, system] = ['kept', 'gone', 'changed', 'system'].map((one) =>
    unique(one),
  ) as [string, string, string, string];
  const removedId = await create('assets/labels/', { name: kept, value: 'removed' });
  const changedId = await create('assets/labels/', { name: changed, value: 'old' });
  await database.remember();
  await create('assets/labels/', { name: gone, value: 'lost' });
  const patched = await admin.patch(`assets/labels/${changedId}/`, { value: 'new' });
  expect(patched.status).toBe(200);
  expect((await admin.delete(`assets/labels/${removedId}/`)).status).toBe(204);
  await create('assets/system-users/', {
    name: system,
    username: 'root',
    protocol: 'ssh',
    login_mode: 'auto',
    password: 'never listed',
  });
  // A change that is refused or rolled back was never acknowledged.
  expect((await admin.post('assets/labels/', { name: gone, value: '' })).status).toBe(400);
  await database.goBack();
  await until(async () => (await lost()).length >= 4, 'the lost changes are listed');
  const [created] = await lostOf(gone);
  expect(created).toMatchObject({
    user: 'Administrator(admin)',
    action: 'create',
    changes: { value: [null, 'lost'] },
    is_settled: false,
    request: { method: 'POST', path: 'assets/labels/', body: { name: gone, value: 'lost' } },
  });
  expect(await lostOf(changed)).toMatchObject([
    { action: 'update', changes: { value: ['old', 'new'] } },
  ]);
  expect(await lostOf(kept)).toMatchObject([{ action: 'delete', resource_id: removedId }]);
  expect(await lostOf(system)).toMatchObject([
    { action: 'create', request: { without: ['Password'] } },
  ]);
  expect(JSON.stringify(await lost())).not.toContain('never listed');
  expect(await attention()).toMatchObject({ count: 4 });
  const { body: alerts } = await admin.get<Page<Json>>('audits/alerts/?kind=lost_changes&limit=9');
  expect(alerts.results).toHaveLength(1);

  for (const { request, resource } of await lost()) {
    const { status, body } = await send(request as LostRequest);
    // No log keeps a password, so the rules ask for it.
    const problems = resource === system ? ['password'] : [];
    expect([resource, status < 300 ? [] : Object.keys(body)]).toEqual([resource, problems]);
  }
  const labels = (await admin.get<Page<Json>>('assets/labels/?limit=100')).body.results;
  expect(labels.map(({ name, value }) => `${name} ${value}`).sort()).toEqual(
    [`${changed} new`, `${gone} lost`].sort(),
  );
});

it('settles lost changes once, with a note that the operate log keeps', async () => {
  const open = (await lost()).filter(({ is_settled: isSettled }) => !isSettled);
  const ids = open.map(({ id }) => id);
  const refused = await admin.post<Json>(`${PATH}settled/`, { ids, note: ' ' });
  expect([refused.status, Object.keys(refused.body)]).toEqual([
    400,
    expect.arrayContaining(['note']),
  ]);
  const unknown = await admin.post(`${PATH}settled/`, { ids: ['elsewhere'], note: 'x' });
  expect(unknown.status).toBe(400);
  const settled = await admin.post(`${PATH}settled/`, { ids, note: 'made again' });
  expect([settled.status, settled.body]).toEqual([200, { settled: ids.length }]);
  expect(await attention()).toBeUndefined();
  expect((await admin.post(`${PATH}settled/`, { ids, note: 'twice' })).body).toEqual({
    settled: 0,
  });
  const { body: log } = await admin.get<Page<Json>>(
    `audits/operate-logs/?resource_type=lost_change&action=update&limit=100`,
  );
  expect(log.results).toHaveLength(ids.length);
});

it('writes each lost change into the chained operate log', async () => {
  const ids = (await lost()).map(({ id }) => id).sort();
  await until(async () => {
    const { body } = await admin.get<Page<Json>>(
      'audits/operate-logs/?resource_type=lost_change&action=create&limit=100',
    );
    return (
      JSON.stringify(body.results.map(({ resource_id: id }) => id).sort()) === JSON.stringify(ids)
    );
  }, 'the operate log has an entry of each lost change');
});

it('exports the list, and refuses it to users and visitors', async () => {
  const csv = await admin.get(`${PATH}?format=csv`);
  expect(csv.status).toBe(200);
  expect(csv.text).toContain('Administrator(admin)');
  const member = await bearer(test, await buildUser(test.db));
  expect((await member.get(PATH)).status).toBe(403);
  expect((await test.visitor.get(`/api/v1/${PATH}`)).status).toBe(401);
});

it('lists the password that a user changed, and nothing that the database still has', async () => {
  const before = (await lost()).length;
  const user = await buildUser(test.db);
  const own = await bearer(test, user);
  await create('assets/labels/', { name: unique('stays'), value: 'x' });
  await database.remember();
  const answer = await own.put<Json>('users/profile/password/', {
    old_password: user.password,
    new_password: 'a new one 1',
    new_password_again: 'a new one 1',
  });
  expect(answer.status).toBe(200);
  await database.goBack();
  await until(async () => (await lost()).length > before, 'the lost password is listed');
  const added = (await lost()).slice(before);
  expect(added.map(({ request }) => request)).toEqual(added.map(() => null));
  expect(JSON.stringify(added)).not.toContain('a new one 1');
  expect(added.some(({ resource_id: id }) => id === user.id)).toBe(true);
});
