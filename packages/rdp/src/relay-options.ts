import type { ClipboardEnds, PassRights } from './clipboard/clipboard.ts';
import type { FileLimits } from './clipboard/file-flow.ts';
import type { DisplayControlEnds } from './display-control.ts';
import type { DriveEnds } from './drive/drive-channel.ts';
import type { DriveFolder } from './drive/drive-folder.ts';
import type { PersonInput } from './input.ts';
import type { Colors, ScreenSize } from './settings.ts';

export interface RelayOptions {
  /** The security protocol that the server chose. */
  readonly protocol: number;
  readonly size: ScreenSize;
  readonly colors: Colors;
  readonly keyboardLayout: number;
  readonly passes: PassRights;
  readonly fileLimits: FileLimits;
  /** The Client Info PDU that replaces the browser's; dropped after sending. */
  readonly clientInfo: Buffer;
  /** The folder that the desktop sees as a drive; absent: none. */
  readonly drive?: RelayDrive | undefined;
  /** Requests the server's console instead of a new session. */
  readonly isConsole?: boolean;
}

/** A folder of the gateway, and its receivers. */
export interface RelayDrive extends Pick<DriveEnds, 'ready' | 'accepted' | 'changed' | 'failed'> {
  readonly folder: DriveFolder;
}

/** Receivers of permitted PDUs and of reports. */
export interface RelayEnds
  extends Pick<ClipboardEnds, 'files' | 'uploads' | 'downloads'>,
    Pick<DisplayControlEnds, 'resizable' | 'resized'> {
  toServer(pdu: Buffer): void;
  toBrowser(pdu: Buffer): void;
  /** A PDU of the picture, for the recording and for watchers; `isSetup` if it draws nothing. */
  picture(pdu: Buffer, isSetup?: boolean): void;
  input(userInput: PersonInput): void;
  /** The server announced the end of the session. */
  goodbye(): void;
  /** The server named the reason of its end by a code of MS-RDPBCGR 2.2.5.1.1; 0 is none. */
  endReason(code: number): void;
}
