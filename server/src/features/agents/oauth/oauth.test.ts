import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { callTool, connectAgent, LEASH } from '../../../testing/agents.ts';
import { buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { everyRow } from '../../../testing/every-row.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let owner: Client;
let site: string;
beforeAll(async () => {
  world = await startSshWorld();
  owner = await bearer(world.test, world.member);
  site = world.test.program.url.replace(/\/$/, '');
});
afterAll(() => world.stop());

const REGISTERED = 'http://127.0.0.1/callback';
const REDIRECT = 'http://127.0.0.1:45678/callback';
const visitor = () => world.test.visitor;

async function register(more: Json = {}) {
  const answer = await visitor().post<Json>('/oauth/register', {
    client_name: 'Test program',
    redirect_uris: [REGISTERED],
    ...more,
  });
  return { ...answer, id: String(answer.body.client_id) };
}

/** Sends a browser to the server as a program does. */
async function authorize(client: string, more: Record<string, string | undefined> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
    resource: `${site}/mcp`,
    ...more,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const answer = await fetch(`${site}/oauth/authorize?${query}`, { redirect: 'manual' });
  const to = new URL(answer.headers.get('location') ?? 'none:', site);
  return { status: answer.status, to, verifier, request: to.searchParams.get('request') ?? '' };
}

const agree = (request: string, by = owner, more: Json = {}) =>
  by.post<Json>('agents/agents/', {
    name: unique('agent'),
    ...LEASH,
    hosts: world.hostname,
    password: world.member.password,
    request,
    ...more,
  });

const form = (path: string, values: Record<string, string>) =>
  fetch(`${site}${path}`, { method: 'POST', body: new URLSearchParams(values) });

async function token(values: Record<string, string>) {
  const answer = await form('/oauth/token', values);
  return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
}

/** Signs a program in. Returns its agent, its tokens and its code. */
async function signIn() {
  const { id: client } = await register();
  const { request, verifier } = await authorize(client);
  const { body: agent, status, text } = await agree(request);
  expect(status, text).toBe(201);
  const back = new URL(String(agent.redirect));
  const code = back.searchParams.get('code') ?? '';
  const values = {
    grant_type: 'authorization_code',
    client_id: client,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    resource: `${site}/mcp`,
  };
  const answer = await token(values);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return {
    client,
    agent: String(agent.id),
    back,
    values,
    answer,
    access: String(answer.body.access_token),
    refresh: String(answer.body.refresh_token),
  };
}

const refresh = (client: string, value: string, more: Record<string, string> = {}) =>
  token({ grant_type: 'refresh_token', client_id: client, refresh_token: value, ...more });
const works = (access: string) =>
  connectAgent(world.test, access).then(
    (client) => client.close().then(() => true),
    () => false,
  );
const stateOf = async (agent: string) =>
  (await owner.get<Json>(`agents/agents/${agent}/`)).body.state;

it('leads a program from the refusal of its first request to the routes of the sign-in', async () => {
  const refused = await fetch(`${site}/mcp`);
  expect(refused.status).toBe(401);
  const header = refused.headers.get('www-authenticate') ?? '';
  const address = /resource_metadata="([^"]+)"/.exec(header)?.[1] ?? '';
  expect(header).toContain('scope="agent"');
  const resource = (await (await fetch(address)).json()) as Json;
  expect(resource).toMatchObject({ resource: `${site}/mcp`, authorization_servers: [site] });
  const metadata = await (await fetch(`${site}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({
    issuer: site,
    registration_endpoint: `${site}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
  // A program would send a document that this server does not read.
  expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
});

it('signs a program in after its user set a leash, and renews its token', async () => {
  const { agent, back, answer, access, refresh: first, client } = await signIn();
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'a state', iss: site });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toMatchObject({ token_type: 'Bearer', scope: 'agent' });
  expect(Number(answer.body.expires_in)).toBeLessThanOrEqual(900);
  const connected = await connectAgent(world.test, access);
  const host = world.hostname;
  expect(await callTool(connected, 'run', { host, command: 'echo in' })).toMatchObject({
    state: 'done',
    output: 'in\n',
  });
  const { body: row } = await owner.get<Json>(`agents/agents/${agent}/`);
  expect(row).toMatchObject({ client: 'Test program', state: 'active', token: null });
  const renewed = await refresh(client, first, { resource: `${site}/mcp` });
  expect(renewed.status).toBe(200);
  expect(await works(String(renewed.body.access_token))).toBe(true);
  await connected.close();
  const rows = await everyRow(world.test.db);
  for (const secret of [access, first, String(renewed.body.refresh_token)]) {
    expect(rows).not.toContain(secret);
    expect(world.test.log()).not.toContain(secret);
  }
  const { body: signIns } = await owner.get<Json[]>('users/profile/sign-ins/');
  expect(signIns.map(({ device }) => device)).toContain(`Agent ${row.name}`);
});

it('opens /mcp only with the access token, and no door with the refresh token', async () => {
  const { access, refresh: second } = await signIn();
  expect(await works(second)).toBe(false);
  for (const secret of [access, second]) {
    const client = visitor().with({ authorization: `Bearer ${secret}` });
    expect((await client.get('users/profile/')).status).toBe(401);
  }
});

it('ends the agent when a refresh token or a code is used twice', async () => {
  const one = await signIn();
  const renewed = await refresh(one.client, one.refresh);
  expect(await works(String(renewed.body.access_token))).toBe(true);
  expect(await refresh(one.client, one.refresh)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
  expect(await stateOf(one.agent)).toBe('ended');
  expect(await works(String(renewed.body.access_token))).toBe(false);
  expect((await refresh(one.client, String(renewed.body.refresh_token))).status).toBe(400);
  const two = await signIn();
  expect((await token(two.values)).body.error).toBe('invalid_grant');
  expect(await stateOf(two.agent)).toBe('ended');
  expect(await works(two.access)).toBe(false);
});

it('raises one alert when a token of an agent is used again, and none for other refusals', async () => {
  const { client, agent, refresh: first, values } = await signIn();
  const name = String((await owner.get<Json>(`agents/agents/${agent}/`)).body.name);
  const { db } = world.test;
  const raised = async () =>
    (
      await sql<{ kind: string; user_id: string }>`
        select kind, user_id from alert where subject = ${name}`.execute(db)
    ).rows;
  expect((await refresh(client, 'spr_unknown')).status).toBe(400);
  expect((await token({ ...values, code_verifier: 'x'.repeat(43) })).status).toBe(400);
  expect((await refresh(client, first)).status).toBe(200);
  expect(await raised()).toEqual([]);
  for (let count = 0; count < 3; count++) expect((await refresh(client, first)).status).toBe(400);
  expect(await raised()).toEqual([{ kind: 'reused_token', user_id: world.member.id }]);
});

it('renews the tokens of an agent a limited number of times in ten minutes', async () => {
  const { client, agent, refresh: first } = await signIn();
  let current = first;
  const renew = async () => {
    const { status, body } = await refresh(client, current);
    if (status === 200) current = String(body.refresh_token);
    return status;
  };
  for (let count = 0; count < 30; count++) expect(await renew()).toBe(200);
  expect(await renew()).toBe(429);
  expect(await stateOf(agent)).toBe('active');
  await sql`update agent_token set date_used = date_used - interval '10 minutes'
    where agent_id = ${agent}`.execute(world.test.db);
  expect(await renew()).toBe(200);
});

it('gives one of two simultaneous exchanges tokens, and then ends the agent', async () => {
  const { client, agent, refresh: first } = await signIn();
  const answers = await Promise.all([refresh(client, first), refresh(client, first)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await stateOf(agent)).toBe('ended');
});

it('ends the tokens with the agent, and with the account of its owner', async () => {
  const killed = await signIn();
  await owner.post('agents/agents/end/', { agent: killed.agent });
  expect(await works(killed.access)).toBe(false);
  expect((await refresh(killed.client, killed.refresh)).body.error).toBe('invalid_grant');
  const other = await buildUser(world.test.db);
  const by = await bearer(world.test, other);
  const { id: client } = await register();
  const { request, verifier } = await authorize(client);
  const { body } = await agree(request, by, { password: other.password });
  const code = new URL(String(body.redirect)).searchParams.get('code') ?? '';
  await (await bearer(world.test)).patch(`users/users/${other.id}/`, { is_active: false });
  const values = { grant_type: 'authorization_code', client_id: client, code };
  expect((await token({ ...values, code_verifier: verifier })).body.error).toBe('invalid_grant');
});

it('ends an access token, or the agent of a refresh token, when the program revokes it', async () => {
  const { client, agent, access, refresh: second } = await signIn();
  const revoke = async (value: string, by = client) =>
    (await form('/oauth/revoke', { token: value, client_id: by })).status;
  expect(await revoke(access, 'another')).toBe(200);
  expect(await works(access)).toBe(true);
  expect(await revoke(access)).toBe(200);
  expect(await works(access)).toBe(false);
  expect(await stateOf(agent)).toBe('active');
  expect(await revoke(second)).toBe(200);
  expect(await stateOf(agent)).toBe('ended');
  expect(await revoke('unknown')).toBe(200);
});

it.each<[string, Record<string, string>]>([
  ['another verifier', { code_verifier: 'x'.repeat(43) }],
  ['no verifier', { code_verifier: '' }],
  ['the challenge as verifier', { code_verifier: 'challenge' }],
  ['another program', { client_id: 'another' }],
  ['another redirect', { redirect_uri: 'http://127.0.0.1:45679/callback' }],
  ['another code', { code: 'x'.repeat(43) }],
])('gives no token for a code with %s', async (_what, wrong) => {
  const { id: client } = await register();
  const { request, verifier } = await authorize(client);
  const { body } = await agree(request);
  const right = {
    grant_type: 'authorization_code',
    client_id: client,
    code: new URL(String(body.redirect)).searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  };
  expect((await token({ ...right, ...wrong })).body).toMatchObject({ error: 'invalid_grant' });
  expect((await token(right)).status).toBe(200);
});

it('gives no token for another resource or grant, nor after the code has expired', async () => {
  const { id: client } = await register();
  const { request, verifier } = await authorize(client);
  const { body } = await agree(request);
  const code = new URL(String(body.redirect)).searchParams.get('code') ?? '';
  const right = { grant_type: 'authorization_code', client_id: client, code };
  const errorOf = async (values: Record<string, string>) =>
    (await token({ ...right, code_verifier: verifier, ...values })).body.error;
  for (const resource of ['https://other.example/mcp', `${site}/api`, site, 'mcp'])
    expect(await errorOf({ resource })).toBe('invalid_target');
  for (const grant_type of ['password', 'client_credentials', ''])
    expect(await errorOf({ grant_type })).toBe('unsupported_grant_type');
  await sql`update agent_consent set date_expired = now() - interval '1 second'`.execute(
    world.test.db,
  );
  expect(await errorOf({})).toBe('invalid_grant');
});

it('rejects a NUL in each request of a program', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const answer = await form(path, { token: 'x', client_id: 'a\0b', grant_type: 'refresh_token' });
    expect([path, answer.status, ((await answer.json()) as Json).error]).toEqual([
      path,
      400,
      'invalid_request',
    ]);
  }
});

it.each<[string, Json, string]>([
  ['no redirect', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['no list', { redirect_uris: REGISTERED }, 'invalid_redirect_uri'],
  ['another machine', { redirect_uris: ['http://evil.example/'] }, 'invalid_redirect_uri'],
  ['a website', { redirect_uris: ['https://evil.example/'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a host like it', { redirect_uris: ['http://127.0.0.1.evil.example/'] }, 'invalid_redirect_uri'],
  ['a user name', { redirect_uris: ['http://127.0.0.1@evil.example/'] }, 'invalid_redirect_uri'],
  ['a user name here', { redirect_uris: ['http://a@127.0.0.1/'] }, 'invalid_redirect_uri'],
  ['a NUL', { redirect_uris: ['http://127.0.0.1/\0'] }, 'invalid_redirect_uri'],
  ['a line break', { redirect_uris: ['http://127.0.0.1/\na'] }, 'invalid_redirect_uri'],
  ['a fragment', { redirect_uris: ['http://127.0.0.1/#a'] }, 'invalid_redirect_uri'],
  ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ['another response', { response_types: ['token'] }, 'invalid_client_metadata'],
])('registers no program with %s', async (_what, wrong, error) => {
  expect(await register(wrong)).toMatchObject({ status: 400, body: { error } });
});

it('registers a program under a name that hides nothing, and without the redirects of websites', async () => {
  const { status, body } = await register({
    client_name: 'Claude\u202e Code',
    redirect_uris: ['https://vendor.example/back', 'http://localhost/callback'],
    token_endpoint_auth_method: 'client_secret_post',
    application_type: 'native',
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    client_name: 'MCP client',
    redirect_uris: ['http://localhost/callback'],
    token_endpoint_auth_method: 'none',
  });
  expect(body).not.toHaveProperty('client_secret');
});

it('keeps a bounded number of registrations per address, and those in use', async () => {
  const { client } = await signIn();
  for (let count = 0; count < 55; count++) await register();
  const { rows } = await sql<{ unused: number }>`
    select count(*) filter (where date_used is null)::integer as unused
    from agent_client`.execute(world.test.db);
  expect(rows[0]?.unused).toBe(50);
  expect((await authorize(client)).request).not.toBe('');
});

it('keeps a bounded number of registrations and waiting programs of all addresses', async () => {
  const { db } = world.test;
  const { id: client } = await register();
  const flood = (from: number, to: number) =>
    sql`insert into agent_client (id, name, redirects, place, date_created, date_expired)
      select 'flood-' || n, 'Flood', '{}'::text[], 'flood-' || n, now() - interval '1 hour',
        now() + interval '1 hour' from generate_series(${from}::integer, ${to}::integer) n`.execute(
      db,
    );
  await sql`insert into agent_consent
      (client_id, redirect, issuer, challenge, remote_addr, place, date_created, date_expired)
    select ${client}, '', '', '', '', 'flood-' || n, now() - interval '1 hour',
      now() + interval '1 hour' from generate_series(1, 5000) n`.execute(db);
  const counts = async () => {
    const { rows } = await sql<{ clients: number; waiting: number }>`
      select (select count(*) from agent_client)::integer as clients,
        (select count(*) from agent_consent where agent_id is null)::integer as waiting`.execute(
      db,
    );
    return rows[0];
  };
  const { clients: present = 0 } = (await counts()) ?? {};
  await flood(1, 5000 - present);
  expect((await register()).status).toBe(201);
  expect((await authorize(client)).request).not.toBe('');
  const { clients = 0, waiting = 0 } = (await counts()) ?? {};
  for (const count of [clients, waiting]) {
    expect(count).toBeLessThanOrEqual(5000);
    expect(count).toBeGreaterThan(4900);
  }
  await flood(5001, 5100);
  await sql`update agent_client set date_used = now()`.execute(db);
  expect(await register()).toMatchObject({
    status: 400,
    body: { error: 'temporarily_unavailable' },
  });
  await sql`delete from agent_client where id like 'flood-%'`.execute(db);
  await sql`delete from agent_consent where place like 'flood-%'`.execute(db);
  await sql`update agent_client set date_used = null`.execute(db);
});

it.each<[string, Record<string, string | undefined>, string]>([
  ['an unknown program', { client_id: 'unknown' }, 'client'],
  ['no program', { client_id: undefined }, 'client'],
  ['no redirect', { redirect_uri: undefined }, 'redirect'],
  ['another path', { redirect_uri: 'http://127.0.0.1:1/other' }, 'redirect'],
  ['a longer path', { redirect_uri: 'http://127.0.0.1:1/callback/more' }, 'redirect'],
  ['another query', { redirect_uri: 'http://127.0.0.1:1/callback?a=b' }, 'redirect'],
  ['another loopback host', { redirect_uri: 'http://localhost:1/callback' }, 'redirect'],
  ['another host', { redirect_uri: 'http://evil.example/callback' }, 'redirect'],
  ['another scheme', { redirect_uri: 'https://127.0.0.1/callback' }, 'redirect'],
])(
  'shows an error page of its own for %s, and redirects nowhere else',
  async (_what, wrong, problem) => {
    const { id } = await register();
    const { to } = await authorize(id, wrong);
    expect([to.origin, to.pathname, to.search]).toEqual([
      site,
      '/core/console/agents/consent',
      `?problem=${problem}`,
    ]);
  },
);

it.each<[string, Record<string, string | undefined>, string]>([
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
  ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
])('returns an error with the issuer to a program that sends %s', async (_what, wrong, error) => {
  const { id } = await register();
  const { to } = await authorize(id, wrong);
  expect(to.origin + to.pathname).toBe(REDIRECT);
  expect(Object.fromEntries(to.searchParams)).toEqual({ error, state: 'a state', iss: site });
});

it('asks each program for one decision, and takes a denial back to it', async () => {
  const { id: client } = await register();
  const { request } = await authorize(client);
  const path = `agents/consents/${request}/`;
  expect((await owner.get<Json>(path)).body).toMatchObject({
    client: 'Test program',
    redirect: 'http://127.0.0.1/callback',
    is_local: true,
  });
  expect((await visitor().get(path)).status).toBe(401);
  expect((await agree(request, owner, { password: 'wrong' })).status).toBe(400);
  const { body } = await owner.post<Json>(`${path}deny/`);
  const back = Object.fromEntries(new URL(String(body.redirect)).searchParams);
  expect(back).toEqual({ error: 'access_denied', state: 'a state', iss: site });
  expect((await agree(request)).body).toMatchObject({ code: 'agent_consent_over' });
  expect((await owner.post(`${path}deny/`)).status).toBe(400);
  expect((await owner.get(`agents/consents/${crypto.randomUUID()}/`)).status).toBe(404);
  const other = await authorize(client);
  const answers = await Promise.all([agree(other.request), agree(other.request)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
});

it('answers nothing while the installation has no agents', async () => {
  const administrator = await bearer(world.test);
  const allow = (isOn: boolean) =>
    administrator.patch('settings/setting/', { SECURITY_AGENTS: isOn });
  const { access } = await signIn();
  await allow(false);
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/oauth/authorize'])
    expect((await fetch(`${site}${path}`)).status).toBe(403);
  expect((await register()).status).toBe(403);
  expect(await works(access)).toBe(false);
  await allow(true);
});
