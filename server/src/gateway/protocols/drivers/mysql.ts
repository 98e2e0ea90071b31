import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { TransactionState } from '@sallyport/contract';
import {
  checkIdentity,
  ED25519,
  MYSQL_MODE,
  PlainPassword,
  signEd25519,
} from '@sallyport/sql-relays';
import mysql, {
  type ConnectionOptions,
  type FieldPacket,
  type Connection as MysqlConnection,
} from 'mysql2';
import type { Connection, Route, TargetEvents } from '../connector.ts';
import type { Transport } from '../ssh/transport.ts';
import { type DatabaseEnd, endOfMysql } from './database-end.ts';
import {
  allRows,
  type DatabaseDriver,
  MAX_COLUMNS,
  type ResultEvents,
  StatementError,
  schemaOf,
} from './driver.ts';
import { guardReads, releaseReads } from './guard-reads.ts';
import { MysqlGuard } from './mysql-guard.ts';
import { isBinary, typeOf } from './mysql-types.ts';
import { signInOver } from './wire.ts';

/** Server status flag SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 1;
const CATALOG = `
  select t.table_schema, t.table_name,
    case when t.table_type like '%VIEW' then 'view' else 'table' end, c.column_name, c.column_type
  from information_schema.tables t left join information_schema.columns c
    on c.table_schema = t.table_schema and c.table_name = t.table_name
  where t.table_schema not in ('information_schema', 'performance_schema', 'mysql', 'sys')
  order by 1, 2, c.ordinal_position limit ${MAX_COLUMNS}`;

/** Internals of `mysql2` that its types omit. */
interface Inside {
  readonly stream: Duplex;
  readonly sequenceId: number;
  startTLS(onSecure: (error?: Error) => void): void;
}

interface Opened {
  readonly connection: MysqlConnection & Inside;
  readonly guard: MysqlGuard;
  readonly transport: Transport;
}

async function open(route: Route, signal: AbortSignal): Promise<Opened> {
  return signInOver(route, signal, async (transport) => {
    const connection = mysql.createConnection(
      optionsOf(route, transport.stream),
    ) as MysqlConnection & Inside;
    connection.on('error', () => undefined);
    const guard = new MysqlGuard(() => connection.sequenceId);
    guardReads(transport.stream, guard);
    const startTls = connection.startTLS.bind(connection);
    connection.startTLS = (onSecure) => {
      // From here on the packets are inside of TLS.
      releaseReads(transport.stream);
      startTls((error) => onSecure(error ?? wrongIdentity(route, connection.stream)));
      guardReads(connection.stream, guard);
    };
    await new Promise<void>((done, failed) =>
      connection.connect((error) => (error ? failed(error) : done())),
    );
    return { connection, guard, transport };
  });
}

export async function connectMysql(route: Route, signal: AbortSignal): Promise<Connection> {
  const opened = await open(route, signal);
  let driver: MysqlDriver | undefined;
  return {
    async openDatabase(onEnd) {
      driver = new MysqlDriver(opened, route, onEnd);
      return driver;
    },
    close() {
      if (driver) driver.close();
      else endOf(opened);
    },
  };
}

/** Returns an error unless the certificate is that of the server. */
function wrongIdentity({ database }: Route, stream: Duplex): Error | undefined {
  if (!database?.tls) return undefined;
  if (!(stream instanceof TLSSocket)) return new Error('the connection has no TLS');
  return checkIdentity(database.tls, stream.getPeerCertificate());
}

/** @throws PlainPassword */
function refusePassword(): never {
  throw new PlainPassword();
}

function optionsOf({ target, database }: Route, stream: Duplex): ConnectionOptions {
  const { username, password } = target.login;
  const tls = database?.tls;
  return {
    stream,
    host: tls?.serverName ?? target.host,
    port: target.port,
    user: username,
    password: password ?? '',
    ...(database?.name && { database: database.name }),
    charset: 'utf8mb4',
    rowsAsArray: true,
    // Compiled parsers are cached by the names of columns, and compiling many columns takes long.
    disableEval: true,
    multipleStatements: false,
    // Never send local files, and never send a clear-text password to an unverified server.
    flags: ['-LOCAL_FILES'],
    authPlugins: {
      // Drop the zero byte that MariaDB appends to the challenge.
      [ED25519]: () => (data: Buffer) => signEd25519(password ?? '', data.subarray(0, 32)),
      ...(!tls && {
        mysql_clear_password: () => refusePassword,
        sha256_password: () => refusePassword,
        // Without TLS the key that encrypts the password could come from an attacker on the way.
        caching_sha2_password: mysql.authPlugins.caching_sha2_password({
          onServerPublicKey: refusePassword,
        }),
      }),
    },
    ...(tls && {
      ssl: {
        rejectUnauthorized: true,
        // `wrongIdentity` compares the name: `mysql2` knows no other check.
        verifyIdentity: false,
        minVersion: 'TLSv1.2',
        ...(tls.authority && { ca: tls.authority }),
      },
    }),
  };
}

function endOf({ connection, transport }: Opened): void {
  connection.destroy();
  transport.stream.destroy();
  transport.close();
}

class MysqlDriver implements DatabaseDriver {
  transaction: TransactionState = 'none';
  private readonly opened: Opened;
  private readonly route: Route;
  private readonly onEnd: TargetEvents['onEnd'];
  private isOver = false;
  /** Fails the running statement. */
  private giveUp: () => void = () => undefined;

  constructor(opened: Opened, route: Route, onEnd: TargetEvents['onEnd']) {
    this.opened = opened;
    this.route = route;
    this.onEnd = onEnd;
    const { connection, transport } = opened;
    connection.on('error', (error) => this.end(endOfMysql(error, route.target.login.password)));
    // After an error, which has the reason.
    connection.stream.on('close', () => setImmediate(() => this.end({ how: 'closed' })));
    transport.stream.on('end', () => setImmediate(() => this.end({ how: 'closed' })));
  }

  run(statement: string, events: ResultEvents): Promise<void> {
    return new Promise((done, failed) => {
      let rows = 0;
      let isResult = false;
      /** Marks binary columns; `column` is the next one to read. */
      let bytes: readonly boolean[] = [];
      let column = 0;
      this.opened.guard.expectAnswer();
      const query = this.opened.connection.query({
        sql: statement,
        rowsAsArray: true,
        typeCast: (field) => {
          const isBytes = bytes[column % bytes.length] === true;
          column += 1;
          if (!isBytes) return field.string();
          const value = field.buffer();
          return value === null ? null : `0x${value.toString('hex')}`;
        },
      });
      const ended = () => {
        if (isResult) events.onResult(rows);
        isResult = false;
      };
      query.on('fields', (fields: FieldPacket[] | undefined) => {
        ended();
        if (!fields) return;
        rows = 0;
        isResult = true;
        bytes = fields.map(isBinary);
        column = 0;
        events.onColumns(fields.map((field) => ({ name: field.name, type: typeOf(field) })));
      });
      query.on('result', (row: unknown) => {
        if (Array.isArray(row)) {
          rows += 1;
          events.onRow(row as (string | null)[]);
          return;
        }
        const {
          affectedRows,
          changedRows,
          serverStatus = 0,
        } = row as {
          affectedRows?: number;
          changedRows?: number;
          serverStatus?: number;
        };
        ended();
        this.transaction = (serverStatus & IN_TRANSACTION) !== 0 ? 'open' : 'none';
        events.onResult(affectedRows, changedRows);
      });
      query.on('error', (error: Error) => failed(new StatementError(error.message)));
      query.on('end', () => {
        ended();
        done();
      });
      this.giveUp = () => failed(new StatementError('the connection was closed'));
    });
  }

  async setReadOnly(isReadOnly: boolean): Promise<void> {
    await allRows(this, `set session transaction read ${isReadOnly ? 'only' : 'write'}`);
  }

  async keepUtf8(): Promise<void> {
    await allRows(this, MYSQL_MODE.keepUtf8);
  }

  async keepReadable(): Promise<void> {
    await allRows(this, MYSQL_MODE.keepReadable);
  }

  pause(): void {
    this.opened.connection.pause();
  }

  resume(): void {
    this.opened.connection.resume();
  }

  /** Cancels over a second connection: the first one is busy with the statement. */
  async cancel(): Promise<void> {
    if (this.isOver) return;
    const id = Number(this.opened.connection.threadId);
    // MySQL Router 9.7.4 greets with 0 where its clients share sessions of the server.
    if (!id) throw new StatementError('the server gave the session no number');
    this.resume();
    const second = await open(
      { ...this.route, onStage: () => undefined },
      AbortSignal.timeout(this.route.timeoutMs),
    );
    try {
      second.guard.expectAnswer();
      await new Promise<void>((done, failed) => {
        const giveUp = () => failed(new StatementError('the server did not answer'));
        second.connection.stream.once('close', giveUp);
        setTimeout(giveUp, this.route.timeoutMs).unref();
        // A pooler may not know the number, or the server has no such statement.
        second.connection.query(`kill query ${id}`, (error) => (error ? failed(error) : done()));
      });
    } finally {
      endOf(second);
    }
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
