import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createSessionRows } from '../terminal/store.ts';
import { registerTerminal } from './register.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const TERMINALS = 'terminal/terminals/';
const own = async () => (await admin.get<Json[]>(`${TERMINALS}?order=date_created`)).body[0] as Json;
const holderOf = async (id: unknown) => (await sql<{ holder: string }>`select holder from terminal where id = ${id}`.execute(test.db)).rows[0]?.holder ?? '';

describe('a running server', () => {
  it('is a terminal with its address, ports, version and load, alive and active', async () => {
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
    expect((await admin.get<Json>(`${TERMINALS}${row.id}/`)).body).toMatchObject({ id: row.id, name: row.name });
  });

  it('counts its open sessions, which name it', async () => {
    const row = await own();
    const rows = createSessionRows(test.db, await holderOf(row.id));
    const id = crypto.randomUUID();
    const names = { user: 'Li Wei(li.wei)', asset: 'web-01', systemUser: 'deploy', userId: '', assetId: '', systemUserId: '' };
    await rows.create({ ...names, id, organizationId: '', loginFrom: 'ST', remoteAddress: null, protocol: 'ssh', secondFactor: 'none', dateStart: new Date() });
    expect((await own()).session_online).toBe(1);
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body.terminal).toBe(row.id);
    await rows.finish(id, { dateEnd: new Date(), reason: 'session_finished', success: true, replayState: 'none' });
    expect((await own()).session_online).toBe(0);
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body.terminal).toBe(row.id);
  });

  it('keeps its name, comment and retirement when it registers again, and two of one name get different names', async () => {
    const row = await own();
    expect((await admin.patch(`${TERMINALS}${row.id}/`, { name: 'bastion-1', comment: 'rack 4', is_active: false })).status).toBe(200);
    const facts = { hostname: 'bastion-1', sshPort: 2222, httpPort: 8080 };
    await registerTerminal(test.db, { ...facts, holder: await holderOf(row.id) });
    expect(await own()).toMatchObject({ id: row.id, name: 'bastion-1', comment: 'rack 4', is_active: false, ssh_port: 2222, http_port: 8080 });
    for (const holder of ['other:/data', 'third:/data']) await registerTerminal(test.db, { ...facts, holder });
    const names = (await admin.get<Json[]>(`${TERMINALS}?search=bastion`)).body.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['bastion-1', 'bastion-1-2', 'bastion-1-3']);
    await admin.patch(`${TERMINALS}${row.id}/`, { is_active: true });
  });

  it('that is gone is not alive; only such a one can be removed, and its sessions stay', async () => {
    const row = await own();
    const refused = await admin.delete<Json>(`${TERMINALS}${row.id}/`);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'terminal_runs']);
    const [gone] = (await admin.get<Json[]>(`${TERMINALS}?name=bastion-1-2`)).body;
    const past = sql`update terminal set date_heartbeat = now() - interval '61 seconds' where id = ${gone?.id}`;
    await past.execute(test.db);
    expect((await admin.get<Json>(`${TERMINALS}${gone?.id}/`)).body.is_alive).toBe(false);
    expect((await admin.delete(`${TERMINALS}${gone?.id}/`)).status).toBe(204);
    expect((await admin.get(`${TERMINALS}${gone?.id}/`)).status).toBe(404);
  });

  it('registers again when its row was deleted in the database', async () => {
    const row = await own();
    await sql`delete from terminal where id = ${row.id}`.execute(test.db);
    // What tells all servers to look at their rows.
    await sql`select pg_notify('terminals', '')`.execute(test.db);
    await until(
      async () => (await admin.get<Json[]>(TERMINALS)).body.some(({ is_alive, http_port }) => is_alive === true && http_port === 0),
      'the server is there again',
    );
  });
});

it('terminals are for super administrators: nobody else sees, changes or creates one, and what a server says of itself cannot be written', async () => {
  const organization = await buildOrganization(test.db);
  const row = await own();
  for (const client of [
    await bearer(test, await buildUser(test.db, { role: 'Auditor' })),
    await bearer(test, await buildUser(test.db)),
    await signInMember(test, organization),
  ]) {
    expect((await client.get(TERMINALS)).status).toBe(403);
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
