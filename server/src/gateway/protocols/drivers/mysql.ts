import type { Duplex } from 'node:stream';
import type { TransactionState } from '@sallyport/contract';
import { ED25519, signEd25519 } from '@sallyport/sql-relays';
import mysql, {
  type ConnectionOptions,
  type FieldPacket,
  type Connection as MysqlConnection,
} from 'mysql2';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import type { Transport } from '../ssh/transport.ts';
import type { TargetEnd } from '../target-end.ts';
import {
  type DatabaseDriver,
  MAX_COLUMNS,
  type ResultEvents,
  StatementError,
  schemaOf,
} from './driver.ts';
import { limitRows, signInOver } from './wire.ts';

/** Server status flag SERVER_STATUS_IN_TRANS. */
const IN_TRANSACTION = 1;
const BINARY_CHARSET = 63;
const CATALOG = `
  select t.table_schema, t.table_name,
    case when t.table_type like '%VIEW' then 'view' else 'table' end, c.column_name, c.column_type
  from information_schema.tables t left join information_schema.columns c
    on c.table_schema = t.table_schema and c.table_name = t.table_name
  where t.table_schema not in ('information_schema', 'performance_schema', 'mysql', 'sys')
  order by 1, 2, c.ordinal_position limit ${MAX_COLUMNS}`;

interface Opened {
  readonly connection: MysqlConnection;
  readonly transport: Transport;
}

async function open(route: Route, signal: AbortSignal): Promise<Opened> {
  return signInOver(route, signal, async (transport) => {
    const connection = mysql.createConnection(optionsOf(route, transport.stream));
    connection.on('error', () => undefined);
    await new Promise<void>((done, failed) =>
      connection.connect((error) => (error ? failed(error) : done())),
    );
    return { connection, transport };
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

function optionsOf({ target, database }: Route, stream: Duplex): ConnectionOptions {
  const { username, password } = target.login;
  const tls = database?.tls;
  // The stream has no host name behind gateways. mysql2 verifies the certificate against `_host`.
  if (tls) Object.assign(stream, { _host: tls.serverName });
  return {
    stream,
    host: tls?.serverName ?? target.host,
    port: target.port,
    user: username,
    password: password ?? '',
    ...(database?.name && { database: database.name }),
    charset: 'utf8mb4',
    rowsAsArray: true,
    multipleStatements: false,
    // Never send local files, and never send a clear-text password to an unverified server.
    flags: ['-LOCAL_FILES'],
    authPlugins: {
      // Drop the zero byte that MariaDB appends to the challenge.
      [ED25519]: () => (data: Buffer) => signEd25519(password ?? '', data.subarray(0, 32)),
      ...(!tls && {
        mysql_clear_password: () => () => {
          throw new Refusal('connect_database', {
            host: `${target.host}:${target.port}`,
            code: 'mysql_clear_password',
          });
        },
      }),
    },
    ...(tls && {
      ssl: {
        rejectUnauthorized: true,
        verifyIdentity: true,
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
  private readonly rowCame: () => void;
  private readonly onEnd: (how: TargetEnd) => void;
  private isOver = false;
  /** Fails the running statement. */
  private giveUp: () => void = () => undefined;

  constructor(opened: Opened, route: Route, onEnd: (how: TargetEnd) => void) {
    this.opened = opened;
    this.route = route;
    this.onEnd = onEnd;
    const { connection, transport } = opened;
    this.rowCame = limitRows(transport.stream, () => this.end('flooded'));
    connection.on('error', () => this.end('lost'));
    transport.stream.on('end', () => this.end('closed'));
    transport.stream.on('close', () => this.end('closed'));
  }

  run(statement: string, events: ResultEvents): Promise<void> {
    return new Promise((done, failed) => {
      let rows = 0;
      let isResult = false;
      /** Marks binary columns; `column` is the next one to read. */
      let bytes: readonly boolean[] = [];
      let column = 0;
      this.rowCame();
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
        this.rowCame();
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
    await this.quiet(`set session transaction read ${isReadOnly ? 'only' : 'write'}`);
  }

  pause(): void {
    this.opened.connection.pause();
  }

  resume(): void {
    this.opened.connection.resume();
  }

  /** Cancels over a second connection: the first one is busy with the statement. */
  async cancel(): Promise<void> {
    const id = this.opened.connection.threadId;
    if (this.isOver || !id) return;
    this.resume();
    const second = await open(
      { ...this.route, onStage: () => undefined },
      AbortSignal.timeout(this.route.timeoutMs),
    );
    try {
      await new Promise<void>((done) =>
        second.connection.query(`kill query ${Number(id)}`, () => done()),
      );
    } finally {
      endOf(second);
    }
  }

  async schema() {
    return schemaOf(await this.quiet(CATALOG));
  }

  close(): void {
    this.isOver = true;
    endOf(this.opened);
    this.giveUp();
  }

  private quiet(text: string): Promise<(string | null)[][]> {
    return new Promise((done, failed) => {
      this.opened.connection.query(
        { sql: text, rowsAsArray: true, typeCast: (field) => field.string() },
        (error, rows: unknown) =>
          error ? failed(new StatementError(error.message)) : done(Array.isArray(rows) ? rows : []),
      );
    });
  }

  private end(how: TargetEnd): void {
    if (this.isOver) return;
    this.close();
    this.onEnd(how);
  }
}

const TYPES: Readonly<Record<number, string>> = {
  ...{
    0: 'decimal',
    1: 'tinyint',
    2: 'smallint',
    3: 'int',
    4: 'float',
    5: 'double',
    7: 'timestamp',
    8: 'bigint',
    9: 'mediumint',
    10: 'date',
    11: 'time',
  },
  ...{
    12: 'datetime',
    13: 'year',
    15: 'varchar',
    16: 'bit',
    245: 'json',
    246: 'decimal',
    247: 'enum',
    248: 'set',
    249: 'tinyblob',
    250: 'mediumblob',
  },
  ...{ 251: 'longblob', 252: 'blob', 253: 'varchar', 254: 'char', 255: 'geometry' },
};

/** Binary data is shown in hexadecimal: blobs, binary strings and geometries. */
function isBinary({
  columnType = -1,
  characterSet,
}: FieldPacket & { readonly characterSet?: number }): boolean {
  return (
    characterSet === BINARY_CHARSET &&
    (columnType === 15 || (columnType >= 249 && columnType <= 255))
  );
}

/** Text and binary types share a number and differ in their charset. */
function typeOf({
  columnType = -1,
  characterSet,
}: FieldPacket & { readonly characterSet?: number }): string {
  const type = TYPES[columnType] ?? '';
  if (characterSet === BINARY_CHARSET)
    return type === 'varchar' || type === 'char' ? type.replace('char', 'binary') : type;
  return type.replace(/blob$/, 'text');
}
