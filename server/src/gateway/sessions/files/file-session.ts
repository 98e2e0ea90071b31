import { actionMask } from '@sallyport/contract';
import { allowedCommand } from '../../../platform/allowed-commands.ts';
import { within } from '../../../platform/within.ts';
import { FILES_END_MS, FILES_HOLD_STOP_MS, MAX_OPEN_FILES } from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { inTime } from '../../protocols/ssh/ssh-client.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import type { SessionOpener } from '../open-session.ts';
import { Session, type SessionParts } from '../session.ts';
import { TRANSFER_LABELS } from '../transfer-labels.ts';
import { Boundary } from './boundary.ts';
import type { FileContext, OpenFile } from './file-context.ts';
import { KeptParts } from './kept-parts.ts';
import { ReadAhead } from './read-ahead.ts';
import type { RemoteFiles } from './remote-files.ts';
import { SessionFiles } from './session-files.ts';

/** A file-transfer session. It has no recording, only entries of the file-transfer log. */
export class FileSession extends Session {
  readonly kind = 'transfer';
  readonly screen = undefined;
  readonly recordedBytes = 0;
  private actions: number;
  private target: TargetFiles | undefined;
  private opened: RemoteFiles | undefined;
  private ending: Refusal | undefined;
  private lastActive = performance.now();
  private readonly running = new Set<Promise<unknown>>();
  private readonly openFiles = new Set<OpenFile>();
  private readonly connectMs: number;
  private readonly abandoned = new AbortController();

  constructor(parts: SessionParts) {
    super(parts);
    this.actions = parts.row.grant.actions;
    this.connectMs = parts.limits.connectSeconds * 1000;
  }

  /** The files. @throws Refusal before the session is open */
  get files(): RemoteFiles {
    if (!this.opened) throw new Refusal('connect_target_lost');
    return this.opened;
  }

  /** Current actions of the permission, as bits of `ACTIONS`. */
  get allowedActions(): number {
    return this.actions;
  }

  /** True if the client has no file open and has sent no request for some seconds. */
  override get isIdle(): boolean {
    return (
      this.openFiles.size === 0 &&
      this.running.size === 0 &&
      performance.now() - this.lastActive >= FILES_HOLD_STOP_MS
    );
  }

  protected override active(): void {
    this.lastActive = performance.now();
    super.active();
  }

  protected get wasOpen(): boolean {
    return this.opened !== undefined;
  }

  /**
   * Sets the open connection; called once. @throws Refusal when the root does not exist, or the
   * target does not answer in the time of one step of connecting
   */
  async attach(target: TargetFiles): Promise<void> {
    this.target = target;
    const { asset, systemUser } = this.row.grant;
    const context: FileContext = {
      files: target,
      boundary: await inTime(
        Boundary.open(target, systemUser.sftpRoot),
        this.connectMs,
        this.abandoned.signal,
        { host: `${asset.ip}:${asset.port}` },
      ),
      charset: asset.charset,
      ahead: new ReadAhead(target),
      kept: new KeptParts(this.ports.keptUploads, this.row),
      require: (action) => this.require(action),
      note: (record) => this.logFile(record),
      active: () => this.active(),
      keep: (file) => {
        if (this.openFiles.size >= MAX_OPEN_FILES) throw new Refusal('file_limit');
        this.require();
        this.openFiles.add(file);
      },
      release: (file) => this.openFiles.delete(file),
      during: (work) => this.during(work),
      ending: () => this.whyEnded(),
    };
    this.opened = new SessionFiles(context);
    void this.during(() => context.kept.removeExpired(context));
    if (this.isOver) target.close();
  }

  targetEnded(how: TargetEnd, message?: string): void {
    const code = TARGET_ENDS[how === 'closed' ? 'lost' : how];
    this.end(code, message === undefined ? undefined : { message });
  }

  protected override granted({ actions }: Grant): void {
    this.actions = actions;
  }

  protected override stop(reason: Refusal): void {
    this.ending = reason;
    this.abandoned.abort(reason);
  }

  /** Closes incomplete files while the target still answers. */
  protected async finish(): Promise<ReplayState> {
    const reason = this.whyEnded() ?? new Refusal('file_incomplete');
    const closed = this.closeAll(reason);
    await within(closed, FILES_END_MS, () => undefined);
    this.target?.close();
    // Requests to the closed target now fail and write their entries.
    await closed;
    return 'none';
  }

  private async closeAll(reason: Refusal): Promise<void> {
    // Wait for files that are being opened: they remove their own partial file.
    await Promise.allSettled(this.running);
    await Promise.allSettled([...this.openFiles].map((file) => file.close(reason)));
  }

  private during<Value>(work: () => Promise<Value>): Promise<Value> {
    const running = work();
    this.running.add(running);
    const forget = () => this.running.delete(running);
    running.then(forget, forget);
    return running;
  }

  /** The reason of the end, unless the user left. */
  private whyEnded(): Refusal | undefined {
    return this.ending?.problem.code === 'session_finished' ? undefined : this.ending;
  }

  private require(action?: 'upload_file' | 'download_file'): void {
    if (this.isOver) throw this.whyEnded() ?? new Refusal('file_incomplete');
    if (this.lock) throw new Refusal(this.lock.code, this.lock.params);
    if (action && (this.actions & actionMask([action])) === 0)
      throw new Refusal('transfer_denied', { action: TRANSFER_LABELS[action] });
  }
}

/** Name of file access in the command list of an enforced account. */
const SFTP = 'sftp';

/** Opens file sessions. The root must exist before anything is listed. */
export function filesOpener(): SessionOpener<FileSession> {
  return {
    kind: 'transfer',
    begin: async (parts) => {
      const { allowedCommands } = parts.row.grant.systemUser;
      if (
        allowedCommands !== undefined &&
        typeof allowedCommand(allowedCommands, SFTP) === 'string'
      )
        throw new Refusal('account_enforced');
      return new FileSession(parts);
    },
    async open(session, { openFiles }) {
      if (!openFiles)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      await session.attach(await openFiles((how, message) => session.targetEnded(how, message)));
    },
  };
}
