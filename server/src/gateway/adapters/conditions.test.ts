import { once } from 'node:events';
import type { AccessCheck } from '@sallyport/contract';
import { type ClientChannel, ssh2 } from '@sallyport/ssh';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const WEB_ONLY = 'not with this client: only Web';
const LOOPBACK = ['127.0.0.0/8', '::1'];

let world: SshWorld;
let web: Client;
let rule: string;
beforeAll(async () => {
  world = await startSshWorld();
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const { body } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  rule = String(body[0]?.id);
});
afterAll(() => world.stop());
afterEach(() => use(null));

const change = (values: Json) =>
  world.administrator.patch(`perms/asset-permissions/${rule}/`, values);
const use = (condition: string | null) => change({ condition });
const ssh = (command: string) =>
  world.ssh.run({ login: world.login, password: world.member.password, command });
const connect = () =>
  TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );

async function create(path: 'conditions' | 'networks', values: Json): Promise<string> {
  const { status, body } = await world.administrator.post(`perms/${path}/`, {
    name: unique('condition'),
    ...values,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.id);
}

it('allows a client that the condition names, and explains the refusal to others', async () => {
  await use(await create('conditions', { clients: ['web'] }));
  const terminal = await connect();
  await terminal.message('open');
  terminal.type('exit\r');
  await terminal.message('closed');
  expect(await ssh('echo in')).toMatchObject({
    code: 255,
    stderr: expect.stringContaining(WEB_ONLY),
  });
  await use(await create('conditions', { clients: ['web'], clients_excluded: true }));
  expect((await ssh('echo in')).code).toBe(0);
  expect(await (await connect()).message('closed')).toMatchObject({
    code: 'connect_condition',
    message: expect.stringContaining('not with this client: except Web'),
  });
});

it('judges the address of the client by named networks', async () => {
  const here = await create('networks', { name: 'Here', networks: LOOPBACK });
  const office = await create('networks', { name: 'Office', networks: ['192.0.2.0/24'] });
  await use(await create('conditions', { networks: [here, office] }));
  expect((await ssh('echo in')).code).toBe(0);
  const condition = await create('conditions', { networks: [office] });
  await use(condition);
  expect((await ssh('echo in')).stderr).toContain(
    'not from this network: only Office (192.0.2.0/24)',
  );
  // A changed list of networks counts at once.
  await world.administrator.patch(`perms/networks/${office}/`, { networks: LOOPBACK });
  expect((await ssh('echo in')).code).toBe(0);
  for (const [path, what] of [
    [`networks/${office}`, 'Condition'],
    [`conditions/${condition}`, 'Asset permission'],
  ]) {
    const { status, body } = await world.administrator.delete(`perms/${path}/`);
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining(String(what))]);
  }
});

it('denies hours that do not include now, and any condition that it cannot read', async () => {
  const never = await create('conditions', {
    hours: ['Mon-Sun 00:00-24:00'],
    hours_excluded: true,
    time_zone: 'Asia/Shanghai',
  });
  await use(never);
  expect((await ssh('echo in')).stderr).toContain(
    'not now: except Mon–Sun 00:00–24:00 Asia/Shanghai',
  );
  await sql`update condition set hours = '{"Mon 8-9"}' where id = ${never}`.execute(world.test.db);
  expect((await ssh('echo in')).stderr).toContain('the condition cannot be read');
});

it('warns an open session before the period of its condition ends, and ends it then', async () => {
  const { rows } = await sql<{ id: string }>`insert into condition (org_id, name, valid_until)
    values (${world.organization}, 'soon', now() + interval '6 seconds') returning id`.execute(
    world.test.db,
  );
  await use(String(rows[0]?.id));
  const terminal = await connect();
  await terminal.message('open');
  const warning = await terminal.message('notice');
  expect([warning.over, warning.message]).toEqual([
    false,
    expect.stringContaining('Your permission for this session ends in'),
  ]);
  expect(await terminal.message('closed')).toMatchObject({
    code: 'connect_condition',
    message: expect.stringContaining('not now: only until'),
  });
});

it('explains to users and administrators why an access does not hold now', async () => {
  const assets = async () =>
    (await web.get<{ results: Json[] }>('perms/users/assets/?limit=5')).body.results;
  const accounts = async () =>
    (await web.get<Json[]>(`perms/users/assets/${world.asset}/system-users/`)).body;
  expect((await assets())[0]).not.toHaveProperty('not_now');
  const office = { name: 'Never', hours: ['Mon-Sun 00:00-24:00'], hours_excluded: true };
  await use(await create('conditions', office));
  const reason = 'not now: except Mon–Sun 00:00–24:00 UTC';
  expect((await assets())[0]).toMatchObject({ not_now: reason });
  expect((await accounts())[0]).toMatchObject({ not_now: reason });
  const { body } = await world.administrator.get<AccessCheck>(
    `perms/access/check/?user=${world.member.id}&asset=${world.asset}`,
  );
  expect(body.access?.paths.map(({ condition }) => condition)).toEqual([
    { name: 'Never', sentence: 'not Mon–Sun 00:00–24:00 UTC', not_now: reason },
  ]);
  // Administrators do not know the client of a user.
  await use(await create('conditions', { clients: ['ssh'] }));
  expect((await accounts())[0]).toMatchObject({
    not_now: 'not with this client: only SSH client',
  });
  const own = `perms/users/${world.member.id}/assets/${world.asset}/system-users/`;
  expect((await world.administrator.get<Json[]>(own)).body[0]).not.toHaveProperty('not_now');
});

it('checks an access for another time and address', async () => {
  const office = await create('networks', { name: unique('office'), networks: ['192.0.2.0/24'] });
  const hours = { hours: ['Mon-Fri 08:00-18:00'], time_zone: 'UTC', networks: [office] };
  await use(await create('conditions', hours));
  const check = async (query: string) => {
    const path = `perms/access/check/?user=${world.member.id}&asset=${world.asset}&${query}`;
    const { body } = await world.administrator.get<AccessCheck>(path);
    return body.access?.paths.map(({ condition }) => condition?.not_now) ?? body;
  };
  // 4 January 2027 is a Monday.
  expect(await check('at=2027-01-04T09:00:00Z')).toEqual(['']);
  expect(await check('at=2027-01-03T09:00:00Z')).toEqual(['not now: only Mon–Fri 08:00–18:00 UTC']);
  expect(await check('at=2027-01-04T09:00:00Z&address=192.0.2.7')).toEqual(['']);
  expect(await check('at=2027-01-04T09:00:00Z&address=198.51.100.7')).toEqual([
    expect.stringContaining('not from this network: only'),
  ]);
  expect(await check('at=soon')).toHaveProperty('at');
  expect(await check('address=office')).toHaveProperty('address');
});

it('applies a command rule while its condition holds', async () => {
  const { administrator, systemUser, test } = world;
  const { body: filter } = await administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [systemUser],
  });
  const rules = `assets/cmd-filters/${filter.id}/rules/`;
  const web_only = await create('conditions', { clients: ['web'] });
  const { body: denied } = await administrator.post<Json>(rules, {
    content: 'forbidden',
    condition: web_only,
  });
  const run = async () => (await ssh('echo forbidden')).stderr;
  expect(await run()).toBe('');
  await administrator.patch(`perms/conditions/${web_only}/`, { clients: ['ssh'] });
  await until(async () => (await run()).includes('forbidden (SSH client)'), 'the refusal');
  const network = await create('networks', { name: unique('n'), networks: ['192.0.2.0/24'] });
  await administrator.patch(`perms/conditions/${web_only}/`, { networks: [network] });
  await until(async () => (await run()) === '', 'the rule no longer applies');
  // A rule that allows needs a condition that holds; one that denies applies unless it does not.
  await sql`update condition set hours = '{"always"}' where id = ${web_only}`.execute(test.db);
  await until(async () => (await run()).includes('cannot be read'), 'the unreadable rule denies');
  await administrator.patch(`${rules}${denied.id}/`, { condition: null });
  await administrator.post(rules, {
    content: 'echo',
    action: 1,
    priority: 99,
    condition: web_only,
  });
  await until(
    async () => (await run()).includes('forbidden'),
    'the unreadable rule allows nothing',
  );
  await administrator.delete(`assets/cmd-filters/${filter.id}/`);
});

it('forwards to the ports of the condition only, and leaves shells alone', async () => {
  const { port } = world.sshd;
  const client = new ssh2.Client();
  client.on('keyboard-interactive', (_name, _instructions, _language, _prompts, finish) =>
    finish([world.member.password]),
  );
  client.connect({
    host: '127.0.0.1',
    port: world.port,
    username: world.login,
    tryKeyboard: true,
    authHandler: ['none', 'keyboard-interactive'],
    readyTimeout: 0,
  });
  await once(client, 'ready');
  const forward = (to: number) =>
    new Promise<ClientChannel>((done, failed) =>
      client.forwardOut('127.0.0.1', 0, 'localhost', to, (error, channel) =>
        error ? failed(error) : done(channel),
      ),
    );
  const { body: rights } = await world.administrator.get<Json>(`perms/asset-permissions/${rule}/`);
  await change({ actions: ['connect', 'forward_port'] });
  const condition = await create('conditions', { ports: [`${port}`, '1-2'] });
  await use(condition);
  const channel = await forward(port);
  const [banner] = await once(channel, 'data');
  expect(String(banner)).toContain('SSH-2.0-TestServer');
  await expect(forward(3)).rejects.toThrow(`not to this port: only ports ${port}, 1–2`);
  expect((await ssh('echo in')).code).toBe(0);
  // An open connection ends when its port is excluded.
  const ended = once(channel, 'close');
  await world.administrator.patch(`perms/conditions/${condition}/`, { ports_excluded: true });
  await ended;
  await expect(forward(port)).rejects.toThrow(`not to this port: except ports ${port}, 1–2`);
  expect((await ssh('echo in')).code).toBe(0);
  client.end();
  await change({ actions: rights.actions });
});

it('asks for the second factor that a condition requires', async () => {
  await use(await create('conditions', { factor_minutes: 5 }));
  expect((await ssh('echo in')).stderr).toContain('requires a second factor');
});

it('says what a condition means, and rejects malformed parts', async () => {
  const { body } = await world.administrator.post('perms/conditions/', {
    name: unique('condition'),
    hours: ['Mon-Fri 08:00-18:00'],
    time_zone: 'Asia/Shanghai',
    clients: ['ssh'],
    clients_excluded: true,
  });
  expect(body.sentence).toBe('Mon–Fri 08:00–18:00 Asia/Shanghai; not SSH client');
  for (const [field, value] of Object.entries({
    hours: ['8-18'],
    time_zone: 'Mars/Olympus',
    clients: ['telnet'],
    factor_minutes: 1441,
    ports: ['5432', '0', '9-8', '65536', 'ssh'],
    networks: ['0b9e0f0e-0000-4000-8000-000000000000'],
  })) {
    const rejected = await world.administrator.post('perms/conditions/', {
      name: unique('condition'),
      [field]: value,
    });
    expect([rejected.status, Object.keys(rejected.body)], field).toEqual([400, [field]]);
  }
  const period = {
    valid_from: '2026-02-01 00:00:00 +0000',
    valid_until: '2026-01-01 00:00:00 +0000',
  };
  expect(
    (await world.administrator.patch(`perms/conditions/${body.id}/`, period)).body,
  ).toHaveProperty('valid_until');
});

it('keeps conditions of other organizations out of permissions', async () => {
  const other = await buildOrganization(world.test.db);
  const administrator = await buildUser(world.test.db, {
    memberOf: [{ organization: other, role: 'Admin' }],
  });
  const client = (await bearer(world.test, administrator)).inOrganization(other);
  const { body } = await client.post('perms/conditions/', { name: 'theirs', clients: ['web'] });
  expect((await use(String(body.id))).status).toBe(400);
});
