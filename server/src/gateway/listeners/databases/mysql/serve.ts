import { randomInt } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  ByteReader,
  CACHING_SHA2,
  CAPABILITY,
  COMPRESSED,
  errorPacket,
  greeting,
  isProved,
  MYSQL_MODE,
  MysqlRelay,
  makeNonce,
  NATIVE,
  okPacket,
  packet,
  RELAYED,
  readPacket,
  readResponse,
} from '@sallyport/sql-relays';
import { wordProblem } from '../../../refusal.ts';
import { findPassword } from '../find-password.ts';
import { type Arrival, answerTls, type Speak } from '../listener.ts';
import { serveClient } from '../listener-client.ts';
import { idInProcess, type LivePassword, processOfId, type SharedListener } from '../ports.ts';
import { journalOf } from '../session-journal.ts';
import { type MysqlConnection, mysqlConnector } from './connector.ts';
import { type FindConnection, type KnownConnection, killOf } from './kill.ts';

/**
 * ER_ACCESS_DENIED_ERROR, ER_TOO_MANY_USER_CONNECTIONS, ER_SECURE_TRANSPORT_REQUIRED,
 * ER_DBACCESS_DENIED_ERROR, ER_NOT_SUPPORTED_YET.
 */
const CODE = { denied: 1045, limit: 1203, tls: 3159, refused: 1044, unsupported: 1235 } as const;
const OFFERED =
  RELAYED |
  CAPABILITY.connectWithDatabase |
  CAPABILITY.tls |
  CAPABILITY.secureConnection |
  CAPABILITY.pluginAuth |
  CAPABILITY.connectAttributes |
  CAPABILITY.pluginAuthLength;
/** Our connection ids are larger than those of servers, so they cannot collide. */
const FIRST_ID = 0x40000000;
const LAST_ID = 0x7fffffff;

/** Name of the question among the processes of this server. */
const FIND = 'mysql-connection';

type Connections = Map<number, KnownConnection>;

interface SignedIn {
  readonly stream: Duplex;
  readonly password: LivePassword;
  readonly capabilities: number;
  readonly username: string;
  readonly database: string;
  readonly sequence: number;
  readonly connectionId: number;
}

/** Serves clients of MySQL and MariaDB. */
export function mysqlSpeaker(processes: SharedListener): Speak {
  const connections: Connections = new Map();
  processes.answer(FIND, (id) => connections.get(Number(id)));
  const find = async (id: number) =>
    (await processes.ask(processOfId(id), FIND, id)) as KnownConnection | null | undefined;
  const known = (id: number) =>
    id < FIRST_ID || processOfId(id) === processes.number ? connections.get(id) : find(id);
  const newId = () => idInProcess(randomInt(FIRST_ID, LAST_ID), processes);
  return async (arrival) => {
    let connectionId = newId();
    while (connections.has(connectionId)) connectionId = newId();
    const signedIn = await signIn(arrival, connectionId);
    if (!signedIn) return;
    const { stream, password, sequence } = signedIn;
    if (arrival.signedIn(password.person.userId))
      await serve(arrival, signedIn, { connections, known });
    else {
      const text = wordProblem({ code: 'socket_limit' }, password.person.language);
      stream.end(errorPacket(sequence, CODE.limit, '42000', text));
    }
  };
}

/** A greeted client, over TLS if the client started it. */
interface Greeted {
  readonly stream: Duplex;
  readonly reader: ByteReader;
  readonly isSecure: boolean;
  readonly plugin: typeof CACHING_SHA2 | typeof NATIVE;
  readonly nonce: Buffer;
  readonly response: ReturnType<typeof readResponse>;
  readonly sequence: number;
}

/** Greets a client and reads its response. @throws ProtocolViolation, StreamEnded */
async function greetClient(
  { context, socket, signal }: Arrival,
  connectionId: number,
): Promise<Greeted> {
  let stream: Duplex = socket;
  let reader = new ByteReader(stream);
  const nonce = makeNonce();
  const version = await context.passwords.mysqlVersion();
  // Connector/J misreads answers of caching_sha2_password from a version that begins with 5.5.5, so
  // MariaDB gets the native plugin.
  const plugin = version.includes('MariaDB') ? NATIVE : CACHING_SHA2;
  stream.write(
    packet(0, greeting({ capabilities: OFFERED, connectionId, nonce, plugin }, version)),
  );
  let { payload, sequence } = await readPacket(reader, signal);
  let response = readResponse(payload);
  const isSecure = response.username === undefined;
  if (isSecure) {
    // Drivers start TLS without waiting. Read these bytes only as TLS, never as plain text.
    const early = reader.detach();
    if (early.length > 0) socket.unshift(early);
    stream = await answerTls(socket, context.tls, signal);
    reader = new ByteReader(stream);
    ({ payload, sequence } = await readPacket(reader, signal));
    response = readResponse(payload);
  }
  return { stream, reader, isSecure, plugin, nonce, response, sequence };
}

interface Proof {
  readonly plugin: string;
  readonly answer: Buffer;
  readonly nonce: Buffer;
  readonly sequence: number;
}

/**
 * Returns the proof of the password. Asks for it again if the response contains none, or was made
 * by another plugin than the offered one.
 */
async function readProof(
  { stream, reader, plugin: offered, nonce, response, sequence }: Greeted,
  signal: AbortSignal,
): Promise<Proof> {
  const { plugin, answer } = response;
  if (plugin === offered && answer.length > 0) return { plugin, answer, nonce, sequence };
  // Every client supports the native plugin.
  const chosen = plugin === CACHING_SHA2 ? CACHING_SHA2 : NATIVE;
  const again = makeNonce();
  stream.write(
    packet(sequence + 1, Buffer.from([0xfe]), Buffer.from(`${chosen}\0`), again, Buffer.from([0])),
  );
  // An empty password has an answer without payload.
  const header = await reader.read(4, signal);
  const length = header.readUIntLE(0, 3);
  return {
    plugin: chosen,
    answer: length > 0 && length <= 64 ? await reader.read(length, signal) : Buffer.alloc(0),
    nonce: again,
    sequence: header.readUInt8(3),
  };
}

/**
 * Greets a client and verifies its short-lived password. Returns undefined if it was rejected.
 * @throws ProtocolViolation, StreamEnded
 */
async function signIn(arrival: Arrival, connectionId: number): Promise<SignedIn | undefined> {
  const { context, remoteAddress, signal } = arrival;
  const { ports } = context;
  const greeted = await greetClient(arrival, connectionId);
  const { stream, response } = greeted;
  let { sequence } = greeted;
  const refuse = (code: number, state: string, text: string) => {
    stream.end(errorPacket(sequence + 1, code, state, text));
    return undefined;
  };
  if (!greeted.isSecure && !context.allowsPlain)
    return refuse(
      CODE.tls,
      'HY000',
      'Sallyport accepts connections with TLS only: use --ssl-mode=REQUIRED, or --ssl of MariaDB.',
    );
  // mysql-connector-python 26.10 announces compression that we do not offer. Its packets would be
  // read as shorter ones, and both sides would wait.
  if ((response.capabilities & COMPRESSED) !== 0)
    return refuse(
      CODE.unsupported,
      '42000',
      'Sallyport offers no compression: turn it off in the client.',
    );
  const search = await findPassword(arrival, response.username ?? '');
  if ('text' in search)
    return refuse(
      search.isLimit ? CODE.limit : CODE.refused,
      search.isLimit ? '42000' : 'HY000',
      search.text,
    );
  const { password: livePassword } = search;
  const proof = await readProof(greeted, signal);
  sequence = proof.sequence;
  greeted.reader.detachEmpty();
  const isSha2 = proof.plugin === CACHING_SHA2;
  const verifier = isSha2 ? livePassword?.verifier.sha256 : livePassword?.verifier.sha1;
  // Do the same work for unknown names.
  const twice =
    verifier === undefined ? Buffer.alloc(isSha2 ? 32 : 20, 1) : Buffer.from(verifier, 'base64');
  const isRight = isProved(isSha2 ? CACHING_SHA2 : NATIVE, proof.answer, proof.nonce, twice);
  if (!livePassword || verifier === undefined || !isRight) {
    ports.log.warn(
      { remoteAddress },
      'a client of a database showed a password that is not in force',
    );
    return refuse(
      CODE.denied,
      '28000',
      'The password is not in force. Make a new one in the console: My databases, Connect with your own client.',
    );
  }
  // Fast authentication: the proof was sufficient.
  if (isSha2) stream.write(packet(++sequence, Buffer.from([1, 3])));
  const { capabilities, database } = response;
  return {
    stream,
    password: livePassword,
    capabilities,
    username: response.username ?? '',
    database,
    sequence: sequence + 1,
    connectionId,
  };
}

/** Opens the session of a signed-in client and starts the relay. */
async function serve(
  arrival: Arrival,
  signedIn: SignedIn,
  { connections, known }: { readonly connections: Connections; readonly known: FindConnection },
): Promise<void> {
  const { signal } = arrival;
  const { stream, password, sequence, connectionId } = signedIn;
  const { log } = arrival.context.ports;
  let relay: MysqlRelay | undefined;
  let hasEnded = false;
  await serveClient(arrival, {
    password,
    protocol: 'mysql',
    connector: mysqlConnector(signedIn),
    async open(opened, connection) {
      const { target, close, run, cancel } = connection as MysqlConnection;
      const { isReadOnly } = opened;
      await run(MYSQL_MODE.characterSet, signal);
      // The server itself then rejects writes by functions.
      if (isReadOnly) await run(MYSQL_MODE.readOnly, signal);
      connections.set(connectionId, {
        userId: password.person.userId,
        databaseId: password.databaseId,
        atServer: target.connectionId,
      });
      stream.write(okPacket(sequence, target.status));
      relay = new MysqlRelay({
        client: stream,
        target: target.stream,
        journal: journalOf(opened),
        isReadOnly,
        username: signedIn.username,
        database: signedIn.database,
        killOf: (statement) => killOf(statement, known, password),
        onEnd: (how) => {
          hasEnded = true;
          if (how === 'client') opened.end('session_finished');
          else if (how === 'client-broke') opened.end('database_client');
          else opened.targetEnded(how === 'target-broke' ? 'broke' : 'closed');
        },
      });
      relay.start();
      return {
        close() {
          // We end the session, so the server would finish the statement.
          if (!hasEnded && relay?.isRunning)
            cancel().catch((error: unknown) => {
              log.warn(
                { session: opened.row.id, error: String(error) },
                'a statement could not be canceled',
              );
            });
          close();
        },
      };
    },
    closed(message, isLogFailed) {
      connections.delete(connectionId);
      relay?.stop(message, isLogFailed);
    },
    refuse: (message) => stream.end(errorPacket(sequence, CODE.refused, '42000', message)),
  });
}
