import type { ErrorCode } from './errors.ts';
import type { ConnectStage } from './terminal-protocol.ts';

/**
 * What the web file manager and the server say to each other. All paths are absolute and below the root of the account. Long answers are streams of JSON, one
 * value a line ({@link FILE_LINES}). Names may have lone surrogates, which stand for bytes that are no text; in an address such a path is written as JSON.
 */

/** The media type of answers in lines. */
export const FILE_LINES = 'application/x-ndjson';
/** Bytes of a text file that can be edited in the browser. */
export const MAX_TEXT_FILE = 1024 * 1024;
/** The most that one piece of an upload carries. */
export const MAX_UPLOAD_PIECE = 32 * 1024 * 1024;
/** Files and folders that one change, or one archive, is asked for. */
export const MAX_CHOSEN_FILES = 1000;
/** Seconds between the lines of an answer that has nothing to say yet. */
export const FILE_BEAT_SECONDS = 10;

export type FileKindName = 'file' | 'folder' | 'link' | 'other';

/** One entry of a folder: name, kind, bytes, permission bits, owner, group, and the second of its last change. */
export type FileRow = readonly [
  name: string,
  kind: FileKindName,
  size: number,
  mode: number,
  owner: string,
  group: string,
  modifiedAt: number,
];

/** A line of a folder. The last one is `end` or a problem. */
export type FolderLine =
  | { readonly entries: readonly FileRow[] }
  | { readonly end: { readonly count: number } }
  | FileProblemLine;

/** Why something did not work, in the language of the caller. */
export interface FileProblemLine {
  readonly problem: { readonly code: ErrorCode; readonly message: string; readonly retry: boolean };
}

/** A connection that is open. */
export interface FilesOpened {
  readonly session: string;
  readonly asset: string;
  readonly account: string;
  /** Which of `upload_file` and `download_file` the permission includes. */
  readonly actions: readonly string[];
  /** The setting of the account: `home`, `tmp`, or a path. */
  readonly root: string;
}

/** A line of a connection that is being made. The last one is `open`, `need_credentials` or a problem. */
export type FilesConnectLine =
  | { readonly stage: ConnectStage; readonly host?: string }
  | { readonly open: FilesOpened }
  | {
      readonly need_credentials: {
        readonly username: string;
        readonly reason: 'manual' | 'rejected';
      };
    }
  | FileProblemLine;

/** One entry by itself, with what a link leads to. */
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

/** A change of several files. `to` is the new path, where there is one; `mode` belongs to `chmod`. */
export interface FileChange {
  readonly action: FileAction;
  readonly items: readonly { readonly path: string; readonly to?: string }[];
  readonly mode?: number;
  readonly overwrite?: boolean;
}

/** A line of a change: what became of one item, a sign of life, or the end. */
export type FileChangeLine =
  | { readonly item: number; readonly code?: ErrorCode; readonly message?: string }
  | { readonly waiting: true }
  | { readonly end: true };

/** Where an upload is. */
export interface UploadState {
  /** Bytes that have arrived: the next piece begins here. */
  readonly offset: number;
  readonly complete: boolean;
  /** Of the whole file, once it is complete; lowercase hex. */
  readonly sha256?: string;
}

/** A text file to be edited. */
export interface TextFile {
  readonly text: string;
  readonly charset: TextCharset;
  /** Changes with the file. */
  readonly version: string;
}

export type TextCharset = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'gb18030';
export const TEXT_CHARSETS: readonly TextCharset[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'gb18030'];
