import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type DatabaseHost, databaseAddress, hostLabel } from './hosts.ts';
import { endSilentConnection } from './silent-connection.ts';

/** Timeout of a client outside a pool. A host behind a broken network never answers. */
const CONNECT_MS = 30_000;
/** Idle time before the kernel asks the host; it gives up after ten seconds without an answer. */
const KEEP_ALIVE_MS = 10_000;
/** Pause after a round in which no host accepted a connection. */
const PAUSE_MS = 250;
/** SQLSTATE classes of a server that is starting, stopping, full, or unreachable. */
const TEMPORARY = /^(57P|53|08)/;
/** Error codes of certificates and TLS, which a retry does not fix. */
const TLS = /CERT|TLS|SSL|SELF_SIGNED|ALTNAME/;

/** Thrown if a host answers and accepts no writes. */
class ReadOnlyHost extends Error {
  override readonly name = 'ReadOnlyHost';
  constructor() {
    super('accepts no writes: it is a standby, or default_transaction_read_only is on');
  }
}

/** Thrown if none of several hosts accepts a connection. Names each host with its reason. */
class NoHost extends Error {
  override readonly name = 'NoHost';
  readonly errors: readonly unknown[];

  constructor(problems: ReadonlyMap<DatabaseHost, Error>) {
    const reasons = [...problems].map(([host, error]) => `${hostLabel(host)}: ${reasonOf(error)}`);
    super(reasons.join('; '));
    this.errors = [...problems.values()];
  }
}

const reasonOf = ({ message, name }: Error): string => message || name;

/** Returns true if a later attempt to connect may succeed: not after a wrong password. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof NoHost) return error.errors.some(isTemporary);
  if (error instanceof pg.DatabaseError) return TEMPORARY.test(error.code ?? '');
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return !TLS.test(code) && !/does not support SSL/.test(message);
}

/** Errors of sockets to the database: by their codes, they could be those of another service. */
const connectionErrors = new WeakSet<Error>();
/** Messages of the driver for a connection that has ended. */
const LOST = /^Connection terminated|is not queryable$/;

/**
 * Returns true if the database cannot be reached, has ended the connection, or rejects it: a
 * standby that took over too early may lack the account and the database.
 */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error &&
  (connectionErrors.has(error) ||
    (error instanceof pg.DatabaseError
      ? /^(57P|08)/.test(error.code ?? '')
      : error instanceof NoHost || LOST.test(error.message)));

/** The hosts of one URL, and the host for the next connection. */
class HostChoice {
  readonly address;
  readonly problems = new Map<DatabaseHost, Error>();
  #next = 0;

  constructor(url: string) {
    this.address = databaseAddress(url);
  }

  get next(): DatabaseHost {
    const { hosts } = this.address;
    return hosts[this.#next % hosts.length] ?? hosts[0];
  }

  /** True for a URL that leaves the choice of a primary to the client. */
  get isCluster(): boolean {
    return this.address.mustWrite || this.address.hosts.length > 1;
  }

  failed(host: DatabaseHost, error: Error): void {
    this.problems.set(host, error);
    // Another connection may have chosen another host meanwhile.
    if (host === this.next) this.#next++;
  }

  succeeded(host: DatabaseHost): void {
    this.problems.delete(host);
  }

  /** The error of a caller whose last attempt failed. */
  errorOf(error: unknown): unknown {
    return isFinal(error) || !this.isCluster ? error : new NoHost(this.problems);
  }
}

/** As with libpq, no other host is tried after a host has rejected the account or the database. */
const isFinal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !isTemporary(error);

/** Each restore drill adds one, for its scratch database. */
const MOST_CHOICES = 16;
/** All connections of a process to one cluster share the choice of the host. */
const choices = new Map<string, HostChoice>();
function choiceOf(url: string): HostChoice {
  const choice = choices.get(url) ?? new HostChoice(url);
  if (!choice.isCluster) return choice;
  // The newest use is last, so the oldest one goes.
  choices.delete(url);
  choices.set(url, choice);
  const [oldest] = choices.keys();
  if (choices.size > MOST_CHOICES && oldest !== undefined) choices.delete(oldest);
  return choice;
}

/** A client of the host whose turn it is. Its one attempt to connect moves the turn on failure. */
class HostClient extends pg.Client {
  readonly place: DatabaseHost;
  readonly #choice: HostChoice;

  constructor(choice: HostChoice, options: pg.ClientConfig) {
    const place = choice.next;
    const most = options.connectionTimeoutMillis;
    const own = choice.address.connectMilliseconds;
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...options,
      connectionString: place.url,
      connectionTimeoutMillis: most && own ? Math.min(most, own) : (own ?? most),
    });
    this.place = place;
    this.#choice = choice;
    // Without a listener the error of a lost connection would end the process.
    this.on('error', (error) => connectionErrors.add(error));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    connected.then(() => (callback as (error?: Error) => void)(), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect();
      if (this.#choice.address.mustWrite) await this.#assertWritable();
      this.#choice.succeeded(this.place);
      endSilentConnection(this, this.place.url);
      return this;
    } catch (error) {
      this.#choice.failed(this.place, error as Error);
      connectionErrors.add(error as Error);
      throw error;
    }
  }

  /** As libpq asks servers that do not report their state; a connection pooler reports none. */
  async #assertWritable(): Promise<void> {
    const { rows } = await this.query<{ transaction_read_only: string }>(
      'show transaction_read_only',
    );
    if (rows[0]?.transaction_read_only === 'off') return;
    await this.end();
    throw new ReadOnlyHost();
  }
}

/**
 * Connects to a database. Tries each host of the URL once. The caller ends the client.
 * @throws Error that names each host with its reason, if there are several
 */
export async function openClient(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const choice = choiceOf(url);
  for (let attempt = 1; ; attempt++) {
    const client = new HostClient(choice, { connectionTimeoutMillis: CONNECT_MS, ...options });
    try {
      return await client.connect();
    } catch (error) {
      if (isFinal(error) || attempt >= choice.address.hosts.length) throw choice.errorOf(error);
    }
  }
}

/**
 * Creates a pool. With several hosts, or `target_session_attrs`, its `connect` waits for a host
 * that accepts writes, at most `connectionTimeoutMillis`: nothing was sent yet.
 */
export function createPool(url: string, options: pg.PoolConfig): pg.Pool {
  const choice = choiceOf(url);
  class Client extends HostClient {
    constructor(config: pg.ClientConfig = {}) {
      super(choice, config);
    }
  }
  const all = { ...options, connectionString: url, Client };
  return choice.isCluster ? new WaitingPool(choice, all) : new pg.Pool(all);
}

type OnClient = Parameters<pg.Pool['connect']>[0];

class WaitingPool extends pg.Pool {
  readonly #choice: HostChoice;

  constructor(choice: HostChoice, options: pg.PoolConfig) {
    super(options);
    this.#choice = choice;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnClient): void;
  override connect(callback?: OnClient): Promise<pg.PoolClient> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #connect(): Promise<pg.PoolClient> {
    const until = performance.now() + (this.options.connectionTimeoutMillis ?? 0);
    const { hosts } = this.#choice.address;
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.connect();
      } catch (error) {
        const isRound = attempt % hosts.length === 0;
        const failure = this.#choice.errorOf(error);
        if (isFinal(error) || (isRound && !isTemporary(failure))) throw failure;
        if (this.ending || performance.now() + PAUSE_MS > until) throw failure;
        if (isRound) await sleep(PAUSE_MS);
      }
    }
  }
}

/** Returns the URL of the host that a pool's client is connected to. */
export const hostUrlOf = (client: pg.ClientBase, url: string): string =>
  client instanceof HostClient ? client.place.url : url;

/** Connects to each host by itself. Returns its problem, or undefined for a host that answers. */
export async function tryHosts(
  url: string,
): Promise<{ readonly host: string; readonly problem: string | undefined }[]> {
  const { hosts, connectMilliseconds } = databaseAddress(url);
  return Promise.all(
    hosts.map(async (host) => {
      const client = new pg.Client({
        connectionString: host.url,
        connectionTimeoutMillis: connectMilliseconds ?? CONNECT_MS,
        application_name: 'sallyport doctor',
      });
      client.on('error', () => undefined);
      const problem = await client.connect().then(
        () => undefined,
        (error: Error) => reasonOf(error),
      );
      await client.end().catch(() => undefined);
      return { host: hostLabel(host), problem };
    }),
  );
}
