import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startClient } from '../../../testing/databases/client-programs.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import {
  type DriverProgram,
  MYSQL_DRIVERS,
  POSTGRESQL_DRIVERS,
} from '../../../testing/databases/driver-programs.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import {
  debianBinaries,
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../testing/free-port.ts';
import { requirePeers } from '../../../testing/peers.ts';

requirePeers(
  'libdbd-mariadb-perl',
  'libdbd-mysql-perl',
  'mydumper',
  'odbc-mariadb',
  'odbc-postgresql',
  'php-cli',
  'php-mysql',
  'php-pgsql',
  'python3-asyncpg',
  'python3-django',
  'python3-mysqldb',
  'python3-psycopg',
  'python3-psycopg2',
  'python3-pymysql',
  'python3-pyodbc',
  'python3-sqlalchemy',
);

let world: DatabaseWorld;
let postgres: PostgresServer;
let mariadb: Mariadb;
beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  [postgres, mariadb] = await Promise.all([startPostgres(debianBinaries()), startMariadb()]);
  world = await startDatabaseWorld({ postgresqlPort, mysqlPort });
  await postgres.admin(
    `create table victim (id int primary key); grant all on victim to public;
     insert into victim select generate_series(1, 5)`,
  );
  mariadb.sql(`
    create user clerk@'%' identified by '${VAULT_PASSWORD}'; grant all on shop.* to clerk@'%';
    use shop; create table victim (id int primary key);
    insert into victim select seq from seq_1_to_5`);
});
afterAll(async () => {
  await world?.test.stop();
  await postgres?.stop();
  await mariadb?.stop();
});

/** Gives the member a database, and returns what a client program needs. */
async function factsOf(
  type: 'postgresql' | 'mariadb',
  isReadOnly: boolean,
): Promise<Record<string, string>> {
  const place =
    type === 'postgresql'
      ? { port: postgres.port, database: 'sales', username: VAULT_ACCOUNT }
      : { port: mariadb.port, database: 'shop', username: 'clerk' };
  const database = await world.add(
    { type, ...place, password: VAULT_PASSWORD },
    { is_read_only: isReadOnly },
  );
  const { port, username, password } = await world.password(database);
  return { TEST_PORT: String(port), TEST_USER: username, TEST_PASSWORD: password };
}

const reads = async (
  { command: [program, ...words] }: DriverProgram,
  facts: Record<string, string>,
) => {
  const { code, out, err } = await startClient(program, words, facts).result;
  expect([code, out, err]).toEqual([0, '15\n', '']);
};

for (const [type, drivers] of [
  ['postgresql', POSTGRESQL_DRIVERS],
  ['mariadb', MYSQL_DRIVERS],
] as const)
  it.each(drivers.map((driver) => [driver.name, driver] as const))(
    'reads with %s, with a read-only permission as with a full one',
    async (_name, driver) => {
      await reads(driver, await factsOf(type, false));
      await reads(driver, await factsOf(type, true));
    },
  );

it('dumps with pg_dump and a read-only permission', async () => {
  for (const isReadOnly of [false, true]) {
    const { TEST_PORT, TEST_USER, TEST_PASSWORD = '' } = await factsOf('postgresql', isReadOnly);
    const address = `host=127.0.0.1 port=${TEST_PORT} user=${TEST_USER} dbname=sales`;
    const { code, out, err } = await startClient('pg_dump', ['--no-password', '-d', address], {
      PGPASSWORD: TEST_PASSWORD,
    }).result;
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('COPY public.victim (id) FROM stdin;\n1\n2\n3\n4\n5\n\\.');
  }
});

it('dumps with mariadb-dump and a read-only permission, with locks or in one transaction', async () => {
  for (const isReadOnly of [false, true])
    for (const more of [[], ['--single-transaction']]) {
      const { TEST_PORT, TEST_USER, TEST_PASSWORD = '' } = await factsOf('mariadb', isReadOnly);
      const { code, out, err } = await startClient(
        'mariadb-dump',
        ['--no-defaults', '-h127.0.0.1', `-P${TEST_PORT}`, `-u${TEST_USER}`, ...more, 'shop'],
        { MYSQL_PWD: TEST_PASSWORD },
      ).result;
      expect([more, code, err]).toEqual([more, 0, '']);
      expect(out).toContain('INSERT INTO `victim` VALUES\n(1),\n(2),\n(3),\n(4),\n(5);');
    }
});

it('dumps with mydumper and a read-only permission', async () => {
  for (const isReadOnly of [false, true]) {
    const { TEST_PORT, TEST_USER, TEST_PASSWORD } = await factsOf('mariadb', isReadOnly);
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-mydumper-'));
    const words = [
      ...['--host=127.0.0.1', `--port=${TEST_PORT}`, `--user=${TEST_USER}`],
      ...[`--password=${TEST_PASSWORD}`, '--database=shop', `--outputdir=${folder}`],
      ...['--no-locks', '--threads=1'],
    ];
    const { code, err } = await startClient('mydumper', words, {}).result;
    const names = await readdir(folder);
    const data = names.find((name) => /^shop\.victim(?:\.\d+)?\.sql$/.test(name)) ?? '';
    expect([code, err, names]).toEqual([0, expect.any(String), expect.arrayContaining([data])]);
    expect(await readFile(join(folder, data), 'utf8')).toContain('(1),\n(2),\n(3),\n(4),\n(5)');
    await rm(folder, { recursive: true });
  }
});
