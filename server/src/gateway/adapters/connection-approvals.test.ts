import { once } from 'node:events';
import { type ClientChannel, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import {
  answerTicket,
  connectForApproval,
  leaveTerminal as leave,
  waitingConnection,
} from '../../testing/ssh/approvals.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

const PROMPT = '\x1b[?2004h';

let world: SshWorld;
let web: Client;
let reviewer: BuiltUser;
let reviews: Client;
let rule: string;
beforeAll(async () => {
  world = await startSshWorld();
  const { test, member, organization, administrator } = world;
  web = (await bearer(test, member)).inOrganization(organization);
  reviewer = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  reviews = (await bearer(test, reviewer)).inOrganization(organization);
  const { body } = await administrator.get<Json[]>('perms/asset-permissions/');
  rule = `perms/asset-permissions/${body[0]?.id}/`;
});
afterAll(() => world.stop());

const ask = async (terms: object) => {
  const body = { needs_approval: true, approval_minutes: 0, approvers: [reviewer.id], ...terms };
  const answer = await world.administrator.patch<Json>(rule, body);
  expect(answer.status, answer.text).toBe(200);
};
beforeEach(async () => {
  await sql`delete from connection_approval`.execute(world.test.db);
  await ask({});
});

const connect = () => connectForApproval(world, web);
const waiting = (by = reviews) => waitingConnection(by);
const answer = (ticket: Json, action: string, by = reviews) => answerTicket(ticket, action, by);

it('opens a terminal after the approval of the named reviewer, and names the ticket in the session', async () => {
  const client = await connect();
  await client.message('need_reason');
  client.send({ type: 'reason', text: 'The disk is full.' });
  const ticket = await waiting();
  expect(ticket).toMatchObject({ user: world.member.id, type_display: 'Waiting connection' });
  const { body } = await reviews.get<Json>(`tickets/tickets/${ticket.id}/`);
  for (const fact of [world.hostname, world.member.username, 'The disk is full.'])
    expect(body.body).toContain(fact);
  const about = await reviews.get<Json>(`tickets/tickets/${ticket.id}/request/`);
  expect(about.body.facts).toMatchObject({
    kind: 'connection',
    target: world.hostname,
    minutes: 0,
    reason: 'The disk is full.',
  });
  expect(client.messages.some(({ type }) => type === 'open')).toBe(false);
  expect((await answer(ticket, 'approve', web)).status).toBe(400);
  expect((await answer(ticket, 'approve')).status).toBe(200);
  const { session } = await client.message('open');
  const row = await world.administrator.get<Json>(`terminal/sessions/${session}/`);
  expect(row.body.requests).toMatchObject([{ id: ticket.id }]);
  const log = await world.administrator.get<Json[]>(
    `audits/operate-logs/?resource_type=ticket&search=${encodeURIComponent(world.hostname)}`,
  );
  expect(log.body.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['create', 'update']),
  );
  await leave(client);
  const again = await connect();
  await again.message('need_reason');
  await again.close();
});

it('refuses a connection that a reviewer rejects, and withdraws one whose user leaves', async () => {
  const rejected = await connect();
  await rejected.message('need_reason');
  rejected.send({ type: 'reason', text: 'Why not' });
  await answer(await waiting(), 'reject');
  expect(await rejected.message('closed')).toMatchObject({ code: 'connect_approval_rejected' });
  const left = await connect();
  await left.message('need_reason');
  left.send({ type: 'reason', text: 'I leave' });
  const ticket = await waiting();
  await left.close();
  await until(
    async () => (await reviews.get<Json>(`tickets/tickets/${ticket.id}/`)).body.status === 'closed',
    'the ticket is closed',
  );
  expect((await answer(ticket, 'approve')).status).toBe(409);
});

it('accepts an approval for its minutes in every kind of client', async () => {
  await ask({ approval_minutes: 30 });
  const client = await connect();
  await client.message('need_reason');
  client.send({ type: 'reason', text: 'For a while' });
  await answer(await waiting(), 'approve');
  await client.message('open');
  await leave(client);
  const again = await connect();
  await again.message('open');
  await leave(again);
  const { login, member, ssh, asset, systemUser } = world;
  const ran = await ssh.run({ login, password: member.password, command: 'echo r"a"n' });
  expect(String(ran.stdout)).toBe('ran\n');
  const files = `files/${asset}/${systemUser}`;
  expect((await web.get(`${files}/entries/?path=/`)).status).toBe(200);
  await web.delete(`${files}/connect/`);
  await ask({ approval_minutes: 0 });
  const once = await connect();
  await once.message('need_reason');
  await once.close();
});

it('asks for the reason in an SSH terminal, and withdraws the request on Ctrl-C', async () => {
  const { ssh, login, member } = world;
  const client = new MenuClient(ssh, { username: login, password: member.password });
  await client.sees('Why do you connect?');
  client.type('To restart it\r');
  await client.sees('Waiting for a reviewer.');
  await answer(await waiting(), 'approve');
  await client.sees(PROMPT);
  client.type('exit\r');
  expect(await client.ends()).toBe(0);
  const second = new MenuClient(ssh, { username: login, password: member.password });
  await second.sees('Reason: ');
  second.type('No\r');
  await second.sees('Waiting for a reviewer.');
  const ticket = await waiting();
  second.type('\x03');
  await second.sees('withdrawn');
  await second.ends();
  expect((await reviews.get<Json>(`tickets/tickets/${ticket.id}/`)).body.status).toBe('closed');
});

it('lets a command without a terminal wait, with a line in its error output', async () => {
  const { ssh, login, member } = world;
  const running = ssh.run({ login, password: member.password, command: 'echo r"a"n' });
  await answer(await waiting(), 'approve');
  const { stdout, stderr } = await running;
  expect(String(stdout)).toBe('ran\n');
  expect(stderr).toContain('Waiting for a reviewer.');
});

/** Opens SFTP. Returns its error output so far, and ends of the channel and of the connection. */
async function openSftp() {
  const client = new ssh2.Client();
  const { member, login: username, port } = world;
  client.connect({ host: '127.0.0.1', port, username, password: member.password });
  await once(client, 'ready');
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.subsys('sftp', (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  let text = '';
  channel.stderr.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  channel.resume();
  return { text: () => text, channel, leave: () => client.end() };
}

it('lets a file transfer wait, with a line in its error output', async () => {
  const { text, channel, leave: end } = await openSftp();
  await until(() => text().includes('Waiting for a reviewer.'), 'the client is told');
  // SSH_FXP_INIT of version 3, which the server answers once the connection is open.
  const answered = once(channel, 'data');
  channel.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
  await answer(await waiting(), 'approve');
  await answered;
  expect(text()).toBe('sallyport: Waiting for a reviewer. Ctrl-C withdraws the request.\n');
  end();
});

it('withdraws the request of a file transfer whose channel closes', async () => {
  const { channel, leave: end } = await openSftp();
  const ticket = await waiting();
  // The connection stays, as with a shared one of OpenSSH.
  channel.close();
  await until(
    async () => (await reviews.get<Json>(`tickets/tickets/${ticket.id}/`)).body.status === 'closed',
    'the request is withdrawn',
  );
  end();
});

it('asks for the reason in the file manager', async () => {
  const files = `files/${world.asset}/${world.systemUser}`;
  const first = await web.post(`${files}/connect/`, {});
  expect(first.text).toContain('"need_reason":true');
  expect((await web.get(`${files}/entries/?path=/`)).status).toBe(409);
  const connecting = web.post(`${files}/connect/`, { reason: 'A log file' });
  await answer(await waiting(), 'approve');
  expect((await connecting).text).toContain('"open"');
  expect((await web.get(`${files}/entries/?path=/`)).status).toBe(200);
  await web.delete(`${files}/connect/`);
});

it('explains that a permission asks for an approval', async () => {
  const { asset, member, administrator } = world;
  const { body } = await administrator.get<{ access: { paths: Json[] } }>(
    `perms/access/check/?user=${member.id}&asset=${asset}`,
  );
  expect(body.access.paths).toMatchObject([{ needs_approval: true }]);
});

it('refuses batch commands on assets whose connections need an approval', async () => {
  const { asset, systemUser } = world;
  const started = await web.post<Json>('ops/command-executions/', {
    hosts: [asset],
    run_as: systemUser,
    command: 'id',
  });
  expect(started.status, started.text).toBe(201);
  await until(async () => {
    const { body } = await web.get<Json>(`ops/command-executions/${started.body.id}/`);
    return body.is_finished === true;
  }, 'the batch command ends');
  const { text } = await web.get(`ops/command-executions/${started.body.id}/`);
  expect(text).toContain('reviewer must approve each connection');
});

it('asks the administrators where the permission names no other user, and never the user', async () => {
  const { test, organization, member } = world;
  await ask({ approvers: [member.id] });
  const administrator = await buildUser(test.db, {
    memberOf: [{ organization, role: 'Admin' }],
  });
  const client = await connect();
  await client.message('need_reason');
  client.send({ type: 'reason', text: unique('reason') });
  const by = (await bearer(test, administrator)).inOrganization(organization);
  const ticket = await waiting(by);
  expect(ticket.assignees).not.toContain(member.id);
  expect((await answer(ticket, 'approve', reviews)).status).toBe(404);
  expect((await answer(ticket, 'approve', by)).status).toBe(200);
  await client.message('open');
  await leave(client);
});
