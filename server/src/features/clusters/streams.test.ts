import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChannelName,
  type Channels,
  channelsOf,
} from '../../gateway/protocols/kubernetes/channels.ts';
import {
  ClusterAnswer,
  openRemoteCommand,
} from '../../gateway/protocols/kubernetes/remote-command.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../testing/clusters/small-cluster.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let cluster: SmallCluster;
let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let account = '';
let id = '';
let permission = '';
let token = '';
beforeAll(async () => {
  cluster = await startSmallCluster();
  for (const namespace of ['team-a', 'other'])
    cluster.objects.create(
      { group: '', resource: 'pods', namespace },
      { metadata: { name: 'web' } },
    );
  test = await startTestProgram();
  admin = await bearer(test);
  const created = async (path: string, values: Json): Promise<string> => {
    const { status, text, body } = await admin.post<Json>(path, {
      name: unique('made'),
      ...values,
    });
    expect([status, text]).toEqual([201, expect.any(String)]);
    return String(body.id);
  };
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
beforeEach(async () => {
  extra = {};
  user = await buildUser(test.db);
  const own = await bearer(test, user);
  const { body } = await admin.post<Json>('perms/cluster-permissions/', {
    name: unique('rule'),
    users: [user.id],
    clusters: [id],
    system_users: [account],
    namespaces: 'team-*',
    actions: ['exec', 'attach', 'portforward'],
  });
  permission = String(body.id);
  const created = await own.post<Json>('perms/users/clusters/kubeconfig/', { cluster: id });
  token = String(created.body.token);
});

interface Run {
  readonly side: Channels;
  readonly ended: Promise<void>;
  readonly text: (channel: ChannelName) => string;
}

async function dial(): Promise<Socket> {
  const { hostname, port } = new URL(test.visitor.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

const addressOf = (path: string) => `/k8s/${id}/api/v1/namespaces/${path}`;
const headers = () => ({ authorization: `Bearer ${token}`, host: 'bastion' });
/** Headers that a test adds to those of the client. */
let extra: Readonly<Record<string, string>> = {};

/** Runs a command through the bastion, by both protocols as `kubectl` or by SPDY as older ones. */
async function run(
  words: readonly string[],
  { stdin = false, tty = false, place = 'team-a/pods/web/exec', isOld = false } = {},
): Promise<Run> {
  const query = new URLSearchParams({ stdout: 'true' });
  if (!tty) query.set('stderr', 'true');
  if (stdin) query.set('stdin', 'true');
  if (tty) query.set('tty', 'true');
  for (const word of words) query.append('command', word);
  const output: { readonly channel: ChannelName; readonly chunk: Buffer }[] = [];
  const ended = Promise.withResolvers<void>();
  const side = await openRemoteCommand(
    {
      dial,
      path: `${addressOf(place)}?${query}`,
      headers: { ...headers(), ...extra },
      channels: channelsOf({ stdin, stdout: true, stderr: true, tty }),
      timeoutMs: 60_000,
      ...(isOld && { isOld }),
    },
    {
      onData: (channel, chunk) => void output.push({ channel, chunk }),
      onFinish: () => undefined,
      onDrain: () => undefined,
      onClose: () => ended.resolve(),
    },
  );
  const text = (name: ChannelName) =>
    Buffer.concat(
      output.filter(({ channel }) => channel === name).map(({ chunk }) => chunk),
    ).toString('utf8');
  return { side, ended: ended.promise, text };
}

/** The session of the kubeconfig: the first of the user. Those of commands follow. */
const kubeconfigSession = () => sql`(select id from session where user_id = ${user.id}
  order by date_start limit 1)`;

/** Returns the ended sessions of commands of the user, the newest first. */
async function commandSessions() {
  const rows = async () =>
    (
      await sql<{ id: string; reason: string | null; replay: string }>`
        select id, end_reason as reason, replay_state as replay from session
        where user_id = ${user.id} and id <> ${kubeconfigSession()}
        order by date_start desc`.execute(test.db)
    ).rows;
  await until(async () => (await rows()).every(({ reason }) => reason !== null), 'ended sessions');
  return rows();
}

/** Returns the logged commands of the kubeconfig, or those of the sessions of commands. */
async function commandsOf(kind: 'kubeconfig' | 'pod') {
  // The journal writes them a moment later.
  await until(async () => (await readCommands(kind)).length > 0, 'commands');
  return readCommands(kind);
}

async function readCommands(kind: 'kubeconfig' | 'pod') {
  const { rows } = await sql<{ input: string; output: string; is_denied: boolean }>`
    select input, output, is_denied from command
    where session in (select id from session where user_id = ${user.id})
      and (session = ${kubeconfigSession()}) = ${kind === 'kubeconfig'}
    order by date, sequence`.execute(test.db);
  return rows;
}

it('accepts the origin that the client of Python names for its WebSocket', async () => {
  extra = { origin: 'https://bastion.example.com' };
  const { ended, text } = await run(['echo', 'out']);
  await ended;
  expect(text('stdout')).toBe('out\n');
});

it.each([
  ['a cookie', { cookie: 'sessionid=1' }],
  ['the mark of a page', { 'sec-fetch-site': 'same-origin' }],
  ['no token in a header', { authorization: '' }],
])('refuses a WebSocket with an origin and %s', async (_title, more) => {
  extra = { origin: 'https://bastion.example.com', ...more };
  const before = cluster.requests.length;
  await expect(run(['echo', 'out'])).rejects.toThrow(ClusterAnswer);
  expect(cluster.requests.length).toBe(before);
});

describe.each([
  ['WebSocket', false],
  ['SPDY', true],
] as const)('a command at a pod over %s', (_title, isOld) => {
  it('records its command, output and exit status as a session', async () => {
    const { ended, text } = await run(['sh', '-c', 'echo out; echo err >&2; exit 7'], { isOld });
    await ended;
    expect([text('stdout'), text('stderr')]).toEqual(['out\n', 'err\n']);
    expect(JSON.parse(text('error'))).toMatchObject({
      reason: 'NonZeroExitCode',
      details: { causes: [{ message: '7' }] },
    });
    const [session] = await commandSessions();
    expect(session).toMatchObject({ reason: 'connect_target_closed', replay: 'finished' });
    expect(await commandsOf('pod')).toMatchObject([
      {
        input: "sh -c 'echo out; echo err >&2; exit 7'",
        output: expect.stringContaining('[exit status 7]'),
      },
    ]);
    expect(await commandsOf('kubeconfig')).toMatchObject([
      {
        input: expect.stringContaining('create pods/exec "web" in team-a'),
        output: `session ${session?.id}`,
      },
    ]);
    expect(cluster.requests.at(-1)).toMatchObject({ user: user.username, upgrade: 'websocket' });
  });

  it('reads input until its end, as cp does', async () => {
    const { side, ended, text } = await run(['sh', '-c', 'cat | wc -c'], { isOld, stdin: true });
    const chunk = Buffer.alloc(32_768, 'x');
    for (let sent = 0; sent < 64; sent++) side.write('stdin', chunk);
    side.finish('stdin');
    await ended;
    expect(Number(text('stdout'))).toBe(64 * 32_768);
  });

  it('has a terminal whose lines are commands', async () => {
    const { side, ended, text } = await run(['sh'], { isOld, stdin: true, tty: true });
    side.write('resize', Buffer.from('{"Width":91,"Height":33}'));
    await until(() => text('stdout').includes('$ '), 'a prompt');
    side.write('stdin', Buffer.from('stty size\r'));
    await until(() => text('stdout').includes('33 91'), 'the size');
    side.write('stdin', Buffer.from('exit 3\r'));
    await ended;
    expect(text('error')).toContain('"3"');
    await commandSessions();
    expect((await commandsOf('pod')).map(({ input }) => input)).toEqual([
      'sh',
      'stty size',
      'exit 3',
    ]);
  });

  it('ends with the permission', async () => {
    const { text, ended } = await run(['sh', '-c', 'echo begun; exec sleep 1000'], { isOld });
    await until(() => text('stdout').includes('begun'), 'the command');
    const changed = await admin.patch(`perms/cluster-permissions/${permission}/`, { actions: [] });
    expect(changed.status).toBe(200);
    await ended;
    expect(await commandSessions()).toMatchObject([{ reason: 'connect_expired' }]);
  });

  it('does not begin if a rule forbids its command', async () => {
    const { body: filter } = await admin.post<Json>('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [account],
    });
    const rules = `assets/cmd-filters/${filter.id}/rules/`;
    const rule = { type: 'command', content: 'touch', action: 0, priority: 1 };
    expect((await admin.post(rules, rule)).status).toBe(201);
    try {
      const before = cluster.requests.length;
      const refused = await run(['sh', '-c', 'touch x'], { isOld }).catch(
        (error: unknown) => error,
      );
      expect(refused).toBeInstanceOf(ClusterAnswer);
      expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('touch') });
      expect(cluster.requests.slice(before).filter(({ upgrade }) => upgrade)).toEqual([]);
    } finally {
      await admin.delete(`assets/cmd-filters/${filter.id}/`);
    }
  });
});

it('leaves no connection to the API server after a command', async () => {
  const before = cluster.connections();
  for (let count = 0; count < 6; count++) await (await run(['true'])).ended;
  await commandSessions();
  // The connection of the kubeconfig's session stays.
  await until(() => cluster.connections() <= before + 1, 'closed connections', 20_000);
});

it.each([
  ['another namespace', 'other/pods/web/exec', 'No permission allows you to'],
  ['a missing pod', 'team-a/pods/gone/exec', 'pods "gone" not found'],
])('refuses WebSocket and SPDY, and logs it once: %s', async (_title, place, words) => {
  const refusals = [];
  for (const isOld of [false, true])
    refusals.push(await run(['sh'], { place, isOld }).catch((error: unknown) => error));
  for (const refused of refusals)
    expect(refused).toMatchObject({ message: expect.stringContaining(words) });
  expect(await commandsOf('kubeconfig')).toHaveLength(1);
  expect((await commandSessions()).length).toBeLessThan(2);
});

/** Forwards a port. `received` returns what came so far. */
async function forwardPort(protocols = 'SPDY/3.1+portforward.k8s.io') {
  const socket = await dial();
  socket.on('error', () => undefined);
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  socket.write(
    [
      `GET ${addressOf('team-a/pods/web/portforward')} HTTP/1.1`,
      'Host: bastion',
      `Authorization: Bearer ${token}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Protocol: ${protocols}`,
      '\r\n',
    ].join('\r\n'),
  );
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  await until(() => received.includes('\r\n\r\n'), 'the upgrade');
  expect(received).toMatch(/^HTTP\/1\.1 101 /);
  return { socket, closed, received: () => received };
}

it('forwards a port as bytes', async () => {
  const { socket, received } = await forwardPort();
  const sent = Buffer.alloc(3_000_000, 'y');
  socket.write(sent);
  await until(() => received().length >= sent.length, 'all bytes');
  expect(received().slice(received().indexOf('\r\n\r\n') + 4)).toBe(sent.toString('latin1'));
  socket.destroy();
  expect(await commandsOf('kubeconfig')).toMatchObject([
    { input: expect.stringContaining('create pods/portforward "web" in team-a'), output: '101' },
  ]);
});

it('ends a forwarded port when its permission no longer names the action', async () => {
  const { closed } = await forwardPort();
  const change = { actions: ['exec'] };
  const changed = await admin.patch(`perms/cluster-permissions/${permission}/`, change);
  expect(changed.status).toBe(200);
  await closed;
});

it('keeps a token among the subprotocols from the API server', async () => {
  const { socket } = await forwardPort(
    'base64url.bearer.authorization.k8s.io.c3BrX3g, SPDY/3.1+portforward.k8s.io',
  );
  expect(cluster.requests.at(-1)?.headers).toMatchObject({
    'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io',
    authorization: `Bearer ${CLUSTER_TOKEN}`,
  });
  socket.destroy();
});
