import type { ChangeSetDetail } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, makeDue, proposed, send } from './testing/scene.ts';

const JOB = 'due-change-sets';
const HOUR = 3_600_000;
const URL = 'settings/setting/';
const NAME = 'SECURITY_LOGIN_LIMIT_COUNT';

let test: TestProgram;
let first: Client;
let second: Client;
let secondId: string;
beforeAll(async () => {
  test = await startTestProgram();
  await withoutSchedule(test, JOB);
  first = await bearer(test);
  const admin = await buildUser(test.db, { role: 'Admin' });
  secondId = admin.id;
  second = await bearer(test, admin);
  const on = await first.put<Json>('change-control/', { is_on: true, allows_break_glass: true });
  expect(on.status, on.text).toBe(200);
});
afterAll(() => test.stop());

const change = (body: Json) => ({ resource: 'setting', action: 'change', body }) as const;
const current = async () =>
  (await first.get<{ security: Json }>(URL)).body.security[NAME] as number;
const run = () => runHousekeeping(test, JOB);
const stateOf = async ({ id }: { id: string }) =>
  (await first.get<ChangeSetDetail>(`change-sets/${id}/`)).body.state;
const secretsOf = async ({ id }: { id: string }) =>
  (await sql`select from change_set_secret where change_set_id = ${id}`.execute(test.db)).rows
    .length;

async function planned(body: Json, client = first, decider = second): Promise<ChangeSetDetail> {
  const time = new Date(Date.now() + HOUR).toISOString();
  const set = await proposed(client, [change(body)], { apply_at: time });
  const approved = await answer(decider, set, 'approve');
  expect([approved.status, approved.body.state], approved.text).toEqual([200, 'approved']);
  return set;
}

it('applies settings at their time with their sealed secret, in force at once', async () => {
  const set = await planned({ [NAME]: 9, AUTH_RADIUS_SECRET: 'hidden-1' });
  await run();
  expect([await current(), await stateOf(set), await secretsOf(set)]).toEqual([7, 'approved', 1]);
  await makeDue(test, set);
  await Promise.all([run(), run()]);
  expect([await stateOf(set), await secretsOf(set)]).toEqual(['applied', 0]);
  await until(async () => (await current()) === 9, 'the planned setting');
  const { rows } = await sql`select from setting where name = 'AUTH_RADIUS_SECRET'`.execute(
    test.db,
  );
  expect(rows).toHaveLength(1);
});

it('fails at its time without any change when a setting changed meanwhile', async () => {
  const set = await planned({ [NAME]: 10, SECURITY_LOGIN_LIMIT_TIME: 50 });
  const sooner = await proposed(first, [change({ [NAME]: 8 })]);
  expect((await answer(second, sooner, 'approve')).status).toBe(200);
  await makeDue(test, set);
  await run();
  expect(await stateOf(set)).toBe('failed');
  await until(async () => (await current()) === 8, 'the sooner setting');
  const { security } = (await first.get<{ security: Json }>(URL)).body;
  expect(security.SECURITY_LOGIN_LIMIT_TIME).toBe(30);
});

it('fails at its time, and forgets its secret, when its proposer lost the right', async () => {
  const set = await planned({ AUTH_RADIUS_SECRET: 'hidden-2' }, second, first);
  await sql`update account set is_active = false where id = ${secondId}`.execute(test.db);
  await makeDue(test, set);
  await run();
  expect([await stateOf(set), await secretsOf(set)]).toEqual(['failed', 0]);
  await sql`update account set is_active = true where id = ${secondId}`.execute(test.db);
});

it('applies settings at once in an emergency, which another administrator reviews', async () => {
  const set = await proposed(first, [change({ [NAME]: 5, EMAIL_HOST_PASSWORD: 'hidden-3' })], {
    apply_at: new Date(Date.now() + HOUR).toISOString(),
  });
  expect((await answer(second, set, 'break-glass', 'Mine.')).status).toBe(403);
  expect((await answer(first, set, 'break-glass')).status).toBe(400);
  const applied = await answer(first, set, 'break-glass', 'Passwords are being guessed.');
  expect(applied.body, applied.text).toMatchObject({ state: 'applied', is_emergency: true });
  await until(async () => (await current()) === 5, 'the emergency setting');
  expect(await secretsOf(set)).toBe(0);
  expect((await answer(second, set, 'review', 'Right.')).status).toBe(200);
  const undo = await first.post<ChangeSetDetail>(`change-sets/${set.id}/undo/`);
  expect(undo.status, undo.text).toBe(201);
  expect((await answer(second, undo.body, 'approve')).status).toBe(200);
  await until(async () => (await current()) === 8, 'the setting before the emergency');
});

it('refuses a planned proposal whose values are refused now', async () => {
  const apply_at = new Date(Date.now() + HOUR).toISOString();
  const refused = await send(first, [change({ [NAME]: 0 })], { apply_at });
  expect(refused.status).toBe(400);
  const late = await send(first, [change({ BACKUP_STORAGE: 'unknown' })], { apply_at });
  expect(late.status).toBe(400);
});
