import type { DatabaseClientMessage } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { isFault, problemOf, type Refusal, wordProblem } from '../../refusal.ts';
import type {
  Answer,
  DatabaseClient,
  StatementQuestion,
} from '../../sessions/database/database-client.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import { databaseOpener, openDriver } from '../../sessions/database/open-database.ts';
import { QueryRunner } from '../../sessions/database/query-runner.ts';
import type { OpenedSession } from '../../sessions/session-client.ts';
import { gone, openFor } from '../open-for.ts';
import { stageMessage } from './messages.ts';
import { parseQueryMessage } from './query-messages.ts';
import { QueryRequests } from './query-requests.ts';
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
  private answer: (Question<Answer> & Pick<StatementQuestion, 'expects'>) | undefined;
  private session: DatabaseSession | undefined;
  private requests: QueryRequests | undefined;
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
      message.type === 'reason' ||
      message.type === 'answer'
    )
      this.onAnswer(message);
    else if (!this.requests) this.sendAway(CLOSE.policy, 'not open yet');
    else this.requests.handle(message);
  }

  private onAnswer(
    message: Extract<
      DatabaseClientMessage,
      { readonly type: 'credentials' | 'factor' | 'reason' | 'answer' }
    >,
  ): void {
    const { credentials, code, answer } = this;
    if (message.type === 'credentials' && credentials) {
      this.credentials = undefined;
      credentials.done({ username: message.username, password: message.password });
    } else if (message.type === 'factor' && code) {
      this.code = undefined;
      code.done(message.code);
    } else if (message.type === 'reason' && code) {
      this.code = undefined;
      code.done(message.text);
    } else if (message.type === 'answer') {
      // The answer may arrive after its question has timed out.
      this.answer = undefined;
      answer?.done(isGiven(message, answer.expects) ? 'given' : 'declined');
    } else this.sendAway(CLOSE.policy, 'nothing was asked');
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
      if (isFault(problem))
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
        const runner = new QueryRunner({
          session,
          driver,
          folder: ports.disk.folder,
          ports,
          send: (message) => this.socket.send(message),
        });
        this.requests = new QueryRequests({
          ports,
          socket: this.socket,
          session,
          driver,
          runner,
          violation: (reason) => this.sendAway(CLOSE.policy, reason),
        });
        void session.ended.then(() => runner.close());
        return { close: () => runner.disconnect() };
      },
    });
    await openFor({
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
      notice: (problem, over) =>
        this.socket.send({
          type: 'notice',
          message: wordProblem(problem, this.person.language),
          over,
        }),
      stage: (...facts) => this.socket.send(stageMessage(...facts)),
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
      askReason: async () => ({
        reason: await ask<string>(
          (question) => {
            this.code = question;
          },
          () => this.socket.send({ type: 'need_reason' }),
        ),
      }),
      confirm: (question) => this.confirm(question),
      rightsChanged: () => this.socket.send({ type: 'rights', ...this.rights() }),
      opened: (session) => this.opened(session),
      closed: (problem) => {
        this.requests?.stop();
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

  private async confirm(question: StatementQuestion): Promise<Answer> {
    const { message, seconds, expects, preview } = question;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Answer>((done, failed) => {
        this.answer = { done, failed, expects };
        timer = setTimeout(() => done('unanswered'), seconds * 1000);
        const kind =
          expects === 'enter'
            ? {}
            : expects === 'preview'
              ? { preview: preview ?? null }
              : typeof expects === 'string'
                ? { act: expects }
                : { word: expects.word };
        this.socket.send({ type: 'ask', message, seconds, ...kind });
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
    this.requests?.stop();
    this.abandoned.abort(left);
    this.session?.end('session_finished');
  }
}

/** Returns true if an answer is the expected one. */
const isGiven = (
  { yes, word }: Extract<DatabaseClientMessage, { readonly type: 'answer' }>,
  expects: StatementQuestion['expects'],
): boolean => yes && (typeof expects === 'string' || word?.trim() === expects.word);
