import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { openBus } from '../platform/bus/bus.ts';
import { startEmbedded } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { APPLICATION_ROLE, SETUP_ROLE } from '../platform/db/roles.ts';
import { prepareQueue } from '../platform/jobs/queue.ts';
import { createLog } from '../platform/log.ts';
import { databaseAt, SETUP_URL_VARIABLE, TEMPLATE, URL_VARIABLE } from './test-database.ts';
import { startTestProgram } from './test-program.ts';

/** Four test files run at a time, and some of them have several servers with a pool each. */
const MAXIMUM_CONNECTIONS = 400;

/** Before all tests: one real PostgreSQL, with a migrated database that every test file copies. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-tests-'));
  // The account that PostgreSQL runs as must be able to pass through.
  await chmod(folder, 0o711);
  const embedded = await startEmbedded(folder, { maximumConnections: MAXIMUM_CONNECTIONS });
  const client = new pg.Client({ connectionString: embedded.setupUrl });
  await client.connect();
  // What is lost when this machine fails is test data.
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) await client.query(`alter system set ${setting} = off`);
  // It would come at one test or another, by chance, and look through databases that last for seconds.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  // For tests that forge rows: the role gets no right by itself, but may become the superuser (testing/superuser.ts).
  await client.query(`grant ${SETUP_ROLE} to ${APPLICATION_ROLE} with inherit false, set true`);
  await client.query(`create database ${TEMPLATE} owner ${APPLICATION_ROLE}`);
  const pool = new pg.Pool({ connectionString: databaseAt(embedded.url, TEMPLATE), max: 1 });
  await migrate(pool);
  // So that no test waits for the schema of the queue.
  const log = createLog('silent');
  const bus = await openBus(databaseAt(embedded.url, TEMPLATE), pool, log);
  await prepareQueue(pool, bus, log);
  await bus.close();
  await pool.end();
  await client.end();
  process.env[URL_VARIABLE] = embedded.url;
  process.env[SETUP_URL_VARIABLE] = embedded.setupUrl;
  await storeQueues(databaseAt(embedded.url, TEMPLATE));
  return async () => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Stores the queues of the program in a database: a program that finds them starts as it does every time but the first. */
async function storeQueues(url: string): Promise<void> {
  const test = await startTestProgram();
  const { rows } = await sql<{ queues: string }>`select jsonb_agg(queue)::text as queues from jobs.queue`.execute(test.db);
  await test.stop();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client
    .query('insert into jobs.queue select * from jsonb_populate_recordset(null::jobs.queue, $1::jsonb) on conflict do nothing', [rows[0]?.queues])
    .finally(() => client.end());
}
