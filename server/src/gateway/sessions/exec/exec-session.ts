import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import { EXEC_RECORDED } from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import type { TargetExec, TargetExit } from '../../protocols/connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { problemOf } from '../../refusal.ts';
import { checkWhole, recordOf } from '../begin-recorded.ts';
import type { CapturedOutput } from '../capture.ts';
import { HeldInput } from '../held-input.ts';
import { Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';
import { plainText } from '../terminal/commands/output-capture.ts';
import type { Recorder } from '../terminal/recorder/recorder.ts';
import { requireTransferRight, type TransferLog, transferLogOf } from './transfer-log.ts';

/** Maximum bytes of output in the command log. */
const MAX_OUTPUT = 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The near side of a command without a terminal. */
export interface ExecClient extends SessionClient {
  /** Sends output. Returns false to request a pause until the client calls `clientDrained`. */
  output(chunk: Buffer, isError: boolean): boolean;
  exited(exit: TargetExit): void;
  /** Resumes input after `input` returned false. */
  inputDrained(): void;
}

export interface ExecSessionParts extends SessionParts {
  readonly client: ExecClient;
  readonly recorder: Recorder;
  readonly command: string;
}

/**
 * Runs one command without a terminal and passes bytes unchanged both ways. Keeps the command, its
 * exit status and its first output.
 */
export class ExecSession extends Session {
  readonly kind = 'terminal';
  readonly screen = undefined;
  private readonly parts: ExecSessionParts;
  /** Set if the command transfers files. */
  private readonly transfer: TransferLog | undefined;
  private readonly notes: Promise<void>[] = [];
  private readonly held = new HeldInput();
  private target: TargetExec | undefined;
  /** True once the command ran. A short command may end before `attach`. */
  private hasRun = false;
  private exit: TargetExit | undefined;
  /** The text with which the target disconnected. */
  private message: string | undefined;
  private recorded = 0;
  private firstOutput: Buffer[] = [];
  private firstBytes = 0;
  private readonly captured: CapturedOutput;

  constructor(parts: ExecSessionParts) {
    super(parts);
    this.parts = parts;
    this.transfer = transferLogOf(parts.command, (record) =>
      this.notes.push(this.logFile(record).catch(() => undefined)),
    );
    const { recorder } = parts;
    this.captured = parts.capture.output({
      cols: 0,
      now: () => recorder.elapsed,
      onOutput: (output, at) => recorder.output(output, at),
    });
    this.captured.push(
      Buffer.from(`$ ${parts.command.slice(0, EXEC_RECORDED).replaceAll('\n', '\r\n')}\r\n`),
    );
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  protected get wasOpen(): boolean {
    return this.hasRun;
  }

  /** True if the guard has rules for this session. */
  get isGuarded(): boolean {
    return this.parts.ports.guard?.applies(this.row) === true;
  }

  /** Asks the guard about the command and returns the command to run. @throws Refusal */
  checkCommand(): Promise<string> {
    return checkWhole(this.parts.command, this.row, this.parts.ports);
  }

  /** Sets the running command; called once. Its first output may have arrived already. */
  attach(target: TargetExec): void {
    this.hasRun = true;
    this.target = target;
    if (this.isOver) target.close();
  }

  fromTarget(chunk: Buffer, isError: boolean): void {
    if (this.isOver) return;
    this.active();
    if (!isError && this.transfer?.fromTarget(chunk) === false) {
      this.end('transfer_unreadable');
      return;
    }
    if (this.recorded < EXEC_RECORDED && (isError || !this.transfer)) this.record(chunk);
    if (!this.parts.client.output(chunk, isError)) this.target?.pause();
  }

  clientDrained(): void {
    this.target?.resume();
  }

  /** Takes input. Returns false to request a pause. */
  input(chunk: Buffer): boolean {
    if (this.isOver || !this.target) return true;
    this.active();
    if (this.transfer?.fromClient(chunk) === false) {
      this.end('transfer_unreadable');
      return true;
    }
    return this.lock ? this.held.add(chunk) : this.target.write(chunk);
  }

  protected override lockChanged(): void {
    if (!this.lock && this.target && this.held.release(this.target))
      this.parts.client.inputDrained();
  }

  inputEnded(): void {
    if (this.lock) this.held.end();
    else if (!this.isOver) this.target?.finishInput();
  }

  signal(name: string): void {
    if (!this.isOver && !this.lock) this.target?.signal(name);
  }

  /** Reports the exit. The session ends after the last output. */
  exited(exit: TargetExit): void {
    this.hasRun = true;
    this.exit = exit;
    this.parts.client.exited(exit);
  }

  targetEnded(how: TargetEnd, message?: string): void {
    this.message = message;
    this.end(TARGET_ENDS[how], message === undefined ? undefined : { message });
  }

  protected override granted({ actions }: Grant): void {
    try {
      requireTransferRight(this.parts.command, actions);
    } catch (error) {
      const { code, params } = problemOf(error);
      this.end(code, params);
    }
  }

  protected stop(): void {
    this.target?.close();
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  protected async finish(): Promise<ReplayState> {
    const { recorder } = this.parts;
    this.captured.flush();
    if (this.hasRun)
      this.transfer?.end(this.exit !== undefined && 'code' in this.exit && this.exit.code === 0);
    await Promise.all(this.notes);
    const ending = endingOf(this.exit, this.message);
    if (this.recorded >= EXEC_RECORDED)
      recorder.output(Buffer.from('\r\n[the rest of the output was not recorded]\r\n'));
    if (ending !== '') recorder.output(Buffer.from(`${ending}\r\n`));
    // The recording is completed while the command becomes durable.
    const [replayState] = await Promise.all([recorder.finish(), this.noteCommand(ending)]);
    return replayState;
  }

  /** Logs the command with the beginning of its output. */
  private async noteCommand(ending: string): Promise<void> {
    if (!this.hasRun) return;
    const { command, ports, row, capture } = this.parts;
    const output = capture
      .text(
        plainText(Buffer.concat(this.firstOutput).toString('utf8')),
        this.firstBytes >= MAX_OUTPUT * 4,
      )
      .trimEnd()
      .slice(0, MAX_OUTPUT - ending.length - 1);
    const record = recordOf(command, [output, ending].filter(Boolean).join('\n'));
    await ports.sessions.addCommands(row.id, [record]).catch((error: unknown) => {
      ports.log.error(
        { session: row.id, err: error },
        'the command of a session could not be written',
      );
    });
  }

  private record(chunk: Buffer): void {
    const part = chunk.subarray(0, EXEC_RECORDED - this.recorded);
    this.recorded += part.length;
    this.captured.push(withCarriageReturns(part));
    if (this.firstBytes >= MAX_OUTPUT * 4) return;
    const first = part.subarray(0, MAX_OUTPUT * 4 - this.firstBytes);
    this.firstBytes += first.length;
    this.firstOutput.push(Buffer.from(first));
  }
}

/** The line of the recording and of the command log that says how a command ended. */
function endingOf(exit: TargetExit | undefined, message: string | undefined): string {
  if (exit === undefined)
    return message === undefined ? '' : `[the server disconnected: ${message}]`;
  if ('code' in exit) return `[exit status ${exit.code}]`;
  const how = exit.isDumped ? `${exit.signal}, core dumped` : exit.signal;
  return `[ended by signal ${exit.message ? `${how}: ${exit.message}` : how}]`;
}

/** Adds carriage returns like a terminal does, so that replays start each line at the left. */
function withCarriageReturns(chunk: Buffer): Buffer {
  if (!chunk.includes(NEWLINE)) return Buffer.from(chunk);
  const bytes = Buffer.allocUnsafe(chunk.length * 2);
  let length = 0;
  let before = 0;
  // The iterator of a buffer takes five times as long as an index.
  for (let at = 0; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (byte === NEWLINE && before !== CARRIAGE_RETURN) bytes[length++] = CARRIAGE_RETURN;
    bytes[length++] = byte;
    before = byte;
  }
  return bytes.subarray(0, length);
}
