import { type DatabaseServerMessage, MOST_RESULT_ROWS } from '@sallyport/contract';
import { MAX_RESULT_BYTES } from '../../limits.ts';
import type { DatabaseDriver, ResultColumn } from '../../protocols/drivers/driver.ts';
import type { DatabaseSession } from './database-session.ts';
import { ResultSpool, type Row } from './result-spool.ts';

/** Progress of a result is reported so often at most. */
const PROGRESS_MS = 200;

/** A result that is shown or could be. */
export interface Result {
  readonly columns: readonly ResultColumn[];
  readonly spool: ResultSpool;
}

/** What a sink works with. */
export interface ResultSinkParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly folder: string | undefined;
  readonly send: (message: DatabaseServerMessage) => void;
  readonly run: number;
  /** Keeps a result and returns its number. */
  readonly keep: (result: Result) => number;
  /** The statement has answered as much as is kept. */
  readonly stop: () => void;
  readonly isStopped: () => boolean;
}

/** The result that comes. */
interface Coming {
  opening: Promise<void>;
  spool?: ResultSpool;
  id?: number;
  readonly early: Row[];
  count: number;
}

/** Takes what one statement answers: rows go to the disk as fast as it takes them, and the database waits otherwise. */
export class ResultSink {
  private readonly parts: ResultSinkParts;
  private coming: Coming | undefined;
  private last: Promise<void> = Promise.resolve();
  private reportedAt = 0;

  constructor(parts: ResultSinkParts) {
    this.parts = parts;
  }

  /** A result begins. */
  columns(columns: readonly ResultColumn[]): void {
    const { driver, folder, keep, run, send, session, stop } = this.parts;
    const coming: Coming = { opening: this.last, early: [], count: 0 };
    this.coming = coming;
    // The file has to be there before more is read.
    driver.pause();
    coming.opening = this.last
      .then(() => ResultSpool.open(folder, () => driver.resume()))
      .then((spool) => {
        const id = keep({ columns, spool });
        coming.spool = spool;
        coming.id = id;
        send({ type: 'result', run, result: id, columns });
        for (const row of coming.early.splice(0)) spool.add(row);
        send({ type: 'progress', result: id, rows: coming.count });
        driver.resume();
        if (session.isOver) void spool.close();
      });
    coming.opening.catch(() => {
      stop();
      driver.resume();
    });
  }

  /** A row of it. */
  row(row: Row): void {
    const { coming } = this;
    if (!coming || this.parts.isStopped()) return;
    coming.count += 1;
    if (!coming.spool) coming.early.push(row);
    else if (!coming.spool.add(row)) this.parts.driver.pause();
    this.progress(coming);
    this.parts.session.worked();
    if (
      coming.count >= MOST_RESULT_ROWS ||
      (coming.spool?.bytes ?? 0) > MAX_RESULT_BYTES ||
      coming.spool?.failure !== undefined
    )
      this.parts.stop();
  }

  /** A result, or a statement without one, is over. */
  done(answered: number | undefined, milliseconds: number): void {
    const { run, send } = this.parts;
    const { coming } = this;
    // What came after enough was kept is not part of the result.
    const isCut = coming !== undefined && this.parts.isStopped();
    const rows = isCut ? coming.count : answered;
    this.coming = undefined;
    this.last = (coming?.opening ?? this.last).then(() => {
      if (coming?.id !== undefined)
        send({ type: 'progress', result: coming.id, rows: coming.count });
      send({
        type: 'answered',
        run,
        result: coming?.id ?? null,
        rows: rows ?? null,
        milliseconds: Math.round(milliseconds),
        is_cut: isCut,
      });
    });
  }

  /** A result was stopped because it is long enough; returns how many rows it has. */
  cut(milliseconds: number): number {
    const rows = this.coming?.count ?? 0;
    this.done(rows, milliseconds);
    return rows;
  }

  /** Settles when all of it was reported. @throws what made it impossible to keep a result */
  async settled(): Promise<void> {
    await this.coming?.opening;
    await this.last;
  }

  private progress({ id, count }: Coming): void {
    const now = performance.now();
    if (id === undefined || now - this.reportedAt < PROGRESS_MS) return;
    this.reportedAt = now;
    this.parts.send({ type: 'progress', result: id, rows: count });
  }
}
