import {
  actionMask,
  type ClipboardRights,
  type DesktopFacts,
  type ErrorCode,
  type FileRights,
  type RecordedKey,
} from '@sallyport/contract';
import type { RecordingDigest } from '../../../platform/storage/recordings.ts';
import {
  DESKTOP_INPUT_HELD,
  MAX_DESKTOP_FILE_ENTRIES,
  MAX_WAITING_INPUT,
  POINTER_EVERY_MS,
} from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import type {
  DesktopFile,
  DesktopPointer,
  DesktopProblem,
  DesktopRights,
  TargetDesktop,
  TargetEnd,
} from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { FileTransfers } from '../file-transfers.ts';
import { shownName } from '../files/names.ts';
import { OutputFlow } from '../output-flow.ts';
import { Session, type SessionParts } from '../session.ts';
import type { SessionClient, Watcher } from '../session-client.ts';
import { TARGET_ENDS } from '../target-ends.ts';
import type { DesktopRecorder } from './recorder/desktop-recorder.ts';

/** The near side of a desktop session. */
export interface DesktopSessionClient extends SessionClient {
  /** The desktop is open and has this size; frames follow. */
  desktop(facts: DesktopFacts, areKeysRecorded: boolean): void;
  /** Which texts pass from now on. */
  clipboard(rights: ClipboardRights): void;
  /** Which files pass from now on; not called where none can. */
  files(rights: FileRights): void;
  /** Takes bytes; the client acknowledges them to the session when the page has taken them. */
  output(bytes: Buffer): void;
  /** Stops reading from the person for a moment, or goes on. */
  holdInput(on: boolean): void;
}

/** What a desktop session is made of when its recording has begun. */
export interface DesktopSessionParts extends SessionParts {
  readonly client: DesktopSessionClient;
  readonly recorder: DesktopRecorder;
}

/** Which texts and files a permission lets pass. */
export function rightsOf({ actions }: Pick<Grant, 'actions'>): DesktopRights {
  const has = (name: string) => (actions & actionMask([name])) !== 0;
  return {
    clipboard: { copy: has('clipboard_copy'), paste: has('clipboard_paste') },
    files: { upload: has('upload_file'), download: has('download_file') },
  };
}

/** A session in which people use a desktop: bytes of its protocol in two directions; what it shows is recorded. Only what the person does keeps it from being idle. */
export class DesktopSession extends Session {
  readonly kind = 'desktop';
  /** Those who watch get frames, not a screen of characters. */
  readonly screen = undefined;
  private readonly parts: DesktopSessionParts;
  private readonly flow: OutputFlow;
  private readonly files = new FileTransfers({
    pathOf: shownName,
    write: (record) => this.logFile(record),
  });
  private whyOver: ErrorCode = 'session_finished';
  private passing: DesktopRights;
  private desktop: TargetDesktop | undefined;
  private isHeld = false;
  private waitsForLog = false;
  private pointerAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DesktopSessionParts) {
    super(parts);
    this.parts = parts;
    this.passing = rightsOf(parts.row.grant);
    this.flow = new OutputFlow({
      send: (bytes) => parts.client.output(bytes),
      pause: () => this.desktop?.pause(),
      resume: () => this.desktop?.resume(),
    });
  }

  get recordedBytes(): number {
    return this.parts.recorder.size;
  }

  /** Which texts and files pass at this moment. */
  get rights(): DesktopRights {
    return this.passing;
  }

  /** The desktop is open; called once, before its first frame. */
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

  /** Takes bytes for the person's page. */
  show(bytes: Buffer): void {
    if (!this.isOver) this.flow.push(bytes);
  }

  /** Takes bytes of the picture for the recording. */
  record(bytes: Buffer, isWhole: boolean): void {
    if (!this.isOver && !this.parts.recorder.picture(bytes, isWhole))
      this.flow.hold('recorder', true);
  }

  /** The disk has caught up. */
  recorderDrained(): void {
    this.flow.hold('recorder', false);
  }

  /** The person did something. */
  did(pointer?: DesktopPointer): void {
    if (this.isOver) return;
    this.active();
    const now = performance.now();
    if (!pointer || (pointer.buttons === 0 && now - this.pointerAt < POINTER_EVERY_MS)) return;
    this.pointerAt = now;
    this.parts.recorder.pointer(pointer);
    for (const watcher of this.watchers) watcher.pointer?.(pointer.x, pointer.y);
  }

  /** Files pass from now on, as far as these rights go. */
  passesFiles(rights: FileRights): void {
    if (!this.isOver) this.parts.client.files(rights);
  }

  /** A file begins to pass; its entry in the file-transfer log is written when it ends. */
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

  /** Nothing of a file passes, and why. */
  refuseTransfer(operation: 'upload' | 'download', name: string, reason: ErrorCode): void {
    this.files.refused(operation, name, reason);
    this.waitForLog();
  }

  /** The person pressed a key at the desktop, or let it go. What is typed into our own question for a password is no key of the desktop. */
  typed(key: RecordedKey): void {
    if (!this.isOver && this.parts.limits.recordsKeys) this.parts.recorder.key(key);
  }

  /** The target has ended, was lost, or one side sent what cannot be passed on. */
  targetEnded(how: TargetEnd | DesktopProblem, detail?: string): void {
    // What was wrong is ours to say: nothing of it comes from either side.
    if (detail !== undefined && !this.isOver)
      this.ports.log.warn(
        { session: this.row.id, code: how, detail },
        'a desktop was ended by what one side sent',
      );
    this.end(how === 'closed' || how === 'lost' || how === 'flooded' ? TARGET_ENDS[how] : how);
  }

  /** Takes bytes of the person's page; false when so much of it waits that they must be cut off. */
  input(bytes: Buffer): boolean {
    const { desktop } = this;
    if (this.isOver || !desktop || bytes.length === 0) return true;
    if (desktop.waiting + bytes.length > MAX_WAITING_INPUT) return false;
    desktop.write(bytes);
    if (desktop.waiting > DESKTOP_INPUT_HELD) this.hold(true);
    return true;
  }

  /** The target has read what waited. */
  inputDrained(): void {
    if (!this.waitsForLog) this.hold(false);
  }

  /** The page has taken so many bytes; false when that is more than was sent. */
  acknowledge(bytes: number): boolean {
    return this.flow.acknowledge(bytes);
  }

  /** Adds a watcher: all of the picture first, then what changes. @throws Refusal where there is no picture, or none that the watcher can see */
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
    if (hasOtherTexts && this.desktop) this.parts.client.clipboard(rights.clipboard);
  }

  protected get wasOpen(): boolean {
    return this.desktop !== undefined;
  }

  protected stop({ problem }: Refusal): void {
    this.whyOver = problem.code;
    this.desktop?.close();
  }

  protected async finish(): Promise<ReplayState> {
    await this.files.end(this.whyOver === 'session_finished' ? 'file_incomplete' : this.whyOver);
    return this.parts.recorder.finish();
  }

  protected override get kept(): RecordingDigest | undefined {
    return this.parts.recorder.kept;
  }

  /** Many small files must not fill memory with their entries: neither side is read until those so far are written. */
  private waitForLog(): void {
    if (this.isOver || this.waitsForLog || this.files.waiting <= MAX_DESKTOP_FILE_ENTRIES) return;
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
