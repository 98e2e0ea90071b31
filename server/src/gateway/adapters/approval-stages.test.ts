import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BuiltUser, buildGroup, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import {
  answerTicket,
  connectForApproval,
  leaveTerminal,
  waitingConnection,
} from '../../testing/ssh/approvals.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let web: Client;
let rule: string;
let [lead, owner, officer]: BuiltUser[] = [];
let leads: Client;
let owners: Client;
let officers: Client;
beforeAll(async () => {
  world = await startSshWorld();
  const { test, member, organization, administrator } = world;
  web = (await bearer(test, member)).inOrganization(organization);
  const { body } = await administrator.get<Json[]>('perms/asset-permissions/');
  rule = `perms/asset-permissions/${body[0]?.id}/`;
  const build = () => buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const clientOf = async (user: BuiltUser) =>
    (await bearer(test, user)).inOrganization(organization);
  [lead, owner, officer] = [await build(), await build(), await build()];
  [leads, owners, officers] = [
    await clientOf(lead),
    await clientOf(owner),
    await clientOf(officer),
  ];
});
afterAll(() => world.stop());

const ask = async (terms: object) => {
  const answer = await world.administrator.patch<Json>(rule, {
    needs_approval: true,
    approval_minutes: 0,
    approval_stages: 1,
    approvers: [],
    approver_groups: [],
    second_approvers: [],
    second_approver_groups: [],
    third_approvers: [],
    third_approver_groups: [],
    ...terms,
  });
  expect(answer.status, answer.text).toBe(200);
};
const ids = (...users: (BuiltUser | undefined)[]) => users.map((user) => user?.id ?? '');
beforeEach(() => ask({ approval_stages: 2, approvers: ids(lead), second_approvers: ids(owner) }));

const connect = async () => {
  const client = await connectForApproval(world, web);
  await client.message('need_reason');
  client.send({ type: 'reason', text: 'The disk is full.' });
  return client;
};
const read = async (ticket: Json, by: Client) =>
  (await by.get<Json>(`tickets/tickets/${ticket.id}/`)).body;

it('asks each stage after the one before, shows the user the stage, and keeps who decided', async () => {
  const group = await buildGroup(world.test.db, ids(owner), world.organization);
  await ask({
    approval_stages: 3,
    approvers: ids(lead),
    second_approver_groups: [group],
    third_approvers: ids(officer),
  });
  const client = await connect();
  const ticket = await waitingConnection(leads);
  expect(ticket).toMatchObject({ stage: 1, stages: 3, assignees: ids(lead) });
  for (const later of [owners, officers])
    expect((await answerTicket(ticket, 'approve', later)).status).toBe(404);
  expect((await answerTicket(ticket, 'approve', leads)).status).toBe(200);
  expect(await waitingConnection(owners)).toMatchObject({ id: ticket.id, stage: 2 });
  expect((await answerTicket(ticket, 'approve', officers)).status).toBe(404);
  expect((await answerTicket(ticket, 'approve', owners)).status).toBe(200);
  await waitingConnection(officers);
  expect(client.messages.some(({ type }) => type === 'open')).toBe(false);
  expect((await answerTicket(ticket, 'approve', officers)).status).toBe(200);
  await client.message('open');
  expect(
    client.messages.flatMap((message) =>
      message.type === 'stage' && message.progress ? [message.progress] : [],
    ),
  ).toEqual([1, 2, 3].map((stage) => ({ stage, stages: 3 })));
  await leaveTerminal(client);

  const { decisions_display: decisions, status, action } = await read(ticket, leads);
  expect([status, action]).toEqual(['closed', 'approve']);
  for (const [index, user] of [lead, owner, officer].entries())
    expect(decisions).toMatch(new RegExp(`${index + 1}: .*\\(${user?.username}\\)`));
  const comments = await officers.get<Json[]>(`tickets/tickets/${ticket.id}/comments/`);
  expect(comments.body.map(({ body }) => body)).toEqual([
    expect.stringContaining('approved stage 1 of 3'),
    expect.stringContaining('approved stage 2 of 3'),
    expect.stringContaining('Approve'),
  ]);
  const log = await world.administrator.get<Json[]>(
    `audits/operate-logs/?resource_type=ticket&search=${encodeURIComponent(world.hostname)}`,
  );
  const ofTicket = log.body.filter(({ resource_id: id }) => id === ticket.id);
  for (const [user, changes] of [
    [lead, { stage: [1, 2] }],
    [owner, { stage: [2, 3] }],
    [officer, { status: ['open', 'closed'] }],
  ] as const)
    expect(ofTicket).toContainEqual(
      expect.objectContaining({
        user: expect.stringContaining(user?.username ?? ''),
        changes: expect.objectContaining(changes),
      }),
    );
});

it('ends the request when a later stage rejects it', async () => {
  const client = await connect();
  const ticket = await waitingConnection(leads);
  await answerTicket(ticket, 'approve', leads);
  expect((await answerTicket(ticket, 'reject', owners)).status).toBe(200);
  expect(await client.message('closed')).toMatchObject({ code: 'connect_approval_rejected' });
  expect(await read(ticket, leads)).toMatchObject({ status: 'closed', action: 'reject' });
});

it('lets a user decide one stage only, also as a member of both', async () => {
  const both = ids(lead, owner);
  await ask({ approval_stages: 2, approvers: both, second_approvers: both });
  const client = await connect();
  const ticket = await waitingConnection(leads);
  expect((await answerTicket(ticket, 'approve', leads)).status).toBe(200);
  for (const action of ['approve', 'reject'])
    expect((await answerTicket(ticket, action, leads)).status).toBe(400);
  expect((await read(ticket, leads)).assignees).toEqual(ids(owner));
  expect((await answerTicket(ticket, 'approve', owners)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
});

it('refuses a connection whose stages no distinct users could decide', async () => {
  await ask({ approval_stages: 2, approvers: ids(lead), second_approvers: ids(lead) });
  expect(await (await connect()).message('closed')).toMatchObject({
    code: 'connect_approval_nobody',
  });
  const empty = await buildGroup(world.test.db, [], world.organization);
  await ask({ approval_stages: 2, approvers: ids(lead), second_approver_groups: [empty] });
  expect(await (await connect()).message('closed')).toMatchObject({
    code: 'connect_approval_nobody',
  });
  const { body } = await world.administrator.get<Json[]>(
    'perms/asset-permissions/?attention=permissions_without_reviewers',
  );
  expect(body.map(({ id }) => `perms/asset-permissions/${id}/`)).toEqual([rule]);
});

it('refuses the approval that would leave a later stage without reviewers', async () => {
  await ask({ approval_stages: 2, approvers: ids(lead, owner), second_approvers: ids(owner) });
  const client = await connect();
  const ticket = await waitingConnection(owners);
  const refused = await answerTicket(ticket, 'approve', owners);
  expect(refused).toMatchObject({ status: 409, body: { code: 'ticket_next_stage_nobody' } });
  expect((await answerTicket(ticket, 'approve', leads)).status).toBe(200);
  expect((await answerTicket(ticket, 'approve', owners)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
});

it('passes one stage when two reviewers of both stages approve the first at the same time', async () => {
  const all = ids(lead, owner, officer);
  await ask({ approval_stages: 2, approvers: all, second_approvers: all });
  const client = await connect();
  const ticket = await waitingConnection(leads);
  const answers = await Promise.all(
    [leads, owners].map((by) =>
      by.patch<Json>(`tickets/tickets/${ticket.id}/`, { action: 'approve', stage: 1 }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await read(ticket, officers)).toMatchObject({ status: 'open', stage: 2 });
  expect((await answerTicket(ticket, 'reject', officers)).status).toBe(200);
  await client.message('closed');
});

it('refuses a reviewer of the first stage after the decision of another one', async () => {
  await ask({ approval_stages: 2, approvers: ids(lead, officer), second_approvers: ids(owner) });
  const client = await connect();
  const ticket = await waitingConnection(leads);
  const answers = await Promise.all(
    [leads, officers].map((by) => answerTicket(ticket, 'approve', by)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  await client.close();
  await until(async () => (await read(ticket, leads)).status === 'closed', 'the withdrawal');
  expect((await answerTicket(ticket, 'approve', owners)).status).toBe(409);
});

it('says the stage in an SSH terminal and to a command without a terminal', async () => {
  const { ssh, login, member } = world;
  const client = new MenuClient(ssh, { username: login, password: member.password });
  await client.sees('Reason: ');
  client.type('To restart it\r');
  await client.sees('Waiting for stage 1 of 2.');
  const ticket = await waitingConnection(leads);
  await answerTicket(ticket, 'approve', leads);
  await client.sees('Waiting for stage 2 of 2.');
  await answerTicket(ticket, 'reject', owners);
  await client.ends();
  const running = ssh.run({ login, password: member.password, command: 'echo r"a"n' });
  await answerTicket(await waitingConnection(leads), 'approve', leads);
  await answerTicket(await waitingConnection(owners), 'approve', owners);
  const { stdout, stderr } = await running;
  expect(String(stdout)).toBe('ran\n');
  expect(stderr).toContain('Waiting for stage 2 of 2.');
});

it('rejects more than three stages', async () => {
  for (const approval_stages of [0, 4]) {
    const answer = await world.administrator.patch<Json>(rule, { approval_stages });
    expect([answer.status, answer.body]).toEqual([400, { approval_stages: [expect.any(String)] }]);
  }
});
