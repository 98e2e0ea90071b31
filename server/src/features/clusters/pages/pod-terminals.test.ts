import { GUEST_SOCKET_PATH, type NewSessionInvitation, type PodPlace } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../../testing/clusters/small-cluster.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { answerTicket, waitingConnection } from '../../../testing/ssh/approvals.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const POD: PodPlace = { namespace: 'team-a', name: 'web', container: 'main', shell: 'sh' };

let cluster: SmallCluster;
let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let own: Client;
let account = '';
let id = '';
let rule = '';

const created = async (path: string, values: Json): Promise<string> => {
  const { status, text, body } = await admin.post<Json>(path, { name: unique('made'), ...values });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return String(body.id);
};

beforeAll(async () => {
  cluster = await startSmallCluster();
  for (const namespace of ['team-a', 'other'])
    cluster.objects.create(
      { group: '', resource: 'pods', namespace },
      { metadata: { name: 'web' } },
    );
  test = await startTestProgram();
  admin = await bearer(test);
  await changeSettings([admin], 'terminal', { TERMINAL_SESSION_INVITATIONS: true });
  account = await created('assets/system-users/', {
    protocol: 'kubernetes',
    password: CLUSTER_TOKEN,
  });
  id = await created('applications/clusters/', {
    host: '127.0.0.1',
    port: cluster.port,
    ca_certificate: cluster.authority,
  });
});
afterAll(async () => {
  await test?.stop();
  await cluster?.stop();
});
const grant = (users: readonly BuiltUser[], values: Json = {}) =>
  created('perms/cluster-permissions/', {
    users: users.map((one) => one.id),
    clusters: [id],
    system_users: [account],
    namespaces: 'team-*',
    actions: ['exec'],
    ...values,
  });
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
  rule = await grant([user]);
});

const socketBase = () => test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');

const open = (pod: Partial<PodPlace> = {}, client = own) =>
  TerminalClient.connect(
    socketBase(),
    { asset: id, system_user: account, pod: { ...POD, ...pod } },
    client.headers,
  );

/** Opens a shell and waits for its prompt. Returns it with its session. */
async function openShell(client = own): Promise<readonly [TerminalClient, string]> {
  const terminal = await open({}, client);
  const { session } = await terminal.message('open');
  terminal.type("PS1='rea''dy> '\r");
  await terminal.waitFor('ready> ');
  return [terminal, session];
}

const sessionsOf = async () =>
  (
    await sql<{ id: string; kind: string; login_from: string; end_reason: string | null }>`
      select id, kind, login_from, end_reason from session where user_id = ${user.id}
      order by date_start`.execute(test.db)
  ).rows;

async function commandsOf(session: string, wanted: string) {
  const read = async () =>
    (
      await sql<{ input: string; output: string; is_denied: boolean }>`
        select input, output, is_denied from command where session = ${session}::uuid
        order by date, sequence`.execute(test.db)
    ).rows;
  await until(async () => (await read()).some(({ input }) => input.includes(wanted)), wanted);
  return read();
}

it('opens a recorded shell in a container, within the session of the cluster', async () => {
  const [terminal, session] = await openShell();
  terminal.send({ type: 'resize', cols: 101, rows: 31 });
  terminal.type('stty size\r');
  await terminal.waitFor('31 101');
  expect(cluster.requests.at(-1)).toMatchObject({
    user: user.username,
    upgrade: 'websocket',
    url: expect.stringContaining('container=main&command=sh'),
  });
  const [around, shell] = await sessionsOf();
  expect([around, shell]).toMatchObject([
    { kind: 'api', login_from: 'WT' },
    { id: session, kind: 'terminal', login_from: 'WT' },
  ]);
  expect(await commandsOf(String(around?.id), 'pods/exec')).toMatchObject([
    {
      input: expect.stringContaining('create pods/exec "web" in team-a'),
      output: `session ${session}`,
    },
  ]);
  await commandsOf(session, 'stty size');
  terminal.type('exit\r');
  await terminal.message('closed');
  await until(
    async () => (await sessionsOf()).find((one) => one.id === session)?.end_reason !== null,
    'the end of the session',
  );
});

it('resumes the shell after a lost connection', async () => {
  const [terminal, session] = await openShell();
  terminal.type('marker=kept\r');
  await terminal.waitFor('ready> ');
  terminal.socket.terminate();
  const back = await TerminalClient.resume(
    socketBase(),
    { session, received: terminal.received },
    own.headers,
  );
  await back.message('resumed');
  back.type('echo is $marker\r');
  await back.waitFor('is kept');
  await back.close();
});

it.each([
  ['another namespace', { namespace: 'other' }, 'cluster_verb'],
  ['a missing pod', { name: 'missing' }, 'connect_cluster_refused'],
  ['a name that is a path', { name: 'web/attach' }, 'cluster_unclear'],
  ['a namespace that is a path', { namespace: 'team-a/pods' }, 'cluster_unclear'],
] as const)('refuses %s', async (_title, pod, code) => {
  const terminal = await open(pod);
  expect(await terminal.message('closed')).toMatchObject({ code });
});

it('refuses without the action, and writes the refusal into the log', async () => {
  await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: ['logs'] });
  const before = cluster.requests.filter(({ upgrade }) => upgrade).length;
  const terminal = await open();
  expect(await terminal.message('closed')).toMatchObject({
    code: 'cluster_action',
    message: expect.stringContaining('exec'),
  });
  expect(cluster.requests.filter(({ upgrade }) => upgrade).length).toBe(before);
  const [around, ...others] = await sessionsOf();
  expect(others).toEqual([]);
  expect(await commandsOf(String(around?.id), 'pods/exec')).toMatchObject([{ is_denied: true }]);
});

it.each([
  ['malformed', { ...POD, shell: 'python' }],
  ['without a container', { namespace: 'team-a', name: 'web', shell: 'sh' }],
  ['with a command', { ...POD, command: 'id' }],
  ['with half a character', { ...POD, container: '\ud800' }],
])('takes no place of a pod that is %s', async (_title, pod) => {
  const terminal = await TerminalClient.connect(
    socketBase(),
    { asset: id, system_user: account, pod: pod as PodPlace },
    own.headers,
  );
  expect(await terminal.until('close', () => terminal.closeCode)).toBe(1007);
});

it.each([
  ['malformed', 'none'],
  ['unknown', crypto.randomUUID()],
])('refuses a cluster whose id is %s like one that is not granted', async (_title, asset) => {
  const place = { asset, system_user: account, pod: POD };
  const terminal = await TerminalClient.connect(socketBase(), place, own.headers);
  expect(await terminal.message('closed')).toMatchObject({ code: 'connect_denied' });
});

it('stores nothing for a cluster that is not granted', async () => {
  await admin.delete(`perms/cluster-permissions/${rule}/`);
  const terminal = await open();
  expect(await terminal.message('closed')).toMatchObject({ code: 'connect_denied' });
  const tokens = sql`select from cluster_token where user_id = ${user.id}`;
  expect((await tokens.execute(test.db)).rows).toEqual([]);
});

it('ends the shell when the permission ends, and with the session around it', async () => {
  const [terminal] = await openShell();
  await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: ['logs'] });
  expect(await terminal.message('closed')).toMatchObject({ code: 'connect_expired' });
  await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: ['exec'] });
  const [second, session] = await openShell();
  const around = (await sessionsOf()).findLast(({ kind }) => kind === 'api');
  await admin.post('terminal/tasks/kill-session/', [around?.id]);
  expect(await second.message('closed')).toMatchObject({ code: 'session_cluster_token' });
  await until(
    async () => (await sessionsOf()).find((one) => one.id === session)?.end_reason !== null,
    'the end of the shell',
  );
});

it('waits for the reviewer, whose approval covers the page and its shells', async () => {
  const reviewer = await buildUser(test.db);
  const reviews = await bearer(test, reviewer);
  const terms = { needs_approval: true, approvers: [reviewer.id], approval_minutes: 30 };
  const changed = await admin.patch(`perms/cluster-permissions/${rule}/`, terms);
  expect(changed.status).toBe(200);
  const before = cluster.requests.filter(({ upgrade }) => upgrade).length;
  const terminal = await open();
  const ticket = await waitingConnection(reviews);
  expect(cluster.requests.filter(({ upgrade }) => upgrade).length).toBe(before);
  expect((await answerTicket(ticket, 'approve', reviews)).status).toBe(200);
  await terminal.message('open');
  const second = await open();
  await second.message('open');
  await Promise.all([terminal.close(), second.close()]);
});

it('applies rules on typed lines', async () => {
  const filter = await created('assets/cmd-filters/', { system_users: [account] });
  const answer = await admin.post(`assets/cmd-filters/${filter}/rules/`, {
    type: 'command',
    content: 'forbidden',
    priority: 10,
    action: 0,
  });
  expect(answer.status).toBe(201);
  try {
    const [terminal] = await openShell();
    terminal.type('echo forbidden\r');
    await terminal.waitFor('ready> ');
    terminal.type('echo fine\r');
    await terminal.waitFor('\nfine');
    expect(terminal.output).not.toContain('\nforbidden');
    await terminal.close();
  } finally {
    await admin.delete(`assets/cmd-filters/${filter}/`);
  }
});

it('shows the shell to watchers and to guests, who may type', async () => {
  const [terminal, session] = await openShell();
  const watcher = new TerminalClient(`${socketBase()}/ws/watch/?session=${session}`, admin.headers);
  await watcher.message('resize');
  const guest = await buildUser(test.db);
  const guestRule = await grant([guest]);
  const guestClient = await bearer(test, guest);
  const invitation = await own.post<NewSessionInvitation>(
    `terminal/own-sessions/${session}/invitations/`,
    { may_type: true, minutes: '0' },
  );
  expect([invitation.status, invitation.text]).toEqual([201, expect.any(String)]);
  const { secret, id: visited } = invitation.body;
  expect((await guestClient.post('terminal/invitations/accept/', { secret })).status).toBe(200);
  const visitor = new TerminalClient(
    `${socketBase()}${GUEST_SOCKET_PATH}?invitation=${visited}`,
    guestClient.headers,
  );
  await visitor.message('resize');
  visitor.type('echo by a gue""st\r');
  await Promise.all([
    terminal.waitFor('by a guest'),
    visitor.waitFor('by a guest'),
    watcher.waitFor('by a guest'),
  ]);
  // The account alone is not enough: the guest needs what the shell needs.
  await admin.patch(`perms/cluster-permissions/${guestRule}/`, { namespaces: 'other' });
  expect(await visitor.message('closed')).toMatchObject({ code: 'connect_expired' });
  await terminal.close();
  await watcher.message('closed');
});
