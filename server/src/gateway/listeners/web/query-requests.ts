import { createHash } from 'node:crypto';
import {
  type DatabaseClientMessage,
  ERRORS,
  EXPORT_WINDOW,
  type ExportFormat,
  say,
} from '@sallyport/contract';
import { BYTE_ORDER_MARK, cellText, csvRecord } from '../../../platform/csv.ts';
import { xlsxFile } from '../../../platform/xlsx.ts';
import { MOST_QUERY_REQUESTS } from '../../limits.ts';
import type { GatewayPorts } from '../../ports.ts';
import { type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import { problemOf } from '../../refusal.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import type { QueryRunner } from '../../sessions/database/query-runner.ts';
import { describeKey, scanKeys } from '../../sessions/database/redis-keys.ts';
import type { Result } from '../../sessions/database/result-sink.ts';
import { readSchema } from '../../sessions/database/time-limits.ts';
import type { ProtocolSocket } from './socket.ts';

const ROWS = 500;
const CHARACTERS = 1024 * 1024;

/** Sends a file with back pressure from the browser. */
class FileExport {
  private sent = 0;
  private acknowledged = 0;
  private proceed: (() => void) | undefined;
  private isGone = false;

  /** Counts bytes that the browser confirms. */
  acknowledge(bytes: number): void {
    this.acknowledged = Math.min(this.sent, this.acknowledged + bytes);
    this.proceed?.();
  }

  /** Stops the export: the browser left or the session ended. */
  stop(): void {
    this.isGone = true;
    this.proceed?.();
  }

  /** Sends a whole file. Returns size and digest, or undefined if it was stopped. */
  async send(
    parts: AsyncIterable<string | Buffer>,
    sendBytes: (bytes: Buffer) => void,
  ): Promise<{ readonly size: number; readonly sha256: string } | undefined> {
    const digest = createHash('sha256');
    for await (const part of parts) {
      if (this.isGone) break;
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      digest.update(bytes);
      this.sent += bytes.length;
      sendBytes(bytes);
      while (!this.isGone && this.sent - this.acknowledged > EXPORT_WINDOW) {
        await new Promise<void>((done) => {
          this.proceed = done;
        });
      }
    }
    return this.isGone ? undefined : { size: this.sent, sha256: digest.digest('hex') };
  }
}

async function* batchesOf({ spool }: Result) {
  for (let at = 0; at < spool.rows; ) {
    const rows = await spool.read(at, ROWS, CHARACTERS);
    if (rows.length === 0) return;
    at += rows.length;
    yield rows;
  }
}

/** Writes a result as CSV. NULL is an empty cell, and an empty text a quoted one. */
async function* csvOf(result: Result): AsyncGenerator<string, void> {
  yield BYTE_ORDER_MARK + csvRecord(result.columns.map(({ name }) => cellText(name)));
  for await (const rows of batchesOf(result))
    yield rows.map((row) => csvRecord(row.map(cellText), (index) => row[index] !== null)).join('');
}

/** Writes a result as an Excel workbook. Values are texts, so Excel rounds no number. */
async function* workbookOf(result: Result): AsyncGenerator<Buffer, void> {
  const headers = result.columns.map(({ name }) => name);
  yield* xlsxFile(headers, batchesOf(result), { moment: new Date() });
}

const WRITERS: Readonly<
  Record<ExportFormat, (result: Result) => AsyncGenerator<string | Buffer, void>>
> = { csv: csvOf, xlsx: workbookOf };

export interface QueryRequestsParts {
  readonly ports: GatewayPorts;
  readonly socket: ProtocolSocket;
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly runner: QueryRunner;
  /** Disconnects a page that violates the protocol. */
  readonly violation: (reason: string) => void;
}

/** Answers the requests of a page with an open query workspace. */
export class QueryRequests {
  private readonly parts: QueryRequestsParts;
  private sending: FileExport | undefined;
  /**
   * Pending requests in order. Requests to the database wait for running statements; other requests
   * do not wait for them.
   */
  private readonly requests = { here: Promise.resolve(), database: Promise.resolve() };
  private open = 0;

  constructor(parts: QueryRequestsParts) {
    this.parts = parts;
  }

  /** Stops a running export. */
  stop(): void {
    this.sending?.stop();
  }

  /** Handles a message of the page. */
  handle(message: DatabaseClientMessage): void {
    const { runner, session } = this.parts;
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
      case 'export': {
        const result = runner.result(message.result);
        const format = message.format ?? 'csv';
        const file = result && WRITERS[format](result);
        this.download(`result-${message.result}.${format}`, file, message.result);
        return;
      }
      case 'undo': {
        const { undoScripts } = this.parts.ports;
        const file = undoScripts?.read(session.row, message.script);
        this.download(`undo-${message.script}.sql`, file, null);
        return;
      }
      case 'schema':
        if (runner.isBusy) this.refuse('statement_busy');
        else this.work(this.schema());
        return;
      case 'history':
        this.inTurn('here', () => this.history(message.search, session));
        return;
      case 'keys':
      case 'key':
        if (session.row.grant.database?.type !== 'redis') this.parts.violation('no keys here');
        else
          this.inTurn('database', () =>
            message.type === 'keys'
              ? this.keys(message.prefix, message.cursor, runner)
              : this.key(message.key, runner),
          );
        return;
      default:
        this.parts.violation('already connected');
    }
  }

  private async schema(): Promise<void> {
    this.parts.socket.send({ type: 'schema', ...(await readSchema(this.parts)) });
  }

  /** Sends earlier statements of this user only, and only while the session is open. */
  private async history(search: string, session: DatabaseSession): Promise<void> {
    const past = session.isOver
      ? []
      : ((await this.parts.ports.pastStatements?.(session.row, search)) ?? []);
    if (session.isOver) return;
    const statements = past.map(({ text, date, isDenied, isDeclined, isFailed }) => ({
      text,
      date: date.toISOString(),
      is_denied: isDenied,
      is_declined: isDeclined,
      is_failed: isFailed,
    }));
    this.parts.socket.send({ type: 'history', search, statements });
  }

  private async keys(prefix: string, from: string, runner: QueryRunner): Promise<void> {
    try {
      this.parts.socket.send({
        type: 'keys',
        prefix,
        from,
        ...(await scanKeys(runner, prefix, from)),
        message: null,
      });
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      this.parts.socket.send({
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
      this.parts.socket.send({ type: 'key', key, ...(await describeKey(runner, key)) });
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      this.parts.socket.send({ type: 'refused', message: error.message });
    }
  }

  /** Sends a file if the permission allows it, one at a time. */
  private download(
    name: string,
    parts: AsyncIterable<string | Buffer> | undefined,
    result: number | null,
  ): void {
    const { session, socket } = this.parts;
    if (!session.canDownload)
      socket.send({ type: 'refused', message: session.refuseTransfer('download', name) });
    else if (this.sending) this.refuse('statement_busy');
    else if (parts) this.work(this.sendFile(name, parts, result));
  }

  private async sendFile(
    name: string,
    parts: AsyncIterable<string | Buffer>,
    result: number | null,
  ): Promise<void> {
    const { session, socket } = this.parts;
    const sending = new FileExport();
    this.sending = sending;
    const transfer = session.transfer('download', name);
    try {
      const sent = await sending.send(parts, (bytes) => {
        transfer.add(bytes.length);
        socket.sendBytes(bytes);
      });
      transfer.end(sent ? undefined : 'file_incomplete', sent?.sha256);
      await session.written();
      if (sent) socket.send({ type: 'exported', result, bytes: sent.size });
    } finally {
      this.sending = undefined;
    }
  }

  private refuse(code: 'statement_busy'): void {
    this.parts.socket.send({
      type: 'refused',
      message: say(ERRORS[code], this.parts.session.row.person.language),
    });
  }

  /**
   * Queues a request, so that answers keep their order. Disconnects a client with too many pending
   * requests.
   */
  private inTurn(of: 'here' | 'database', request: () => Promise<void>): void {
    this.open += 1;
    if (this.open > MOST_QUERY_REQUESTS) {
      this.parts.violation('too many requests');
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
      this.parts.ports.log.error(
        { session: this.parts.session.row.id, err: error },
        'a query workspace failed',
      );
      this.parts.session.end(problemOf(error).code);
    });
  }
}
