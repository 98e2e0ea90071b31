import type { Duplex } from 'node:stream';
import { ERRORS, type TransactionState } from '@sallyport/contract';
import { beginTls } from '@sallyport/sql-relays';
import { withDates } from '../../../platform/certificate-dates.ts';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import { wordsOfCommand } from '../redis/commands.ts';
import { encodeCommand, type ReplyPart, ReplyReader } from '../redis/replies.ts';
import type { Transport } from '../ssh/transport.ts';
import type { TargetEnd } from '../target-end.ts';
import { type DatabaseDriver, MAX_ROW, type ResultEvents, StatementError } from './driver.ts';
import { ServerError, serverRefusalOf } from './server-errors.ts';
import { signInOver } from './wire.ts';

/** Maximum number of commands for completion. */
const MAX_COMMANDS = 1000;
/** Commands with endless replies: they turn the connection into a message stream. */
const ENDLESS = new Set(['subscribe', 'psubscribe', 'ssubscribe', 'monitor', 'sync', 'psync']);
/** Commands that would change the sign-in or the reply format. */
const OURS = new Set(['auth', 'hello', 'quit', 'reset', 'client']);
/** Answers to PING of a server that works: the account may not, or the server renamed it. */
const MAY_NOT_PING = /^NOPERM |^ERR unknown command/;

export async function connectRedis(route: Route, signal: AbortSignal): Promise<Connection> {
  const driver = await signInOver(route, signal, async (transport, within) => {
    const tls = withDates(route.database?.tls);
    const stream = tls ? await beginTls(transport.stream, tls, within) : transport.stream;
    const created = new RedisDriver(stream, transport);
    try {
      await created.signIn(route);
    } catch (error) {
      created.close();
      throw error;
    }
    return created;
  });
  return {
    async openDatabase(onEnd) {
      driver.onEnd = onEnd;
      return driver;
    },
    close: () => driver.close(),
  };
}

interface PendingReply {
  onPart(part: ReplyPart): void;
  onEnd(): void;
  onGone(): void;
}

class RedisDriver implements DatabaseDriver {
  readonly transaction: TransactionState = 'none';
  onEnd: (how: TargetEnd) => void = () => undefined;
  private readonly stream: Duplex;
  private readonly transport: Transport;
  private pending: PendingReply | undefined;
  private isOver = false;
  /** The error of the connection, such as an alert of TLS. */
  private failure: Error | undefined;
  /** True after the first bytes of the server. */
  private hasAnswered = false;

  constructor(stream: Duplex, transport: Transport) {
    this.stream = stream;
    this.transport = transport;
    const reader = new ReplyReader(MAX_ROW, {
      // An unrequested reply is a protocol violation.
      onPart: (part) => (this.pending ? this.pending.onPart(part) : this.end('broke')),
      onEnd: () => {
        const { pending } = this;
        this.pending = undefined;
        pending?.onEnd();
      },
      onBroken: (how) => this.end(how),
    });
    stream.on('data', (chunk: Buffer) => {
      this.hasAnswered = true;
      reader.read(chunk);
    });
    stream.on('error', (error) => {
      this.failure = error;
      this.end('lost');
    });
    stream.on('end', () => this.end('closed'));
    stream.on('close', () => this.end('lost'));
  }

  /**
   * Signs in and selects the database. An account with least rights may neither PING nor SELECT, so
   * the OK of AUTH is the proof. @throws Refusal
   */
  async signIn(route: Route): Promise<void> {
    const { username, password } = route.target.login;
    const name = route.database?.name ?? '';
    if (password) {
      const refused = await this.firstError(
        username ? ['auth', username, password] : ['auth', password],
        route,
      );
      if (refused) throw serverRefusalOf(refused, route);
    }
    if (Number(name) !== 0) {
      const refused = await this.firstError(['select', name], route);
      if (refused) throw serverRefusalOf(refused, route, 'connect_redis_select');
      return;
    }
    const refused = await this.firstError(['ping'], route);
    if (refused && !MAY_NOT_PING.test(`${refused.code} ${refused.message}`))
      throw serverRefusalOf(refused, route);
  }

  /** Runs one of our first commands. Returns the error of the server, if any. @throws Refusal */
  private async firstError(
    words: readonly string[],
    { target, database }: Route,
  ): Promise<ServerError | undefined> {
    let problem: string | undefined;
    try {
      await this.ask(words, ({ type, value }) => {
        if (type === 'error') problem = value ?? '';
      });
    } catch (error) {
      if (this.hasAnswered || database?.tls) throw this.failure ?? error;
      throw new Refusal('connect_redis_silent', { host: `${target.host}:${target.port}` });
    }
    if (problem === undefined) return undefined;
    const [, code, message = ''] = /^([A-Z]+) (.+)$/s.exec(problem) ?? [];
    if (code === undefined) throw new Error('an error without its first word');
    return new ServerError(code, message);
  }

  async run(statement: string, { onColumns, onRow, onResult }: ResultEvents): Promise<void> {
    const words = wordsOfCommand(statement);
    const name = words?.[0]?.toLowerCase();
    if (!words || name === undefined) throw new StatementError(ERRORS.statement_quotes.en);
    if (ENDLESS.has(name) || OURS.has(name))
      throw new StatementError(`${name.toUpperCase()}: ${ERRORS.statement_not_here.en}`);
    let rows = 0;
    let problem: string | undefined;
    await this.ask(words, (part) => {
      const isEmpty = part.type === 'list' && part.path === '' && part.value === '';
      if (part.type === 'error' && part.path === '') {
        problem = part.value ?? '';
        return;
      }
      if (rows === 0)
        onColumns([
          { name: '#', type: '' },
          { name: 'type', type: '' },
          { name: 'value', type: '' },
        ]);
      // An empty list has no rows.
      if (isEmpty) return;
      rows += 1;
      onRow([part.path, part.type, part.value]);
    });
    if (problem !== undefined) throw new StatementError(problem);
    onResult(rows);
  }

  async setReadOnly(): Promise<void> {}

  async keepUtf8(): Promise<void> {}

  async keepReadable(): Promise<void> {}

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  /** Redis cannot cancel a command: close the connection. */
  async cancel(): Promise<void> {
    this.end('closed');
  }

  async schema() {
    const commands = new Set<string>();
    await this.ask(['command'], ({ path, value, type }) => {
      if (
        type !== 'error' &&
        value !== null &&
        /^\d+\.1$/.test(path) &&
        commands.size < MAX_COMMANDS
      )
        commands.add(value.toUpperCase());
    });
    const known = [...commands].filter(
      (name) => !ENDLESS.has(name.toLowerCase()) && !OURS.has(name.toLowerCase()),
    );
    return { tables: [], commands: known.sort(), isCut: false };
  }

  close(): void {
    this.isOver = true;
    this.stream.destroy();
    this.transport.stream.destroy();
    this.transport.close();
    const { pending } = this;
    this.pending = undefined;
    pending?.onGone();
  }

  private ask(words: readonly string[], onPart: (part: ReplyPart) => void): Promise<void> {
    return new Promise((done, failed) => {
      if (this.isOver) failed(new StatementError('the connection was closed'));
      this.pending = {
        onPart,
        onEnd: done,
        onGone: () => failed(new StatementError('the connection was closed')),
      };
      this.stream.write(encodeCommand(words));
    });
  }

  private end(how: TargetEnd): void {
    if (this.isOver) return;
    this.close();
    this.onEnd(how);
  }
}
