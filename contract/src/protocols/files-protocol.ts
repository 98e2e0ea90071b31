import type { ErrorCode } from '../errors/errors.ts';
import type { ConnectStageFacts } from './terminal-protocol.ts';

/**
 * The protocol of the web file manager. Paths are absolute, below the root of the account. Long
 * answers are JSON streams, one value per line ({@link FILE_LINES}). Names may contain lone
 * surrogates for bytes that are not UTF-8; addresses contain such paths as JSON.
 */

/** Media type of line streams. */
export const FILE_LINES = 'application/x-ndjson';
/** Maximum bytes of an editable text file. */
export const MAX_TEXT_FILE = 1024 * 1024;
/** Maximum bytes of an upload piece. */
export const MAX_UPLOAD_PIECE = 32 * 1024 * 1024;
/** Maximum files and folders per change or archive. */
export const MAX_CHOSEN_FILES = 1000;
/** Seconds between keep-alive lines of a slow answer. */
export const FILE_BEAT_SECONDS = 10;

export type FileKindName = 'file' | 'folder' | 'link' | 'other';

/**
 * An entry of a folder: name, kind, bytes, permission bits, owner, group, and modification time in
 * seconds.
 */
export type FileRow = readonly [
  name: string,
  kind: FileKindName,
  size: number,
  mode: number,
  owner: string,
  group: string,
  modifiedAt: number,
];

/** A line of a folder listing. The last one is `end` or a problem. */
export type FolderLine =
  | { readonly entries: readonly FileRow[] }
  | { readonly end: { readonly count: number } }
  | FileProblemLine;

/** A failed operation, in the caller's language. */
export interface FileProblemLine {
  readonly problem: { readonly code: ErrorCode; readonly message: string; readonly retry: boolean };
}

export interface FilesOpened {
  readonly session: string;
  readonly asset: string;
  readonly account: string;
  /** Allowed actions among `upload_file` and `download_file`. */
  readonly actions: readonly string[];
  /** The account's setting: `home`, `tmp`, or a path. */
  readonly root: string;
}

/** A line while a connection opens. The last one is `open`, `need_credentials` or a problem. */
export type FilesConnectLine =
  | ConnectStageFacts
  | { readonly open: FilesOpened }
  | {
      readonly need_credentials: {
        readonly username: string;
        readonly reason: 'manual' | 'rejected';
      };
    }
  /** Reviewers decide on the connection: connect again with a reason. */
  | { readonly need_reason: true }
  | FileProblemLine;

/** Details of one entry, with the target of a link. */
export interface FileDetail {
  readonly name: string;
  readonly kind: FileKindName;
  readonly size: number;
  readonly mode: number;
  readonly owner: string;
  readonly group: string;
  readonly modified_at: number;
  readonly link_target: string | null;
  readonly target_kind: FileKindName | null;
}

export type FileAction =
  | 'rename'
  | 'move'
  | 'copy'
  | 'delete'
  | 'make_folder'
  | 'make_file'
  | 'chmod';
export const FILE_ACTIONS: readonly FileAction[] = [
  'rename',
  'move',
  'copy',
  'delete',
  'make_folder',
  'make_file',
  'chmod',
];

/** A change of several files. `to` is the new path of a move; `mode` belongs to `chmod`. */
export interface FileChange {
  readonly action: FileAction;
  readonly items: readonly { readonly path: string; readonly to?: string }[];
  readonly mode?: number;
  readonly overwrite?: boolean;
}

/** A line of a change: the result of one item, its progress, a keep-alive, or the end. */
export type FileChangeLine =
  | { readonly item: number; readonly removed: number }
  | { readonly item: number; readonly code?: ErrorCode; readonly message?: string }
  | { readonly waiting: true }
  | { readonly end: true };

export interface UploadState {
  /** Received bytes; the next piece starts at this offset. */
  readonly offset: number;
  readonly complete: boolean;
  /** SHA-256 of the complete file, in lowercase hex. */
  readonly sha256?: string;
  /** The file is complete, but the server refused its time or mode. */
  readonly attributes_refused?: boolean;
}

/** A text file for the editor. */
export interface TextFile {
  readonly text: string;
  readonly charset: TextCharset;
  /** Changes with every modification of the file. */
  readonly version: string;
}

export type TextCharset = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'gb18030';
export const TEXT_CHARSETS: readonly TextCharset[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'gb18030'];
