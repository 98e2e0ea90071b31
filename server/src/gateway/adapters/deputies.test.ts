import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import {
  answerTicket,
  connectForApproval,
  leaveTerminal,
  waitingConnection,
} from '../../testing/ssh/approvals.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

const HOUR = 3_600_000;
const URL = 'tickets/deputy/';

interface Person {
  readonly user: BuiltUser;
  readonly client: Client;
}

let world: SshWorld;
let web: Client;
let rule: string;
let lead: Person;
let deputy: Person;
beforeAll(async () => {
  world = await startSshWorld();
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const { body } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  rule = `perms/asset-permissions/${body[0]?.id}/`;
});
afterAll(() => world.stop());

async function join(organization = world.organization): Promise<Person> {
  const user = await buildUser(world.test.db, { memberOf: [{ organization, role: 'User' }] });
  return { user, client: (await bearer(world.test, user)).inOrganization(organization) };
}
const ask = async (terms: object) => {
  const body = { needs_approval: true, approval_minutes: 0, approval_stages: 1, ...terms };
  const answer = await world.administrator.patch<Json>(rule, body);
  expect(answer.status, answer.text).toBe(200);
};
const period = (from = -1, to = 1) => ({
  date_start: new Date(Date.now() + from * HOUR).toISOString(),
  date_end: new Date(Date.now() + to * HOUR).toISOString(),
});
const name = ({ client }: Person, { username }: { readonly username: string }, dates = period()) =>
  client.put<Json>(URL, { deputy: username, ...dates });
const delegate = async (from: Person, to: { readonly username: string }, dates = period()) => {
  const answer = await name(from, to, dates);
  expect(answer.status, answer.text).toBe(200);
};
beforeEach(async () => {
  [lead, deputy] = [await join(), await join()];
  await ask({ approvers: [lead.user.id], second_approvers: [] });
});

const connect = async (by = web) => {
  const client = await connectForApproval(world, by);
  await client.message('need_reason');
  client.send({ type: 'reason', text: 'The disk is full.' });
  return client;
};

it('asks the deputy as well, who decides for the reviewer, by name in ticket and log', async () => {
  await delegate(lead, deputy.user);
  const client = await connect();
  const ticket = await waitingConnection(deputy.client);
  expect(new Set(ticket.assignees as string[])).toEqual(new Set([lead.user.id, deputy.user.id]));
  const news = await deputy.client.get<Json>('users/notifications/');
  expect(news.text).toContain(String(ticket.id));
  expect((await answerTicket(ticket, 'approve', deputy.client)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
  const { body } = await lead.client.get<Json>(`tickets/tickets/${ticket.id}/`);
  const both = new RegExp(`\\(${deputy.user.username}\\) for .*\\(${lead.user.username}\\)`);
  expect([body.closed_by, body.decisions_display]).toEqual([
    expect.stringMatching(both),
    expect.stringMatching(both),
  ]);
  const log = await world.administrator.get<Json[]>(
    `audits/operate-logs/?resource_type=ticket&search=${encodeURIComponent(world.hostname)}`,
  );
  expect(log.body.filter(({ resource_id: id }) => id === ticket.id)).toContainEqual(
    expect.objectContaining({
      user: expect.stringContaining(deputy.user.username),
      changes: { decided_for: ['', expect.stringContaining(lead.user.username)] },
    }),
  );
});

it('lets the reviewer decide as well while the deputyship lasts', async () => {
  await delegate(lead, deputy.user);
  const client = await connect();
  const ticket = await waitingConnection(lead.client);
  expect((await answerTicket(ticket, 'approve', lead.client)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
});

it('refuses the decision of a deputy whose time or appointment has ended since the question', async () => {
  for (const end of [
    () => lead.client.delete(URL),
    () =>
      sql`update review_deputy set date_end = now() where user_id = ${lead.user.id}`.execute(
        world.test.db,
      ),
  ]) {
    await delegate(lead, deputy.user);
    const client = await connect();
    const ticket = await waitingConnection(deputy.client);
    await end();
    for (const action of ['approve', 'reject']) {
      const { status, text } = await answerTicket(ticket, action, deputy.client);
      expect([status, text]).toEqual([400, expect.stringContaining('no longer')]);
    }
    expect((await answerTicket(ticket, 'reject', lead.client)).status).toBe(200);
    await client.message('closed');
  }
});

it('asks no deputy before the beginning, none of another organization, and no deputy of a deputy', async () => {
  const [second, late] = [await join(), await join()];
  const outsider = await join(await buildOrganization(world.test.db));
  await delegate(lead, deputy.user);
  await delegate(deputy, second.user);
  const other = await join();
  await delegate(other, late.user, period(1, 2));
  const moved = await join();
  await sql`insert into review_deputy (user_id, deputy_id, date_start, date_end)
    values (${moved.user.id}, ${outsider.user.id}, now() - interval '1 hour',
      now() + interval '1 hour')`.execute(world.test.db);
  await ask({ approvers: [lead.user.id, other.user.id, moved.user.id] });
  const client = await connect();
  const ticket = await waitingConnection(lead.client);
  expect(new Set(ticket.assignees as string[])).toEqual(
    new Set([lead, other, moved, deputy].map(({ user }) => user.id)),
  );
  for (const by of [second, late, outsider])
    expect((await answerTicket(ticket, 'approve', by.client)).status).toBe(404);
  await client.close();
});

it('refuses a deputy for the own request, and asks none for a reviewer who connects', async () => {
  await delegate(lead, world.member);
  const client = await connect();
  const ticket = await waitingConnection(lead.client);
  expect(ticket.assignees).toEqual([lead.user.id]);
  expect((await answerTicket(ticket, 'approve', web)).status).toBe(400);
  expect((await answerTicket(ticket, 'reject', lead.client)).status).toBe(200);
  await client.message('closed');

  const reviewer: Person = { user: { ...lead.user, ...world.member }, client: web };
  await delegate(reviewer, deputy.user);
  await ask({ approvers: [world.member.id, lead.user.id] });
  const own = await connect();
  expect((await waitingConnection(lead.client)).assignees).toEqual([lead.user.id]);
  await own.close();
  await web.delete(URL);
});

it('counts a deputy and the reviewer as one for the stages of a request', async () => {
  await delegate(lead, deputy.user);
  const owner = await join();
  const twice = [lead.user.id, owner.user.id];
  await ask({ approval_stages: 2, approvers: twice, second_approvers: twice });
  const client = await connect();
  const ticket = await waitingConnection(deputy.client);
  expect((await answerTicket(ticket, 'approve', deputy.client)).status).toBe(200);
  const open = await waitingConnection(owner.client);
  expect(open).toMatchObject({ id: ticket.id, stage: 2, assignees: [owner.user.id] });
  for (const by of [lead, deputy])
    expect((await answerTicket(ticket, 'approve', by.client)).status).toBe(400);
  expect((await answerTicket(ticket, 'approve', owner.client)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
  await ask({ approval_stages: 2, approvers: [lead.user.id], second_approvers: [lead.user.id] });
  expect(await (await connect()).message('closed')).toMatchObject({
    code: 'connect_approval_nobody',
  });
});

it('rejects wrong deputies and periods with the field, and changes nothing', async () => {
  const outsider = await join(await buildOrganization(world.test.db));
  const inactive = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'User' }],
    isActive: false,
  });
  for (const wrong of [outsider.user, inactive, lead.user, { username: 'nobody' }]) {
    const { status, body } = await name(lead, wrong);
    expect([status, Object.keys(body)]).toEqual([400, ['deputy']]);
  }
  for (const dates of [period(1, 0), period(-2, -1), period(0, 24 * 367)]) {
    const { status, body } = await name(lead, deputy.user, dates);
    expect([status, Object.keys(body)]).toEqual([400, ['date_end']]);
  }
  expect((await lead.client.get<Json>(URL)).body).toEqual({ own: null, others: [] });
});

it('shows deputyships to both users and the administrators, and logs each change', async () => {
  await delegate(lead, deputy.user);
  const own = await lead.client.get<Json>(URL);
  expect(own.body).toMatchObject({ own: { deputy: deputy.user.id, is_active: true }, others: [] });
  const others = await deputy.client.get<Json>(URL);
  expect(others.body).toMatchObject({ own: null, others: [{ user: lead.user.id }] });
  for (const [{ user }, expected] of [
    [lead, own.body],
    [deputy, others.body],
  ] as const) {
    const seen = await world.administrator.get<Json>(`users/users/${user.id}/deputies/`);
    expect([seen.status, seen.body]).toEqual([200, expected]);
  }
  expect((await lead.client.get(`users/users/${deputy.user.id}/deputies/`)).status).toBe(403);
  await lead.client.delete(URL);
  expect((await lead.client.get<Json>(URL)).body).toEqual({ own: null, others: [] });
  const log = await world.administrator.get<Json[]>(
    `audits/operate-logs/?resource_type=user&search=${lead.user.username}`,
  );
  const stated = expect.stringContaining(deputy.user.username);
  const changes = log.body.map((entry) => entry.changes);
  expect(changes).toContainEqual({ deputy: ['', stated] });
  expect(changes).toContainEqual({ deputy: [stated, ''] });
});
