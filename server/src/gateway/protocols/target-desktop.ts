import type {
  ClipboardRights,
  DesktopColors,
  DesktopFacts,
  ErrorCode,
  FileRights,
  KeyboardLayout,
  RecordedKey,
} from '@sallyport/contract';
import type { DriveFolder } from '@sallyport/rdp';
import type { TargetEnd } from './target-end.ts';

/** Display preferences of the user. */
export interface DesktopWish {
  /** Size of the browser window, in pixels. The desktop may choose another size. */
  readonly width: number;
  readonly height: number;
  /** Keyboard layout for protocols that announce one; defaults to that of the server. */
  readonly keyboard?: KeyboardLayout;
  /** Bits per pixel, if the protocol negotiates them; defaults to full color. */
  readonly colors?: DesktopColors;
}

/** A folder that the desktop shows as a drive. */
export interface TargetDrive {
  readonly folder: DriveFolder;
  /** The desktop shows the drive. */
  accepted(): void;
  /** The desktop changed the folder. */
  changed(): void;
}

export interface DesktopRequest extends DesktopWish {
  readonly name: string;
  readonly clipboard: ClipboardRights;
  readonly files: FileRights;
  /** A folder to show as a drive, for protocols that have drives. */
  readonly drive?: TargetDrive;
  /** Program to start instead of the desktop, and its working directory. */
  readonly program?: string;
  readonly folder?: string;
}

/** Transfers that are allowed between a desktop and its user. */
export type DesktopRights = Pick<DesktopRequest, 'clipboard' | 'files'>;

/** A file transfer between a desktop and its user. */
export interface DesktopFile {
  /** Adds transferred bytes. */
  add(bytes: number): void;
  /**
   * The transfer ended: completely, or for the reason. `sha256` is set if the bytes passed in
   * order.
   */
  end(reason?: ErrorCode, sha256?: string): void;
}

/**
 * An open desktop at a target. Frames are bytes of its protocol after the handshake; they contain
 * no secret.
 */
export interface TargetDesktop {
  /**
   * The facts that a page needs before the first frame. The size follows later changes of the
   * desktop.
   */
  readonly facts: DesktopFacts;
  /** Sends bytes of the user's page; chunks may split messages. */
  write(bytes: Buffer): void;
  /** Bytes accepted by `write` that the target has not read yet. */
  readonly waiting: number;
  setRights(rights: DesktopRights): void;
  /** Asks for another size of the desktop, in pixels; for protocols whose page cannot ask. */
  resize?(size: { readonly width: number; readonly height: number }): void;
  /** Adds a read-only watcher. It receives the full picture first, then updates. */
  watch(onShow: DesktopView): DesktopWatch;
  /** Stops reading from the target (back pressure). */
  pause(): void;
  resume(): void;
  /** Closes the desktop and its route. Idempotent. */
  close(): void;
}

/**
 * Receives bytes for a watcher. `isStart` marks a chunk that begins with a whole message, where
 * skipped bytes may precede.
 */
export type DesktopView = (bytes: Buffer, isStart: boolean) => void;

export interface DesktopWatch {
  /** Sends the full picture again after skipped bytes. */
  refresh(): void;
  stop(): void;
}

export interface DesktopEvents {
  /** Bytes for the user's page. */
  onShow(bytes: Buffer): void;
  /**
   * Picture data for the recording, reduced to the visible part. `isWhole` marks the end of a whole
   * message, and `isSetup` bytes that draw nothing.
   */
  onPicture(bytes: Buffer, isWhole: boolean, isSetup?: boolean): void;
  /** The user was active; `pointer` is set for pointer input. */
  onInput(pointer?: DesktopPointer): void;
  /** The user pressed or released a key. */
  onKey(key: RecordedKey): void;
  /** Files may pass in these directions from now on: both sides can, and the rights allow it. */
  onFiles(rights: FileRights): void;
  /** A transfer begins. `name` is the announced path, with `/` as separator. */
  onFile(operation: 'upload' | 'download', name: string): DesktopFile;
  /** A requested transfer was rejected. */
  onFileRefused(operation: 'upload' | 'download', name: string, reason: ErrorCode): void;
  /** The target can change the size of its desktop. */
  onResizable(): void;
  onDrain(): void;
  /** Called once; `detail` describes invalid data of one side, or is the code of the target. */
  onEnd(how: TargetEnd | DesktopProblem, detail?: string): void;
}

/** Pointer position in pixels of the desktop, and pressed buttons as a bit mask. */
export interface DesktopPointer {
  readonly x: number;
  readonly y: number;
  readonly buttons: number;
}

/** Reason of an unexpected end of a desktop. */
export type DesktopProblem = Extract<
  ErrorCode,
  | 'desktop_unknown_data'
  | 'desktop_wrong_input'
  | 'connect_desktop_code'
  | 'connect_desktop_ended'
  | 'connect_desktop_license'
  | 'connect_desktop_limit'
  | 'connect_desktop_logged_off'
  | 'connect_desktop_refused'
  | 'connect_desktop_taken'
  | 'connect_rdp_no_bitmaps'
>;
