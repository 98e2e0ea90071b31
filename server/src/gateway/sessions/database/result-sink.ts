import { type DatabaseServerMessage, MOST_RESULT_ROWS } from '@sallyport/contract';
import { MAX_RESULT_BYTES } from '../../limits.ts';
import type { GatewayPorts } from '../../ports.ts';
import {
  type DatabaseDriver,
  type ResultColumn,
  StatementError,
} from '../../protocols/drivers/driver.ts';
import { problemOf, wordProblem } from '../../refusal.ts';
import type { DatabaseSession } from './database-session.ts';
import { ResultSpool, type Row } from './result-spool.ts';

/** Minimum interval between progress messages. */
const PROGRESS_MS = 200;

/** A stored result of a statement. */
export interface Result {
  readonly columns: readonly ResultColumn[];
  readonly spool: ResultSpool;
}

export interface ResultSinkParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly folder: string | undefined;
  readonly send: (message: DatabaseServerMessage) => void;
  readonly run: number;
  /** Stores a result and returns its id. */
  readonly keep: (result: Result) => number;
  /** Stops the statement: the result has reached its limit. */
  readonly stop: () => void;
  readonly isStopped: () => boolean;
  /** Rows at which the statement is stopped; 1,000,000 by default. */
  readonly mostRows?: number | undefined;
  readonly ports: Pick<GatewayPorts, 'log'>;
}

/** The result that is arriving. */
interface Incoming {
  opening: Promise<void>;
  spool?: ResultSpool;
  id?: number;
  readonly early: Row[];
  count: number;
}

/**
 * Stores the answer of one statement. Rows go to disk; the database pauses when the disk is slower.
 */
export class ResultSink {
  private readonly parts: ResultSinkParts;
  private incoming: Incoming | undefined;
  private last: Promise<void> = Promise.resolve();
  private reportedAt = 0;
  /** The error that prevented storing the result. */
  private lost: { readonly error: unknown } | undefined;

  constructor(parts: ResultSinkParts) {
    this.parts = parts;
  }

  /** Starts a result. */
  columns(columns: readonly ResultColumn[]): void {
    const { driver, folder, keep, run, send, session } = this.parts;
    const incoming: Incoming = { opening: this.last, early: [], count: 0 };
    this.incoming = incoming;
    // Open the file before reading more rows.
    driver.pause();
    incoming.opening = this.last
      .then(() => ResultSpool.open(folder, () => driver.resume()))
      .then((spool) => {
        const id = keep({ columns, spool });
        incoming.spool = spool;
        incoming.id = id;
        send({ type: 'result', run, result: id, columns });
        for (const row of incoming.early.splice(0)) spool.add(row);
        send({ type: 'progress', result: id, rows: incoming.count });
        driver.resume();
        if (session.isOver) void spool.close();
      });
    incoming.opening.catch((error: unknown) => {
      this.lose(error);
      driver.resume();
    });
  }

  row(row: Row): void {
    const { incoming } = this;
    if (!incoming || this.lost || this.parts.isStopped()) return;
    incoming.count += 1;
    if (!incoming.spool) incoming.early.push(row);
    else if (!incoming.spool.add(row)) this.parts.driver.pause();
    this.progress(incoming);
    this.parts.session.worked();
    const { failure, bytes = 0 } = incoming.spool ?? {};
    if (failure !== undefined) this.lose(failure);
    else if (
      incoming.count >= (this.parts.mostRows ?? MOST_RESULT_ROWS) ||
      bytes > MAX_RESULT_BYTES
    )
      this.parts.stop();
  }

  /** Ends a result, or a statement without one. */
  done(answered: number | undefined, milliseconds: number): void {
    const { run, send } = this.parts;
    const { incoming } = this;
    // The reported count may include rows after the limit, which are not stored.
    const isCut = incoming !== undefined && this.parts.isStopped();
    const rows = isCut ? incoming.count : answered;
    this.incoming = undefined;
    this.last = (incoming?.opening ?? this.last).then(() => {
      if (this.lost) return;
      if (incoming?.id !== undefined)
        send({ type: 'progress', result: incoming.id, rows: incoming.count });
      send({
        type: 'answered',
        run,
        result: incoming?.id ?? null,
        rows: rows ?? null,
        milliseconds: Math.round(milliseconds),
        is_cut: isCut,
      });
    });
  }

  /** Ends a result at its limit. Returns its number of rows. */
  cut(milliseconds: number): number {
    const rows = this.incoming?.count ?? 0;
    this.done(rows, milliseconds);
    return rows;
  }

  /**
   * Settles when the whole answer was reported.
   * @throws StatementError in the user's language if the result could not be stored
   */
  async settled(): Promise<void> {
    try {
      await this.incoming?.opening;
      await this.last;
    } catch (error) {
      this.lose(error);
    }
    if (!this.lost) return;
    const { language } = this.parts.session.row.person;
    throw new StatementError(wordProblem(problemOf(this.lost.error), language));
  }

  /** Ignores further rows: the result cannot be stored. */
  private lose(error: unknown): void {
    if (this.lost) return;
    this.lost = { error };
    const { ports, session, stop } = this.parts;
    const { id, grant } = session.row;
    ports.log.error({ session: id, err: error }, 'the result of a statement could not be stored');
    // Redis cannot cancel: its connection would close for an answer that has already begun.
    if (grant.database?.type !== 'redis') stop();
  }

  private progress({ id, count }: Incoming): void {
    const now = performance.now();
    if (id === undefined || now - this.reportedAt < PROGRESS_MS) return;
    this.reportedAt = now;
    this.parts.send({ type: 'progress', result: id, rows: count });
  }
}
