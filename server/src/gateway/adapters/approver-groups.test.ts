import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildGroup, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import {
  answerTicket,
  connectForApproval,
  leaveTerminal,
  waitingConnection,
} from '../../testing/ssh/approvals.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let web: Client;
let rule: string;
let lead: BuiltUser;
let leads: Client;
let group: string;
beforeAll(async () => {
  world = await startSshWorld();
  const { test, member, organization, administrator } = world;
  web = (await bearer(test, member)).inOrganization(organization);
  const { body } = await administrator.get<Json[]>('perms/asset-permissions/');
  rule = `perms/asset-permissions/${body[0]?.id}/`;
  lead = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  leads = (await bearer(test, lead)).inOrganization(organization);
});
afterAll(() => world.stop());

beforeEach(async () => {
  group = await buildGroup(world.test.db, [lead.id, world.member.id], world.organization);
  const terms = { needs_approval: true, approval_minutes: 0, approvers: [] };
  const answer = await world.administrator.patch<Json>(rule, {
    ...terms,
    approver_groups: [group],
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ approvers: [], approver_groups: [group] });
});

const members = (users: readonly string[]) =>
  world.administrator.patch<Json>(`users/groups/${group}/`, { users });

const ask = async () => {
  const client = await connectForApproval(world, web);
  await client.message('need_reason');
  client.send({ type: 'reason', text: 'The disk is full.' });
  return client;
};

const needsAttention = async () => {
  const { body } = await world.administrator.get<Json[]>(
    'perms/asset-permissions/?attention=permissions_without_reviewers',
  );
  return body.map(({ id }) => `perms/asset-permissions/${id}/`);
};

it('lets the members of a group decide, except the user, and no administrator', async () => {
  const client = await ask();
  const ticket = await waitingConnection(leads);
  expect(ticket.assignees).toEqual([lead.id]);
  expect((await answerTicket(ticket, 'approve', web)).status).toBe(400);
  expect((await answerTicket(ticket, 'approve', world.administrator)).status).toBe(404);
  expect((await answerTicket(ticket, 'approve', leads)).status).toBe(200);
  await client.message('open');
  await leaveTerminal(client);
});

it('asks the named users and the members of groups together', async () => {
  const { test, organization } = world;
  const other = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  await world.administrator.patch(rule, { approvers: [other.id] });
  const client = await ask();
  const others = (await bearer(test, other)).inOrganization(organization);
  const ticket = await waitingConnection(others);
  expect(new Set(ticket.assignees as string[])).toEqual(new Set([lead.id, other.id]));
  expect((await answerTicket(ticket, 'reject', others)).status).toBe(200);
  expect(await client.message('closed')).toMatchObject({ code: 'connect_approval_rejected' });
});

it('refuses the decision of a user who was removed from the group after the question', async () => {
  const client = await ask();
  const ticket = await waitingConnection(leads);
  await members([world.member.id]);
  for (const action of ['approve', 'reject']) {
    const answer = await answerTicket(ticket, action, leads);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('no longer')]);
  }
  await client.close();
});

it('does not let a user decide who joined the group after the question', async () => {
  const { test, organization } = world;
  const late = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const client = await ask();
  const ticket = await waitingConnection(leads);
  await members([lead.id, late.id]);
  const latest = (await bearer(test, late)).inOrganization(organization);
  expect((await answerTicket(ticket, 'approve', latest)).status).toBe(404);
  await answerTicket(ticket, 'approve', leads);
  await client.message('open');
  await leaveTerminal(client);
});

it('refuses connections when a group has no other member, and reports the permission', async () => {
  expect(await needsAttention()).toEqual([]);
  const alone = await ask().then(async (client) => {
    await waitingConnection(leads);
    await client.close();
    await members([world.member.id]);
    return ask();
  });
  expect(await alone.message('closed')).toMatchObject({ code: 'connect_approval_nobody' });
  // The user may review for others.
  expect(await needsAttention()).toEqual([]);
  await members([]);
  const empty = await ask();
  expect(await empty.message('closed')).toMatchObject({
    code: 'connect_approval_nobody',
    retry: false,
  });
  const files = await web.post(`files/${world.asset}/${world.systemUser}/connect/`, {
    reason: 'The disk is full.',
  });
  expect(JSON.parse(files.text.trim().split('\n').at(-1) ?? '')).toMatchObject({
    problem: { code: 'connect_approval_nobody', retry: false },
  });
  expect(await needsAttention()).toEqual([rule]);
  await sql`update account set is_active = false where id = ${lead.id}`.execute(world.test.db);
  await members([lead.id]);
  expect(await needsAttention()).toEqual([rule]);
  await sql`update account set is_active = true where id = ${lead.id}`.execute(world.test.db);
  expect(await needsAttention()).toEqual([]);
});

it('rejects a group of another organization', async () => {
  const foreign = await buildGroup(world.test.db, [lead.id]);
  const answer = await world.administrator.patch<Json>(rule, { approver_groups: [foreign] });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ approver_groups: [expect.any(String)] });
});
