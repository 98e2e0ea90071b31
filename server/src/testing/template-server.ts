import pg from 'pg';
import { openBus } from '../platform/bus/bus.ts';
import { type EmbeddedDatabase, startEmbedded } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { APPLICATION_ROLE, SETUP_ROLE } from '../platform/db/roles.ts';
import { sql } from '../platform/db/sql.ts';
import { prepareQueue } from '../platform/jobs/queue.ts';
import { createLog } from '../platform/log.ts';
import { databaseAt, SETUP_URL_VARIABLE, TEMPLATE, URL_VARIABLE } from './test-database.ts';
import { startTestProgram } from './test-program.ts';

/** Creates a server with the migrated template in a data folder, and stops it. */
export async function buildTemplateServer(folder: string): Promise<void> {
  const embedded = await startEmbedded(folder);
  try {
    await relax(embedded);
    for (const url of [embedded.url, databaseAt(embedded.url, TEMPLATE)])
      await prepareDatabase(url);
    process.env[URL_VARIABLE] = embedded.url;
    process.env[SETUP_URL_VARIABLE] = embedded.setupUrl;
    await storeFirstStart(databaseAt(embedded.url, TEMPLATE));
    await packCatalog(databaseAt(embedded.setupUrl, TEMPLATE));
  } finally {
    await embedded.stop();
  }
}

async function relax({ url, setupUrl }: EmbeddedDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: setupUrl });
  await client.connect();
  try {
    // A crash of the machine loses only test data.
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      await client.query(`alter system set ${setting} = off`);
    // It would run in random tests, on databases that live for seconds.
    await client.query('alter system set autovacuum = off');
    // No second server reads the log.
    await client.query('alter system set max_wal_senders = 0');
    await client.query('alter system set wal_level = minimal');
    await client.query('select pg_reload_conf()');
    // For tests that forge rows: the role gains no rights, but may become superuser
    // (testing/superuser.ts).
    await client.query(`grant ${SETUP_ROLE} to ${APPLICATION_ROLE} with inherit false, set true`);
    // The tests open thousands of connections; each costs the client this many hashes.
    await client.query('set scram_iterations = 1');
    for (const { username, password } of [new URL(url), new URL(setupUrl)])
      await client.query(`alter role ${username} password ${client.escapeLiteral(password)}`);
    await client.query(`create database ${TEMPLATE} owner ${APPLICATION_ROLE}`);
  } finally {
    await client.end();
  }
}

/** Brings an empty database to the schema of a server that has started, without its rows. */
export async function prepareDatabase(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await migrate(pool);
  // Create the schema of the queue once, not in every test.
  const log = createLog('silent');
  const bus = await openBus(url, pool, log);
  await prepareQueue(pool, bus, log);
  await bus.close();
  await pool.end();
}

/**
 * Stores the queues of the program, and the zone of the days that it counts, so tests start like
 * every start except the first.
 */
async function storeFirstStart(url: string): Promise<void> {
  const test = await startTestProgram();
  const { rows } = await sql<{
    queues: string;
    zone: string;
  }>`select jsonb_agg(queue)::text as queues, (select zone from session_zone) from jobs.queue`.execute(
    test.db,
  );
  await test.stop();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'insert into jobs.queue select * from jsonb_populate_recordset(null::jobs.queue, $1::jsonb) on conflict do nothing',
      [rows[0]?.queues],
    );
    await client.query('select session_days_rebuild($1)', [rows[0]?.zone]);
  } finally {
    await client.end();
  }
}

/**
 * Rewrites the catalog of the template without the remains of its migrations: each copy is smaller,
 * and its first connections read less.
 */
async function packCatalog(setupUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: setupUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared`,
    );
    for (const { name } of rows) await client.query(`vacuum (full, freeze) pg_catalog.${name}`);
  } finally {
    await client.end();
  }
}
