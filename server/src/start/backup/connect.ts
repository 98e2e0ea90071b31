import type pg from 'pg';
import { StartError } from '../../config.ts';
import { openClient } from '../../platform/db/open-client.ts';

/** One form of texts on every server, and no limits of requests. */
const SETTINGS =
  "set timezone = 'UTC'; set datestyle = 'ISO'; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_min_messages = warning";

/**
 * Runs `work` on a separate connection without the limits of requests.
 *
 * @throws StartError if the database does not answer
 */
export async function connected<T>(
  url: string,
  command: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await openClient(url, { application_name: `sallyport ${command}` }).catch(
    (error: Error) => {
      throw new StartError(`The database does not answer: ${error.message}`);
    },
  );
  try {
    await client.query(SETTINGS);
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws StartError if a database has a table */
export async function assertEmptyDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1",
  );
  if (rows[0])
    throw new StartError(
      `The database is not empty (it has the table ${rows[0].name}). Name one that was just created.`,
    );
}
