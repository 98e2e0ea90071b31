import { randomUUID } from 'node:crypto';
import type { AssetRequest, LiveMessage, notification, Page, Row } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sql } from '../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { notifyUsers } from './index.ts';

type News = Row<typeof notification>;
const URL = 'users/notifications/';

let test: TestProgram;
let organization: string;
let li: BuiltUser;
let user: Client;
let boss: Client;
let bossId: string;
let granted: { confirmed_assets: string[]; confirmed_system_user: string[] };
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  li = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const admin = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  bossId = admin.id;
  user = await bearer(test, li);
  boss = (await bearer(test, admin)).inOrganization(organization);
  granted = {
    confirmed_assets: [await buildAsset(test.db, { organization })],
    confirmed_system_user: [await buildSystemUser(test.db, { organization })],
  };
});
afterAll(() => test.stop());

const newsOf = async (client: Client, query = '') =>
  (await client.get<Page<News>>(`${URL}?limit=100${query}`)).body.results;
const about = async (client: Client, id: string) =>
  (await newsOf(client)).filter((one) => one.resource_id === id).map(({ kind }) => kind);
async function ask(): Promise<string> {
  const { body } = await user.post<AssetRequest>('tickets/request-asset-perm/', {
    org_id: organization,
    hostname: 'web-1',
    title: unique('Night import'),
    body: 'It failed',
  });
  return body.id;
}
const add = (users: readonly string[], subject: string) =>
  test.db.transaction((tx) =>
    notifyUsers(
      {
        kind: 'ticket_asked',
        users,
        subject,
        by: '',
        resource: 'ticket',
        resourceId: randomUUID(),
      },
      tx,
    ),
  );

it('tells assignees of a request, and the requester of the decision and of the early end', async () => {
  const id = await ask();
  expect([await about(boss, id), await about(user, id)]).toEqual([['ticket_asked'], []]);
  await boss.post(`tickets/request-asset-perm/${id}/approve/`, granted);
  expect(await about(user, id)).toEqual(['ticket_approved']);
  await boss.post(`tickets/request-asset-perm/${id}/end/`);
  expect(await about(user, id)).toEqual(['access_ended', 'ticket_approved']);
  // The job does not repeat it.
  await runHousekeeping(test, 'request-reminders');
  expect(await about(user, id)).toHaveLength(2);
  const rejected = await ask();
  await boss.patch(`tickets/tickets/${rejected}/`, { action: 'reject' });
  expect(await about(user, rejected)).toEqual(['ticket_rejected']);
  const [first] = await newsOf(user);
  expect(first).toMatchObject({ is_read: false, resource: 'ticket', resource_id: rejected });
});

it('tells the requester once that access ends and has ended, without a mail server', async () => {
  const id = await ask();
  await boss.post(`tickets/request-asset-perm/${id}/approve/`, granted);
  const end = (interval: string) =>
    sql`update asset_permission set date_start = now() - interval '9 days',
      date_expired = now() + ${interval}::interval where comment like ${`%${id}`}`.execute(test.db);
  await end('23 hours');
  for (let run = 0; run < 2; run += 1) await runHousekeeping(test, 'request-reminders');
  expect(await about(user, id)).toEqual(['access_ends', 'ticket_approved']);
  await end('-1 minute');
  for (let run = 0; run < 2; run += 1) await runHousekeeping(test, 'request-reminders');
  expect(await about(user, id)).toEqual(['access_ended', 'access_ends', 'ticket_approved']);
});

it('tells nothing when the act is rolled back', async () => {
  const subject = unique('never');
  await test.db
    .transaction(async (tx) => {
      await notifyUsers(
        {
          kind: 'ticket_asked',
          users: [li.id],
          subject,
          by: '',
          resource: 'ticket',
          resourceId: '',
        },
        tx,
      );
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  expect((await newsOf(user)).map((one) => one.subject)).not.toContain(subject);
});

it('shows and marks only own notifications', async () => {
  const [own, other] = [unique('own'), unique('other')];
  await add([li.id], own);
  await add([bossId], other);
  const unread = async (client: Client) =>
    (await newsOf(client, '&is_read=false')).map(({ subject }) => subject);
  expect([(await unread(user)).includes(own), (await unread(user)).includes(other)]).toEqual([
    true,
    false,
  ]);
  const foreign = (await newsOf(boss)).find(({ subject }) => subject === other)?.id ?? '';
  expect((await user.get(`${URL}${foreign}/`)).status).toBe(404);
  await user.post(`${URL}read/`, { ids: [foreign, 'no id'] });
  expect(await unread(boss)).toContain(other);
  const mine = (await newsOf(user)).find(({ subject }) => subject === own)?.id ?? '';
  await user.post(`${URL}read/`, { ids: [mine] });
  expect(await unread(user)).not.toContain(own);
  await user.post(`${URL}read/`, {});
  expect(await unread(user)).toEqual([]);
  expect(await unread(boss)).toContain(other);
  expect((await test.visitor.get(URL)).status).toBe(401);
  expect((await test.visitor.post(`${URL}read/`, {})).status).toBe(401);
});

it('keeps 200 notifications of a user, and none that is older than 90 days', async () => {
  const person = await buildUser(test.db);
  await sql`insert into notification (user_id, kind, subject, resource, resource_id, date_created)
    select ${person.id}, 'ticket_asked', 'row ' || n, 'ticket', '', now() - n * interval '1 minute'
    from generate_series(1, 230) n`.execute(test.db);
  await sql`update notification set date_created = now() - interval '91 days'
    where user_id = ${person.id} and subject = 'row 1'`.execute(test.db);
  await add([person.id], 'newest');
  const { rows } = await sql<{ subject: string }>`select subject from notification
    where user_id = ${person.id} order by date_created desc`.execute(test.db);
  expect([rows.length, rows[0]?.subject, rows.some(({ subject }) => subject === 'row 1')]).toEqual([
    200,
    'newest',
    false,
  ]);
});

it('tells a user of an own job that failed, with the title of its kind', async () => {
  const job = async (state: string, failed: number, attached = false) => {
    const id = randomUUID();
    await sql`insert into job (id, name, state, user_id, attached)
      values (${id}, 'retention', 'running', ${li.id}, ${attached})`.execute(test.db);
    await sql`update job set state = ${state}, failed = ${failed} where id = ${id}`.execute(
      test.db,
    );
    return id;
  };
  const [failed, partly, good, attached] = [
    await job('failed', 0),
    await job('succeeded', 2),
    await job('succeeded', 0),
    await job('failed', 0, true),
  ];
  expect(await Promise.all([failed, partly, good, attached].map((id) => about(user, id)))).toEqual([
    ['job_failed'],
    ['job_failed'],
    [],
    [],
  ]);
  const row = (await newsOf(user)).find(({ resource_id: id }) => id === failed);
  expect(row?.subject).toMatch(/Remove expired data|清理过期数据/);
});

it('announces a notification to its user only', async () => {
  const listen = async (client: Client) => {
    const url = new globalThis.URL('/ws/live/?age=', client.url);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, { headers: { ...client.headers } });
    const changed: string[] = [];
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === 'changed') changed.push(...Object.keys(message.resources ?? {}));
    });
    await new Promise((settle, refuse) => {
      socket.on('open', settle);
      socket.on('error', refuse);
    });
    return { socket, changed };
  };
  const [own, other] = [await listen(user), await listen(boss)];
  await add([li.id], unique('live'));
  await until(() => own.changed.includes('notification'), 'the news');
  await add([bossId], unique('live'));
  await until(() => other.changed.includes('notification'), 'the news of the other user');
  expect(own.changed.filter((name) => name === 'notification')).toHaveLength(1);
  for (const { socket } of [own, other]) socket.terminate();
});
