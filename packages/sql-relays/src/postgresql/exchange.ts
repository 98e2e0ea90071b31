import type { FileTransfer, StatementJournal } from '../journal.ts';
import { type FunctionCall, LargeObjects } from './large-objects.ts';
import type { readColumns } from './messages.ts';
import { Pipeline, type Portal, type Step } from './pipeline.ts';

/** Sample rows for the recording, and maximum bytes of each. */
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 8 * 1024;

interface ResultSample {
  readonly columns?: readonly string[];
  readonly sample?: readonly (readonly (string | null)[])[];
}

/** Collects the result of the statement being answered, and records finished statements. */
class StatementRecord {
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

  /**
   * Records the statements of steps that the server got and did not answer before the session
   * ended: it may have run them.
   */
  finishUnanswered(steps: readonly Step[], error: string): void {
    for (const { statements = [], portal } of steps) {
      for (const statement of statements) this.finish(statement, undefined, error);
      if (!portal || portal.isRecorded) continue;
      this.finishPortal(portal, portal.rows || undefined, error);
      this.begin();
    }
  }

  private resultSample(): ResultSample {
    return this.columns.length > 0
      ? { columns: this.columns.map(({ name }) => name), sample: this.sample }
      : {};
  }
}

/**
 * The copies of one session, `COPY … FROM STDIN` and `COPY … TO STDOUT`: checks rights and logs
 * files.
 */
class Copies {
  private readonly journal: StatementJournal;
  private running: FileTransfer | undefined;
  private refusal: string | undefined;

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** True while a result that the user may not save is being copied: its data is dropped. */
  get isDropped(): boolean {
    return this.refusal !== undefined;
  }

  /**
   * Rejects a copy early, by the text of its statement. Hidden copies are rejected when the server
   * starts them.
   */
  refusalOf(text: string): string | undefined {
    const { journal } = this;
    if (!/\bcopy\b/i.test(text)) return undefined;
    if (!journal.mayUpload() && /\bfrom\s+stdin\b/i.test(text))
      return journal.refuseTransfer('upload', text, text);
    if (!journal.mayDownload() && /\bto\s+stdout\b/i.test(text))
      return journal.refuseTransfer('download', text, text);
    return undefined;
  }

  /** Handles the start of a copy to the server. Returns the refusal, if any. */
  beginIn(statement: string): string | undefined {
    const { journal } = this;
    if (!journal.mayUpload()) return journal.refuseTransfer('upload', statement);
    this.running = journal.transfer('upload', statement);
    return undefined;
  }

  /** Handles the start of a copy from the server. */
  beginOut(statement: string): void {
    const { journal } = this;
    if (journal.mayDownload()) this.running = journal.transfer('download', statement);
    else this.refusal = journal.refuseTransfer('download', statement);
  }

  add(bytes: number): void {
    this.running?.add(bytes);
  }

  /**
   * Ends the copy of a statement, if it was one. Returns the refusal for which its data was
   * dropped.
   */
  end(isWhole: boolean): string | undefined {
    const { refusal } = this;
    this.running?.end(isWhole ? undefined : 'file_incomplete');
    this.running = undefined;
    this.refusal = undefined;
    return refusal;
  }
}

/** SQLSTATE: insufficient_privilege, program_limit_exceeded. */
export const DENIED = '42501';
export const TOO_LONG = '54000';

/** The state that both directions of a relay share. */
export class Exchange {
  readonly pipeline = new Pipeline();
  readonly copies: Copies;
  readonly objects: LargeObjects;
  readonly record: StatementRecord;
  /** Status of the last ReadyForQuery: I, T or E. */
  status = 'I';
  /** True after a failed copy: the client may still send its data. */
  isCopyDropped = false;
  /** The function call being answered; clients send one at a time. */
  call: FunctionCall | undefined;
  /** True after a too long message, until the client got its error. */
  tooLong = false;
  private wakeWaiting: () => void = () => undefined;

  constructor(journal: StatementJournal) {
    this.copies = new Copies(journal);
    this.objects = new LargeObjects(journal);
    this.record = new StatementRecord(journal);
  }

  /** Settles at the next server answer that may settle a pending copy or end a batch. */
  async settled(): Promise<void> {
    await new Promise<void>((done) => {
      this.wakeWaiting = done;
    });
  }

  /** Lets a waiting message check the state again. */
  wake(): void {
    this.wakeWaiting();
  }
}
