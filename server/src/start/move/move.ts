import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { type Config, StartError } from '../../config.ts';
import { isSuperuser, openDatabase } from '../../platform/db/database.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../platform/db/embedded.ts';
import { databaseAddress, databaseUrlProblem, hostLabel } from '../../platform/db/hosts.ts';
import { applyMigrations, isCurrent } from '../../platform/db/migrate.ts';
import { assertNotMoved, markMoved, moveOf, unmarkMoved } from '../../platform/db/moved.ts';
import { endLostJobs } from '../../platform/jobs/attach.ts';
import { claimFolder } from '../../platform/process/folder-lock.ts';
import { COMMAND } from '../../platform/release.ts';
import { assertEmptyDatabase, connected } from '../backup/connect.ts';
import { copyIn, fillTable, inWords, rowsOf, sequencesOf, tablesToCopy } from '../backup/tables.ts';
import { assertDatabaseIn } from '../with-database.ts';
import { assertEqual } from './compare.ts';

/** Word for the database in the data folder, in place of an address. */
export const EMBEDDED = 'embedded';
const EXAMPLE = `${COMMAND} database move postgresql://sallyport@db.example.com/sallyport`;

type Say = (line: string) => void;

/**
 * Copies the database of a stopped installation into an empty one, proves that both are equal, and
 * marks the first: no server starts on it any more. `embedded` moves it back into the data folder.
 *
 * @throws StartError with one sentence for the operator; both databases are then as before
 */
export async function moveDatabase(
  config: Config,
  target: string | undefined,
  say: Say,
): Promise<void> {
  const { databaseUrl, dataDirectory: folder } = config;
  if (target === undefined || (target !== EMBEDDED && databaseUrlProblem(target)))
    throw new StartError(`Name the address of the new database: ${EXAMPLE}`);
  if (target === EMBEDDED && databaseUrl === undefined)
    throw new StartError(
      'The database is the embedded one. To move another database here, name it: SALLYPORT_DATABASE_URL',
    );
  if (databaseUrl === undefined) assertDatabaseIn(folder);
  const release = claimFolder(folder);
  try {
    const options = { name: nameOf(target), say };
    if (target === EMBEDDED)
      await intoFolder(folder, databaseUrl ?? '', (url) => copy(databaseUrl ?? '', url, options));
    else if (databaseUrl !== undefined) await copy(databaseUrl, target, options);
    else await withEmbedded(folder, ({ url }) => copy(url, target, options));
  } finally {
    release();
  }
  say(
    target === EMBEDDED
      ? 'The database is in the data folder. Remove SALLYPORT_DATABASE_URL, then start the server.'
      : `Set SALLYPORT_DATABASE_URL to this address, with its password, then start the server and verify: ${COMMAND} audit verify`,
  );
}

async function withEmbedded<T>(
  folder: string,
  work: (embedded: EmbeddedDatabase) => Promise<T>,
): Promise<T> {
  const embedded = await startEmbedded(folder);
  try {
    return await work(embedded);
  } finally {
    await embedded.stop();
  }
}

/** Returns an address without user, password and parameters. */
function nameOf(target: string): string {
  if (target === EMBEDDED) return 'the data folder';
  const { hosts } = databaseAddress(target);
  return `${hosts.map(hostLabel).join(',')}${new URL(hosts[0].url).pathname}`;
}

/**
 * Runs `work` on a new embedded database. One that was moved away before is set aside. After a
 * failure the folder is as before.
 */
async function intoFolder(
  folder: string,
  sourceUrl: string,
  work: (url: string) => Promise<void>,
): Promise<void> {
  await assertSource(sourceUrl);
  const postgres = join(folder, 'postgres');
  const aside = `${postgres}.moved`;
  const hadOne = existsSync(join(postgres, 'PG_VERSION'));
  if (hadOne) {
    if (!(await withEmbedded(folder, ({ url }) => connected(url, 'move', moveOf))))
      throw new StartError(
        `The data folder ${folder} has a database already, which was not moved away. Name another folder: SALLYPORT_DATA_DIR`,
      );
    if (existsSync(aside))
      throw new StartError(
        `${aside} is in the way. It is an earlier database: move it to another place.`,
      );
    renameSync(postgres, aside);
  }
  try {
    await withEmbedded(folder, ({ url }) => work(url));
  } catch (error) {
    rmSync(postgres, { recursive: true, force: true });
    if (hadOne) renameSync(aside, postgres);
    throw error;
  }
}

async function copy(
  sourceUrl: string,
  targetUrl: string,
  { name, say }: { readonly name: string; readonly say: Say },
): Promise<void> {
  await assertSource(sourceUrl);
  await connected(sourceUrl, 'move', (source) =>
    connected(targetUrl, 'move', async (target) => {
      await warnOfSuperuser(target, say);
      await assertEmptyDatabase(target);
      await source.query('begin transaction isolation level repeatable read, read only');
      await target.query('begin');
      await copyTables(source, target, say);
      await source.query('commit');
      await assertUnused(source);
      await target.query('commit');
      // COPY does not update the planner's statistics.
      await target.query('analyze');
      await markMoved(source, name);
    }),
  );
}

/** Copies all rows in both transactions, and compares them. */
async function copyTables(source: pg.Client, target: pg.Client, say: Say): Promise<void> {
  const { rows: migrations } = await source.query<{ name: string }>(
    'select name from schema_migration order by name',
  );
  await applyMigrations(target, migrations);
  const tables = await tablesToCopy(source);
  const counts: { rows: number }[] = [];
  await copyIn(target, { tables, sequences: await sequencesOf(source) }, async (table) => {
    counts.push({ rows: await fillTable(target, table, rowsOf(source, table.source)) });
  });
  // The target queues jobs that wait in tables of the queue, which is made at the start.
  const comparable = tables.filter(({ name }) => name !== 'job_request');
  await assertEqual(source, target, comparable);
  await endLostJobs(target);
  say(`${inWords(counts)}; all are equal in both databases`);
}

/** @throws StartError unless the source is current and no program uses it */
async function assertSource(url: string): Promise<void> {
  const { pool, close } = openDatabase(url, 1);
  try {
    await pool.query('select').catch((error: Error) => {
      throw new StartError(`The database does not answer: ${error.message}`);
    });
    await assertNotMoved(pool);
    if (!(await isCurrent(pool)))
      throw new StartError(
        'This database belongs to another version of Sallyport. Start the server once, stop it, and move it then.',
      );
  } finally {
    await close();
  }
  await connected(url, 'move', assertUnused);
}

async function warnOfSuperuser(client: pg.Client, say: Say): Promise<void> {
  if (await isSuperuser(client))
    say(
      'warning: the role of the new database is a superuser of PostgreSQL: give Sallyport a role without that right, which owns its database',
    );
}

/** @throws StartError if a server or another program is connected to the database */
async function assertUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select coalesce(nullif(application_name, ''), usename, 'unknown') as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and backend_type = 'client backend' limit 1`,
  );
  if (rows[0])
    throw new StartError(
      `A program is connected to the database (${rows[0].name}). Stop all servers first: their changes would be missing in the new one. Nothing was moved.`,
    );
}

/**
 * Lets servers start again on a database that was moved away. Everything written to the other one
 * since is missing in it.
 */
export async function reopenDatabase(config: Config, say: Say): Promise<void> {
  const { databaseUrl, dataDirectory: folder } = config;
  if (databaseUrl === undefined) assertDatabaseIn(folder);
  const release = claimFolder(folder);
  const embedded = databaseUrl === undefined ? await startEmbedded(folder) : undefined;
  try {
    const url = databaseUrl ?? embedded?.url;
    const wasMoved = url !== undefined && (await connected(url, 'reopen', unmarkMoved));
    say(
      wasMoved
        ? 'Servers start on this database again. Everything written to the other one since is missing in it.'
        : 'This database was not moved away.',
    );
  } finally {
    await embedded?.stop();
    release();
  }
}
