import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { databaseAt, TEMPLATE, URL_VARIABLE } from './test-database.ts';

/** Before all tests: one real PostgreSQL, with a migrated database that every test file copies. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-tests-'));
  // The account that PostgreSQL runs as must be able to pass through.
  await chmod(folder, 0o711);
  const embedded = await startEmbedded(folder);
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  // What is lost when this machine fails is test data.
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  await client.query(`create database ${TEMPLATE}`);
  const pool = new pg.Pool({ connectionString: databaseAt(embedded.url, TEMPLATE), max: 1 });
  await migrate(pool);
  await pool.end();
  await client.end();
  process.env[URL_VARIABLE] = embedded.url;
  return async () => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
