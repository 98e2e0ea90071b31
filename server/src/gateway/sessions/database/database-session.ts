import {
  actionMask,
  CHANGE_DATA,
  ERRORS,
  type ErrorCode,
  type LocalText,
  type SweepAct,
  say,
} from '@sallyport/contract';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import {
  DATABASE_TAIL,
  GUARD_ANSWER_SECONDS,
  GUARD_MS,
  MAX_CHECKED,
  MAX_SENT_STATEMENT,
  MAX_STATEMENT,
} from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { SpelledStatement, Verdict } from '../../ports/guard.ts';
import type { ReplayState } from '../../ports/records.ts';
import type { Sweep } from '../../protocols/sql/sweep.ts';
import type { Refusal } from '../../refusal.ts';
import { type FileTransfer, FileTransfers } from '../file-transfers.ts';
import { shownName } from '../files/names.ts';
import { type Screen, Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';
import { CommandLog } from '../terminal/command-log.ts';
import { cut } from '../terminal/commands/plain-text.ts';
import type { Recorder } from '../terminal/recorder/recorder.ts';
import { cutText, isSweeping, type ReadText, readText } from './read-text.ts';
import { sayQuestion, sayUnconfirmed } from './sweep-words.ts';
import {
  drawEnd,
  drawResult,
  drawStatement,
  type ResultPreview,
  resultText,
} from './transcript.ts';

/** What the log keeps of a statement and of its result. */
const MAX_INPUT = 4096;
const MAX_OUTPUT = 1024;
/** What a recording is drawn on; there is no terminal. */
export const DATABASE_SCREEN = { cols: 120, rows: 30 } as const;
const CLEAR = '\u001bc';

/** The near side of a database session. */
export interface DatabaseClient extends SessionClient {
  /**
   * Asks the user whether a statement may run: with the text of a filter, or with `act` for a statement that affects every row. Without it, a filter's question
   * refuses the statement, and other statements run. Rejects when the user has disconnected.
   */
  confirm?(message: string, seconds: number, act?: SweepAct): Promise<boolean>;
  /** What the permission allows has changed. */
  rightsChanged?(): void;
}

/** The connection to the database, as far as its session ends it. */
export interface DatabaseConnection {
  /** Ends it and everything that was opened to reach it. Harmless when it has ended. */
  close(): void;
}

/** What a session of a database is made of when its recording has begun. */
export interface DatabaseSessionParts extends SessionParts {
  readonly client: DatabaseClient;
  readonly recorder: Recorder;
}

/** Whether a text of statements may be sent; the message is in the language of the person. */
export type StatementDecision =
  | {
      readonly isAllowed: true;
      /** Its statements, as they are logged. */
      readonly statements: readonly string[];
      /** Whether it may change the character set to another one, so that the listener has to set it again afterwards. */
      readonly isCharacterSetUnknown: boolean;
    }
  | Refused;
interface Refused {
  readonly isAllowed: false;
  readonly message: string;
}

/** One statement that the database has answered, or that it never got. */
export interface FinishedStatement {
  readonly statement: string;
  /** Rows that it answered or changed, where the database says it. */
  readonly rows?: number | undefined;
  /** At the database. */
  readonly milliseconds?: number | undefined;
  /** The error of the database, in its words. */
  readonly error?: string | undefined;
  /** The first rows, as many as there are at hand; more than a bound are not drawn. */
  readonly preview?: ResultPreview | undefined;
  /** The key tree ran it, and not the person. */
  readonly isByKeyTree?: boolean | undefined;
}

/**
 * A session in which somebody works with a database, through whatever listener. A listener
 * 1. opens it with `databaseOpener`,
 * 2. asks `decide` before each text of statements, and sends the text only when that allows it,
 * 3. calls `command` for each statement that the database has answered; refused ones are logged by `decide`,
 * 4. waits for `written` before its client hears that a statement is over, so that the log has every statement that somebody knows to have run,
 * 5. waits for `ready` before it reads more from its client, so that the recording keeps up,
 * 6. reports files by `transfer` and `refuseTransfer`,
 * 7. calls `worked` for traffic between statements, and `lost` when the database is gone.
 * Permission, limits, watching, recording, end and the log of commands are here.
 */
export class DatabaseSession extends Session {
  readonly kind = 'query';
  private readonly parts: DatabaseSessionParts;
  private readonly commands: CommandLog;
  private readonly files: FileTransfers;
  private whyOver: ErrorCode = 'session_finished';
  private connection: DatabaseConnection | undefined;
  private sequence = 0;
  private tail = '';
  private grant: Grant;
  private waiting: (() => void)[] = [];
  private isBehind = false;

  constructor(parts: DatabaseSessionParts) {
    super(parts);
    this.parts = parts;
    this.grant = parts.row.grant;
    this.commands = new CommandLog(parts.row.id, parts.ports.sessions, (error) =>
      this.notLogged(error),
    );
    const database = shownName(parts.row.grant.asset.hostname);
    this.files = new FileTransfers({
      pathOf: (name) => `${database}: ${shownName(name)}`,
      write: (record) => this.logFile(record),
    });
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  get screen(): Screen {
    return { size: DATABASE_SCREEN, snapshot: () => Buffer.from(CLEAR + this.tail) };
  }

  protected get wasOpen(): boolean {
    return this.connection !== undefined;
  }

  /** Whether the permission allows nothing but reading, at this moment. */
  get isReadOnly(): boolean {
    return (this.grant.actions & CHANGE_DATA) === 0;
  }

  /** Whether results may be exported: `COPY … TO STDOUT`, a file of a result. */
  get canDownload(): boolean {
    return this.may('download_file');
  }

  /** Whether files may be sent: `COPY … FROM STDIN`, `LOAD DATA LOCAL`. */
  get canUpload(): boolean {
    return this.may('upload_file');
  }

  /** The database has let us in; called once. */
  attach(connection: DatabaseConnection): void {
    this.connection = connection;
    if (this.isOver) connection.close();
  }

  /** Something passed between client and database that is no statement: the session is not idle. */
  worked(): void {
    this.active();
  }

  /** The database has ended the connection, or it broke. */
  lost(isBroken: boolean): void {
    this.end(isBroken ? 'connect_target_lost' : 'connect_target_closed');
  }

  /** Settles when the commands and the files so far are durable, or the session has ended because they cannot be written; undefined where they are. */
  written(): Promise<unknown> | undefined {
    const [commands, files] = [this.commands.written(), this.files.written()];
    return commands || files ? Promise.all([commands, files]) : undefined;
  }

  /** A file begins to pass; its entry in the file-transfer log is written when it ends. `name` is that at the client, or the statement. */
  transfer(operation: 'upload' | 'download', name: string): FileTransfer {
    return this.files.begin(operation, name);
  }

  /** The permission does not allow a file; returns why, in the language of the person. Where the statement was not sent, it is logged here as refused. */
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
    if (unsent !== undefined) this.note(unsent, { error: message, isRefused: true });
    return message;
  }

  /** Settles when the recording has caught up with what was shown. */
  ready(): Promise<void> {
    if (!this.isBehind || this.isOver) return Promise.resolve();
    return new Promise((done) => this.waiting.push(done));
  }

  /** The recording has caught up. */
  recorderDrained(): void {
    this.isBehind = false;
    for (const done of this.waiting.splice(0)) done();
  }

  /**
   * Decides on a text of one or more statements before any of it is sent: the rights of the permission, then the guard, on each statement as the database would
   * read it. What is refused is in the log and in the recording when this settles. A guard that fails or takes too long refuses.
   */
  async decide(text: string, isByKeyTree = false): Promise<StatementDecision> {
    this.active();
    const decision = this.isOver
      ? this.refusal(ERRORS.session_finished)
      : await this.decideAll(text);
    // The permission may have ended while a person was asked.
    if (decision.isAllowed && this.isOver) return this.refusal(ERRORS.session_finished);
    return decision.isAllowed ? decision : this.refused(text, decision, isByKeyTree);
  }

  /** Refuses a text for a reason that its listener found, and logs it. */
  refuse(text: string, code: 'statement_not_utf8'): Promise<StatementDecision> {
    this.active();
    return this.refused(text, this.refusal(ERRORS[code]));
  }

  private async refused(text: string, decision: Refused, isByKeyTree = false): Promise<Refused> {
    if (this.isOver) return decision;
    this.note(text, { error: decision.message, isRefused: true, isByKeyTree });
    await this.written();
    return decision;
  }

  /** Writes a statement that is over into the log and the recording. */
  command({ statement, preview, ...end }: FinishedStatement): void {
    if (this.isOver) return;
    this.active();
    this.note(statement, { ...end, preview });
  }

  protected override granted(grant: Grant): void {
    const before = this.grant.actions;
    this.grant = grant;
    if (before !== grant.actions) this.parts.client.rightsChanged?.();
  }

  protected stop({ problem }: Refusal): void {
    this.whyOver = problem.code;
    this.recorderDrained();
    this.connection?.close();
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  protected async finish(): Promise<ReplayState> {
    await Promise.all([
      this.files.end(this.whyOver === 'session_finished' ? 'file_incomplete' : this.whyOver),
      this.commands.written(),
    ]);
    return this.parts.recorder.finish();
  }

  private may(action: 'download_file' | 'upload_file'): boolean {
    return (this.grant.actions & actionMask([action])) !== 0;
  }

  private refusal(text: LocalText, params?: Readonly<Record<string, string | number>>): Refused {
    return { isAllowed: false, message: say(text, this.row.person.language, params) };
  }

  private async decideAll(text: string): Promise<StatementDecision> {
    const { guard } = this.ports;
    const type = this.row.grant.database?.type ?? 'mysql';
    const { userId } = this.row.person;
    const bytes = Buffer.byteLength(text);
    // Clients of databases put files into statements.
    const most = this.parts.client.confirm ? MAX_STATEMENT : MAX_SENT_STATEMENT;
    if (bytes > most) return this.refusal(ERRORS.statement_too_long, { max: most / 1024 });
    if (bytes > MAX_CHECKED) await guard?.settled(this.row);
    const isRestricted = () => this.isReadOnly || guard?.applies(this.row) === true;
    const isChecked = isRestricted();
    if (isChecked && bytes > MAX_CHECKED)
      return this.refusal(ERRORS.statement_undecided, { max: MAX_CHECKED / 1024 });
    const read = bytes > MAX_CHECKED ? undefined : await readText(userId, text, type);
    if (!read) {
      // Nothing restricts the user, so that the meaning decides nothing.
      const found = isChecked ? undefined : await cutText(userId, text, type);
      // The permission may have changed while the text waited for its turn.
      if (!found || isRestricted()) return this.refusal(ERRORS.command_not_checked);
      return this.swept(found.sweeps, {
        isAllowed: true,
        statements: found.statements,
        isCharacterSetUnknown: true,
      });
    }
    const { meanings, statements, characterSet } = read;
    // A computed one takes effect within a text; behind a single statement the listener sets ours again.
    const isUnsafe =
      characterSet === 'computed' && (type === 'postgresql' ? isChecked : statements.length > 1);
    if (characterSet === 'other' || isUnsafe) return this.refusal(ERRORS.statement_character_set);
    if (this.isReadOnly && meanings.some(({ isReading }) => !isReading))
      return this.refusal(ERRORS.statement_read_only);
    const refusal = await this.filtered(meanings);
    if (refusal) return refusal;
    const sweeps = meanings.flatMap(({ sweep }) => sweep ?? []);
    return this.swept(sweeps, {
      isAllowed: true,
      statements,
      isCharacterSetUnknown: characterSet === 'computed',
    });
  }

  /** Asks before statements that affect every row, if the account says so and the client can be asked. */
  private async swept(
    sweeps: readonly Sweep[],
    allowed: StatementDecision,
  ): Promise<StatementDecision> {
    const [first] = sweeps;
    const { confirm } = this.parts.client;
    if (!first || !confirm || this.grant.database?.isUnasked) return allowed;
    const { language } = this.row.person;
    const question = sayQuestion(sweeps, language);
    const isConfirmed = await confirm
      .call(this.parts.client, question, GUARD_ANSWER_SECONDS, first.act)
      .catch(() => false);
    return isConfirmed ? allowed : { isAllowed: false, message: sayUnconfirmed(language) };
  }

  /** Lets the guard decide on each statement. Returns the refusal of the first that it refuses. */
  private async filtered(statements: ReadText['meanings']): Promise<Refused | undefined> {
    if (!this.ports.guard?.applies(this.row)) return undefined;
    for (const { spelled } of statements) {
      const verdict = await this.ask(spelled);
      if (verdict.kind === 'deny') return { isAllowed: false, message: verdict.message };
      if (verdict.kind === 'ask' && !this.parts.client.confirm)
        return this.refusal(ERRORS.statement_asks, { message: verdict.message });
      if (verdict.kind === 'ask' && !(await this.confirmed(verdict)))
        return { isAllowed: false, message: verdict.message };
    }
    return undefined;
  }

  private async ask(spelled: SpelledStatement): Promise<Verdict> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      return await Promise.race([
        this.ports.guard?.beforeStatement(spelled, this.row) ?? { kind: 'allow' as const },
        late,
      ]);
    } catch (error) {
      this.ports.log.error(
        { session: this.row.id, err: error },
        'a statement could not be checked and was refused',
      );
      return { kind: 'deny', message: say(ERRORS.command_not_checked, this.row.person.language) };
    } finally {
      clearTimeout(timer);
    }
  }

  private async confirmed({
    message,
    seconds = GUARD_ANSWER_SECONDS,
  }: Verdict & { readonly kind: 'ask' }): Promise<boolean> {
    return (await this.parts.client.confirm?.(message, seconds).catch(() => false)) === true;
  }

  private note(
    statement: string,
    {
      rows,
      milliseconds,
      error,
      preview,
      isRefused,
      isByKeyTree,
    }: Omit<FinishedStatement, 'statement'> & { readonly isRefused?: boolean },
  ): void {
    const { row, recorder } = this.parts;
    this.show(
      drawStatement(row.grant.database?.name || row.grant.asset.hostname, statement) +
        (preview ? drawResult(preview) : '') +
        drawEnd({ rows, milliseconds, ...(isRefused ? { message: error } : { error }) }),
    );
    this.commands.add({
      sequence: this.sequence++,
      input: cut(statement, MAX_INPUT),
      output: cut(error ?? resultText(preview, MAX_OUTPUT), MAX_OUTPUT),
      at: recorder.elapsed,
      ...(isRefused && { isRefused }),
      ...(!isRefused &&
        isSweeping(statement, row.grant.database?.type ?? 'mysql') && { isDangerous: true }),
      ...(isByKeyTree && { isByKeyTree }),
      ...(rows !== undefined && { rows }),
      ...(milliseconds !== undefined && { milliseconds }),
      ...(error !== undefined && !isRefused && { error }),
    });
  }

  private show(text: string): void {
    const data = text.replaceAll('\n', '\r\n');
    this.tail = (this.tail + data).slice(-DATABASE_TAIL);
    const bytes = Buffer.from(data);
    for (const watcher of this.watchers) watcher.output(bytes);
    if (!this.parts.recorder.output(bytes)) this.isBehind = true;
  }
}
