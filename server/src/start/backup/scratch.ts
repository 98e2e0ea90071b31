import pg from 'pg';
import { DrillFailure } from '../../features/backups/index.ts';
import { withDatabaseName } from '../../platform/db/hosts.ts';
import { openClient } from '../../platform/db/open-client.ts';

/** Key of the lock of drills: the bytes of "drill". */
const LOCK = 0x64_72_69_6c;
/** Names of PostgreSQL have at most 63 bytes. */
const MAX_PREFIX = 40;
const INSUFFICIENT_PRIVILEGE = '42501';
const DISK_FULL = '53100';

const quoted = (name: string) => pg.escapeIdentifier(name);

const connect = (url: string): Promise<pg.Client> =>
  openClient(url, { application_name: 'sallyport drill', statement_timeout: 0, lock_timeout: 0 });

/** Returns the beginning of the names of scratch databases, and a new name. */
async function namesOf(
  client: pg.Client,
): Promise<{ readonly prefix: string; readonly name: string }> {
  const { rows } = await client.query<{ prefix: string; name: string }>(
    `select prefix, prefix || substr(gen_random_uuid()::text, 1, 8) as name
     from (select left(regexp_replace(current_database(), '\\W', '_', 'g'), $1) || '_drill_'
       as prefix) live`,
    [MAX_PREFIX],
  );
  const [names] = rows;
  if (!names) throw new Error('the live database has no name');
  return names;
}

/** Drops the scratch databases of drills that a crash cut off; returns their number. */
async function dropAll(client: pg.Client): Promise<number> {
  const { prefix } = await namesOf(client);
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database
     where starts_with(datname, $1) and datdba = (select oid from pg_roles
       where rolname = current_user)`,
    [prefix],
  );
  const names = rows.filter(({ name }) => /^[0-9a-f]{8}$/.test(name.slice(prefix.length)));
  for (const { name } of names)
    await client.query(`drop database if exists ${quoted(name)} with (force)`);
  return names.length;
}

/**
 * Runs work unless another drill runs; then returns undefined. The lock ends with the connection.
 */
async function locked<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T | undefined> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ free: boolean }>(
      'select pg_try_advisory_lock($1) as free',
      [LOCK],
    );
    return rows[0]?.free ? await work(client) : undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Removes what a drill left that a crash cut off, and calls `ended`. Does nothing while a drill
 * runs. Returns the number of dropped databases.
 */
export async function dropScratches(url: string, ended: () => Promise<void>): Promise<number> {
  const dropped = await locked(url, async (client) => {
    const count = await dropAll(client);
    await ended();
    return count;
  });
  return dropped ?? 0;
}

/** Describes an error of PostgreSQL while a scratch database is created. */
async function describe(error: unknown, client: pg.Client): Promise<unknown> {
  const { code, message } = error as { code?: string; message: string };
  if (code === DISK_FULL) return new DrillFailure('no_space', message);
  if (code !== INSUFFICIENT_PRIVILEGE) return error;
  const { rows } = await client.query<{ name: string }>('select current_user as name');
  return new DrillFailure(
    'no_rights',
    `The drill restores into a separate database. A superuser of PostgreSQL allows it: alter role ${quoted(rows[0]?.name ?? '')} createdb`,
  );
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

/**
 * Runs work with an empty database next to that of `url`, and drops it afterwards, also when the
 * signal aborts. One drill runs at a time.
 * @throws DrillFailure
 */
export async function withScratch<T>(
  url: string,
  signal: AbortSignal,
  work: (scratchUrl: string) => Promise<T>,
): Promise<T> {
  const result = await locked(url, async (client) => {
    await dropAll(client);
    const { name } = await namesOf(client);
    try {
      await client.query(`create database ${quoted(name)} template template0 encoding 'UTF8'`);
    } catch (error) {
      throw await describe(error, client);
    }
    try {
      // Dropping the database below ends the queries of work that was aborted.
      const working = work(withDatabaseName(url, name));
      working.catch(() => undefined);
      return { value: await Promise.race([working, aborted(signal)]) };
    } finally {
      await client.query(`drop database if exists ${quoted(name)} with (force)`);
    }
  });
  if (!result) throw new DrillFailure('running', 'Another drill is running.');
  return result.value;
}
