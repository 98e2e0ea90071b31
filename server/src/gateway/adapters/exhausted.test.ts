import { ERRORS } from '@sallyport/contract';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { startDatabaseWorld } from '../../testing/databases/client-world.ts';
import { QueryClient } from '../../testing/databases/query-client.ts';
import { freePort } from '../../testing/free-port.ts';
import { bearer } from '../../testing/sign-in.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import type { TestProgram } from '../../testing/test-program.ts';
import { browseUnreachedTargets } from '../../testing/unreached-targets.ts';

/** Lets the database refuse each new session as one on a full disk does. */
async function fill(test: TestProgram): Promise<void> {
  await sql`create function refuse_session() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(test.db);
  await refuse(test);
}
const refuse = ({ db }: TestProgram) =>
  sql`create trigger refuse_session before insert on session for each row
    execute function refuse_session()`.execute(db);
const empty = ({ db }: TestProgram) => sql`drop trigger refuse_session on session`.execute(db);

/** The sentence in the language of the client's account. */
const SENTENCE = new RegExp(
  Object.values(ERRORS.server_disk_full)
    .map((text) => text.replaceAll('.', '\\.'))
    .join('|'),
);

let databases: Awaited<ReturnType<typeof startDatabaseWorld>>;
let world: SshWorld;
beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = await Promise.all([freePort(), freePort()]);
  databases = await startDatabaseWorld({ postgresqlPort, mysqlPort });
  world = await startWorld({}, startSshServer({}), sshClient);
  await Promise.all([fill(databases.test), fill(world.test)]);
});
afterAll(async () => {
  await databases?.test.stop();
  await world?.stop();
});

/** The target is never reached: the row of the session is written first. */
const unreached = async (type: 'postgresql' | 'mysql') =>
  databases.add({ type, port: 9, database: 'sales', username: 'app', password: 'app' });

it('tells an ssh client that the disk is full, and serves it once there is room', async () => {
  const { member, login, ssh } = world;
  const call = { login, password: member.password, command: 'echo re"ach"ed' };
  const refused = await ssh.run(call);
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringMatching(SENTENCE)]);
  expect(refused.stderr).not.toContain('extend');
  await empty(world.test);
  expect(String((await ssh.run(call)).stdout)).toBe('reached\n');
  await refuse(world.test);
});

it('tells a web terminal that the disk is full', async () => {
  const client = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const terminal = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    client.headers,
  );
  expect(await terminal.message('closed')).toMatchObject({
    code: 'server_disk_full',
    message: expect.stringMatching(SENTENCE),
  });
});

it('tells psql, mysql and the query workspace that the disk is full', async () => {
  const [postgresql, mysql] = [await unreached('postgresql'), await unreached('mysql')];
  const forPsql = await databases.password(postgresql);
  const { port, username: user, password } = forPsql;
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
  client.on('error', () => undefined);
  await expect(client.connect()).rejects.toThrow(SENTENCE);
  const forMysql = await databases.password(mysql);
  const connecting = createConnection({
    host: '127.0.0.1',
    port: forMysql.port,
    user: forMysql.username,
    password: forMysql.password,
  });
  await expect(connecting).rejects.toThrow(SENTENCE);
  const workspace = await QueryClient.connect(
    databases.test.program.url,
    { app: postgresql.app, system_user: postgresql.systemUser },
    databases.person.headers,
  );
  await expect(workspace.message('open')).rejects.toThrow('server_disk_full');
});

it('tells telnet, RDP, VNC, MySQL and Redis in the browser that the disk is full', async () => {
  const { test, administrator, member, person } = databases;
  const { url } = test.program;
  const browsing = { url, administrator, userId: member.id, person };
  const ways = await browseUnreachedTargets(browsing);
  expect(Object.keys(ways)).toEqual(['telnet', 'rdp', 'vnc', 'mysql', 'redis']);
  for (const [way, open] of Object.entries(ways)) {
    const answer = await open();
    expect(answer, way).toContain('server_disk_full');
    expect(answer, way).toMatch(SENTENCE);
    expect(answer, way).not.toContain('extend');
  }
});
