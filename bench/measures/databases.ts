import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { type Mariadb, startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import type { Client } from '../lib/http.ts';
import { type Place, preparePgbench } from '../lib/statement-load.ts';
import { type Routes, ratesInMemory, ratesOnDisk } from '../lib/statement-rates.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const ROWS = 1_000_000;
const RUNS = 5;
const TRIPS = 500;

/**
 * Results and round trips of databases through the listeners, next to the same clients without the
 * bastion.
 */
export async function databases(world: World): Promise<Figure[]> {
  const [postgres, mariadb] = [await startPostgres(), await startMariadb()];
  try {
    await prepare(postgres, mariadb);
    const direct = {
      postgresql: {
        port: postgres.port,
        user: VAULT_ACCOUNT,
        password: VAULT_PASSWORD,
        database: 'sales',
      },
      mysql: { port: mariadb.port, user: 'clerk', password: VAULT_PASSWORD, database: 'shop' },
    };
    await preparePgbench(direct.postgresql);
    const stages: Readonly<Record<string, () => Promise<Figure[]>>> = {
      results: () =>
        withBastion(world, direct, false, async ({ ours }) => [
          ...(await compared('PostgreSQL', psql, direct.postgresql, ours.postgresql)),
          ...(await compared('MariaDB', mysql, direct.mysql, ours.mysql)),
          ...(await trips(direct.postgresql, ours.postgresql)),
        ]),
      statements: () =>
        withBastion(world, direct, false, ({ ours, target }) =>
          ratesOnDisk(direct, ours, target, world.folder()),
        ),
      memory: () =>
        withBastion(world, direct, true, ({ ours, target }) => ratesInMemory(direct, ours, target)),
    };
    const figures: Figure[] = [];
    for (const [name, run] of Object.entries(stages))
      if (name.includes(world.stage)) figures.push(...(await run()));
    return figures;
  } finally {
    await postgres.stop();
    await mariadb.stop();
  }
}

interface Bastion {
  readonly target: TargetedServer;
  readonly ours: Routes;
}

/** Runs work with a bastion in front of the databases. */
async function withBastion(
  world: World,
  direct: Routes,
  isInMemory: boolean,
  work: (bastion: Bastion) => Promise<Figure[]>,
): Promise<Figure[]> {
  const target = await startTargeted(world, {
    isInMemory,
    environment: {
      SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
      SALLYPORT_MYSQL_PORT: String(await freePort()),
    },
  });
  try {
    const { client } = target;
    const ours = {
      postgresql: await granted(client, 'postgresql', direct.postgresql),
      mysql: await granted(client, 'mariadb', direct.mysql),
    };
    return await work({ target, ours });
  } finally {
    await target.stop();
  }
}

async function prepare(postgres: PostgresServer, mariadb: Mariadb): Promise<void> {
  await postgres.admin(
    `create table many as select n as id, 'row ' || n as name, now() as moment from generate_series(1, ${ROWS}) n; grant select on many to public; analyze many`,
  );
  mariadb.sql(`create user clerk@'%' identified by '${VAULT_PASSWORD}'; grant all on shop.* to clerk@'%'; use shop;
    create table many (id int primary key, name varchar(40), moment datetime); insert into many select seq, concat('row ', seq), now() from seq_1_to_${ROWS}`);
}

/** A database app that the administrator may use, and a password for it. */
export async function granted(
  client: Client,
  type: string,
  { port, database, user, password: secret }: Place,
): Promise<Place> {
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const app = await make('applications/database-apps/', {
    name: type,
    type,
    host: '127.0.0.1',
    port,
    database,
  });
  const protocol = type === 'mariadb' ? 'mysql' : type;
  const account = await make('assets/system-users/', {
    name: `${type}-account`,
    username: user,
    login_mode: 'auto',
    protocol,
    password: secret,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/database-app-permissions/', {
    name: type,
    users: [me],
    database_apps: [app],
    system_users: [account],
  });
  const password = await client.post<DatabasePassword>('terminal/databases/passwords/', {
    database_app: app,
    system_user: account,
  });
  return { port: password.port, user: password.username, password: password.password, database };
}

async function run(
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const began = performance.now();
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return performance.now() - began;
}

const psql = ({ port, user, password, database }: Place) =>
  run(
    'psql',
    [
      '-X',
      '-q',
      '-A',
      '-t',
      '-o',
      '/dev/null',
      '-v',
      'FETCH_COUNT=0',
      '-d',
      `host=127.0.0.1 port=${port} user=${user} dbname=${database} sslmode=disable`,
      '-c',
      'select * from many',
    ],
    { PGPASSWORD: password },
  );

const mysql = ({ port, user, password, database }: Place) =>
  run(
    'mariadb',
    [
      '--no-defaults',
      '--quick',
      '--batch',
      '-h',
      '127.0.0.1',
      '-P',
      String(port),
      '-u',
      user,
      '-e',
      'select * from many',
      database,
    ],
    {
      MYSQL_PWD: password,
    },
  );

async function compared(
  name: string,
  client: (place: Place) => Promise<number>,
  direct: Place,
  through: Place,
): Promise<Figure[]> {
  const [theirs, ours]: [number[], number[]] = [[], []];
  // Alternating, so that other load on the machine affects both.
  for (let turn = 0; turn <= RUNS; turn++) {
    const [one, other] = [await client(direct), await client(through)];
    // The first turn fills the caches.
    if (turn > 0) {
      theirs.push(one);
      ours.push(other);
    }
  }
  const rate = (times: readonly number[]) => ROWS / 1_000 / (percentile(times, 0.5) / 1_000);
  const note = (times: readonly number[]) =>
    `${ROWS.toLocaleString('en')} rows, median of ${RUNS}, ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`;
  return [
    {
      name: `Rows of ${name}, direct`,
      value: rate(theirs),
      unit: 'thousand/s',
      note: note(theirs),
    },
    {
      name: `Rows of ${name}, through the listener`,
      value: rate(ours),
      unit: 'thousand/s',
      note: note(ours),
    },
    {
      name: `Rows of ${name}, through the listener to direct`,
      value: (rate(ours) / rate(theirs)) * 100,
      unit: '%',
      budget: atLeast(70),
    },
  ];
}

async function trips(direct: Place, through: Place): Promise<Figure[]> {
  const open = async ({ port, user, password, database }: Place) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database });
    await client.connect();
    return client;
  };
  const [near, far] = [await open(direct), await open(through)];
  const times: readonly [number[], number[]] = [[], []];
  for (let trip = 0; trip < TRIPS; trip++) {
    for (const [at, client] of [near, far].entries()) {
      const began = performance.now();
      await client.query('select 1');
      times[at]?.push(performance.now() - began);
    }
  }
  await near.end();
  await far.end();
  const [theirs, ours] = times.map((samples) => percentile(samples, 0.5)) as [number, number];
  return [
    {
      name: 'A statement of PostgreSQL, direct',
      value: theirs,
      unit: 'ms',
      note: `median of ${TRIPS}`,
    },
    {
      name: 'A statement of PostgreSQL, through the listener, recorded',
      value: ours,
      unit: 'ms',
      note: `median of ${TRIPS}`,
    },
    {
      name: 'A statement of PostgreSQL, what the listener adds',
      value: ours - theirs,
      unit: 'ms',
      budget: atMost(5),
    },
  ];
}
