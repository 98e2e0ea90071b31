import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNamespaces, ClusterObject, ClusterObjects } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../../testing/clusters/small-cluster.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const SECRET = 'aHVudGVyMg==';
const NO_ROLE = 'config';
const BREAKS_OFF = 'half';

let cluster: SmallCluster;
let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let own: Client;
let account = '';
let id = '';

const created = async (path: string, values: Json): Promise<string> => {
  const { status, text, body } = await admin.post<Json>(path, { name: unique('made'), ...values });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return String(body.id);
};

beforeAll(async () => {
  cluster = await startSmallCluster({
    allows: (_user, { name, resource }) => name !== NO_ROLE && resource !== 'cronjobs',
    breaksOff: ({ name }) => name === BREAKS_OFF,
  });
  const { objects } = cluster;
  const namespaces = { group: '', resource: 'namespaces', namespace: '' };
  for (const name of ['team-a', 'team-b', 'other'])
    objects.create(namespaces, { metadata: { name } });
  const at = (resource: string, namespace = 'team-a', group = '') => ({
    group,
    resource,
    namespace,
  });
  const spec = {
    containers: [{ name: 'main', image: 'nginx:1.29' }],
    initContainers: [{ name: 'migrate', image: 'tools:1' }],
  };
  objects.create(at('pods'), {
    metadata: { name: 'web', managedFields: [{ manager: 'kubectl' }] },
    spec,
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'main',
          ready: false,
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
      initContainerStatuses: [{ name: 'migrate', state: { terminated: { reason: 'Completed' } } }],
    },
  });
  for (let number = 0; number < 130; number++)
    objects.create(at('configmaps'), { metadata: { name: `map-${number}` } });
  objects.create(at('deployments', 'team-a', 'apps'), {
    metadata: { name: 'web' },
    spec: { replicas: 2 },
    status: { readyReplicas: 1 },
  });
  objects.create(at('secrets'), {
    metadata: {
      name: 'password',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: SECRET }),
        team: 'a',
      },
    },
    data: { password: SECRET },
    stringData: { other: SECRET },
  });
  test = await startTestProgram();
  admin = await bearer(test);
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
  user = await buildUser(test.db);
  own = await bearer(test, user);
});

const grant = (values: Json = {}): Promise<string> =>
  created('perms/cluster-permissions/', {
    users: [user.id],
    clusters: [id],
    system_users: [account],
    namespaces: 'team-a\nteam-*',
    actions: ['logs'],
    ...values,
  });

const VISITS = 'perms/users/clusters/visits/';

/** Connects a page. Returns a function that reads from it. */
async function connect(client = own) {
  const { status, text, body } = await client.post<Json>(VISITS, { cluster: id });
  expect([status, text]).toEqual([200, expect.any(String)]);
  const read = <Answer = Json>(name: string, query: Record<string, string> = {}) =>
    client.get<Answer>(`${VISITS}${body.id}/${name}/?${new URLSearchParams(query)}`);
  return { visit: body, read };
}

async function logged(atLeast = 1) {
  const read = async () =>
    (
      await sql<{ input: string; output: string; is_denied: boolean }>`
        select input, output, is_denied from command where session in
          (select id from session where user_id = ${user.id}) order by date, sequence`.execute(
        test.db,
      )
    ).rows;
  await until(async () => (await read()).length >= atLeast, 'the log of the page');
  return read();
}

it('lists what the API server prints, in pages, and logs each request', async () => {
  await grant();
  const { visit, read } = await connect();
  expect(visit).toMatchObject({
    cluster: id,
    namespaces: ['team-a'],
    lists_namespaces: false,
  });
  const pods = await read<ClusterObjects>('objects', { kind: 'pods', namespace: 'team-a' });
  expect([pods.status, pods.body]).toEqual([
    200,
    {
      columns: [
        { name: 'Ready', description: 'Ready' },
        { name: 'Status', description: 'Status' },
        { name: 'Restarts', description: 'Restarts' },
      ],
      rows: [
        {
          name: 'web',
          namespace: 'team-a',
          date_created: expect.stringMatching(/^2026-01-31/),
          cells: ['0/1', 'CrashLoopBackOff', '4'],
        },
      ],
      continue: '',
    },
  ]);
  const deployments = await read<ClusterObjects>('objects', {
    kind: 'deployments',
    namespace: 'team-a',
  });
  expect(deployments.body.rows[0]?.cells).toEqual(['1/2', '0', '0']);
  const maps = { kind: 'configmaps', namespace: 'team-a' };
  const first = await read<ClusterObjects>('objects', maps);
  const second = await read<ClusterObjects>('objects', {
    ...maps,
    continue: first.body.continue,
  });
  expect([first.body.rows.length, second.body.rows.length, second.body.continue]).toEqual([
    100,
    30,
    '',
  ]);
  expect((await logged())[0]).toMatchObject({
    input: expect.stringMatching(/^list pods .*\(GET \/api\/v1\/namespaces\/team-a\/pods\?/),
    output: '200',
    is_denied: false,
  });
  expect(cluster.requests.at(-1)).toMatchObject({ user: user.username });
  const { rows } = await sql<{ login_from: string; kind: string }>`
    select login_from, kind from session where user_id = ${user.id}`.execute(test.db);
  expect(rows).toEqual([{ login_from: 'WT', kind: 'api' }]);
});

it('shows objects as YAML, containers of pods, and no values of Secrets', async () => {
  await grant({ actions: ['logs', 'secrets'] });
  const { read } = await connect();
  const place = { namespace: 'team-a', name: 'web' };
  const pod = await read<ClusterObject>('object', { kind: 'pods', ...place });
  expect(pod.body.yaml).toContain('  name: web\n');
  expect(pod.body.yaml).not.toContain('managedFields');
  expect(pod.body.containers).toMatchObject([
    { name: 'main', kind: 'container', state: 'CrashLoopBackOff', is_running: false, restarts: 4 },
    { name: 'migrate', kind: 'init', state: 'Completed', restarts: 0 },
  ]);
  expect(pod.body).toMatchObject({
    no_log: null,
    no_terminal: expect.stringContaining('exec'),
  });
  const secret = await read<ClusterObject>('object', {
    kind: 'secrets',
    namespace: 'team-a',
    name: 'password',
  });
  expect(secret.body.yaml).toContain('password: "******"');
  expect(secret.body.yaml).toContain('team: a');
  expect(secret.text).not.toContain(SECRET);
  const list = await read('objects', { kind: 'secrets', namespace: 'team-a' });
  expect(list.text).not.toContain(SECRET);
  expect(JSON.stringify(await logged())).not.toContain(SECRET);
});

it('continues a visit, and begins another one shortly before its end', async () => {
  await grant();
  const { visit, read } = await connect();
  expect((await connect()).visit.id).toBe(visit.id);
  await sql`update cluster_token set date_expired = now() + interval '5 minutes'
    where id = ${visit.id}::uuid`.execute(test.db);
  expect((await connect()).visit.id).not.toBe(visit.id);
  expect((await read('objects', { kind: 'pods', namespace: 'team-a' })).status).toBe(200);
});

it('answers in the language of the request, whichever the visit began in', async () => {
  await grant();
  const { visit } = await connect();
  const chinese = own.with({ 'accept-language': 'zh' });
  expect((await connect(chinese)).visit.id).toBe(visit.id);
  const query = new URLSearchParams({ kind: 'pods', namespace: 'team-a', name: 'web' });
  const { body } = await chinese.get<ClusterObject>(`${VISITS}${visit.id}/object/?${query}`);
  expect(body.no_terminal).toMatch(/\p{Script=Han}/u);
});

it('refuses by the permissions, and by the roles of the cluster', async () => {
  const rule = await grant();
  const { read } = await connect();
  const refused = async (...asked: Parameters<typeof read>) => {
    const { status, text } = await read(...asked);
    return `${status} ${text}`;
  };
  const pods = { kind: 'pods', namespace: 'team-a' };
  expect(await refused('objects', { ...pods, namespace: 'other' })).toContain('403');
  expect(await refused('objects', { kind: 'pods' })).toContain('403');
  expect(await refused('namespaces')).toContain('403');
  expect(await refused('object', { ...pods, kind: 'secrets', name: 'password' })).toContain('403');
  expect(
    (await logged(4)).filter(({ is_denied }) => is_denied).map(({ input }) => input),
  ).toHaveLength(4);
  expect(await refused('objects', { kind: 'cronjobs', namespace: 'team-a' })).toMatch(
    /^400 .*cannot list cronjobs/,
  );
  expect(
    await refused('object', { kind: 'configmaps', namespace: 'team-a', name: NO_ROLE }),
  ).toMatch(/^400 .*cannot get configmaps/);
  expect(await refused('object', { ...pods, name: 'missing' })).toMatch(/^400 .*not found/);
  for (const wrong of [
    { kind: 'nodes', namespace: 'team-a' },
    { kind: 'pods', namespace: 'team-a/pods/web' },
    { kind: 'pods', namespace: '..' },
  ])
    expect(await refused('objects', wrong)).toMatch(/^400 /);
  for (const name of ['../web', 'web/exec', 'a\u0000b', '..'])
    expect(await refused('object', { ...pods, name })).toMatch(/^400 /);
  const before = cluster.requests.length;
  await admin.patch(`perms/cluster-permissions/${rule}/`, { is_active: false });
  expect(await refused('objects', pods)).toMatch(/^403 /);
  expect(cluster.requests.length).toBe(before);
});

it('lists the namespaces for users who may', async () => {
  await grant({ namespaces: '*' });
  const { visit, read } = await connect();
  expect(visit).toMatchObject({ namespaces: [], lists_namespaces: true });
  const { body } = await read<ClusterNamespaces>('namespaces');
  expect(body).toEqual({ names: ['team-a', 'team-b', 'other'], continue: '' });
  const all = await read<ClusterObjects>('objects', { kind: 'pods' });
  expect(all.body.rows.map(({ namespace, name }) => [namespace, name])).toEqual([
    ['team-a', 'web'],
  ]);
});

it('keeps a visit to its sign-in, and shares it between the pages of one', async () => {
  await grant();
  const { visit, read } = await connect();
  expect((await connect()).visit.id).toBe(visit.id);
  const other = await bearer(test, user);
  const stolen = await other.get(`${VISITS}${visit.id}/objects/?kind=pods&namespace=team-a`);
  expect([stolen.status, stolen.text]).toEqual([404, expect.stringContaining('Connect again')]);
  expect((await connect(other)).visit.id).not.toBe(visit.id);
  const unknown = await own.get(`${VISITS}not-an-id/namespaces/`);
  expect(unknown.status).toBe(404);
  expect((await read('objects', { kind: 'pods', namespace: 'team-a' })).status).toBe(200);
});

it('stays disconnected after an administrator ended its session, until the user connects', async () => {
  await grant();
  const { read } = await connect();
  const podList = ['objects', { kind: 'pods', namespace: 'team-a' }] as const;
  expect((await read(...podList)).status).toBe(200);
  const { rows } = await sql<{ id: string }>`select id from session
    where user_id = ${user.id}`.execute(test.db);
  const ended = await admin.post(
    'terminal/tasks/kill-session/',
    rows.map((row) => row.id),
  );
  expect(ended.status).toBe(200);
  await until(async () => (await read(...podList)).status === 404, 'the end of the visit');
  expect((await read(...podList)).text).toContain('Connect again');
  const again = await connect();
  expect((await again.read(...podList)).status).toBe(200);
});

/** Follows the log of the pod. Returns its text so far, and resolves `ended` at its end. */
async function follow(visit: Json) {
  const left = new AbortController();
  const query = new URLSearchParams({
    namespace: 'team-a',
    pod: 'web',
    container: 'main',
    follow: 'true',
  });
  const address = new URL(`/api/v1/${VISITS}${visit.id}/log/?${query}`, test.visitor.url);
  const answer = await fetch(address, {
    headers: own.headers,
    signal: left.signal,
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; charset=utf-8',
  ]);
  const seen = { text: '', isOver: false };
  const ended = (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of answer.body ?? []) seen.text += decoder.decode(chunk);
    } catch {
      // The connection was cut.
    }
    seen.isOver = true;
  })();
  return { seen, ended, leave: () => left.abort() };
}

it('reads the log of a container, also the one before, and follows it', async () => {
  const rule = await grant();
  const { visit, read } = await connect();
  const place = { namespace: 'team-a', pod: 'web', container: 'main' };
  cluster.appendLog('first\n');
  expect((await read('log', { ...place, lines: '1000' })).text).toContain('first\n');
  expect((await read('log', { ...place, previous: 'true' })).text).toBe('before the restart\n');
  expect((await read('log', { ...place, lines: '7' })).status).toBe(400);
  const followed = await follow(visit);
  cluster.appendLog('second\n');
  await until(() => followed.seen.text.includes('second\n'), 'the followed line');
  expect(cluster.requests.at(-1)?.url).toContain('container=main&tailLines=200&follow=true');
  await admin.patch(`perms/cluster-permissions/${rule}/`, { actions: [] });
  await followed.ended;
  cluster.appendLog('third\n');
  await sleep(0);
  expect(followed.seen.text).not.toContain('third');
  expect((await read('log', place)).status).toBe(403);
});

it('closes the followed log at the cluster when the page leaves', async () => {
  await grant();
  const { visit } = await connect();
  const before = cluster.requests.length;
  const followed = await follow(visit);
  await until(() => cluster.requests.length > before, 'the request for the log');
  const followers = cluster.followers();
  expect(followers).toBeGreaterThan(0);
  followed.leave();
  await until(() => cluster.followers() < followers, 'the end at the cluster');
});

it('says that the answer of a cluster broke off', async () => {
  await grant();
  const { read } = await connect();
  const place = { kind: 'configmaps', namespace: 'team-a', name: BREAKS_OFF };
  const { status, text } = await read('object', place);
  expect([status, text]).toEqual([400, expect.stringContaining(`127.0.0.1:${cluster.port}`)]);
});

it('says that a cluster does not answer like one', async () => {
  const far = await created('applications/clusters/', {
    host: '127.0.0.1',
    port: 1,
    ca_certificate: cluster.authority,
  });
  await grant({ clusters: [far] });
  const { status, text } = await own.post(VISITS, { cluster: far });
  expect([status, text]).toEqual([400, expect.stringContaining('127.0.0.1:1')]);
  const none = await own.post(VISITS, { cluster: id });
  expect(none.status).toBe(403);
});
