import { Socket } from 'node:net';
import pg from 'pg';

/** Time without a byte during a query, after which the host is asked about it. */
const SILENCE_MS = 5_000;
/** Time for the answer. */
const ANSWER_MS = 5_000;
/** The answer of a query may be on its way when the host says that it has none. */
const IDLE_ANSWERS = 2;
/** Answers about a running query, after which the host is asked for a commit. */
const BUSY_ANSWERS = 4;
/** Commits without an answer, after which the disk of the database hangs. */
const HANGING_COMMITS = 2;

const HANGING = 'Connection terminated: the disk of the database hangs';

/** Returns true for the error of a query that was ended because the disk of the database hangs. */
export const isDiskHanging = (error: unknown): boolean =>
  error instanceof Error && error.message === HANGING;

/** The parts of a client that its types hide. */
type Internals = {
  readonly connection?: { readonly stream?: unknown } | undefined;
  readonly processID?: number | null;
  readonly _getActiveQuery?: () => unknown;
};

/** Runs a statement on a new connection to the host. */
async function runAt<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: 'sallyport control',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text, [...values])).rows[0];
  } finally {
    // A lost host does not confirm the end.
    void client.end().catch(() => undefined);
  }
}

/** Returns `gone` if the host does not answer, `idle` if it runs no query of this session. */
async function askHost(url: string, pid: number): Promise<'gone' | 'idle' | 'busy'> {
  try {
    const row = await runAt<{ state: string | null }>(
      url,
      'select state from pg_stat_activity where pid = $1',
      [pid],
    );
    // A connection pooler names another number: without a row, the query may run.
    return row?.state?.startsWith('idle') ? 'idle' : 'busy';
  } catch (error) {
    // A host without a free connection answers, too.
    return error instanceof pg.DatabaseError ? 'busy' : 'gone';
  }
}

/** Commits that wait for an answer, by URL: many queries share one. */
const commits = new Map<string, Promise<boolean>>();

/** Returns true if the host answers and commits nothing: PostgreSQL waits for its disk. */
function hangsAtCommit(url: string): Promise<boolean> {
  const commit =
    commits.get(url) ??
    // A transaction without a record is not written to the disk at its commit.
    runAt(
      url,
      "select set_config('synchronous_commit', 'local', true), pg_logical_emit_message(true, 'sallyport', '')",
    )
      .then(
        () => false,
        // A standby or a host without a free connection answers.
        (error: unknown) => !(error instanceof pg.DatabaseError),
      )
      .finally(() => commits.delete(url));
  commits.set(url, commit);
  return commit;
}

/**
 * Ends a connection whose query waits for nothing: the network lost its host, a firewall forgot the
 * connection, or the disk of the host hangs. No reset arrives then, and the kernel tries for a
 * quarter of an hour. A slow query continues.
 */
export function endSilentConnection(client: pg.Client & Internals, url: string): void {
  const stream = client.connection?.stream;
  const { processID: pid } = client;
  if (!(stream instanceof Socket) || !pid) return;
  // The host of a Unix socket is this machine.
  const isRemote = stream.remoteAddress !== undefined;
  let read = -1;
  let answers = { idle: 0, busy: 0, hanging: 0 };
  const isSilent = () => stream.bytesRead === read && client._getActiveQuery?.();
  const ask = async () => {
    if (!client._getActiveQuery?.()) return;
    if (!isSilent()) answers = { idle: 0, busy: 0, hanging: 0 };
    read = stream.bytesRead;
    const answer = await askHost(url, pid);
    if (answer === 'idle') answers.idle++;
    else if (answer === 'gone') answers.idle = IDLE_ANSWERS;
    else answers.busy++;
    // PostgreSQL ends no statement that waits for its disk, not even at the timeout.
    if (answers.busy >= BUSY_ANSWERS)
      answers.hanging = (await hangsAtCommit(url)) ? answers.hanging + 1 : 0;
    if (isSilent() && isRemote && answers.idle >= IDLE_ANSWERS)
      stream.destroy(new Error('Connection terminated: the host does not answer'));
    else if (isSilent() && answers.hanging >= HANGING_COMMITS) stream.destroy(new Error(HANGING));
    else stream.setTimeout(SILENCE_MS);
  };
  stream.setTimeout(SILENCE_MS);
  stream.on('timeout', () => void ask());
}
