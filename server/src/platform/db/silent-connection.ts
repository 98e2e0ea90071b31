import { Socket } from 'node:net';
import pg from 'pg';

/** Time without a byte during a query, after which the host is asked about it. */
const SILENCE_MS = 5_000;
/** Time for the answer. */
const ANSWER_MS = 5_000;
/** The answer of a query may be on its way when the host says that it has none. */
const IDLE_ANSWERS = 2;

/** The parts of a client that its types hide. */
type Internals = {
  readonly connection?: { readonly stream?: unknown } | undefined;
  readonly processID?: number | null;
  readonly _getActiveQuery?: () => unknown;
};

/** `gone`: the host does not answer. `idle`: it runs no query of this session. */
async function askHost(url: string, pid: number): Promise<'gone' | 'idle' | 'busy'> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: 'sallyport control',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ state: string | null }>(
      'select state from pg_stat_activity where pid = $1',
      [pid],
    );
    // A connection pooler names another number: without a row, the query may run.
    return rows[0]?.state?.startsWith('idle') ? 'idle' : 'busy';
  } catch (error) {
    // A host without a free connection answers, too.
    return error instanceof pg.DatabaseError ? 'busy' : 'gone';
  } finally {
    // A lost host does not confirm the end.
    void client.end().catch(() => undefined);
  }
}

/**
 * Ends a connection whose query waits for nothing: the network lost its host, or a firewall forgot
 * the connection. No reset arrives then, and the kernel tries for a quarter of an hour. A slow
 * query continues.
 */
export function endSilentConnection(client: pg.Client & Internals, url: string): void {
  const stream = client.connection?.stream;
  const { processID: pid } = client;
  // The host of a Unix socket is this machine.
  if (!(stream instanceof Socket) || !stream.remoteAddress || !pid) return;
  let idle = 0;
  let read = -1;
  const ask = async () => {
    if (!client._getActiveQuery?.()) return;
    if (stream.bytesRead !== read) idle = 0;
    read = stream.bytesRead;
    const answer = await askHost(url, pid);
    if (stream.bytesRead !== read || !client._getActiveQuery?.()) idle = 0;
    else if (answer === 'idle') idle++;
    else if (answer === 'gone') idle = IDLE_ANSWERS;
    if (idle >= IDLE_ANSWERS)
      stream.destroy(new Error('Connection terminated: the host does not answer'));
    else stream.setTimeout(SILENCE_MS);
  };
  stream.setTimeout(SILENCE_MS);
  stream.on('timeout', () => void ask());
}
