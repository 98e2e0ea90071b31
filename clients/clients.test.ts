import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../server/src/testing/databases/client-world.ts';
import { type Mariadb, startMariadb } from '../server/src/testing/databases/mariadb.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../server/src/testing/free-port.ts';
import { notePeers } from '../server/src/testing/peers.ts';
import { type SshWorld, startSshWorld } from '../server/src/testing/ssh/ssh-world.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const CONNECTOR = 'mysql-connector-j-9.3.0';

let world: DatabaseWorld;
let ssh: SshWorld;
let postgres: PostgresServer;
let mariadb: Mariadb;
beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  [postgres, mariadb, ssh] = await Promise.all([startPostgres(), startMariadb(), startSshWorld()]);
  world = await startDatabaseWorld({ postgresqlPort, mysqlPort });
  await postgres.admin('create table copied (id int, name text); grant all on copied to public');
  await postgres.admin(
    `create table victim (id int); grant all on victim to public;
     insert into victim select generate_series(1, 5)`,
  );
  mariadb.sql(
    `create user clerk@'%' identified by '${VAULT_PASSWORD}'; grant all on shop.* to clerk@'%';
     use shop; create table victim (id int); insert into victim select seq from seq_1_to_5`,
  );
});
afterAll(async () => {
  await world?.test.stop();
  await ssh?.stop();
  await postgres?.stop();
  await mariadb?.stop();
});

/** Names and versions of the drivers that a folder locks. */
function locked(folder: string): readonly string[] {
  const textOf = (name: string) => readFileSync(join(HERE, folder, name), 'utf8');
  if (folder === 'sqlx')
    return [...textOf('Cargo.lock').matchAll(/name = "(sqlx)"\nversion = "(.+)"/g)].map(
      ([, name, version]) => `${name} ${version}`,
    );
  if (folder !== 'go') return [];
  return [...textOf('go.mod').matchAll(/^\t(\S+ v\S+)$/gm)].map(([, line]) => line ?? '');
}

/** Runs a client program with a database password of Sallyport and returns its output. */
async function output(
  program: string,
  words: readonly string[],
  folder: string,
  facts: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout } = await run(program, words, {
    cwd: join(HERE, folder),
    env: { ...process.env, ...facts },
  });
  // The first run of cargo writes the lock file.
  notePeers(...locked(folder));
  return stdout;
}

async function facts(type: 'postgresql' | 'mariadb', isReadOnly = false) {
  const place =
    type === 'postgresql'
      ? { port: postgres.port, database: 'sales', username: VAULT_ACCOUNT }
      : { port: mariadb.port, database: 'shop', username: 'clerk' };
  const password = await world.password(
    await world.add({ type, ...place, password: VAULT_PASSWORD }, { is_read_only: isReadOnly }),
  );
  return {
    TEST_PORT: String(password.port),
    TEST_USER: password.username,
    TEST_PASSWORD: password.password,
    TEST_DATABASE: place.database,
  };
}

/** Downloads a package of Maven Central once, into the folder of the test. Returns its path. */
async function jar(folder: string, group: string, name: string): Promise<string> {
  notePeers(name.replace(/-(?=\d)/, ' '));
  const file = join(HERE, folder, 'target', `${name}.jar`);
  const artifact = `-Dartifact=${group}:${name.replace(/-(?=\d)/, ':')}`;
  if (!existsSync(file))
    await run('mvn', ['-q', 'dependency:copy', artifact, '-DoutputDirectory=target'], {
      cwd: join(HERE, folder),
    });
  return file;
}

it('serves MySQL Connector/J in each TLS mode', async () => {
  const path = await jar('connector-j', 'com.mysql', CONNECTOR);
  expect(
    await output('java', ['-cp', path, 'Main.java'], 'connector-j', await facts('mariadb')),
  ).toBe('DISABLED 42\nPREFERRED 42\nREQUIRED 42\n');
});

it('copies rows with CopyFrom of pgx', async () => {
  expect(await output('go', ['run', './pgx'], 'go', await facts('postgresql'))).toBe(
    'copied 1000\n',
  );
});

it('exchanges keys with mlkem768x25519-sha256 with the SSH client of Go', async () => {
  const login = {
    TEST_PORT: String(ssh.port),
    TEST_USER: ssh.login,
    TEST_PASSWORD: ssh.member.password,
  };
  expect(await output('go', ['run', './ssh'], 'go', login)).toBe('exchanged\n');
});

it('serves sqlx, with a read-only permission as with a full one', async () => {
  for (const isReadOnly of [false, true]) {
    const place = await facts('mariadb', isReadOnly);
    expect(await output('cargo', ['run', '--quiet', '--release'], 'sqlx', place)).toBe('42\n');
  }
});

it.each([
  ['postgresql', 'org.postgresql', 'postgresql-42.7.7', 'postgresql'],
  ['mariadb', 'com.mysql', CONNECTOR, 'mysql'],
  ['mariadb', 'org.mariadb.jdbc', 'mariadb-java-client-3.5.3', 'mariadb'],
] as const)(
  'reads a table of %s with the driver of %s, with a read-only permission as with a full one',
  async (type, group, name, scheme) => {
    const path = await jar('jdbc', group, name);
    for (const isReadOnly of [false, true]) {
      const place = await facts(type, isReadOnly);
      const url = `jdbc:${scheme}://127.0.0.1:${place.TEST_PORT}/${place.TEST_DATABASE}`;
      expect(
        await output('java', ['-cp', path, 'Reads.java'], 'jdbc', { ...place, TEST_URL: url }),
      ).toBe('15\n');
    }
  },
);

it('reads a table with mysql-connector-python 26.10, with a read-only permission as with a full one', async () => {
  notePeers('mysql-connector-python 26.10.0');
  const packages = join(HERE, 'python/target');
  if (!existsSync(packages))
    await run('python3', [
      ...['-m', 'pip', 'install', '--quiet', '--root-user-action=ignore'],
      ...['--target', packages, 'mysql-connector-python==26.10.0'],
    ]);
  for (const isReadOnly of [false, true]) {
    const place = { ...(await facts('mariadb', isReadOnly)), PYTHONPATH: packages };
    expect(await output('python3', ['reads.py'], 'python', place)).toBe('15\n');
  }
});

it('reads with each way of pgx to send a statement, with a read-only permission as with a full one', async () => {
  for (const isReadOnly of [false, true])
    expect(
      await output('go', ['run', './reads'], 'go', await facts('postgresql', isReadOnly)),
    ).toBe('15\n');
});

/** Downloads the pools and their drivers once. Returns the class path. */
async function pools(): Promise<string> {
  const folder = join(HERE, 'pools');
  const pom = readFileSync(join(folder, 'pom.xml'), 'utf8');
  const drivers = pom.matchAll(/<artifactId>(.+)<\/artifactId>\s*<version>(.+\..+)<\/version>/g);
  for (const [, name, version] of drivers) notePeers(`${name} ${version}`);
  if (!existsSync(join(folder, 'target')))
    await run('mvn', ['-q', 'dependency:copy-dependencies', '-DoutputDirectory=target'], {
      cwd: folder,
    });
  return 'target/*';
}

it.each([
  ['Hikari', 'postgresql', 'jdbc:postgresql', '?sslmode=require'],
  ['Hikari', 'mariadb', 'jdbc:mariadb', ''],
  ['Hikari', 'mariadb', 'jdbc:mysql', ''],
  ['Reactive', 'postgresql', 'r2dbc:postgresql', '?sslMode=require'],
  ['Reactive', 'mariadb', 'r2dbc:mariadb', ''],
  ['Reactive', 'mariadb', 'r2dbc:mysql', ''],
] as const)(
  'reads with the pool of %s from %s by %s, with a read-only permission as with a full one',
  async (program, type, scheme, settings) => {
    const path = await pools();
    for (const isReadOnly of [false, true]) {
      const place = await facts(type, isReadOnly);
      const url = `${scheme}://127.0.0.1:${place.TEST_PORT}/${place.TEST_DATABASE}${settings}`;
      const mark = type === 'postgresql' ? '$1' : '?';
      expect(
        await output('java', ['-cp', path, `${program}.java`], 'pools', {
          ...place,
          TEST_URL: url,
          TEST_MARK: mark,
        }),
      ).toBe('15\n');
    }
  },
);
