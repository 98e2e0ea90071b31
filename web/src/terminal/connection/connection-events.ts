import type {
  ClipboardRights,
  DesktopFacts,
  DriveAnswerMessage,
  DriveStateMessage,
  FileRights,
  SessionGuest,
} from '@sallyport/contract';
import type { ConnectionState } from './connection-state.ts';
import type { Output } from './output.ts';
import type { TransferLine } from './transfer-line.ts';

/** A notice of the server to the user; `over` when the cause of the last notice has ended. */
export interface SessionNotice {
  readonly message: string;
  readonly over: boolean;
}

export interface ConnectionEvents {
  readonly state: ConnectionState;
  readonly output: Output;
  /** The guests in the session. */
  readonly guests: readonly SessionGuest[];
  /** A notice of the server about the session. */
  readonly notice: SessionNotice;
  /** The reason for which the server does not pass input; null when it passes again. */
  readonly locked: string | null;
  /** A desktop begins; its frames are the output. */
  readonly desktop: DesktopFacts & { readonly keys_recorded?: boolean };
  /** Which texts pass between the desktop and this page. */
  readonly clipboard: ClipboardRights;
  /** `rz` or `sz` at the target waits for this page. */
  readonly transfer: TransferLine;
  /** Which files pass between the desktop and this page. */
  readonly files: FileRights;
  /** An answer of the drive of the desktop, or its state. */
  readonly drive: DriveAnswerMessage | DriveStateMessage;
  /** The server can change the size of its desktop. */
  readonly resizable: null;
}
