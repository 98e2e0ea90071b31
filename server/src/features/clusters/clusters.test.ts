import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../testing/builders.ts';
import { makeSelfSigned } from '../../testing/certificates.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import { Client, type Json, type Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { answerTicket, waitingConnection } from '../../testing/ssh/approvals.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const TOKEN = 'token-of-the-bastion';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An API server that notes what reaches it. `/watch` paths answer a line and stay open. */
let server: Server;
let certificate = '';
let seen: Seen[] = [];
let openAnswers = 0;

async function startServer(): Promise<void> {
  const pair = await makeSelfSigned('IP:127.0.0.1');
  ({ certificate } = pair);
  server = createServer({ key: pair.key, cert: pair.certificate }, async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request).catch(() => '');
    response.setHeader('content-type', 'application/json');
    response.setHeader('set-cookie', 'own=1');
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401).end('{"kind":"Status"}');
      return;
    }
    if (url === '/version') {
      response.end('{"gitVersion":"v1.36.3"}');
      return;
    }
    seen.push({ method, url, headers, body });
    if (url.includes('unasked')) {
      request.socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      return;
    }
    if (url.includes('watch=')) {
      openAnswers++;
      response.once('close', () => openAnswers--);
      response.write('{"type":"ADDED"}\n');
      return;
    }
    if (url.includes('selfsubjectaccessreviews')) response.end('{"status":{"allowed":true}}');
    else response.end(JSON.stringify({ kind: 'Anything', url }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
}

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let own: Client;
let account = '';
let cluster = '';
beforeAll(async () => {
  await startServer();
  test = await startTestProgram();
  admin = await bearer(test);
  const madeAccount = await admin.post('assets/system-users/', {
    name: unique('bastion'),
    protocol: 'kubernetes',
    password: TOKEN,
  });
  expect([madeAccount.status, madeAccount.text]).toEqual([201, expect.any(String)]);
  account = String(madeAccount.body.id);
  const madeCluster = await admin.post('applications/clusters/', {
    name: unique('cluster'),
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    ca_certificate: certificate,
  });
  expect([madeCluster.status, madeCluster.text]).toEqual([201, expect.any(String)]);
  cluster = String(madeCluster.body.id);
});
afterAll(async () => {
  await test.stop();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
  seen = [];
});

/** Grants the cluster to the user. */
async function grant(values: Json = {}): Promise<string> {
  const created = await admin.post('perms/cluster-permissions/', {
    name: unique('rule'),
    users: [user.id],
    clusters: [cluster],
    system_users: [account],
    namespaces: 'team-*',
    kube_groups: 'developers\nviewers',
    ...values,
  });
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return String(created.body.id);
}

/** Returns a client with the token of a new kubeconfig. */
async function kubectl(): Promise<Client> {
  const { status, body } = await own.post('perms/users/clusters/kubeconfig/', { cluster });
  expect(status).toBe(201);
  return new Client(test.visitor.url, { authorization: `Bearer ${body.token}` });
}

const at = (path: string) => `/k8s/${cluster}${path}`;
const PODS = '/api/v1/namespaces/team-a/pods';

/** Returns the last session of the user and its commands. */
async function lastSession(): Promise<Json> {
  const { body } = await admin.get<Json[]>(`terminal/sessions/?user_id=${user.id}`);
  return body[0] ?? {};
}
/** Waits for the commands of the last session: they pass the journal first. */
async function loggedCommands(): Promise<readonly Json[]> {
  const { id } = await lastSession();
  let rows: readonly Json[] = [];
  await until(async () => {
    ({ rows } = await sql<Json>`select input, output, is_denied from command
      where session = ${String(id)}::uuid order by sequence`.execute(test.db));
    return rows.length > 0;
  }, 'the log of the request');
  return rows;
}

describe('a cluster', () => {
  it('says the version and if the account may impersonate', async () => {
    const answer = await admin.post(`applications/clusters/${cluster}/test/`, {
      system_user: account,
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { version: 'v1.36.3', may_impersonate: true },
    ]);
  });

  it('names a wrong certificate and a wrong token', async () => {
    const other = await makeSelfSigned('IP:127.0.0.1');
    const created = await admin.post('applications/clusters/', {
      name: unique('cluster'),
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      ca_certificate: other.certificate,
    });
    const untrusted = await admin.post(`applications/clusters/${created.body.id}/test/`, {
      system_user: account,
    });
    expect([untrusted.status, untrusted.body.code]).toEqual([400, 'connect_certificate_untrusted']);
    const wrong = await admin.post('assets/system-users/', {
      name: unique('wrong'),
      protocol: 'kubernetes',
      password: 'another-token',
    });
    const refused = await admin.post(`applications/clusters/${cluster}/test/`, {
      system_user: wrong.body.id,
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'connect_cluster_account']);
    expect(refused.text).not.toContain('another-token');
  });

  it('appears in the list of its users, and is explained', async () => {
    await grant();
    const { body } = await own.get<Json[]>('perms/users/clusters/');
    expect(body).toMatchObject([{ id: cluster, host: '127.0.0.1' }]);
    expect(body[0]).not.toHaveProperty('ca_certificate');
    const check = await admin.get(
      `perms/access/clusters/check/?user=${user.id}&cluster=${cluster}`,
    );
    expect(check.body).toMatchObject({ granted: true });
    const users = await admin.get<Page>(`perms/access/clusters/${cluster}/users/?limit=5`);
    expect(users.text).toContain(user.id);
  });
});

describe('a request of a kubeconfig', () => {
  it('reaches the API server with the identity of the permission, and nothing of the client', async () => {
    await grant({ kube_user: 'bastion:{username}' });
    const client = (await kubectl()).with({
      'impersonate-user': 'system:admin',
      'impersonate-group': 'system:masters',
      'impersonate-extra-x': 'y',
      cookie: 'sessionid=1',
      'x-remote-user': 'root',
    });
    const answer = await client.get(at(`${PODS}?limit=5`));
    expect([answer.status, answer.body]).toEqual([
      200,
      { kind: 'Anything', url: `${PODS}?limit=5` },
    ]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    const { headers } = seen[0] ?? { headers: {} };
    expect(headers).toMatchObject({
      'impersonate-user': `bastion:${user.username}`,
      'impersonate-group': 'developers, viewers',
      authorization: `Bearer ${TOKEN}`,
    });
    expect(Object.keys(headers).filter((name) => /cookie|extra|remote/.test(name))).toEqual([]);
    const session = await lastSession();
    expect(session).toMatchObject({
      kind: 'api',
      target_kind: 'cluster',
      login_from: 'KT',
      has_replay: false,
      is_finished: false,
    });
    expect(await loggedCommands()).toMatchObject([
      { input: `list pods in team-a (GET ${PODS}?limit=5)`, output: '200' },
    ]);
  });

  it.each([
    ['GET', '/api/v1/namespaces/other/pods', 'No permission allows'],
    ['GET', '/api/v1/pods', 'in the whole cluster'],
    ['DELETE', `${PODS}/web`, 'delete pods'],
    ['GET', '/api/v1/namespaces/team-a/secrets', '"secrets"'],
    ['GET', `${PODS}/web/log`, '"logs"'],
    ['GET', '/apis/example.com/v1/namespaces/team-a/things', 'does not know things.example.com'],
    ['POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/rolebindings', 'create'],
  ])('refuses %s %s in words of an API server, and logs it', async (method, path, words) => {
    await grant();
    const client = await kubectl();
    const answer = await client.request(method, at(path), method === 'GET' ? undefined : {});
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ kind: 'Status', code: 403, reason: 'Forbidden' });
    expect(answer.body.message).toContain(words);
    expect(seen).toEqual([]);
    expect(await loggedCommands()).toMatchObject([{ is_denied: true }]);
  });

  it.each([
    '//api',
    '/api/v1/namespaces/team-a/../other/pods',
    '/api/v1/namespaces/team-a%2f/pods',
  ])('refuses the unclear path %s', async (path) => {
    await grant();
    const client = await kubectl();
    const answer = await client.get(at(path));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(seen).toEqual([]);
  });

  it('needs one permission that allows all of it', async () => {
    await grant({ namespaces: 'team-a', verbs: ['read'] });
    await grant({ namespaces: 'team-b', verbs: ['delete'], kube_groups: 'owners' });
    const client = await kubectl();
    expect((await client.delete(at(`${PODS}/web`))).status).toBe(403);
    expect((await client.delete(at('/api/v1/namespaces/team-b/pods/web'))).status).toBe(200);
    expect(seen[0]?.headers['impersonate-group']).toBe('owners');
  });

  it('carries a body, and refuses one that is too large', async () => {
    await grant({ verbs: ['read', 'create'] });
    const client = await kubectl();
    const maps = '/api/v1/namespaces/team-a/configmaps';
    expect((await client.post(at(maps), { data: { key: 'value' } })).status).toBe(200);
    expect(seen[0]?.body).toBe('{"data":{"key":"value"}}');
    const large = await client.post(at(maps), { data: 'x'.repeat(5 * 1024 * 1024) });
    expect(large.status).toBe(413);
  });

  it('fails when the API server upgrades a request that asked for no upgrade', async () => {
    await grant();
    const client = await kubectl();
    const answer = await client.get(at(`${PODS}?labelSelector=unasked`));
    expect([answer.status, answer.body.kind]).toEqual([502, 'Status']);
    expect((await client.get(at(PODS))).status).toBe(200);
  });

  it('holds no place for clients that leave during the checks', async () => {
    await grant();
    const client = await kubectl();
    expect((await client.get(at(PODS))).status).toBe(200);
    const { hostname, port } = new URL(test.visitor.url);
    const leave = async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const lines = [
        `GET ${at(PODS)} HTTP/1.1`,
        'Host: bastion',
        `Authorization: ${client.headers.authorization}`,
      ];
      await new Promise((sent) => socket.write(`${lines.join('\r\n')}\r\n\r\n`, sent));
      socket.destroy();
    };
    for (let count = 0; count < 150; count++) await leave();
    await until(async () => (await client.get(at(PODS))).status === 200, 'a place', 20_000);
  });

  it('refuses pods that own their node, and passes other pods', async () => {
    await grant({ verbs: ['read', 'create'] });
    const client = await kubectl();
    const pod = (spec: Json) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec });
    const containers = [{ name: 'a', image: 'busybox' }];
    expect((await client.post(at(PODS), pod({ containers }))).status).toBe(200);
    expect(seen).toHaveLength(1);
    const refused = await client.post(at(PODS), pod({ containers, hostPID: true }));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('"node_pods"'),
    ]);
    expect(refused.body.message).toContain('hostPID');
    expect(seen).toHaveLength(1);
    await grant({ verbs: ['create'], actions: ['node_pods'] });
    expect((await client.post(at(PODS), pod({ containers, hostPID: true }))).status).toBe(200);
  });

  it('judges a patch together with the object that it changes', async () => {
    await grant({ verbs: ['read', 'patch'] });
    const client = await kubectl();
    const path = at('/apis/apps/v1/namespaces/team-a/deployments/web');
    const patch = (spec: Json) =>
      client.send(
        'PATCH',
        path,
        JSON.stringify({ spec: { template: { spec } } }),
        'application/merge-patch+json',
      );
    expect((await patch({ hostNetwork: true })).status).toBe(403);
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
    expect((await patch({ terminationGracePeriodSeconds: 5 })).status).toBe(200);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH']);
    expect(seen.every(({ headers }) => headers['impersonate-user'] === user.username)).toBe(true);
  });

  it('refuses values that a permission must not have', async () => {
    const create = (values: Json) =>
      admin.post('perms/cluster-permissions/', {
        name: unique('rule'),
        users: [user.id],
        clusters: [cluster],
        system_users: [account],
        namespaces: '*',
        ...values,
      });
    for (const [field, value] of [
      ['kube_user', 'system:admin'],
      ['kube_user', 'a\u0007b'],
      ['namespaces', 'Team'],
      ['namespaces', ''],
      ['kinds', 'not a kind'],
      ['verbs', ['own']],
      ['actions', ['root']],
    ] as const) {
      const refused = await create({ [field]: value });
      expect([field, value, refused.status, Object.keys(refused.body)]).toEqual([
        field,
        value,
        400,
        [field],
      ]);
    }
  });

  it('refuses a request without a valid token, from a web page, and for another cluster', async () => {
    await grant();
    const none = new Client(test.visitor.url);
    expect((await none.get(at('/api'))).body).toMatchObject({ kind: 'Status', code: 401 });
    const wrong = new Client(test.visitor.url, { authorization: `Bearer spk_${'a'.repeat(43)}` });
    expect((await wrong.get(at('/api'))).status).toBe(401);
    const client = await kubectl();
    expect((await client.with({ origin: 'https://evil.example' }).get(at('/api'))).status).toBe(
      403,
    );
    const other = await client.get(`/k8s/${crypto.randomUUID()}/api`);
    expect([other.status, other.body.message]).toEqual([
      403,
      'The token of this kubeconfig is for another cluster.',
    ]);
    // The sign-in of the console opens nothing here.
    expect((await own.get(at('/api'))).status).toBe(401);
    expect(seen).toEqual([]);
  });
});

describe('a kubeconfig', () => {
  it('expires after the time of the setting', async () => {
    await grant();
    const minutes = async () => {
      const { body } = await own.post('perms/users/clusters/kubeconfig/', { cluster });
      const left = Date.parse(String(body.expiration_timestamp)) - Date.now();
      return Math.round(left / 60_000);
    };
    expect(await minutes()).toBeCloseTo(60, -1);
    await changeSettings([admin], 'terminal', { TERMINAL_KUBECONFIG_MINUTES: 600 });
    try {
      expect(await minutes()).toBeCloseTo(600, -1);
    } finally {
      await changeSettings([admin], 'terminal', { TERMINAL_KUBECONFIG_MINUTES: 60 });
    }
  });

  it('needs a permission, and one that names the account', async () => {
    const wish = { cluster };
    const none = await own.post('perms/users/clusters/kubeconfig/', wish);
    expect([none.status, none.body.code]).toEqual([403, 'connect_denied']);
    await grant();
    const other = await own.post('perms/users/clusters/kubeconfig/', {
      ...wish,
      system_user: crypto.randomUUID(),
    });
    expect(other.status).toBeGreaterThanOrEqual(400);
    const { status, body } = await own.post('perms/users/clusters/kubeconfig/', wish);
    expect(status).toBe(201);
    const file = JSON.parse(String(body.kubeconfig)) as { clusters: Json[]; users: Json[] };
    expect(file.clusters).toMatchObject([{ cluster: { server: body.server } }]);
    expect(file.users).toMatchObject([{ user: { token: body.token } }]);
    expect(body.server).toContain(`/k8s/${cluster}`);
    const { rows } = await sql<Json>`select * from cluster_token
      where user_id = ${user.id}`.execute(test.db);
    expect(JSON.stringify(rows)).not.toContain(String(body.token));
  });

  it('ends when its user signs out', async () => {
    await grant();
    const client = await kubectl();
    expect((await client.get(at(PODS))).status).toBe(200);
    await sql`delete from web_session where user_id = ${user.id}`.execute(test.db);
    expect((await client.get(at(PODS))).status).toBe(401);
  });

  it('obeys a condition on clients and on the address of each request', async () => {
    const condition = await admin.post('perms/conditions/', {
      name: unique('condition'),
      clients: ['web', 'ssh', 'database'],
    });
    const rule = await grant();
    const client = await kubectl();
    expect((await client.get(at(PODS))).status).toBe(200);
    await admin.patch(`perms/cluster-permissions/${rule}/`, { condition: condition.body.id });
    const refused = await client.get(at(PODS));
    expect([refused.status, refused.body.kind]).toEqual([403, 'Status']);
    await admin.patch(`perms/conditions/${condition.body.id}/`, { clients: ['kubernetes'] });
    expect((await client.get(at(PODS))).status).toBe(200);
  });

  it('waits for the reviewer that the permission names', async () => {
    const reviewer = await buildUser(test.db);
    const reviews = await bearer(test, reviewer);
    await grant({ needs_approval: true, approvers: [reviewer.id] });
    const client = await kubectl();
    const answer = client.get(at(PODS));
    const ticket = await waitingConnection(reviews);
    expect(seen).toEqual([]);
    expect((await answerTicket(ticket, 'approve', reviews)).status).toBe(200);
    expect((await answer).status).toBe(200);
  });
});

describe('a watch', () => {
  /** Starts a watch. */
  async function watch(): Promise<Response> {
    const client = await kubectl();
    const answer = await fetch(new URL(at(`${PODS}?watch=1`), test.visitor.url), {
      headers: client.headers,
    });
    expect(answer.status).toBe(200);
    await until(() => openAnswers === 1, 'the watch is open');
    return answer;
  }

  it('ends with its permission, and the session says so', async () => {
    const rule = await grant();
    const answer = await watch();
    await admin.delete(`perms/cluster-permissions/${rule}/`);
    await answer.text().catch(() => undefined);
    await until(() => openAnswers === 0, 'the answer of the API server is closed');
    await until(async () => (await lastSession()).end_reason === 'connect_expired', 'the end');
  });

  it.each([
    ['loses the verb', () => ({ verbs: ['get'] })],
    ['loses a group', () => ({ kube_groups: 'viewers' })],
    ['expires', () => ({ date_expired: new Date(Date.now() + 2_000).toISOString() })],
  ])(
    'ends when its permission %s, while another keeps the session open',
    async (_title, change) => {
      await grant({ verbs: ['get'] });
      const rule = await grant();
      const answer = await watch();
      const changed = await admin.patch(`perms/cluster-permissions/${rule}/`, change());
      expect([changed.status, changed.text]).toEqual([200, expect.any(String)]);
      await answer.text().catch(() => undefined);
      await until(() => openAnswers === 0, 'the answer of the API server is closed');
      expect((await lastSession()).is_finished).toBe(false);
    },
  );

  it('checks the permission of its session after its client has left', async () => {
    await grant({ date_expired: new Date(Date.now() + 8_000).toISOString() });
    const client = await kubectl();
    const leaving = new AbortController();
    const { headers } = client;
    const url = new URL(at(`${PODS}?watch=1`), test.visitor.url);
    await fetch(url, { headers, signal: leaving.signal });
    await until(() => openAnswers === 1, 'the watch is open');
    leaving.abort();
    await until(() => openAnswers === 0, 'the answer of the API server is closed');
    await until(async () => (await lastSession()).is_finished === true, 'the end');
    expect(await lastSession()).toMatchObject({ end_reason: 'connect_expired' });
  });

  it('ends when an administrator locks its session, whose requests are refused', async () => {
    await grant();
    const client = await kubectl();
    const answer = await fetch(new URL(at(`${PODS}?watch=1`), test.visitor.url), {
      headers: client.headers,
    });
    await until(() => openAnswers === 1, 'the watch is open');
    const { id } = await lastSession();
    const intervene = (action: string) =>
      admin.post(`terminal/sessions/${id}/interventions/`, { action, text: 'Wait.' });
    expect((await intervene('lock')).status).toBe(200);
    await answer.text().catch(() => undefined);
    await until(() => openAnswers === 0, 'the answer of the API server is closed');
    const refused = await client.get(at(PODS));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('locked this session'),
    ]);
    expect((await intervene('unlock')).status).toBe(200);
    await until(async () => (await client.get(at(PODS))).status === 200, 'requests pass again');
  });

  it('ends with its token, also if another process ended that', async () => {
    await grant();
    const answer = await watch();
    await sql`delete from cluster_token where user_id = ${user.id}`.execute(test.db);
    await answer.text().catch(() => undefined);
    await until(() => openAnswers === 0, 'the answer of the API server is closed');
    await until(
      async () => (await lastSession()).end_reason === 'session_cluster_token',
      'the end',
    );
  });

  it('ends with its session, whose token opens no other one', async () => {
    await grant();
    const client = await kubectl();
    expect((await client.get(at(PODS))).status).toBe(200);
    const { id } = await lastSession();
    await admin.post('terminal/tasks/kill-session/', [id]);
    await until(async () => (await lastSession()).is_finished === true, 'the end');
    expect((await client.get(at(PODS))).status).toBe(401);
  });
});
