import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../testing/databases/postgres-server.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const NEVER = { hours: ['Mon-Sun 00:00-24:00'], hours_excluded: true };
const NOT_NOW = 'not now: except Mon–Sun 00:00–24:00 UTC';

let server: PostgresServer;
let databases: DatabaseWorld;
let database: DatabaseGrant;
let world: SshWorld;
let web: Client;
beforeAll(async () => {
  const port = await freePort();
  [world, databases, server] = await Promise.all([
    startSshWorld(),
    startDatabaseWorld({ postgresqlPort: port }),
    startPostgres(),
  ]);
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  database = await databases.add({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
});
afterAll(() => Promise.all([world?.stop(), databases?.test.stop(), server?.stop()]));
afterEach(() => sql`delete from sign_in_rule`.execute(world.test.db));

/** Adds a rule for the member of a world. */
async function rule({ administrator, member }: SshWorld | DatabaseWorld, values: Json) {
  const body = { name: unique('rule'), users: [member.id], ...values };
  const { status, text } = await administrator.post('users/sign-in-rules/', body);
  expect(status, text).toBe(201);
}
const ssh = (command: string) =>
  world.ssh.run({ login: world.login, password: world.member.password, command });
const connect = () =>
  TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );

it('refuses ssh clients after the password, and leaves other kinds of clients alone', async () => {
  await rule(world, { clients: ['web'] });
  expect((await ssh('echo in')).code).toBe(255);
  const { rows } = await sql<Json>`select type, reason from login_log
    order by datetime desc limit 1`.execute(world.test.db);
  expect(rows).toEqual([{ type: 'T', reason: 'sign_in_condition' }]);
  const terminal = await connect();
  await terminal.message('open');
  terminal.type('exit\r');
  await terminal.message('closed');
});

it('ends an open terminal with the reason when a rule appears that refuses its sign-in', async () => {
  const terminal = await connect();
  await terminal.message('open');
  await rule(world, NEVER);
  expect(await terminal.message('closed')).toMatchObject({
    code: 'connect_condition',
    message: expect.stringContaining(NOT_NOW),
  });
});

it('warns an open terminal before its sign-in ends, and ends it then', async () => {
  await sql`insert into sign_in_rule (name, everyone, valid_until)
    values ('soon', true, now() + interval '6 seconds')`.execute(world.test.db);
  const terminal = await connect();
  await terminal.message('open');
  expect((await terminal.message('notice')).over).toBe(false);
  expect(await terminal.message('closed')).toMatchObject({
    code: 'connect_condition',
    message: expect.stringContaining('not now: only until'),
  });
});

it('refuses database clients with the reason, and ends their open sessions', async () => {
  const issued = await databases.password(database);
  const client = () =>
    new pg.Client({
      host: '127.0.0.1',
      port: issued.port,
      user: issued.username,
      password: issued.password,
      database: 'sales',
    });
  const open = client();
  const gone = new Promise<Error>((done) => open.on('error', done));
  await open.connect();
  expect((await open.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await rule(databases, { clients: ['web'] });
  await until(async () => {
    const { is_finished } = await databases.lastSession(database.app);
    return is_finished === true;
  }, 'the session has ended');
  expect(String(await gone)).toMatch(/not with this client|terminated/i);
  await expect(client().connect()).rejects.toThrow('not with this client: only Web');
  await expect(Object.assign(client(), { password: 'wrong' }).connect()).rejects.not.toThrow(
    'not with this client',
  );
});

it('sends a notice to PostgreSQL clients before their sign-in ends', async () => {
  await sql`delete from sign_in_rule`.execute(databases.test.db);
  await sql`insert into sign_in_rule (name, everyone, valid_until)
    values ('soon', true, now() + interval '8 seconds')`.execute(databases.test.db);
  const issued = await databases.password(database);
  const client = new pg.Client({
    host: '127.0.0.1',
    port: issued.port,
    user: issued.username,
    password: issued.password,
    database: 'sales',
  });
  const noticed = new Promise<string>((done) =>
    client.on('notice', ({ message = '' }) => done(message)),
  );
  const gone = new Promise<Error>((done) => client.on('error', done));
  await client.connect();
  expect(await noticed).toContain('Your permission for this session ends in');
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(String(await gone)).toContain('not now: only until');
});
