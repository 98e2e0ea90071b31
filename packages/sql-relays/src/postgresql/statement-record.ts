import type { StatementJournal } from '../journal.ts';
import type { readColumns } from './parameters.ts';
import type { Portal } from './pipeline.ts';

/** Sample rows for the recording, and maximum bytes of each. */
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 8 * 1024;

interface ResultSample {
  readonly columns?: readonly string[];
  readonly sample?: readonly (readonly (string | null)[])[];
}

/** Collects the result of the statement being answered, and records finished statements. */
export class StatementRecord {
  private readonly journal: StatementJournal;
  private count = 0;
  private began = performance.now();
  private columns: ReturnType<typeof readColumns> = [];
  private sample: (readonly (string | null)[])[] = [];

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** Row count of the statement being answered. */
  get rows(): number {
    return this.count;
  }

  /** Starts the next statement. */
  begin(): void {
    this.count = 0;
    this.began = performance.now();
    this.columns = [];
    this.sample = [];
  }

  /** Sets the columns of the result. Only results in the text format have a sample. */
  describe(columns: ReturnType<typeof readColumns>): void {
    this.sample = [];
    this.columns = columns.length > 0 && columns.every(({ isText }) => isText) ? columns : [];
  }

  /** Counts a row. Returns true if the sample needs it. */
  countRow(length: number): boolean {
    this.count++;
    return this.sample.length < SAMPLE_ROWS && length <= SAMPLE_BYTES && this.columns.length > 0;
  }

  addRow(row: readonly (string | null)[]): void {
    this.sample.push(row);
  }

  /** Records a finished statement, and starts the next. */
  finish(statement: string, rows: number | undefined, error?: string): void {
    this.journal.done({
      statement,
      rows,
      milliseconds: performance.now() - this.began,
      error,
      ...this.resultSample(),
    });
    this.begin();
  }

  /** Records the statement of a portal. */
  finishPortal(portal: Portal, rows: number | undefined, error?: string): void {
    portal.isRecorded = true;
    this.journal.done({
      statement: portal.statement,
      rows,
      milliseconds: performance.now() - portal.began,
      error,
      ...this.resultSample(),
    });
  }

  /** Records portals that ended before they were read completely. */
  settle(portals: readonly (Portal | undefined)[]): void {
    for (const portal of portals)
      if (portal?.hasRun && !portal.isRecorded) this.finishPortal(portal, portal.rows);
  }

  private resultSample(): ResultSample {
    return this.columns.length > 0
      ? { columns: this.columns.map(({ name }) => name), sample: this.sample }
      : {};
  }
}
