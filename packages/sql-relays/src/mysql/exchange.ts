import { ProtocolViolation } from '../byte-reader.ts';
import type { FileTransfer, StatementJournal } from '../journal.ts';
import type { RelayStreams } from '../relay-streams.ts';
import { Answers } from './answers.ts';
import { COMMAND } from './packets.ts';
import { PreparedStatements } from './prepared.ts';

const SAMPLE_ROWS = 10;

/** The command being answered. */
interface Running {
  readonly command: number;
  /** Statements that have not finished. */
  readonly statements: string[];
  /** Text of a statement to prepare. */
  readonly text: string;
  began: number;
}

/**
 * The state that both directions of a relay share: the command being answered, its result, and what
 * is known about the session on the server.
 */
export class Exchange {
  readonly answers = new Answers();
  readonly prepared = new PreparedStatements();
  isInTransaction = false;
  /** Set while the server answers our own statement, which may fail if it is `optional`. */
  isOwn: 'required' | 'optional' | false = false;
  /** True while the client sends a file that the server requested. */
  isCopyingIn = false;
  copying: FileTransfer | undefined;
  /**
   * The reason for which a file was rejected. The client already has it as the answer, so the
   * server's is dropped.
   */
  refusal: string | undefined;
  /** Number of the last packet of the server in this answer; 0 before the first one. */
  sequence = 0;
  /** Result of the statement being answered. */
  rows = 0;
  columns: string[] = [];
  sample: (readonly (string | null)[])[] = [];
  private readonly journal: StatementJournal;
  private readonly streams: RelayStreams;
  private running: Running | undefined;
  private wakeWaiting: () => void = () => undefined;

  constructor(journal: StatementJournal, streams: RelayStreams) {
    this.journal = journal;
    this.streams = streams;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** True while the server answers a query, as opposed to other commands. */
  get isQuery(): boolean {
    return this.running?.command === COMMAND.query;
  }

  /** True while the server answers a query or a prepared statement that runs. */
  get runsStatement(): boolean {
    return this.isQuery || this.running?.command === COMMAND.execute;
  }

  get hasSampleRoom(): boolean {
    return this.sample.length < SAMPLE_ROWS;
  }

  /** Starts a command of the client. `text` is a statement to prepare. */
  begin(command: number, statements: string[], text: string): void {
    this.answers.begin(command);
    if (this.answers.isComplete) return;
    this.running = { command, statements, text, began: performance.now() };
    this.sequence = 0;
    this.nextResult();
  }

  /** Settles when the server has answered the last command, or the session has ended. */
  async answered(): Promise<void> {
    while (!this.answers.isComplete && !this.streams.isOver) {
      await new Promise<void>((done) => {
        this.wakeWaiting = done;
      });
      if (this.isCopyingIn) throw new ProtocolViolation('a command in the place of a file');
    }
  }

  /** Lets a waiting command check the state again. */
  wake(): void {
    this.wakeWaiting();
  }

  /** Keeps the statement being prepared by its id on the server. */
  keepPrepared(id: number, parameters: number): void {
    if (this.running) this.prepared.add(id, this.running.text, parameters);
  }

  /** Ends an answer, so that the next command may be sent. */
  settled(): void {
    this.running = undefined;
    this.isCopyingIn = false;
    this.refusal = undefined;
    this.wake();
  }

  /**
   * Records the statements that the server got and did not answer before the session ended: it may
   * have run them.
   */
  recordUnanswered(): void {
    const { running } = this;
    if (!running || running.command === COMMAND.prepare) return;
    const error = this.journal.say('unanswered');
    for (let left = running.statements.length; left > 0; left--) this.record(undefined, error);
    this.running = undefined;
  }

  /** Records a finished statement; commands without text are not recorded. */
  record(rows: number | undefined, error?: string): void {
    const { running } = this;
    this.copying?.end(error === undefined ? undefined : 'file_incomplete');
    this.copying = undefined;
    if (!running) return;
    const { statements, command } = running;
    const statement =
      statements.length > 1
        ? statements.shift()
        : (statements[0] ?? (command === COMMAND.prepare ? running.text : undefined));
    if (statement !== undefined) {
      const result = this.columns.length > 0 ? { columns: this.columns, sample: this.sample } : {};
      const failure = this.refusal ?? error;
      this.journal.done({
        statement,
        rows: failure === undefined ? rows : undefined,
        milliseconds: performance.now() - running.began,
        error: failure,
        ...result,
      });
    }
    this.nextResult();
  }

  private nextResult(): void {
    this.rows = 0;
    this.columns = [];
    this.sample = [];
    if (this.running) this.running.began = performance.now();
  }
}
