import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTicketDecisions } from '../../features/tickets/decisions.ts';
import { createHeldCommands } from '../../features/tickets/held-commands.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

/** The line editor of the shell reads. */
const PROMPT = '\x1b[?2004h';
const HOLD = 2;

let world: SshWorld;
let web: Client;
let reviewer: BuiltUser;
let reviews: Client;
let rule: string;
beforeAll(async () => {
  world = await startSshWorld();
  const { test, member, organization, administrator } = world;
  web = (await bearer(test, member)).inOrganization(organization);
  reviewer = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  reviews = (await bearer(test, reviewer)).inOrganization(organization);
  const filter = await administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [world.systemUser],
  });
  const rules = `assets/cmd-filters/${filter.body.id}/rules/`;
  const { status, body } = await administrator.post<Json>(rules, {
    content: 'held',
    action: HOLD,
    message: 'This needs a second person.',
    minutes: 2,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  rule = `${rules}${body.id}/`;
});
afterAll(() => world.stop());

const connect = async () => {
  const client = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );
  await client.waitFor(PROMPT);
  return client;
};

/** The ticket of the command that waits. */
async function waiting(client: TerminalClient): Promise<Json> {
  await client.waitFor('Waiting for a reviewer, at most 2 minutes.');
  let open: Json | undefined;
  await until(async () => {
    const { body } = await reviews.get<Json[]>('tickets/tickets/?assign=1&status=open');
    open = body.find(({ type }) => type === 'held_command');
    return open !== undefined;
  }, 'the ticket of the command');
  return open ?? {};
}

const answer = (by: Client, { id }: Json, action: string) =>
  by.patch<Json>(`tickets/tickets/${id}/`, { action });

/** Actions on a ticket that the organization sees in its operate log. */
async function logOf({ id }: Json): Promise<unknown[]> {
  const { body } = await world.administrator.get<Json[]>(
    `audits/operate-logs/?resource_type=ticket&resource_id=${id}`,
  );
  return body.map(({ action }) => action).toSorted();
}

async function leave(client: TerminalClient): Promise<Json[]> {
  await client.waitFor(PROMPT);
  client.type('exit\r');
  await client.message('closed');
  await until(async () => (await world.lastSession()).is_finished === true, 'the end');
  const { id } = await world.lastSession();
  return (await reviews.get<Json[]>(`terminal/commands/?session_id=${id}&order=sequence`)).body;
}

it('runs a held line after the approval of an administrator, and shows the ticket with user, asset and line', async () => {
  const client = await connect();
  client.type('echo before\r');
  await client.waitFor('\rbefore\r\n');
  await client.waitFor(PROMPT);
  client.type('echo he"ld"\r');
  await client.waitFor('This needs a second person.');
  const ticket = await waiting(client);
  expect(ticket).toMatchObject({ user: world.member.id, type_display: 'Waiting command' });
  const { body } = await reviews.get<Json>(`tickets/tickets/${ticket.id}/`);
  for (const fact of [world.hostname, world.member.username, 'echo he"ld"', 'second person'])
    expect(body.body).toContain(fact);
  const facts = async (client: Client) =>
    (await client.get<Json>(`tickets/tickets/${ticket.id}/request/`)).body.facts;
  expect(await facts(reviews)).toMatchObject({
    kind: 'held_command',
    asset: world.hostname,
    session: (await world.lastSession()).id,
    rule: 'This needs a second person.',
    text: 'echo he"ld"',
    screen: expect.stringMatching(/echo before\nbefore\n[^\n]*echo he"ld"$/),
  });
  const stranger = await signInMember(world.test, world.organization);
  expect([await facts(stranger), await facts(web)]).toMatchObject([null, { text: 'echo he"ld"' }]);
  const news = await reviews.get<Json[]>('users/notifications/');
  expect(news.body[0]).toMatchObject({ kind: 'ticket_asked', resource_id: ticket.id });
  expect(await logOf(ticket)).toEqual(['create']);
  expect((await answer(web, ticket, 'approve')).status).toBe(400);
  expect((await answer(reviews, ticket, 'approve')).status).toBe(200);
  await client.waitFor(`Approved by a reviewer: `);
  await client.waitFor('\rheld\r\n');
  expect(await facts(reviews)).not.toHaveProperty('screen');
  expect(await leave(client)).toMatchObject([
    { input: 'echo before' },
    { input: 'echo he"ld"', output: 'held', verdict: 'approved', is_denied: false },
    { input: 'exit' },
  ]);
});

it('denies a line that a reviewer rejects, or that its user withdraws with Ctrl-C', async () => {
  const client = await connect();
  client.type('echo he"ld"\r');
  await answer(reviews, await waiting(client), 'reject');
  await client.waitFor('This needs a second person. Rejected by a reviewer: ');
  await client.waitFor(PROMPT);
  client.type('echo he"ld"\r');
  const ticket = await waiting(client);
  client.type('\x03');
  await client.waitFor('Withdrawn by the user');
  const { status, body } = await answer(reviews, ticket, 'approve');
  expect([status, body]).toMatchObject([409, {}]);
  expect(await logOf(ticket)).toEqual(['create', 'update']);
  expect(await leave(client)).toMatchObject([
    { verdict: 'rejected', is_denied: true },
    { verdict: 'withdrawn', is_denied: false },
    { input: 'exit' },
  ]);
});

it('withdraws the line at the end of its session', async () => {
  const client = await connect();
  client.type('echo he"ld"\r');
  const ticket = await waiting(client);
  const { id } = await world.lastSession();
  await world.administrator.post('terminal/tasks/kill-session/', [id]);
  await client.message('closed');
  await until(
    async () => (await reviews.get<Json>(`tickets/tickets/${ticket.id}/`)).body.status === 'closed',
    'the ticket is closed',
  );
  const verdicts = () =>
    sql<{ verdict: string }>`select verdict from command where session = ${id}`.execute(
      world.test.db,
    );
  await until(
    async () => (await verdicts()).rows[0]?.verdict === 'withdrawn',
    'the command is logged as withdrawn',
  );
});

/** Lets reviewers decide on a command for a fifth of a second. */
async function decide(text: string) {
  const { test, member, hostname } = world;
  const desk = createHeldCommands({
    db: test.db,
    decisions: createTicketDecisions(test.db, { subscribe: async () => undefined }),
    wording: () => ({ language: 'en', zone: 'UTC' }),
    mails: { asked: async () => undefined },
  });
  const session = {
    id: String((await world.lastSession()).id),
    person: { userId: member.id, display: 'member', remoteAddr: null },
    grant: { asset: { orgId: world.organization, hostname } },
    account: 'root',
  };
  const message = 'This needs a second person.';
  return desk.decide({ session, text, message, seconds: 0.2 }, new AbortController().signal);
}

it('denies a command that no reviewer decides in time, and closes its ticket', async () => {
  expect(await decide('echo late')).toEqual({ verdict: 'expired', by: '' });
  const { rows } = await sql`
    select status, action from ticket where title like '%echo late'`.execute(world.test.db);
  expect(rows).toEqual([{ status: 'closed', action: '' }]);
});

it('denies a command that is too long to be shown whole, without a ticket', async () => {
  const tickets = () => sql`select 1 from ticket`.execute(world.test.db);
  const before = (await tickets()).rows.length;
  expect(await decide(`echo ${'x'.repeat(8_000)}`)).toEqual({ verdict: 'expired', by: '' });
  expect((await tickets()).rows).toHaveLength(before);
});

it('does not approve a command whose server died', async () => {
  const client = await connect();
  client.type('echo he"ld"\r');
  const ticket = await waiting(client);
  await sql`update held_command set date_expires = now() where ticket_id = ${ticket.id}`.execute(
    world.test.db,
  );
  expect((await answer(reviews, ticket, 'approve')).status).toBe(409);
  expect((await answer(reviews, ticket, 'reject')).status).toBe(200);
  await client.waitFor('Rejected by a reviewer');
  await leave(client);
});

it('rejects a time outside of its limits', async () => {
  expect((await world.administrator.patch<Json>(rule, { minutes: 61 })).body).toHaveProperty(
    'minutes',
  );
});
