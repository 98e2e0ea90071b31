import type { AssetRequest, DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from './platform/db/sql.ts';
import { buildAppPermission } from './testing/app-builders.ts';
import {
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from './testing/builders.ts';
import type { Json } from './testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from './testing/databases/client-world.ts';
import type { DatabaseGrant } from './testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from './testing/databases/postgres-server.ts';
import { freePort } from './testing/free-port.ts';
import { type Machine, prepareMachine } from './testing/sallyctl/sallyctl.ts';

let server: PostgresServer;
let world: DatabaseWorld;
let sales: DatabaseGrant;
let machine: Machine;
beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort: port });
  sales = await world.add({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  machine = await prepareMachine();
  await machine.signIn(world.test, world.member);
});
afterAll(async () => {
  await machine?.stop();
  await world?.test.stop();
  await server?.stop();
});

describe('a database', () => {
  it('opens with a password for some minutes, over a verified connection', async () => {
    const { stdout, code } = await machine.run(['db', '--json', sales.name]);
    const issued = JSON.parse(stdout) as DatabasePassword;
    expect([code, issued.host]).toEqual([0, '127.0.0.1']);
    const client = new pg.Client({
      host: issued.host,
      port: issued.port,
      user: issued.username,
      password: issued.password,
      database: issued.database,
      ssl: { ca: issued.certificate, checkServerIdentity: () => undefined },
    });
    await client.connect();
    expect((await client.query('select 40 + 2 as sum')).rows).toEqual([{ sum: 42 }]);
    await client.end();
  });

  it('starts psql with the certificate of the listener, and the password in no argument', async () => {
    const { stdout, stderr, code } = await machine.run([
      'db',
      `${sales.name}@${sales.accountName}`,
      '-c',
      'select 1',
    ]);
    // The status of the program.
    expect([code, stderr]).toEqual([7, expect.stringContaining('valid until')]);
    const result = JSON.parse(stdout) as { args: string[]; environment: Json; files: string[] };
    expect(result.args).toEqual(['-c', 'select 1']);
    expect(result.environment).toMatchObject({
      PGHOST: '127.0.0.1',
      PGSSLMODE: 'verify-ca',
      PGDATABASE: 'sales',
      PGPASSWORD: expect.stringMatching(/^\w{26}$/),
    });
    expect(result.files).toEqual([expect.stringContaining('BEGIN CERTIFICATE')]);
  });

  it('reports a database without a permission as unknown, and names the accounts', async () => {
    expect(await machine.run(['db', 'payroll'])).toMatchObject({ code: 5 });
    expect(await machine.run(['db', `${sales.name}@sa`])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`${sales.name}@${sales.accountName}`),
    });
    const words = ['db', sales.name];
    expect(await machine.run(words, { PATH: '/nowhere' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('psql is not installed'),
    });
  });
});

describe('a cluster', () => {
  it('gives kubectl a file without a secret, and a token for each use', async () => {
    const { db } = world.test;
    const name = unique('cluster');
    const { rows } = await sql<{ id: string }>`insert into cluster (name, host)
      values (${name}, '10.0.0.9') returning id`.execute(db);
    const [{ id } = { id: '' }] = rows;
    const account = await buildSystemUser(db, { protocol: 'kubernetes' });
    await buildAppPermission(db, 'cluster', {
      users: [world.member.id],
      apps: [id],
      systemUsers: [account],
    });
    const { stdout, code } = await machine.run(['kube', name]);
    const file = JSON.parse(stdout) as { users: { user: { exec: Json } }[] };
    expect([code, stdout.includes('spk_')]).toEqual([0, false]);
    expect(file.users[0]?.user.exec).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sallyctl',
      args: ['kube-token', `${id}@${account}`],
      interactiveMode: 'IfAvailable',
    });
    const issued = await machine.run(['kube-token', `${id}@${account}`]);
    const { kind, status } = JSON.parse(issued.stdout) as { kind: string; status: Json };
    expect([issued.code, kind, status.token]).toEqual([
      0,
      'ExecCredential',
      expect.stringMatching(/^spk_/),
    ]);
    expect(Date.parse(String(status.expirationTimestamp))).toBeGreaterThan(Date.now());
    expect((await machine.run(['kube', 'unknown'])).code).toBe(5);
    expect((await machine.run(['kube'])).code).toBe(2);
  });
});

describe('a request for access', () => {
  const idOf = (text: string) => /Request ([\da-f-]{36})/.exec(text)?.[1] ?? '';
  let boss: Machine;
  let hostname: string;
  beforeAll(async () => {
    const { db } = world.test;
    const { organization } = world;
    hostname = `wanted-${crypto.randomUUID().slice(0, 8)}`;
    await buildAsset(db, { organization, hostname });
    await buildSystemUser(db, { organization, name: 'deploy' });
    boss = await prepareMachine();
    await boss.signIn(
      world.test,
      await buildUser(db, { memberOf: [{ organization, role: 'Admin' }] }),
    );
  });
  afterAll(() => boss.stop());

  const ask = async () => {
    const words = ['request', hostname, '--account=deploy', '--reason=a release'];
    const { stdout, stderr } = await machine.run([...words, ...inOrganization()]);
    expect(stderr).toBe('');
    return idOf(stdout);
  };
  const inOrganization = () => ['--organization', world.organization];

  it('lists a request for its reviewer, who approves it for some minutes', async () => {
    const id = await ask();
    const { stdout } = await boss.run(['requests']);
    expect(stdout).toContain(id.slice(0, 8));
    expect(JSON.parse((await machine.run(['requests', '--json'])).stdout)).toMatchObject({
      own: [{ id, status: 'open' }],
    });
    const words = ['approve', id.slice(0, 8), '--minutes=30', ...inOrganization()];
    expect(await boss.run(words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await boss.run([...words, '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Approved: ${hostname}`),
    });
    const { body } = await world.person.get<AssetRequest>(`tickets/request-asset-perm/${id}/`);
    expect(body).toMatchObject({ action: 'approve', system_user: 'deploy' });
    const left = Date.parse(body.date_expired) - Date.now();
    expect(left).toBeLessThan(31 * 60_000);
    expect((await machine.run(['ls', hostname])).stdout).toContain(hostname);
  });

  it('lets its reviewer refuse a request, and no other user', async () => {
    const id = await ask();
    expect(await machine.run(['deny', id, '--yes'])).toMatchObject({ code: 5 });
    const other = await prepareMachine();
    const elsewhere = await buildOrganization(world.test.db);
    await other.signIn(
      world.test,
      await buildUser(world.test.db, { memberOf: [{ organization: elsewhere, role: 'Admin' }] }),
    );
    expect(await other.run(['deny', id, '--yes'])).toMatchObject({ code: 5 });
    await other.stop();
    expect(await boss.run(['deny', id, '--yes', ...inOrganization()])).toMatchObject({ code: 0 });
    expect(await boss.run(['approve', id, '--yes'])).toMatchObject({ code: 5 });
  });

  it('names the page where the reviewer chooses among several accounts', async () => {
    const { db } = world.test;
    await buildSystemUser(db, { organization: world.organization, name: 'audit' });
    const request = await machine.run([
      'request',
      hostname,
      '--reason=which account',
      ...inOrganization(),
    ]);
    const id = idOf(request.stdout);
    const { code, stderr } = await boss.run(['approve', id, '--yes', ...inOrganization()]);
    const url = /http\S+/.exec(stderr)?.[0] ?? '';
    expect([code, new URL(url).pathname]).toEqual([1, `/core/console/tickets/tickets/${id}`]);
  });

  it('needs a reason, and valid minutes', async () => {
    expect(await machine.run(['request', hostname])).toMatchObject({ code: 2 });
    expect(await machine.run(['request', hostname, '--reason=x', '--minutes=soon'])).toMatchObject({
      code: 2,
    });
    expect(await machine.run(['approve', 'x'])).toMatchObject({ code: 2 });
  });
});
