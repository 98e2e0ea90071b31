import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createSessionRows } from '../sessions/index.ts';
import { registerTerminal } from './register.ts';

const SECRET_KEY = 'b2'.repeat(32);
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram({ secretKey: SECRET_KEY });
  admin = await bearer(test);
});
afterAll(() => test.stop());

const TERMINALS = 'terminal/terminals/';
const own = async () =>
  (await admin.get<Json[]>(`${TERMINALS}?order=date_created`)).body[0] as Json;
const holderOf = async (id: unknown) =>
  (await sql<{ holder: string }>`select holder from terminal where id = ${id}`.execute(test.db))
    .rows[0]?.holder ?? '';

describe('a running server', () => {
  it('registers with address, ports, version and load, alive and active', async () => {
    const row = await own();
    expect(row).toMatchObject({
      name: expect.any(String),
      remote_addr: expect.stringMatching(/^[0-9a-f.:]+$/),
      ssh_port: 0,
      http_port: 0,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      load: expect.any(Number),
      session_online: 0,
      is_active: true,
      is_alive: true,
      is_accepted: true,
      date_heartbeat: expect.any(String),
    });
    expect((await admin.get<Json>(`${TERMINALS}${row.id}/`)).body).toMatchObject({
      id: row.id,
      name: row.name,
    });
  });

  it('counts its open sessions, which name it', async () => {
    const row = await own();
    const rows = createSessionRows(test.db, await holderOf(row.id));
    const id = crypto.randomUUID();
    const names = {
      user: 'Li Wei(li.wei)',
      asset: 'web-01',
      systemUser: 'deploy',
      userId: '',
      assetId: '',
      systemUserId: '',
    };
    await rows.create({
      ...names,
      id,
      organizationId: '',
      loginFrom: 'ST',
      remoteAddress: null,
      protocol: 'ssh',
      secondFactor: 'none',
      dateStart: new Date(),
    });
    expect((await own()).session_online).toBe(1);
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body.terminal).toBe(row.id);
    await rows.finish(id, {
      dateEnd: new Date(),
      reason: 'session_finished',
      success: true,
      replayState: 'none',
    });
    expect((await own()).session_online).toBe(0);
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body.terminal).toBe(row.id);
  });

  it('keeps name, comment and retirement when it registers again, and gives servers with one host name different names', async () => {
    const row = await own();
    expect(
      (
        await admin.patch(`${TERMINALS}${row.id}/`, {
          name: 'bastion-1',
          comment: 'rack 4',
          is_active: false,
        })
      ).status,
    ).toBe(200);
    const facts = { hostname: 'bastion-1', sshPort: 2222, httpPort: 8080 };
    await registerTerminal(test.db, { ...facts, holder: await holderOf(row.id) }, true);
    expect(await own()).toMatchObject({
      id: row.id,
      name: 'bastion-1',
      comment: 'rack 4',
      is_active: false,
      ssh_port: 2222,
      http_port: 8080,
    });
    for (const holder of ['other:/data', 'third:/data'])
      await registerTerminal(test.db, { ...facts, holder }, true);
    const names = (await admin.get<Json[]>(`${TERMINALS}?search=bastion`)).body.map(
      ({ name }) => name,
    );
    expect(names.toSorted()).toEqual(['bastion-1', 'bastion-1-2', 'bastion-1-3']);
    await admin.patch(`${TERMINALS}${row.id}/`, { is_active: true });
  });

  it('rejects the deletion of a running terminal, and keeps the sessions of a deleted one', async () => {
    const row = await own();
    const refused = await admin.delete<Json>(`${TERMINALS}${row.id}/`);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'terminal_runs']);
    const [gone] = (await admin.get<Json[]>(`${TERMINALS}?name=bastion-1-2`)).body;
    const past = sql`update terminal set date_heartbeat = now() - interval '61 seconds'
      where id = ${gone?.id}`;
    await past.execute(test.db);
    expect((await admin.get<Json>(`${TERMINALS}${gone?.id}/`)).body.is_alive).toBe(false);
    expect((await admin.delete(`${TERMINALS}${gone?.id}/`)).status).toBe(204);
    expect((await admin.get(`${TERMINALS}${gone?.id}/`)).status).toBe(404);
  });

  it('sends heartbeats at the interval of the setting, and counts as alive for three intervals', async () => {
    const beats = async () => new Date(String((await own()).date_heartbeat)).getTime();
    const pace = (seconds: number) =>
      admin.patch('settings/setting/', { terminal: { TERMINAL_HEARTBEAT_INTERVAL: seconds } });
    const before = await beats();
    expect((await pace(5)).status).toBe(200);
    await until(async () => (await beats()) > before, 'a heartbeat at the change');
    const first = await beats();
    await until(async () => (await beats()) > first, 'the next heartbeat');
    const second = await beats();
    await until(async () => (await beats()) > second, 'and one more');
    // Two heartbeats of the former interval take forty seconds.
    expect((await beats()) - first).toBeLessThan(30_000);

    const [gone] = (await admin.get<Json[]>(`${TERMINALS}?name=bastion-1-3`)).body;
    await sql`update terminal set date_heartbeat = now() - interval '10 minutes'
      where id = ${gone?.id}`.execute(test.db);
    const isAlive = async () => (await admin.get<Json>(`${TERMINALS}${gone?.id}/`)).body.is_alive;
    expect(await isAlive()).toBe(false);
    await pace(300);
    await until(async () => (await isAlive()) === true, 'ten minutes are within three intervals');
    await pace(20);
    await until(async () => (await isAlive()) === false, 'ten minutes are too long again');
  });

  it('retires a new server while registration is off, and lets it accept sessions once it is activated', async () => {
    const { body } = await admin.patch<Record<string, Json>>('settings/setting/', {
      security: { SECURITY_SERVICE_ACCOUNT_REGISTRATION: false },
    });
    expect(body.security?.SECURITY_SERVICE_ACCOUNT_REGISTRATION).toBe(false);
    const second = await startTestProgram({ secretKey: SECRET_KEY, databaseUrl: test.databaseUrl });
    try {
      const { rows } = await sql<{
        id: string;
      }>`select id from terminal order by date_created desc limit 1`.execute(test.db);
      const path = `${TERMINALS}${rows[0]?.id}/`;
      expect((await admin.get<Json>(path)).body).toMatchObject({
        is_active: false,
        is_alive: true,
      });
      const connect = async () => {
        const client = await TerminalClient.connect(
          second.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
          { asset: 'a', system_user: 's' },
          admin.headers,
        );
        return (await client.message('closed')).code;
      };
      expect(await connect()).toBe('session_server_retired');
      expect((await admin.patch(path, { is_active: true })).status).toBe(200);
      await until(
        async () => (await connect()) !== 'session_server_retired',
        'it accepts sessions',
      );
    } finally {
      await second.stop();
      await admin.patch('settings/setting/', {
        security: { SECURITY_SERVICE_ACCOUNT_REGISTRATION: true },
      });
    }
  });

  it('registers again when its row was deleted in the database', async () => {
    const row = await own();
    await sql`delete from terminal where id = ${row.id}`.execute(test.db);
    // This notification makes all servers read their rows.
    await sql`select pg_notify('terminals', '')`.execute(test.db);
    await until(
      async () =>
        (await admin.get<Json[]>(TERMINALS)).body.some(
          ({ is_alive, http_port }) => is_alive === true && http_port === 0,
        ),
      'the server is there again',
    );
  });
});

it('lets super administrators change terminals, super auditors read them, and ignores writes of facts that servers report', async () => {
  const organization = await buildOrganization(test.db);
  const row = await own();
  for (const [client, read] of [
    [await bearer(test, await buildUser(test.db, { role: 'Auditor' })), 200],
    [await bearer(test, await buildUser(test.db)), 403],
    [await signInMember(test, organization), 403],
  ] as const) {
    expect((await client.get(TERMINALS)).status).toBe(read);
    expect((await client.patch(`${TERMINALS}${row.id}/`, { is_active: false })).status).toBe(403);
    expect((await client.delete(`${TERMINALS}${row.id}/`)).status).toBe(403);
  }
  expect((await test.visitor.get(TERMINALS)).status).toBe(401);
  expect((await admin.post(TERMINALS, { name: 'made up' })).status).toBe(405);
  await admin.patch(`${TERMINALS}${row.id}/`, { version: '9.9.9', remote_addr: '10.9.9.9' });
  expect(await own()).toMatchObject({ version: row.version, remote_addr: row.remote_addr });
  const nameless = await admin.patch<Json>(`${TERMINALS}${row.id}/`, { name: '' });
  expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['name']]);
});
