import {
  type ErrorCode,
  type FileRights,
  OUTPUT_WINDOW,
  type RecordedKey,
} from '@sallyport/contract';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import {
  DESKTOP_INPUT_HELD,
  MAX_FILE_ENTRIES,
  MAX_WAITING_INPUT,
  PICTURE_TIMEOUTS,
  POINTER_EVERY_MS,
} from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { NewSession, ReplayState } from '../../ports/records.ts';
import type {
  DesktopFile,
  DesktopPointer,
  DesktopProblem,
  DesktopRights,
  TargetDesktop,
} from '../../protocols/target-desktop.ts';
import type { TargetEnd } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import { FileTransfers } from '../file-transfers.ts';
import { shownName } from '../files/paths.ts';
import { OutputFlow } from '../output-flow.ts';
import { Session, type SessionParts } from '../session.ts';
import type { Watcher } from '../session-client.ts';
import type { DesktopSessionClient } from './desktop-session-client.ts';
import { createDrive } from './drive/create-drive.ts';
import type { DesktopDrive } from './drive/desktop-drive.ts';
import { endOfTarget } from './end-of-target.ts';
import type { DesktopRecorder } from './recorder/desktop-recorder.ts';
import { rightsOf } from './rights.ts';

export interface DesktopSessionParts extends SessionParts {
  readonly client: DesktopSessionClient;
  readonly recorder: DesktopRecorder;
  /** Returns the live sessions, oldest first. */
  readonly live?: () => readonly NewSession[];
}

/** Carries protocol bytes both ways and records the picture. Only input resets the idle timer. */
export class DesktopSession extends Session {
  readonly kind = 'desktop';
  /** Watchers get frames instead of a character screen. */
  readonly screen = undefined;
  /** The folder that the desktop shows as a drive; undefined: none. */
  readonly drive: DesktopDrive | undefined;
  private readonly parts: DesktopSessionParts;
  private readonly flow: OutputFlow;
  private readonly files = new FileTransfers({
    pathOf: shownName,
    write: (record) => this.logFile(record),
  });
  private endReason: ErrorCode = 'session_finished';
  private passing: DesktopRights;
  private desktop: TargetDesktop | undefined;
  private isHeld = false;
  private waitsForLog = false;
  private pointerAt = Number.NEGATIVE_INFINITY;
  /** Ends a session without a first picture. It starts with the first bytes of the page. */
  private blank: NodeJS.Timeout | undefined;
  private hasPicture = false;

  constructor(parts: DesktopSessionParts) {
    super(parts);
    this.parts = parts;
    this.passing = rightsOf(parts.row.grant);
    this.drive = createDrive(parts, {
      rights: () => this.passing.files,
      transfer: (operation, name) => this.transfer(operation, name),
      refuseTransfer: (...refused) => this.refuseTransfer(...refused),
      note: (record) => this.logFile(record),
      answer: (id, answer) => parts.client.driveAnswer(id, answer),
      state: (state) => parts.client.driveState(state),
      failed: (err) =>
        parts.ports.log.error({ session: parts.row.id, err }, 'a request for a drive failed'),
    });
    this.flow = new OutputFlow({
      window: () => OUTPUT_WINDOW,
      send: (bytes) => parts.client.output(bytes),
      pause: () => this.desktop?.pause(),
      resume: () => this.desktop?.resume(),
    });
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  get rights(): DesktopRights {
    return this.passing;
  }

  /** Sets the open desktop; called once, before its first frame. */
  attach(desktop: TargetDesktop): void {
    this.desktop = desktop;
    if (this.isOver) {
      desktop.close();
      return;
    }
    const { recordsKeys } = this.parts.limits;
    this.parts.recorder.start(desktop.facts, recordsKeys);
    this.parts.client.desktop(desktop.facts, recordsKeys);
    this.parts.client.clipboard(this.passing.clipboard);
  }

  /** Sends bytes to the user's page. */
  show(bytes: Buffer): void {
    if (!this.isOver) this.flow.push(bytes);
  }

  /** Adds picture bytes to the recording; `isSetup` if they draw nothing. */
  record(bytes: Buffer, isWhole: boolean, isSetup = false): void {
    if (!isSetup) {
      this.hasPicture = true;
      clearTimeout(this.blank);
    }
    if (!this.isOver && !this.parts.recorder.picture(bytes, isWhole))
      this.flow.hold('recorder', true);
  }

  recorderDrained(): void {
    this.flow.hold('recorder', false);
  }

  /** Reports user input; resets the idle timer. */
  did(pointer?: DesktopPointer): void {
    if (this.isOver) return;
    this.active();
    const now = performance.now();
    if (!pointer || (pointer.buttons === 0 && now - this.pointerAt < POINTER_EVERY_MS)) return;
    this.pointerAt = now;
    this.parts.recorder.pointer(pointer);
    for (const watcher of this.watchers) watcher.pointer?.(pointer.x, pointer.y);
  }

  /** Asks the target for another size of the desktop. */
  resize(size: { readonly width: number; readonly height: number }): void {
    if (!this.isOver) this.desktop?.resize?.(size);
  }

  /** Reports that the target supports files, with the allowed directions. */
  passesFiles(rights: FileRights): void {
    if (!this.isOver) this.parts.client.files(rights);
  }

  /** Starts a file. Its log entry is written at its end. */
  transfer(operation: 'upload' | 'download', name: string): DesktopFile {
    const transfer = this.files.begin(operation, name);
    return {
      add: (bytes) => {
        transfer.add(bytes);
        this.active();
      },
      end: (reason, sha256) => {
        transfer.end(reason, sha256);
        this.waitForLog();
      },
    };
  }

  /** Logs a file that was rejected. */
  refuseTransfer(operation: 'upload' | 'download', name: string, reason: ErrorCode): void {
    this.files.refused(operation, name, reason);
    this.waitForLog();
  }

  /** Records a key press or release. Keys for our own password prompt do not come here. */
  typed(key: RecordedKey): void {
    if (!this.isOver && this.parts.limits.recordsKeys) this.parts.recorder.key(key);
  }

  /** Ends the session after its target: closed, lost, or a protocol violation by one side. */
  targetEnded(how: TargetEnd | DesktopProblem, detail?: string): void {
    // `detail` is our own text, or a number of the target.
    if (detail !== undefined && !this.isOver)
      this.ports.log.warn(
        { session: this.row.id, code: how, detail },
        'a desktop was ended by what one side sent',
      );
    const isBlank = this.desktop !== undefined && !this.hasPicture;
    const live = this.parts.live?.() ?? [];
    const { code, params } = endOfTarget(how, { row: this.row, isBlank, live, detail }).problem;
    this.end(code, params);
  }

  /** Takes bytes of the page. Returns false if too much input waits: the caller must disconnect. */
  input(bytes: Buffer): boolean {
    const { desktop } = this;
    if (this.isOver || !desktop || bytes.length === 0) return true;
    if (desktop.waiting + bytes.length > MAX_WAITING_INPUT) return false;
    if (!this.hasPicture) this.awaitPicture();
    desktop.write(bytes);
    if (desktop.waiting > DESKTOP_INPUT_HELD) this.hold(true);
    return true;
  }

  /** Resumes reading from the user: the target has read its input. */
  inputDrained(): void {
    if (!this.waitsForLog) this.hold(false);
  }

  /** Counts bytes that the page confirms. Returns false if it confirms more than we sent. */
  acknowledge(bytes: number): boolean {
    return this.flow.acknowledge(bytes);
  }

  /**
   * Adds a watcher: first the whole picture, then changes.
   * @throws Refusal when no picture exists or the watcher cannot show desktops
   */
  override watch(watcher: Watcher): { readonly stop: () => void; readonly snapshot: () => Buffer } {
    const { desktop } = this;
    if (!desktop || !watcher.desktop) throw new Refusal('session_not_watchable');
    watcher.desktop(desktop.facts);
    const { stop, refresh } = desktop.watch((bytes, isStart) => watcher.output(bytes, isStart));
    this.watchers.add(watcher);
    return {
      stop: () => {
        stop();
        this.watchers.delete(watcher);
      },
      snapshot: () => {
        refresh();
        return Buffer.alloc(0);
      },
    };
  }

  protected override granted(grant: Grant): void {
    const { clipboard: before, files } = this.passing;
    const rights = rightsOf(grant);
    this.passing = rights;
    const { copy, paste } = rights.clipboard;
    const hasOtherTexts = copy !== before.copy || paste !== before.paste;
    if (
      hasOtherTexts ||
      rights.files.upload !== files.upload ||
      rights.files.download !== files.download
    )
      this.desktop?.setRights(rights);
    this.drive?.rightsChanged(files);
    if (hasOtherTexts && this.desktop) this.parts.client.clipboard(rights.clipboard);
  }

  protected get wasOpen(): boolean {
    return this.desktop !== undefined;
  }

  protected stop({ problem }: Refusal): void {
    clearTimeout(this.blank);
    this.endReason = problem.code;
    this.desktop?.close();
  }

  protected async finish(): Promise<ReplayState> {
    await this.drive?.end();
    await this.files.end(
      this.endReason === 'session_finished' ? 'file_incomplete' : this.endReason,
    );
    return this.parts.recorder.finish();
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  private awaitPicture(): void {
    const { ip, port } = this.row.grant.asset;
    this.blank ??= setTimeout(
      () => this.end('connect_no_picture', { host: `${ip}:${port}` }),
      this.parts.limits.connectSeconds * 1000 * PICTURE_TIMEOUTS,
    );
  }

  /** Pauses both sides while too many file entries wait for the log, to limit memory. */
  private waitForLog(): void {
    if (this.isOver || this.waitsForLog || this.files.waiting <= MAX_FILE_ENTRIES) return;
    this.waitsForLog = true;
    this.flow.hold('log', true);
    this.hold(true);
    void this.files.written()?.then(() => {
      this.waitsForLog = false;
      this.flow.hold('log', false);
      if (!this.desktop || this.desktop.waiting <= DESKTOP_INPUT_HELD) this.hold(false);
    });
  }

  private hold(on: boolean): void {
    if (on === this.isHeld) return;
    this.isHeld = on;
    this.parts.client.holdInput(on);
  }
}
