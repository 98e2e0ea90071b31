import { type DatabaseServerMessage, ERRORS, MOST_CELL, say } from '@sallyport/contract';
import { MOST_RESULTS, RECORDED_ROWS, STATEMENT_MS } from '../../limits.ts';
import type { GatewayPorts } from '../../ports.ts';
import { canceled, type DatabaseDriver, StatementError } from '../../protocols/drivers/driver.ts';
import type { RowChange } from '../../protocols/sql/row-change.ts';
import { confirmChange } from './confirm-change.ts';
import type { DatabaseSession } from './database-session.ts';
import { query } from './driver-query.ts';
import { ReadOnlyMode } from './read-only-mode.ts';
import { type Result, ResultSink } from './result-sink.ts';
import type { Row } from './result-spool.ts';
import { runAside } from './run-aside.ts';
import { partsOf, type StatementPart } from './statement-parts.ts';
import { Cancellation, cancelAfter, endIfSilent, MODE_MS } from './time-limits.ts';
import { UndoKeeper } from './undo/undo-keeper.ts';

/** Maximum characters of one `rows` message. */
const ANSWER_CHARACTERS = 1024 * 1024;

export interface QueryRunnerParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly folder: string | undefined;
  readonly send: (message: DatabaseServerMessage) => void;
  readonly ports: Pick<GatewayPorts, 'undoScripts' | 'log'>;
  /** Rows at which a reading statement is stopped. */
  readonly mostRows?: number;
}

/** Runs the statements of a workspace in order and stores their results. */
export class QueryRunner {
  private readonly parts: QueryRunnerParts;
  private readonly undo: UndoKeeper;
  private readonly results = new Map<number, Result>();
  private lastResult = 0;
  private isRunning = false;
  /** The last queued work; the connection runs one at a time. Never rejects. */
  private last: Promise<unknown> = Promise.resolve();
  private isCancelled = false;
  /** True while the database runs a statement of the user. */
  private isAtDatabase = false;
  private readonly cancellation: Cancellation;
  private readonly mode: ReadOnlyMode;
  private autocommit: boolean;
  private logUnanswered: (() => void) | undefined;
  /** The reason for which we stopped the running statement. */
  private stopped: string | undefined;

  constructor(parts: QueryRunnerParts) {
    this.parts = parts;
    this.undo = new UndoKeeper(parts);
    this.cancellation = new Cancellation(parts);
    this.mode = new ReadOnlyMode(parts);
    this.autocommit = parts.session.row.grant.database?.startsTransactions !== true;
  }

  /** True while a text of the user runs. */
  get isBusy(): boolean {
    return this.isRunning;
  }

  /** Sets autocommit. When off, a transaction begins before the first statement. */
  setAutocommit(on: boolean): void {
    this.autocommit = on;
  }

  /**
   * Runs a text, or only its statement at character `at`. Reports all results as messages and never
   * throws.
   */
  run(run: number, text: string, at?: number): Promise<void> {
    this.isRunning = true;
    this.isCancelled = false;
    return this.inTurn(() => this.runText(run, text, at));
  }

  private async runText(run: number, text: string, at: number | undefined): Promise<void> {
    const { send, driver } = this.parts;
    try {
      const parts = partsOf(text, this.parts.session.row.grant.database?.type, at);
      const decision =
        parts.length > 0
          ? await this.parts.session.decide(at === undefined ? text : (parts[0]?.text ?? ''))
          : { isAllowed: true as const };
      if (!decision.isAllowed)
        send({ type: 'failed', run, message: decision.message, position: null, is_refused: true });
      else
        for (const part of parts)
          if (this.isCancelled || this.parts.session.isOver || !(await this.next(run, part))) break;
    } finally {
      await this.parts.session.written();
      this.isRunning = false;
      send({ type: 'finished', run, transaction: driver.transaction, autocommit: this.autocommit });
    }
  }

  /**
   * Queues a statement of the key tree and returns up to `max` rows; none after the end of the
   * session. Decides, logs and records it like a statement of the user.
   * @throws StatementError when it is rejected or fails
   */
  aside(statement: string, max: number): Promise<readonly Row[]> {
    return this.inTurn(() => runAside(this.parts, statement, max));
  }

  private inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answer = this.last.then(work);
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Cancels the running statement and skips the rest of the text. Never rejects. */
  async cancel(): Promise<void> {
    if (!this.isRunning) return;
    this.isCancelled = true;
    this.parts.session.withdraw();
    // Redis cannot cancel: its connection would close for a statement that it never got.
    if (!this.isAtDatabase) return;
    await this.cancellation.request();
  }

  /** Closes the connection of an ended session. Cancels and logs a running statement. */
  readonly disconnect = (): void => {
    this.logUnanswered?.();
    this.cancellation.close(this.isAtDatabase);
  };

  /** Sends rows of a result, with values cut to the size of a grid cell. */
  async rows(result: number, from: number, count: number): Promise<void> {
    const page = await this.results.get(result)?.spool.read(from, count, ANSWER_CHARACTERS);
    const rows = (page ?? []).map((row) =>
      row.map((value) =>
        value !== null && value.length > MOST_CELL ? `${value.slice(0, MOST_CELL)}…` : value,
      ),
    );
    this.parts.send({ type: 'rows', result, from, rows });
  }

  /** Returns a result for an export; undefined if it was closed. */
  result(id: number): Result | undefined {
    return this.results.get(id);
  }

  /** Closes a result that the client no longer shows. */
  async forget(id: number): Promise<void> {
    const result = this.results.get(id);
    this.results.delete(id);
    await result?.spool.close();
  }

  /** Closes all results. */
  async close(): Promise<void> {
    await Promise.all([...[...this.results.keys()].map((id) => this.forget(id)), this.undo.drop()]);
  }

  /** Runs one statement after its preview. Returns false if the following ones must not run. */
  private async next(run: number, part: StatementPart): Promise<boolean> {
    const { session } = this.parts;
    if (session.previewsChanges && session.row.grant.database?.type !== 'redis') {
      this.isAtDatabase = true;
      // `one` repeats what failed, and reports it.
      await endIfSilent(session, MODE_MS, () => this.prepare(part)).catch(() => undefined);
      const { mayRun, undoable } = await confirmChange({
        ...this.parts,
        run,
        statement: part.text,
        isCancelled: () => this.isCancelled,
      }).finally(() => this.leave());
      return mayRun && this.one(run, part, undoable);
    }
    return this.one(run, part);
  }

  /** Runs one statement. Returns false if the following ones must not run. */
  private async one(run: number, part: StatementPart, undoable?: RowChange): Promise<boolean> {
    const { session, send, driver } = this.parts;
    await session.ready();
    send({
      type: 'statement',
      run,
      text: part.text.slice(0, MOST_CELL),
      from: part.start,
      to: part.end,
    });
    const began = performance.now();
    const milliseconds = () => performance.now() - began;
    const preview: { columns: string[]; rows: Row[] } = { columns: [], rows: [] };
    let total: number | undefined;
    let changed: number | undefined;
    const over = (end: { readonly rows?: number | undefined; readonly error?: string }) => {
      this.logUnanswered = undefined;
      const statement = part.text;
      return session.command({ statement, milliseconds: milliseconds(), preview, ...end });
    };
    // Messages that report the end of a statement wait until the log has it.
    const ends: DatabaseServerMessage[] = [];
    const logged = async () => {
      await session.written();
      for (const message of ends.splice(0)) send(message);
    };
    const lift = cancelAfter(this.parts, STATEMENT_MS, () => this.stop('timeout'));
    this.stopped = undefined;
    this.isAtDatabase = true;
    let before = driver.transaction;
    try {
      await this.prepare(part);
      before = driver.transaction;
      const sink = new ResultSink({
        ...this.parts,
        run,
        send: (message) => void (message.type === 'answered' ? ends.push(message) : send(message)),
        keep: (result) => this.keep(result),
        stop: () => void (this.stop('too_long') && driver.cancel().catch(() => driver.close())),
        isStopped: () => this.stopped !== undefined,
      });
      const execute = async () => {
        if (this.isCancelled || this.stopped) throw canceled();
        this.logUnanswered = () =>
          over({ error: say(ERRORS.session_finished, session.row.person.language) });
        await driver
          .run(part.text, {
            onColumns: (columns) => {
              sink.columns(columns);
              if (preview.columns.length === 0)
                preview.columns.push(...columns.map(({ name }) => name));
            },
            onRow: (row) => {
              if (preview.rows.length < RECORDED_ROWS) preview.rows.push(row);
              sink.row(row);
            },
            onResult: (rows, differing) => {
              changed = differing;
              if (rows !== undefined) total = (total ?? 0) + rows;
              sink.done(rows, milliseconds());
            },
          })
          .catch((error: unknown) => {
            // A truncated result is still an answer.
            if (this.stopped !== 'too_long' || !(error instanceof StatementError)) throw error;
            total = sink.cut(milliseconds());
          });
        return { rows: total ?? 0, changed };
      };
      await (undoable ? this.undo.around(undoable, execute) : execute());
      await sink.settled();
      const sequence = over({ rows: total });
      await logged();
      await this.undo.settle({ run, words: part.words, before, sequence });
      return true;
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      const { message } = error;
      over({ error: message });
      // The commit of a change may fail after its answer.
      if (undoable) ends.splice(0);
      await logged();
      await this.undo.settle({ run, words: part.words, before, isFailed: true });
      send({
        type: 'failed',
        run,
        message,
        position: error.position === undefined ? null : part.start + error.position,
        is_refused: false,
      });
      return false;
    } finally {
      this.leave();
      lift();
    }
  }

  private leave(): void {
    this.isAtDatabase = false;
    this.cancellation.ended();
  }

  private async prepare({ text, words }: StatementPart): Promise<void> {
    const { session, driver } = this.parts;
    await this.mode.prepare(text);
    const isRedis = session.row.grant.database?.type === 'redis';
    if (this.autocommit || driver.transaction !== 'none' || isRedis) return;
    if (['begin', 'start', 'commit', 'rollback', 'end', 'abort', 'use'].includes(words[0] ?? ''))
      return;
    await query(driver, 'begin');
    session.command({ statement: 'begin' });
  }

  private stop(why: 'timeout' | 'too_long'): boolean {
    if (this.stopped) return false;
    this.stopped = why;
    return true;
  }

  private keep(result: Result): number {
    this.results.set(++this.lastResult, result);
    const [oldest] = this.results.keys();
    if (this.results.size > MOST_RESULTS && oldest !== undefined) void this.forget(oldest);
    return this.lastResult;
  }
}
