import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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
  mariadb.sql(
    `create user clerk@'%' identified by '${VAULT_PASSWORD}'; grant all on shop.* to clerk@'%'`,
  );
});
afterAll(async () => {
  await world?.test.stop();
  await ssh?.stop();
  await postgres?.stop();
  await mariadb?.stop();
});

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
  return stdout;
}

async function facts(
  type: 'postgresql' | 'mariadb',
  port: number,
  database: string,
  username: string,
) {
  const password = await world.password(
    await world.add({ type, port, database, username, password: VAULT_PASSWORD }),
  );
  return {
    TEST_PORT: String(password.port),
    TEST_USER: password.username,
    TEST_PASSWORD: password.password,
    TEST_DATABASE: database,
  };
}
const shop = () => facts('mariadb', mariadb.port, 'shop', 'clerk');

it('serves MySQL Connector/J in each TLS mode', async () => {
  const jar = join(HERE, 'connector-j/target', `${CONNECTOR}.jar`);
  const artifact = `-Dartifact=com.mysql:${CONNECTOR.replace(/-(?=\d)/, ':')}`;
  if (!existsSync(jar))
    await run('mvn', ['-q', 'dependency:copy', artifact, '-DoutputDirectory=target'], {
      cwd: join(HERE, 'connector-j'),
    });
  expect(await output('java', ['-cp', jar, 'Main.java'], 'connector-j', await shop())).toBe(
    'DISABLED 42\nPREFERRED 42\nREQUIRED 42\n',
  );
});

it('copies rows with CopyFrom of pgx', async () => {
  expect(
    await output(
      'go',
      ['run', './pgx'],
      'go',
      await facts('postgresql', postgres.port, 'sales', VAULT_ACCOUNT),
    ),
  ).toBe('copied 1000\n');
});

it('exchanges keys with mlkem768x25519-sha256 with the SSH client of Go', async () => {
  const login = {
    TEST_PORT: String(ssh.port),
    TEST_USER: ssh.login,
    TEST_PASSWORD: ssh.member.password,
  };
  expect(await output('go', ['run', './ssh'], 'go', login)).toBe('exchanged\n');
});

it('serves sqlx', async () => {
  expect(await output('cargo', ['run', '--quiet', '--release'], 'sqlx', await shop())).toBe('42\n');
});
