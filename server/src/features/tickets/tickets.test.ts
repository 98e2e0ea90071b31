import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { buildLicense, importLicense } from '../../testing/license.ts';
import { startMailbox, useMailbox } from '../../testing/services/mailbox.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let superuser: Client;
let organization: string;
let li: BuiltUser;
let boss: BuiltUser;
let second: BuiltUser;
let user: Client;
let approver: Client;
let other: Client;
beforeAll(async () => {
  test = await startTestProgram();
  superuser = await bearer(test);
  organization = await buildOrganization(test.db);
  li = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  [boss, second] = [
    await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] }),
    await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] }),
  ];
  [user, approver, other] = (await Promise.all(
    [li, boss, second].map(async (one) => (await bearer(test, one)).inOrganization(organization)),
  )) as [Client, Client, Client];
});
afterAll(() => test.stop());

const display = ({ username }: BuiltUser) => `Name of ${username}(${username})`;
const body = (more: Json = {}) => ({
  title: 'A question',
  body: 'Please <b>look</b>',
  assignees: [boss.id, second.id],
  ...more,
});
const open = async (client = user, more: Json = {}) => {
  const created = await client.post<Json>('tickets/tickets/', body(more));
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return String(created.body.id);
};
const answer = (client: Client, id: string, action: string) =>
  client.patch<Json>(`tickets/tickets/${id}/`, { action });
const comments = async (client: Client, id: string) =>
  (await client.get<Json[]>(`tickets/tickets/${id}/comments/`)).body;

describe('a ticket', () => {
  it('belongs to the user who creates it, with the fields that clients know in their order', async () => {
    const created = await user.post<Json>(
      'tickets/tickets/',
      body({ action: 'approve', status: 'closed', type: 'login_confirm' }),
    );
    expect(created.status).toBe(201);
    expect(Object.keys(created.body).slice(0, 16)).toEqual([
      'id',
      'user',
      'user_display',
      'title',
      'body',
      'assignees',
      'assignees_display',
      'assignee',
      'assignee_display',
      'status',
      'action',
      'date_created',
      'date_updated',
      'type',
      'type_display',
      'action_display',
    ]);
    expect(created.body).toMatchObject({
      user: li.id,
      user_display: display(li),
      status: 'open',
      action: '',
      type: 'general',
      type_display: 'General',
      assignee: null,
    });
    expect(String(created.body.assignees_display).split(', ').toSorted()).toEqual(
      [display(boss), display(second)].toSorted(),
    );
    expect(created.body.body).toBe('Please <b>look</b>');
  });

  it('rejects a ticket for another user unless an administrator creates it', async () => {
    expect((await user.post<Json>('tickets/tickets/', body({ user: boss.id }))).body).toEqual({
      user: ['Only administrators can open a ticket for another user.'],
    });
    expect(
      (await approver.post<Json>('tickets/tickets/', body({ user: li.id }))).body,
    ).toMatchObject({ user: li.id, user_display: display(li) });
  });

  it('accepts administrators as assignees, and any member if an administrator assigns', async () => {
    const stranger = await buildUser(test.db, {
      memberOf: [{ organization: await buildOrganization(test.db), role: 'Admin' }],
    });
    const colleague = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const gone = await buildUser(test.db, {
      isActive: false,
      memberOf: [{ organization, role: 'Admin' }],
    });
    for (const id of [stranger.id, colleague.id, gone.id, crypto.randomUUID()])
      expect((await user.post<Json>('tickets/tickets/', body({ assignees: [id] }))).body).toEqual({
        assignees: [`Invalid pk "${id}" - object does not exist.`],
      });
    expect((await user.post<Json>('tickets/tickets/', body({ assignees: [] }))).body).toEqual({
      assignees: ['This list may not be empty.'],
    });
    expect(
      (await approver.post('tickets/tickets/', body({ assignees: [colleague.id] }))).status,
    ).toBe(201);
    expect(
      (await approver.post<Json>('tickets/tickets/', body({ assignees: [stranger.id] }))).status,
    ).toBe(400);
  });

  it('hides a ticket from all users but its requester and assignees, administrators of the installation included', async () => {
    const id = await open(user, { assignees: [boss.id] });
    const lists = async (client: Client, assign: string) =>
      (await client.get<Json[]>(`tickets/tickets/${assign}`)).body.map((row) => row.id);
    expect(await lists(user, '')).toContain(id);
    expect(await lists(user, '?assign=0')).toContain(id);
    expect(await lists(user, '?assign=1')).not.toContain(id);
    expect(await lists(approver, '?assign=1')).toContain(id);
    expect(await lists(approver, '?assign=0')).not.toContain(id);
    for (const client of [other, superuser, superuser.inOrganization(organization)]) {
      expect(await lists(client, '')).not.toContain(id);
      for (const path of [`tickets/tickets/${id}/`, `tickets/tickets/${id}/comments/`])
        expect([path, (await client.get(path)).status]).toEqual([path, 404]);
      expect((await client.post(`tickets/tickets/${id}/comments/`, { body: 'x' })).status).toBe(
        404,
      );
      expect((await answer(client, id, 'approve')).status).toBe(404);
      expect((await client.delete(`tickets/tickets/${id}/`)).status).toBe(404);
    }
    expect((await test.visitor.get('tickets/tickets/')).status).toBe(401);
    expect(
      (
        await user.get<Json[]>(
          `tickets/tickets/?order=type_display&search=${li.username}&status=open`,
        )
      ).status,
    ).toBe(200);
  });

  it('lets all users who see the ticket comment, oldest comment first', async () => {
    const [id, elsewhere] = [await open(), await open()];
    await user.post(`tickets/tickets/${id}/comments/`, { body: 'first', ticket: elsewhere });
    await approver.post(`tickets/tickets/${id}/comments/`, { body: 'second' });
    expect((await comments(other, id)).map((row) => [row.body, row.user_display])).toEqual([
      ['first', display(li)],
      ['second', display(boss)],
    ]);
    expect(await comments(user, elsewhere)).toEqual([]);
    expect((await user.post<Json>(`tickets/tickets/${id}/comments/`, { body: ' ' })).body).toEqual({
      body: ['This field may not be blank.'],
    });
  });
});

describe('an answer', () => {
  it('closes the ticket with a comment, names the assignee who answered, and keeps the assignees', async () => {
    const id = await open();
    const { status, body: row } = await answer(approver, id, 'approve');
    expect(status).toBe(200);
    expect(row).toMatchObject({
      status: 'closed',
      action: 'approve',
      action_display: 'Approve',
      assignee: boss.id,
      assignee_display: display(boss),
    });
    expect(row.closed_by).toBe(display(boss));
    expect(row.assignees).toHaveLength(2);
    expect((await comments(user, id)).map((one) => one.body)).toEqual([
      `${display(boss)} Approve this ticket`,
    ]);
    const { rows } = await sql<{
      changes: Json;
    }>`select changes from operate_log where resource_id = ${id} and action = 'update'`.execute(
      test.db,
    );
    expect(rows[0]?.changes).toMatchObject({ status: ['open', 'closed'], action: ['', 'approve'] });
  });

  it('accepts an answer from assignees only, never from the requester, and never as an edit by another user', async () => {
    const id = await open();
    expect(await answer(user, id, 'approve')).toMatchObject({
      status: 400,
      body: { action: ['Only assignees can answer this ticket.'] },
    });
    const own = await open(approver);
    expect((await answer(approver, own, 'approve')).body).toEqual({
      action: ['You cannot answer your own ticket. Another assignee must answer it.'],
    });
    expect((await answer(approver, id, 'maybe')).status).toBe(400);
    expect(
      (await approver.patch<Json>(`tickets/tickets/${id}/`, { title: 'changed' })).body.code,
    ).toBe('ticket_fixed');
    expect(
      (await user.patch<Json>(`tickets/tickets/${id}/`, { title: 'changed', user: boss.id })).body,
    ).toMatchObject({ title: 'changed', user: li.id });
    expect((await user.get<Json>(`tickets/tickets/${id}/`)).body).toMatchObject({
      status: 'open',
      assignee: null,
    });
  });

  it('counts one of two simultaneous answers, and tells the other assignee who was first', async () => {
    for (const first of ['approve', 'reject'] as const) {
      const id = await open();
      const answers = await Promise.all([
        answer(approver, id, first),
        answer(other, id, 'reject'),
        answer(approver, id, first),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      const lost = answers.find(({ status }) => status === 409);
      const row = (await user.get<Json>(`tickets/tickets/${id}/`)).body;
      expect(lost?.body).toMatchObject({ code: 'ticket_closed' });
      expect(lost?.body.detail).toContain(`${row.closed_by} closed this ticket at `);
      expect(await comments(user, id)).toHaveLength(1);
    }
  });

  it('rejects changes, comments and deletion of a closed ticket', async () => {
    const id = await open();
    expect(
      (await user.patch<Json>(`tickets/tickets/${id}/`, { status: 'closed' })).body,
    ).toMatchObject({
      status: 'closed',
      action: '',
      assignee: null,
      closed_by: display(li),
    });
    expect(await comments(user, id)).toEqual([]);
    expect((await user.patch<Json>(`tickets/tickets/${id}/`, { status: 'open' })).status).toBe(409);
    expect((await answer(approver, id, 'approve')).status).toBe(409);
    expect(
      (await user.post<Json>(`tickets/tickets/${id}/comments/`, { body: 'x' })).body.code,
    ).toBe('ticket_closed');
    expect((await user.delete<Json>(`tickets/tickets/${id}/`)).body.code).toBe('ticket_kept');
    const another = await open();
    expect((await approver.delete<Json>(`tickets/tickets/${another}/`)).body.code).toBe(
      'ticket_fixed',
    );
    expect((await user.delete(`tickets/tickets/${another}/`)).status).toBe(204);
  });
});

it('requires a license for new tickets, and lets open ones be answered without', async () => {
  const id = await open();
  await sql`update license set content = '{}'`.execute(test.db);
  await sql`select pg_notify('settings', '')`.execute(test.db);
  await expect
    .poll(async () => (await user.post<Json>('tickets/tickets/', body())).body.code)
    .toBe('license_required');
  expect((await answer(approver, id, 'reject')).status).toBe(200);
});

it('mails the assignees and then the requester, each in their language', async () => {
  const mailbox = await startMailbox();
  try {
    await importLicense(superuser, buildLicense());
    await useMailbox(superuser, mailbox);
    await sql`update account set preferences = '{"language": "zh"}'
      where id = ${second.id}`.execute(test.db);
    const id = await open(user, { title: 'Mail me' });
    const [english, chinese] = [
      await mailbox.next(`${boss.username}@example.com`),
      await mailbox.next(`${second.username}@example.com`),
    ];
    expect(english.subject).toBe('[Sallyport] New ticket: Mail me');
    expect(english.text).toContain(`/core/console/tickets/tickets/${id}`);
    expect(chinese.subject).toBe('[Sallyport] 新工单：Mail me');
    await answer(approver, id, 'reject');
    const reply = await mailbox.next(`${li.username}@example.com`);
    expect(reply.subject).toBe('[Sallyport] New reply to ticket: Mail me');
    expect(reply.text).toContain(`${display(boss)} rejected your ticket`);
  } finally {
    await mailbox.stop();
  }
});
