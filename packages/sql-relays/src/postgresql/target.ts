import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  BodyReader,
  ByteReader,
  PlainPassword,
  ProtocolViolation,
  UnknownSignIn,
} from '../byte-reader.ts';
import { beginTls, type TargetTls } from '../target-tls.ts';
import {
  CANCEL_REQUEST,
  errorResponse,
  int32,
  isOtherCharacterSet,
  message,
  query,
  readError,
  readRow,
  SSL_REQUEST,
  startup,
  VERSION_3,
  zeroEnded,
} from './messages.ts';
import { MECHANISM, ScramClient } from './scram.ts';

/** Maximum length of one message during the sign-in, in bytes. */
const MAX_GREETING_MESSAGE = 64 * 1024;
const MAX_GREETING_MESSAGES = 1000;
/** Maximum bytes of all messages of a sign-in: the client receives them at once. */
const MAX_GREETING = 1024 * 1024;

/** SQLSTATE feature_not_supported. The guard reads statements as UTF-8. */
const NOT_UTF8 = {
  code: '0A000',
  message: 'the database does not speak UTF-8 with its clients',
} as const;

export interface PostgresSignIn {
  readonly username: string;
  readonly password: string;
  readonly tls: TargetTls | undefined;
  /** Startup parameters, including the database. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A server session that is ready for the first statement. */
export interface PostgresTarget {
  readonly stream: Duplex;
  /** Bytes after the first ReadyForQuery. */
  readonly rest: Buffer;
  /** ParameterStatus and NoticeResponse messages, unchanged. */
  readonly greeting: readonly Buffer[];
  /** Process id and secret for cancel requests; undefined if the server sent none. */
  readonly cancelKey: Buffer | undefined;
}

/** The server rejected the account, or requires the password in an unsafe way. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /** The server's answer, for the user of the session. */
  readonly answer: { readonly code: string; readonly message: string };

  constructor(answer: { readonly code: string; readonly message: string }) {
    super('the server refused the sign-in');
    this.answer = answer;
  }
}

/** Begins TLS if configured. @throws ProtocolViolation if the server has no TLS */
async function secured(
  stream: Duplex,
  tls: TargetTls | undefined,
  signal: AbortSignal,
): Promise<Duplex> {
  if (!tls) return stream;
  const reader = new ByteReader(stream);
  stream.write(startup(SSL_REQUEST));
  const answer = await reader.read(1, signal);
  if (answer.toString('latin1') !== 'S') throw new ProtocolViolation('the server has no TLS');
  reader.detachEmpty();
  return beginTls(stream, tls, signal);
}

/**
 * Signs in over a new connection.
 * @throws SignInRefused, ProtocolViolation, StreamEnded, or the reason of the signal
 */
export async function signInAtPostgres(
  transport: Duplex,
  signIn: PostgresSignIn,
  signal: AbortSignal,
): Promise<PostgresTarget> {
  const stream = await secured(transport, signIn.tls, signal);
  const parameters = [...signIn.parameters, ['user', signIn.username] as const];
  stream.write(
    startup(
      VERSION_3,
      ...parameters.flatMap(([name, value]) => [zeroEnded(name), zeroEnded(value)]),
      Buffer.from([0]),
    ),
  );
  const reader = new ByteReader(stream);
  const greeting: Buffer[] = [];
  let cancelKey: Buffer | undefined;
  const challenge = new Challenge(stream, signIn);
  let bytes = 0;
  for (let count = 0; count < MAX_GREETING_MESSAGES; count++) {
    const header = await reader.read(5, signal);
    const type = header.toString('latin1', 0, 1);
    const length = header.readInt32BE(1) - 4;
    if (length < 0 || length > MAX_GREETING_MESSAGE)
      throw new ProtocolViolation('a message of the sign-in is too long');
    bytes += length;
    if (bytes > MAX_GREETING) throw new ProtocolViolation('the sign-in is too long');
    const body = await reader.read(length, signal);
    if (type === 'E') throw new SignInRefused(readError(body));
    else if (type === 'R') await challenge.answer(body);
    else if (!challenge.isOver) throw new ProtocolViolation('the server did not ask who signs in');
    else if (type === 'K') cancelKey = Buffer.from(body);
    else if (type === 'S' && isOtherCharacterSet(body)) throw new SignInRefused(NOT_UTF8);
    else if (type === 'S' || type === 'N') greeting.push(Buffer.concat([header, body]));
    else if (type === 'Z') return { stream, rest: reader.detach(), greeting, cancelKey };
    else throw new ProtocolViolation('an unknown message in the sign-in');
  }
  throw new ProtocolViolation('too many messages in the sign-in');
}

/** Answers the server's authentication requests. */
class Challenge {
  private readonly stream: Duplex;
  private readonly signIn: PostgresSignIn;
  private scram: ScramClient | undefined;
  private isProved = false;
  isOver = false;

  constructor(stream: Duplex, signIn: PostgresSignIn) {
    this.stream = stream;
    this.signIn = signIn;
  }

  async answer(body: Buffer): Promise<void> {
    const { username, password, tls } = this.signIn;
    const reader = new BodyReader(body);
    const kind = reader.int32();
    if (this.isOver) throw new ProtocolViolation('the server asked again who signs in');
    switch (kind) {
      case 0:
        // A server that skips its own proof in SCRAM may be a man in the middle.
        if (this.scram && !this.isProved)
          throw new ProtocolViolation('the server did not prove itself');
        this.isOver = true;
        return;
      case 3:
        // Send a clear-text password over TLS only.
        if (!tls) throw new PlainPassword();
        this.stream.write(message('p', zeroEnded(password)));
        return;
      case 5:
        this.stream.write(
          message(
            'p',
            zeroEnded(
              `md5${md5(Buffer.concat([Buffer.from(md5(Buffer.from(password + username))), reader.bytes(4)]))}`,
            ),
          ),
        );
        return;
      case 10:
        await this.beginScram(reader);
        return;
      case 11:
        if (!this.scram) throw new ProtocolViolation('SCRAM was not begun');
        this.stream.write(
          message('p', Buffer.from(await this.scram.last(reader.rest().toString('utf8')))),
        );
        return;
      case 12:
        if (!this.scram?.isServer(reader.rest().toString('utf8')))
          throw new ProtocolViolation('the server did not prove itself');
        this.isProved = true;
        return;
      default:
        throw new UnknownSignIn();
    }
  }

  private async beginScram(reader: BodyReader): Promise<void> {
    const mechanisms: string[] = [];
    for (let name = reader.text(); name !== ''; name = reader.text()) mechanisms.push(name);
    if (this.scram) throw new ProtocolViolation('the server began SCRAM again');
    if (!mechanisms.includes(MECHANISM)) throw new UnknownSignIn();
    this.scram = new ScramClient(this.signIn.password);
    const first = Buffer.from(this.scram.first);
    this.stream.write(message('p', zeroEnded(MECHANISM), int32(first.length), first));
  }
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** The reply to a statement of ours. */
export interface PostgresReply {
  /** The bytes that followed it. */
  readonly rest: Buffer;
  /** The first value of the first row; undefined without rows or for NULL. */
  readonly value: string | undefined;
}

/**
 * Runs a statement of ours that returns at most a few rows.
 * @throws SignInRefused with the server's error
 */
export async function runAtPostgres(
  { stream, rest }: Pick<PostgresTarget, 'stream' | 'rest'>,
  statement: string,
  signal: AbortSignal,
): Promise<PostgresReply> {
  if (rest.length > 0) throw new ProtocolViolation('the server sends unasked');
  const reader = new ByteReader(stream);
  stream.write(query(statement));
  let refused: SignInRefused | undefined;
  let value: string | undefined;
  for (let count = 0; count < MAX_GREETING_MESSAGES; count++) {
    const header = await reader.read(5, signal).catch((error: unknown) => {
      // After a fatal error the server closes the connection.
      throw refused ?? error;
    });
    const type = header.toString('latin1', 0, 1);
    const length = header.readInt32BE(1) - 4;
    if (length < 0 || length > MAX_GREETING_MESSAGE)
      throw new ProtocolViolation('an answer is too long');
    const body = await reader.read(length, signal);
    if (type === 'E') refused = new SignInRefused(readError(body));
    else if (type === 'D') value ??= readRow(body)[0] ?? undefined;
    else if (type === 'Z') {
      const after = reader.detach();
      if (refused) throw refused;
      return { rest: after, value };
    }
  }
  throw new ProtocolViolation('too many answers');
}

/**
 * Sends a cancel request over a new connection. PostgreSQL never answers it.
 *
 * Our side stays open until the server closes, as libpq's PQcancel does: PgBouncer 1.18.0 drops
 * the request of a client that closes first, or ends with "bad client state: 0".
 */
export async function cancelAtPostgres(
  transport: Duplex,
  tls: TargetTls | undefined,
  cancelKey: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const stream = await secured(transport, tls, signal);
  stream.on('error', () => undefined);
  const closed = finished(stream, { writable: false, signal }).catch(() => undefined);
  stream.resume();
  stream.write(startup(CANCEL_REQUEST, cancelKey));
  await closed;
  stream.destroy();
}

/**
 * Returns true if a pooler shares the sessions of a server among its clients: then the process of
 * the session is not the one that the server announced. PgBouncer, Odyssey and others invent the
 * announced number.
 */
export const isPooled = (cancelKey: Buffer | undefined, process: string | undefined): boolean =>
  cancelKey?.readInt32BE(0) !== Number(process);

/** Returns the process of the session at the server. */
export const POSTGRES_PROCESS = 'select pg_catalog.pg_backend_pid()';

/** A notice, which clients show while the session continues. */
export const notice = (text: string): Buffer =>
  errorResponse({ severity: 'WARNING', code: '01000', message: text }, 'N');

/** The error that ends a session or rejects it. */
export const fatal = (code: string, text: string): Buffer =>
  errorResponse({ severity: 'FATAL', code, message: text });
