import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'mysql2';

/** Column type of texts in the protocol: MYSQL_TYPE_VAR_STRING. */
const VAR_STRING = 0xfd;

const sha1 = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Returns true if the client knows the password (`mysql_native_password`). */
function isRightPassword(
  { authPluginData1, authPluginData2, authToken }: SignIn,
  password: string,
): boolean {
  const stored = sha1(sha1(Buffer.from(password)));
  const mask = sha1(authPluginData1.subarray(0, 8), authPluginData2.subarray(0, 12), stored);
  return sha1(mask.map((byte, index) => byte ^ (authToken[index] ?? 0))).equals(stored);
}

/** PROTOCOL_41, CONNECT_WITH_DB, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH. */
const CAPABILITIES = 0x0008_a208;
const UTF8MB4 = 45;
const ACCESS_DENIED = 1045;

/** Answer of one statement: its rows, or an error of the server. */
export type MysqlAnswer =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly affectedRows: number }
  /** Runs until the connection ends. */
  | { readonly neverEnds: true }
  | { readonly error: readonly [code: number, message: string] };

/** A MySQL server in this process that knows the answers of some statements. */
export interface MysqlServer {
  readonly port: number;
  /** Statements that reached the server, in order. */
  readonly statements: readonly string[];
  stop(): Promise<void>;
}

interface ServerConnection {
  on(event: 'query' | 'stmt_prepare', listener: (statement: string) => void): void;
  on(event: 'error' | 'quit', listener: () => void): void;
  sequenceId: number;
  serverHandshake(options: object): void;
  writeTextResult(rows: readonly object[], columns: readonly object[]): void;
  writeOk(result?: object): void;
  writeError(error: { code: number; message: string }): void;
  readonly stream: { destroy(): void };
}

interface SignIn {
  readonly user: string;
  readonly authPluginData1: Buffer;
  readonly authPluginData2: Buffer;
  readonly authToken: Buffer;
}

/** Starts the server with one account. Statements without an answer succeed with no rows. */
export async function startMysqlServer(
  account: {
    readonly user: string;
    readonly password: string;
    /** Number in its greetings. Default: a new one for each connection. */
    readonly connectionId?: number;
  },
  answers: Readonly<Record<string, MysqlAnswer>>,
): Promise<MysqlServer> {
  const statements: string[] = [];
  const connections = new Set<ServerConnection>();

  const answer = (connection: ServerConnection, statement: string) => {
    statements.push(statement);
    const result = answers[statement] ?? { affectedRows: 0 };
    if ('neverEnds' in result) return;
    connection.sequenceId = 1;
    if ('error' in result) {
      const [code, message] = result.error;
      connection.writeError({ code, message });
    } else if ('affectedRows' in result) connection.writeOk({ affectedRows: result.affectedRows });
    else
      connection.writeTextResult(
        result.rows.map((row) =>
          Object.fromEntries(row.map((cell, at) => [result.columns[at], cell])),
        ),
        result.columns.map((name) => columnOf(name)),
      );
    // The client counts from 0 again with its next command.
    connection.sequenceId = 0;
  };

  const server = createServer((base) => {
    const connection = base as unknown as ServerConnection;
    connections.add(connection);
    connection.on('error', () => undefined);
    connection.on('quit', () => connection.stream.destroy());
    connection.on('query', (statement) => answer(connection, statement));
    // `set …` arrives here.
    connection.on('stmt_prepare', (statement) => answer(connection, statement));
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.4.0',
      connectionId: account.connectionId ?? connections.size,
      statusFlags: 2,
      characterSet: UTF8MB4,
      capabilityFlags: CAPABILITIES,
      authCallback: (signIn: SignIn, done: (error: null, refusal?: object) => void) => {
        const isRight = signIn.user === account.user && isRightPassword(signIn, account.password);
        done(null, isRight ? undefined : { message: 'Access denied', code: ACCESS_DENIED });
      },
    });
  }) as unknown as { listen(port: number, host: string): void; readonly _server: Server };
  server.listen(0, '127.0.0.1');
  await once(server._server, 'listening');
  return {
    port: (server._server.address() as AddressInfo).port,
    statements,
    async stop() {
      for (const connection of connections) connection.stream.destroy();
      server._server.close();
      await once(server._server, 'close');
    },
  };
}

const columnOf = (name: string) => ({
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name,
  orgName: name,
  characterSet: UTF8MB4,
  encoding: 'utf8',
  columnLength: 1024,
  columnType: VAR_STRING,
  type: VAR_STRING,
  flags: 0,
  decimals: 0,
});
