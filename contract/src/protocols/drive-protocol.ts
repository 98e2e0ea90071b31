/**
 * The folder of a desktop session that the desktop sees as a drive. Requests and answers are text
 * frames of the desktop's socket, with the number of the request.
 */

/** Allowed file directions: into the desktop (`upload`) and out of it (`download`). */
export interface FileRights {
  readonly upload: boolean;
  readonly download: boolean;
}

/** Bytes of a piece of a file: as base64 it fits into a frame. */
export const DRIVE_PIECE = 32 * 1024;
/** Maximum requests without an answer. */
export const MAX_DRIVE_REQUESTS = 32;
/** Maximum transfers of a page at a time. */
export const MAX_DRIVE_TRANSFERS = 4;
/** Maximum files and folders. */
export const MAX_DRIVE_ENTRIES = 1000;

/** Paths have `/` as separator; the root is ''. */
export type DriveAction =
  | { readonly action: 'list' | 'make_folder' | 'remove' | 'read' | 'write'; readonly path: string }
  /** The next piece of the file that request `of` opened. */
  | { readonly action: 'next'; readonly of: number }
  | { readonly action: 'piece'; readonly of: number; readonly data: string }
  /** Completes or gives up a transfer. */
  | { readonly action: 'done' | 'cancel'; readonly of: number };

export type DriveRequestMessage = { readonly type: 'drive'; readonly id: number } & DriveAction;

export interface DriveEntry {
  readonly name: string;
  readonly is_folder: boolean;
  readonly size: number;
}

/** The answer to a request: what it asked for, or an error in the user's language. */
export interface DriveAnswerMessage {
  readonly type: 'drive';
  readonly id: number;
  readonly entries?: readonly DriveEntry[];
  readonly size?: number;
  /** A piece in base64; empty at the end of the file. */
  readonly data?: string;
  readonly error?: string;
}

/** The drive exists at the desktop. Sent again when rights or contents have changed. */
export type DriveStateMessage = {
  readonly type: 'drive_state';
  readonly used: number;
  readonly max: number;
} & FileRights;
