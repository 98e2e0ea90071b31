import { once } from 'node:events';
import {
  DATABASE_SOCKET_PATH,
  type DatabaseClientMessage,
  type DatabaseServerMessage,
} from '@sallyport/contract';
import { WebSocket } from 'ws';
import { until } from '../poll.ts';

/** Timeout in milliseconds; generous for busy machines. */
const PATIENCE = 100_000;

export interface QueryOutcome {
  readonly messages: readonly DatabaseServerMessage[];
  readonly answered: readonly Extract<DatabaseServerMessage, { type: 'answered' }>[];
  readonly failed: Extract<DatabaseServerMessage, { type: 'failed' }> | undefined;
  readonly finished: Extract<DatabaseServerMessage, { type: 'finished' }>;
}

/** Does what a browser does with the socket of a query workspace. */
export class QueryClient {
  readonly messages: DatabaseServerMessage[] = [];
  /** All received text, to search it for secrets. */
  received = '';
  readonly socket: WebSocket;
  file = Buffer.alloc(0);
  private run = 0;

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (data, isBinary) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      if (isBinary) {
        this.file = Buffer.concat([this.file, bytes]);
        this.send({ type: 'ack', bytes: bytes.length });
        return;
      }
      this.received += bytes.toString('utf8');
      this.messages.push(JSON.parse(bytes.toString('utf8')));
    });
    this.socket.on('error', () => undefined);
  }

  /** Opens a socket and requests a connection. */
  static async connect(
    base: string,
    request: { app: string; system_user: string },
    headers: Readonly<Record<string, string>>,
  ): Promise<QueryClient> {
    const client = new QueryClient(
      `${base.replace(/^http/, 'ws').replace(/\/$/, '')}${DATABASE_SOCKET_PATH}`,
      headers,
    );
    await once(client.socket, 'open');
    client.send({ type: 'connect', ...request });
    return client;
  }

  send(message: DatabaseClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Waits for the first message of a type, from an index in the list on. */
  async message<Type extends DatabaseServerMessage['type']>(
    type: Type,
    from = 0,
  ): Promise<Extract<DatabaseServerMessage, { type: Type }>> {
    const isWanted = (
      message: DatabaseServerMessage,
    ): message is Extract<DatabaseServerMessage, { type: Type }> => message.type === type;
    let match: Extract<DatabaseServerMessage, { type: Type }> | undefined;
    await until(
      () => {
        match = this.messages.slice(from).find(isWanted);
        if (!match && this.messages.some((message) => message.type === 'closed'))
          throw new Error(`closed: ${JSON.stringify(this.messages.at(-1))}`);
        return match !== undefined;
      },
      `message ${type}`,
      PATIENCE,
    );
    if (!match) throw new Error(`no message ${type}`);
    return match;
  }

  /** Starts a text; `finish` waits for its end. */
  begin(text: string, at?: number): { readonly run: number; readonly from: number } {
    this.run += 1;
    const from = this.messages.length;
    this.send({ type: 'run', run: this.run, text, ...(at !== undefined && { at }) });
    return { run: this.run, from };
  }

  async finish({
    run,
    from,
  }: {
    readonly run: number;
    readonly from: number;
  }): Promise<QueryOutcome> {
    const isOver = () =>
      this.messages
        .slice(from)
        .some((message) => message.type === 'finished' && message.run === run);
    await until(
      () => isOver() || this.messages.some(({ type }) => type === 'closed'),
      `run ${run} has finished`,
      PATIENCE,
    );
    const messages = this.messages.slice(from);
    const finished = messages.find((message) => message.type === 'finished');
    if (!finished) throw new Error(`run ${run} did not finish: ${JSON.stringify(messages.at(-1))}`);
    return {
      messages,
      answered: messages.filter((message) => message.type === 'answered'),
      failed: messages.find((message) => message.type === 'failed'),
      finished,
    };
  }

  /** Runs a text and waits for its end. */
  query(text: string, at?: number): Promise<QueryOutcome> {
    return this.finish(this.begin(text, at));
  }

  /** Runs one statement and returns its first rows. */
  async rows(text: string, count = 100): Promise<readonly (readonly (string | null)[])[]> {
    const { answered, failed } = await this.query(text);
    if (failed) throw new Error(failed.message);
    return this.page(answered[0]?.result ?? -1, 0, count);
  }

  /** Returns rows of a result. */
  async page(
    result: number,
    from: number,
    count: number,
  ): Promise<readonly (readonly (string | null)[])[]> {
    const before = this.messages.length;
    this.send({ type: 'rows', result, from, count });
    return (await this.message('rows', before)).rows;
  }

  close(): void {
    this.socket.close(1000);
  }
}
