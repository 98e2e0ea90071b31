import { type DatabaseClientMessage, ERRORS, type SweepAct, say } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import { MOST_QUERY_REQUESTS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import { problemOf, type Refusal } from '../../refusal.ts';
import type { DatabaseClient } from '../../sessions/database/database-client.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import { databaseOpener, openDriver } from '../../sessions/database/open-database.ts';
import { QueryRunner } from '../../sessions/database/query-runner.ts';
import { describeKey, scanKeys } from '../../sessions/database/redis-keys.ts';
import type { OpenedSession } from '../../sessions/session-client.ts';
import { gone, openFor } from '../open-for.ts';
import { ResultExport } from './export-result.ts';
import { parseQueryMessage } from './query-messages.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

const FIRST_MESSAGE_MS = 15_000;

export interface QueryContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

/** A pending question to the user. */
interface Question<T> {
  readonly done: (answer: T) => void;
  readonly failed: (reason: Refusal) => void;
}

/**
 * Serves one query workspace on an authenticated socket from the console's origin. The session ends
 * with its socket.
 */
export function serveQuery(context: QueryContext, socket: WebSocket, person: Person): void {
  new QuerySocket(context, socket, person);
}

class QuerySocket {
  private readonly context: QueryContext;
  private readonly person: Person;
  private readonly socket: ProtocolSocket;
  private readonly waiting: NodeJS.Timeout;
  private readonly abandoned = new AbortController();
  private hasConnected = false;
  private credentials: Question<{ username: string; password: string }> | undefined;
  private code: Question<string> | undefined;
  private answer: Question<boolean> | undefined;
  private session: DatabaseSession | undefined;
  private driver: DatabaseDriver | undefined;
  private runner: QueryRunner | undefined;
  private sending: ResultExport | undefined;
  /**
   * Pending requests in order. Requests to the database wait for running statements; other requests
   * do not wait for them.
   */
  private readonly requests = { here: Promise.resolve(), database: Promise.resolve() };
  private open = 0;

  constructor(context: QueryContext, socket: WebSocket, person: Person) {
    this.context = context;
    this.person = person;
    this.socket = new ProtocolSocket(socket, person.language, {
      onText: (text) => this.onText(text),
      onBytes: () => this.sendAway(CLOSE.policy, 'text expected'),
      onGone: () => this.gone(),
    });
    this.waiting = setTimeout(
      () => this.sendAway(CLOSE.policy, 'connect expected'),
      FIRST_MESSAGE_MS,
    );
  }

  private onText(text: string): void {
    const message = parseQueryMessage(text);
    if (!message) this.sendAway(CLOSE.invalid, 'malformed message');
    else if (message.type === 'connect') this.begin(message.app, message.system_user);
    else if (!this.hasConnected) this.sendAway(CLOSE.policy, 'connect expected');
    else if (message.type === 'ping') this.socket.send({ type: 'pong' });
    else if (
      message.type === 'credentials' ||
      message.type === 'factor' ||
      message.type === 'answer'
    )
      this.onAnswer(message);
    else if (!this.runner || !this.driver || !this.session)
      this.sendAway(CLOSE.policy, 'not open yet');
    else this.onMessage(message, this.runner, this.driver, this.session);
  }

  private onAnswer(
    message: Extract<DatabaseClientMessage, { readonly type: 'credentials' | 'factor' | 'answer' }>,
  ): void {
    const { credentials, code, answer } = this;
    if (message.type === 'credentials' && credentials) {
      this.credentials = undefined;
      credentials.done({ username: message.username, password: message.password });
    } else if (message.type === 'factor' && code) {
      this.code = undefined;
      code.done(message.code);
    } else if (message.type === 'answer') {
      // The answer may arrive after its question has timed out.
      this.answer = undefined;
      answer?.done(message.yes);
    } else this.sendAway(CLOSE.policy, 'nothing was asked');
  }

  private onMessage(
    message: DatabaseClientMessage,
    runner: QueryRunner,
    driver: DatabaseDriver,
    session: DatabaseSession,
  ): void {
    switch (message.type) {
      case 'run':
        if (runner.isBusy) this.refuse('statement_busy');
        else this.work(runner.run(message.run, message.text, message.at));
        return;
      case 'cancel':
        this.work(runner.cancel());
        return;
      case 'autocommit':
        runner.setAutocommit(message.on);
        return;
      case 'rows':
        this.inTurn('here', () => runner.rows(message.result, message.from, message.count));
        return;
      case 'forget':
        this.inTurn('here', () => runner.forget(message.result));
        return;
      case 'ack':
        this.sending?.acknowledge(message.bytes);
        return;
      case 'export':
        if (!session.canDownload)
          this.socket.send({
            type: 'refused',
            message: session.refuseTransfer('download', exportName(message.result)),
          });
        else if (this.sending) this.refuse('statement_busy');
        else this.work(this.export(message.result, runner, session));
        return;
      case 'schema':
        if (runner.isBusy) this.refuse('statement_busy');
        else this.work(this.schema(driver));
        return;
      case 'history':
        this.inTurn('here', () => this.history(message.search, session));
        return;
      case 'keys':
      case 'key':
        if (session.row.grant.database?.type !== 'redis')
          this.sendAway(CLOSE.policy, 'no keys here');
        else
          this.inTurn('database', () =>
            message.type === 'keys'
              ? this.keys(message.prefix, message.cursor, runner)
              : this.key(message.key, runner),
          );
        return;
      default:
        this.sendAway(CLOSE.policy, 'already connected');
    }
  }

  private async schema(driver: DatabaseDriver): Promise<void> {
    const schema = await driver.schema().catch(() => ({ tables: [], commands: [], isCut: false }));
    this.socket.send({ type: 'schema', ...schema });
  }

  /** Sends earlier statements of this user only, and only while the session is open. */
  private async history(search: string, session: DatabaseSession): Promise<void> {
    const past = session.isOver
      ? []
      : ((await this.context.ports.pastStatements?.(session.row, search)) ?? []);
    if (session.isOver) return;
    const statements = past.map(({ text, date, isDenied, isFailed }) => ({
      text,
      date: date.toISOString(),
      is_denied: isDenied,
      is_failed: isFailed,
    }));
    this.socket.send({ type: 'history', search, statements });
  }

  private async keys(prefix: string, from: string, runner: QueryRunner): Promise<void> {
    try {
      this.socket.send({
        type: 'keys',
        prefix,
        from,
        ...(await scanKeys(runner, prefix, from)),
        message: null,
      });
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      this.socket.send({
        type: 'keys',
        prefix,
        from,
        keys: [],
        cursor: null,
        message: error.message,
      });
    }
  }

  private async key(key: string, runner: QueryRunner): Promise<void> {
    try {
      this.socket.send({ type: 'key', key, ...(await describeKey(runner, key)) });
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      this.socket.send({ type: 'refused', message: error.message });
    }
  }

  private async export(id: number, runner: QueryRunner, session: DatabaseSession): Promise<void> {
    const result = runner.result(id);
    if (!result) return;
    const sending = new ResultExport();
    this.sending = sending;
    const transfer = session.transfer('download', exportName(id));
    try {
      const sent = await sending.send(result, (bytes) => {
        transfer.add(bytes.length);
        this.socket.sendBytes(bytes);
      });
      transfer.end(sent ? undefined : 'file_incomplete', sent?.sha256);
      await session.written();
      if (sent) this.socket.send({ type: 'exported', result: id, bytes: sent.size });
    } finally {
      this.sending = undefined;
    }
  }

  private refuse(code: 'statement_busy'): void {
    this.socket.send({ type: 'refused', message: say(ERRORS[code], this.person.language) });
  }

  /**
   * Queues a request, so that answers keep their order. Disconnects a client with too many pending
   * requests.
   */
  private inTurn(of: 'here' | 'database', request: () => Promise<void>): void {
    this.open += 1;
    if (this.open > MOST_QUERY_REQUESTS) {
      this.sendAway(CLOSE.policy, 'too many requests');
      return;
    }
    const answered = this.requests[of].then(request).finally(() => {
      this.open -= 1;
    });
    this.work(answered);
    this.requests[of] = answered.catch(() => undefined);
  }

  private work(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.context.ports.log.error(
        { session: this.session?.row.id, err: error },
        'a query workspace failed',
      );
      this.session?.end('internal');
    });
  }

  private begin(app: string, systemUser: string): void {
    clearTimeout(this.waiting);
    if (this.hasConnected) {
      this.sendAway(CLOSE.policy, 'already connected');
      return;
    }
    this.hasConnected = true;
    this.connect(app, systemUser).catch((error: unknown) => {
      const problem = problemOf(error);
      if (problem.code === 'internal')
        this.context.ports.log.error({ err: error }, 'a database could not be opened');
      this.socket.finish(problem);
    });
  }

  private async connect(app: string, systemUser: string): Promise<void> {
    const { ports, hub, recordings } = this.context;
    const client = this.client();
    const opener = databaseOpener({
      client,
      recordings,
      open: async (session, connection) => {
        const driver = await openDriver(session, connection);
        this.session = session;
        this.driver = driver;
        this.runner = new QueryRunner({
          session,
          driver,
          folder: ports.disk.folder,
          send: (message) => this.socket.send(message),
        });
        return driver;
      },
    });
    const session = await openFor({
      ports,
      hub,
      person: this.person,
      request: { assetId: app, systemUserId: systemUser, kind: 'database_app' },
      client,
      opener,
      onBegin: (controller) => {
        const giveUp = () => controller.abort(this.abandoned.signal.reason);
        if (this.abandoned.signal.aborted) giveUp();
        else this.abandoned.signal.addEventListener('abort', giveUp);
      },
    });
    void session.ended.then(() => this.runner?.close());
  }

  private client(): DatabaseClient {
    const ask = <T>(
      keep: (question: Question<T> | undefined) => void,
      send: () => void,
    ): Promise<T> =>
      new Promise((done, failed) => {
        keep({ done, failed });
        send();
      });
    return {
      stage: (stage, host) =>
        this.socket.send({ type: 'stage', stage, ...(host !== undefined && { host }) }),
      askCredentials: (username, reason) =>
        ask(
          (question) => {
            this.credentials = question;
          },
          () => this.socket.send({ type: 'need_credentials', username, reason }),
        ),
      askFactor: (again) =>
        ask(
          (question) => {
            this.code = question;
          },
          () => this.socket.send({ type: 'need_factor', again }),
        ),
      confirm: (message, seconds, act) => this.confirm(message, seconds, act),
      rightsChanged: () => this.socket.send({ type: 'rights', ...this.rights() }),
      opened: (session) => this.opened(session),
      closed: (problem) => {
        this.sending?.stop();
        this.socket.finish(problem);
      },
    };
  }

  private opened({ id, asset, account }: OpenedSession): void {
    const database = this.session?.row.grant.database;
    this.socket.send({
      type: 'open',
      session: id,
      app: asset,
      account,
      database: database?.type ?? 'mysql',
      name: database?.name ?? null,
      autocommit: database?.startsTransactions !== true,
      ...this.rights(),
    });
  }

  private rights(): { readonly can_export: boolean; readonly is_read_only: boolean } {
    return {
      can_export: this.session?.canDownload === true,
      is_read_only: this.session?.isReadOnly === true,
    };
  }

  private async confirm(message: string, seconds: number, act?: SweepAct): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<boolean>((done, failed) => {
        this.answer = { done, failed };
        timer = setTimeout(() => done(false), seconds * 1000);
        this.socket.send({ type: 'ask', message, seconds, ...(act && { act }) });
      });
    } finally {
      clearTimeout(timer);
      this.answer = undefined;
    }
  }

  private sendAway(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.gone();
  }

  private gone(): void {
    clearTimeout(this.waiting);
    const left = gone();
    for (const question of [this.credentials, this.code, this.answer]) question?.failed(left);
    this.sending?.stop();
    this.abandoned.abort(left);
    this.session?.end('session_finished');
  }
}

const exportName = (result: number): string => `result-${result}.csv`;
