import {
  actionMask,
  CHANGE_DATA,
  type CommandVerdict,
  ERRORS,
  type ErrorCode,
  type Problem,
  say,
} from '@sallyport/contract';
import { whenKnown } from '@sallyport/sql-relays';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import type { Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import type { Refusal } from '../../refusal.ts';
import { type FileTransfer, FileTransfers } from '../file-transfers.ts';
import { shownName } from '../files/paths.ts';
import { Session, type SessionParts } from '../session.ts';
import type { Screen } from '../session-client.ts';
import type { Recorder } from '../terminal/recorder/recorder.ts';
import { CommandLog } from '../terminal/session-commands.ts';
import { captureStatement } from './capture-statement.ts';
import type { DatabaseClient, DatabaseConnection, StatementQuestion } from './database-client.ts';
import { words } from './preview-words.ts';
import {
  type RefusedStatement,
  StatementDecider,
  type StatementDecision,
} from './statement-decider.ts';
import { StatementDrawing } from './statement-drawing.ts';
import {
  type FinishedStatement,
  type NotedStatement,
  recordOfStatement,
} from './statement-record.ts';

export interface DatabaseSessionParts extends SessionParts {
  readonly client: DatabaseClient;
  readonly recorder: Recorder;
}

/**
 * A database session, independent of the listener. A listener
 * 1. opens it with `databaseOpener`,
 * 2. calls `decide` before each text of statements, and sends only allowed texts,
 * 3. calls `command` for each answered statement; `decide` logs the rejected ones,
 * 4. awaits `written` before it reports the end of a statement, which is then in the log,
 * 5. awaits `ready` before it reads more from its client, so that the recording keeps up,
 * 6. reports files with `transfer` and `refuseTransfer`,
 * 7. calls `worked` for traffic between statements, and `lost` when the connection ends.
 */
export class DatabaseSession extends Session {
  readonly kind = 'query';
  private readonly parts: DatabaseSessionParts;
  private readonly commands: CommandLog;
  private readonly files: FileTransfers;
  private readonly decider: StatementDecider;
  private readonly drawing: StatementDrawing;
  private endReason: ErrorCode = 'session_finished';
  private connection: DatabaseConnection | undefined;
  private sequence = 0;
  /** The answer to the question about the last text, for its statements. */
  private verdict: CommandVerdict | undefined;
  /** The confirmed question about the preview of the statement that runs. */
  private asked: StatementQuestion | undefined;
  private grant: Grant;

  constructor(parts: DatabaseSessionParts) {
    super(parts);
    this.parts = parts;
    this.grant = parts.row.grant;
    this.commands = new CommandLog(parts.row.id, parts.ports.sessions, (error) =>
      this.notLogged(error),
    );
    this.decider = new StatementDecider({
      ...parts,
      grant: () => this.grant,
      isReadOnly: () => this.isReadOnly,
    });
    this.drawing = new StatementDrawing({
      ...parts,
      onDrawn: (bytes) => {
        for (const watcher of this.watchers) watcher.output(bytes);
      },
    });
    const database = shownName(parts.row.grant.asset.hostname);
    this.files = new FileTransfers({
      pathOf: (name) => `${database}: ${shownName(parts.capture.text(name))}`,
      write: (record) => this.logFile(record),
    });
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  get screen(): Screen {
    return this.drawing.screen;
  }

  protected get wasOpen(): boolean {
    return this.connection !== undefined;
  }

  /** True if the permission currently allows only reading. */
  get isReadOnly(): boolean {
    return (this.grant.actions & CHANGE_DATA) === 0;
  }

  /** True if statements are decided by their text: reading only, or a rule that applies. */
  get isRestricted(): boolean {
    return this.decider.isRestricted;
  }

  /** True if the user may export results: `COPY … TO STDOUT`, a result file. */
  get canDownload(): boolean {
    return this.may('download_file');
  }

  /** True if the user may send files: `COPY … FROM STDIN`, `LOAD DATA LOCAL`. */
  get canUpload(): boolean {
    return this.may('upload_file');
  }

  /** True if the user sees what a statement changes before it runs. */
  get previewsChanges(): boolean {
    return this.grant.database?.previewsChanges === true && this.parts.client.confirm !== undefined;
  }

  attach(connection: DatabaseConnection): void {
    this.connection = connection;
    if (this.isOver) connection.close();
  }

  /** Resets the idle timer after traffic other than statements. */
  worked(): void {
    this.active();
  }

  /** Ends the session after the database. `message` is its text if `how` is `disconnected`. */
  targetEnded(how: TargetEnd, message?: string): void {
    this.end(TARGET_ENDS[how], message === undefined ? {} : { message });
  }

  /**
   * Settles when all commands and files so far are durable, or the session ended because they
   * cannot be written. Returns undefined if none is pending.
   */
  written(): Promise<unknown> | undefined {
    const [commands, files] = [this.commands.written(), this.files.written()];
    return commands && files ? Promise.all([commands, files]) : (commands ?? files);
  }

  /**
   * Starts a file. Its log entry is written at its end. `name` is the file name at the client, or
   * the statement.
   */
  transfer(operation: 'upload' | 'download', name: string): FileTransfer {
    return this.files.begin(operation, name);
  }

  /**
   * Logs a file that the permission does not allow. Returns the reason in the user's language. Also
   * logs `unsent`, the statement that we did not send.
   */
  refuseTransfer(operation: 'upload' | 'download', name: string, unsent?: string): string {
    const message = say(
      ERRORS[operation === 'upload' ? 'database_upload' : 'database_download'],
      this.row.person.language,
    );
    if (this.isOver) return message;
    this.files.refused(
      operation,
      name,
      operation === 'upload' ? 'database_upload' : 'database_download',
    );
    if (unsent !== undefined) this.note({ statement: unsent, error: message, isRefused: true });
    return message;
  }

  /** Settles when the recording has caught up; undefined if it has. */
  ready(): Promise<void> | undefined {
    return this.isOver ? undefined : this.drawing.ready();
  }

  recorderDrained(): void {
    this.drawing.drained();
  }

  /**
   * Decides a text before any of it is sent: first the rights, then the guard, which rejects it if
   * it fails or times out. Rejected texts are in log and recording when this settles.
   */
  decide(text: string, isByKeyTree = false): StatementDecision | Promise<StatementDecision> {
    this.active();
    if (this.isOver) return this.decider.refusal(ERRORS.session_finished);
    if (this.lock) return this.logRefusal(text, this.locked(this.lock), isByKeyTree);
    return whenKnown(this.decider.decide(text), (decision) => {
      if (this.lock) return this.logRefusal(text, this.locked(this.lock), isByKeyTree);
      if (!decision.isAllowed) return this.logRefusal(text, decision, isByKeyTree);
      this.verdict = decision.verdict;
      // It may have ended while we asked.
      return this.isOver ? this.decider.refusal(ERRORS.session_finished) : decision;
    });
  }

  /** Withdraws the statement that waits for a reviewer. */
  withdraw(): void {
    this.decider.withdraw();
  }

  /** Rejects a text for a reason of the listener, and logs it. */
  refuse(text: string, code: 'statement_not_utf8'): Promise<StatementDecision> {
    this.active();
    return this.logRefusal(text, this.decider.refusal(ERRORS[code]));
  }

  private readonly locked = ({ code, params }: Problem) =>
    this.decider.refusal(ERRORS[code], params);

  private async logRefusal(
    text: string,
    decision: RefusedStatement,
    isByKeyTree = false,
  ): Promise<RefusedStatement> {
    if (this.isOver) return decision;
    const { message: error, verdict, asked } = decision;
    this.note({ statement: text, error, isRefused: true, isByKeyTree, verdict, asked });
    await this.written();
    return decision;
  }

  /** Asks about the preview of a statement. Returns true if it may run; otherwise it is logged. */
  async confirmStatement(statement: string, asked: StatementQuestion, isNo: boolean) {
    // Without a preview, another answer is enough.
    if (!asked.preview && this.verdict && !isNo && !this.lock) return true;
    const verdict = isNo ? 'declined' : await this.decider.answerTo(asked);
    if (verdict === 'given' && !this.lock) this.asked = asked;
    else {
      const refusal = this.lock ? this.locked(this.lock) : this.decider.refusal(words.notConfirmed);
      const answer = verdict === 'given' ? {} : { verdict };
      await this.logRefusal(statement, { ...refusal, ...answer, asked });
    }
    return this.asked !== undefined && !this.isOver;
  }

  /** Writes a statement to log and recording. Returns its number in the session. */
  command(statement: FinishedStatement): number | undefined {
    if (this.drawing.isOver) return undefined;
    if (!this.isOver) this.active();
    const { asked, verdict = asked && 'confirmed' } = this;
    this.asked = undefined;
    return this.note({ ...statement, verdict, asked });
  }

  protected override granted(grant: Grant): void {
    const before = this.grant.actions;
    this.grant = grant;
    if (before !== grant.actions) this.parts.client.rightsChanged?.();
  }

  protected stop({ problem }: Refusal): void {
    this.endReason = problem.code;
    this.drawing.draw();
    this.decider.withdraw();
    this.recorderDrained();
    this.connection?.close();
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  protected async finish(): Promise<ReplayState> {
    this.drawing.end();
    await Promise.all([
      this.files.end(this.endReason === 'session_finished' ? 'file_incomplete' : this.endReason),
      this.commands.written(),
    ]);
    return this.parts.recorder.finish();
  }

  private may(action: 'download_file' | 'upload_file'): boolean {
    return (this.grant.actions & actionMask([action])) !== 0;
  }

  private note(noted: NotedStatement): number {
    const { row, recorder } = this.parts;
    const type = row.grant.database?.type ?? 'mysql';
    const captured = captureStatement(noted, this.parts.capture);
    this.commands.add({
      // The log cuts and masks the statement; only the whole one says what it does.
      ...recordOfStatement({ ...captured, statement: noted.statement }, type),
      sequence: this.sequence,
      at: recorder.elapsed,
    });
    this.drawing.add(captured);
    return this.sequence++;
  }
}
