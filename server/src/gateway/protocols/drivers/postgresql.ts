import type { Duplex } from 'node:stream';
import type { TransactionState } from '@sallyport/contract';
import { checkIdentity, int32, isPooled, POSTGRES_PROCESS } from '@sallyport/sql-relays';
import pg from 'pg';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route, TargetEvents } from '../connector.ts';
import type { Transport } from '../ssh/transport.ts';
import { type DatabaseEnd, endOfPostgresql } from './database-end.ts';
import {
  allRows,
  type DatabaseDriver,
  MAX_COLUMNS,
  type ResultEvents,
  StatementError,
  schemaOf,
} from './driver.ts';
import { guardReads } from './guard-reads.ts';
import { cancelOverRoute } from './postgresql-cancel.ts';
import { PostgresGuard } from './postgresql-guard.ts';
import { oneStatement } from './postgresql-query.ts';
import { signInOver } from './wire.ts';

/** Internals of `pg` that its types omit. */
interface Inside {
  readonly connection: {
    readonly stream: Duplex;
    on(event: 'readyForQuery', listener: (message: { readonly status: string }) => void): void;
    on(event: 'sslconnect', listener: () => void): void;
  };
  readonly processID: number | null;
  readonly secretKey: number | Buffer | null;
}
type Client = pg.Client & Inside;

const STATES: Readonly<Record<string, TransactionState>> = { I: 'none', T: 'open', E: 'failed' };
const CATALOG = `
  select n.nspname, c.relname,
    case when c.relkind in ('v', 'm') then 'view' else 'table' end, a.attname,
    format_type(a.atttypid, a.atttypmod)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_attribute a
      on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    and pg_catalog.has_table_privilege(c.oid, 'select, insert, update, delete')
  order by 1, 2, a.attnum limit ${MAX_COLUMNS}`;

export async function connectPostgresql(route: Route, signal: AbortSignal): Promise<Connection> {
  const opened = await signInOver(route, signal, async (transport) => {
    const client = new pg.Client(optionsOf(route, transport)) as Client;
    client.on('error', () => undefined);
    const guard = new PostgresGuard({ hasTls: route.database?.tls !== undefined });
    if (route.database?.tls)
      client.connection.on('sslconnect', () => guardReads(client.connection.stream, guard));
    else guardReads(transport.stream, guard);
    await client.connect();
    return { client, transport, guard };
  });
  let driver: PostgresqlDriver | undefined;
  return {
    async openDatabase(onEnd) {
      driver = new PostgresqlDriver(opened, route, onEnd);
      return driver;
    },
    close() {
      if (driver) driver.close();
      else endOf(opened);
    },
  };
}

function optionsOf({ target, database }: Route, { stream }: Transport): pg.ClientConfig {
  const { username, password } = target.login;
  const tls = database?.tls;
  return {
    // The stream is already connected, possibly through gateways.
    stream: () => connectedStream(stream),
    host: tls?.serverName ?? target.host,
    port: target.port,
    user: username,
    // A function: with an empty password, `pg` would read one from files of this server.
    password: () => password ?? '',
    database: database?.name || username,
    application_name: 'sallyport',
    ssl: tls
      ? {
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
          ...(tls.authority && { ca: tls.authority }),
          checkServerIdentity: (_, certificate) => checkIdentity(tls, certificate),
        }
      : false,
  };
}

/** Adapts a connected stream to the unconnected socket that `pg` expects. */
function connectedStream(stream: Duplex): Duplex {
  return Object.assign(stream, {
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
    connect: () => {
      process.nextTick(() => stream.emit('connect'));
      return stream;
    },
  });
}

interface Opened {
  readonly client: Client;
  readonly transport: Transport;
  readonly guard: PostgresGuard;
}

function endOf({ client, transport }: Opened): void {
  client.connection.stream.destroy();
  transport.close();
}

class PostgresqlDriver implements DatabaseDriver {
  transaction: TransactionState = 'none';
  private readonly opened: Opened;
  private readonly client: Client;
  private readonly route: Route;
  private isOver = false;
  /** True if a pooler shares the session among its clients. */
  private isPooled: boolean | undefined;
  private onReady: () => void = () => undefined;
  /** Withdraws the running statement while its steps before the execution are sent. */
  private withdraw: () => void = () => undefined;
  /** Fails the running statement. */
  private giveUp: () => void = () => undefined;
  private readonly onEnd: TargetEvents['onEnd'];

  constructor(opened: Opened, route: Route, onEnd: TargetEvents['onEnd']) {
    const { client } = opened;
    this.opened = opened;
    this.client = client;
    this.route = route;
    this.onEnd = onEnd;
    client.connection.on('readyForQuery', ({ status }) => {
      this.transaction = STATES[status] ?? 'none';
      this.onReady();
      this.onReady = () => undefined;
    });
    client.on('end', () => this.end({ how: 'closed' }));
    client.on('error', (error) => this.end(endOfPostgresql(error, route.target.login.password)));
  }

  async run(statement: string, events: ResultEvents): Promise<void> {
    await new Promise<void>((done, failed) => {
      const { query, withdraw } = oneStatement(statement);
      this.withdraw = withdraw;
      let hasColumns = false;
      const began = (fields: readonly pg.FieldDef[] | undefined) => {
        if (hasColumns || !fields || fields.length === 0) return;
        hasColumns = true;
        events.onColumns(
          fields.map(({ name, dataTypeID }) => ({ name, type: TYPES.get(dataTypeID) ?? '' })),
        );
      };
      query.on('row', (row, result) => {
        began(result?.fields);
        events.onRow(row as readonly (string | null)[]);
      });
      query.on('error', (error: Error) => {
        // Wait for ReadyForQuery, which carries the state of the transaction.
        this.onReady = () => failed(statementError(error));
      });
      query.on('end', (result) => {
        began(result.fields);
        events.onResult(result.rowCount ?? undefined);
        done();
      });
      this.giveUp = () => failed(new StatementError('the connection was closed'));
      this.opened.guard.expectAnswer();
      this.client.query(query);
    });
  }

  async setReadOnly(isReadOnly: boolean): Promise<void> {
    this.isPooled ??= await this.findPooler();
    if (this.isPooled) throw new Refusal('database_pooled');
    await allRows(
      this,
      `set session characteristics as transaction read ${isReadOnly ? 'only' : 'write'}`,
    );
  }

  async keepUtf8(): Promise<void> {}

  async keepReadable(): Promise<void> {}

  private async findPooler(): Promise<boolean> {
    const { processID } = this.client;
    const [[process] = []] = await allRows(this, POSTGRES_PROCESS);
    return processID === null || isPooled(int32(processID), process ?? undefined);
  }

  pause(): void {
    this.client.connection.stream.pause();
  }

  resume(): void {
    this.client.connection.stream.resume();
  }

  async cancel(): Promise<void> {
    const { processID, secretKey } = this.client;
    if (this.isOver || processID === null || secretKey === null) return;
    this.resume();
    // A request that arrives before the execution cancels nothing at the server.
    this.withdraw();
    const secret = typeof secretKey === 'number' ? int32(secretKey) : secretKey;
    await cancelOverRoute(this.route, Buffer.concat([int32(processID), secret]));
  }

  async schema() {
    return schemaOf(await allRows(this, CATALOG));
  }

  close(): void {
    this.isOver = true;
    endOf(this.opened);
    this.giveUp();
  }

  private end({ how, message }: DatabaseEnd): void {
    if (this.isOver) return;
    this.close();
    this.onEnd(how, message);
  }
}

function statementError(error: Error): StatementError {
  const { position, detail, hint } = error as Error & {
    readonly position?: string;
    readonly detail?: string;
    readonly hint?: string;
  };
  const text = [error.message, detail && `DETAIL: ${detail}`, hint && `HINT: ${hint}`]
    .filter(Boolean)
    .join('\n');
  return new StatementError(text, position === undefined ? undefined : Number(position) - 1);
}

/** Names of common types by OID. */
const TYPES: ReadonlyMap<number, string> = new Map([
  ...([
    [16, 'bool'],
    [17, 'bytea'],
    [18, 'char'],
    [19, 'name'],
    [20, 'int8'],
    [21, 'int2'],
    [23, 'int4'],
    [25, 'text'],
    [26, 'oid'],
  ] as const),
  ...([
    [114, 'json'],
    [142, 'xml'],
    [700, 'float4'],
    [701, 'float8'],
    [790, 'money'],
    [869, 'inet'],
    [650, 'cidr'],
    [829, 'macaddr'],
  ] as const),
  ...([
    [1042, 'bpchar'],
    [1043, 'varchar'],
    [1082, 'date'],
    [1083, 'time'],
    [1114, 'timestamp'],
    [1184, 'timestamptz'],
    [1186, 'interval'],
  ] as const),
  ...([
    [1266, 'timetz'],
    [1560, 'bit'],
    [1562, 'varbit'],
    [1700, 'numeric'],
    [2950, 'uuid'],
    [3802, 'jsonb'],
    [3614, 'tsvector'],
  ] as const),
  ...([
    [1007, 'int4[]'],
    [1009, 'text[]'],
    [1015, 'varchar[]'],
    [1016, 'int8[]'],
    [2951, 'uuid[]'],
  ] as const),
]);
