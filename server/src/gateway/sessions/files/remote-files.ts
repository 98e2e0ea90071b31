import type { Readable } from 'node:stream';
import type { Pieces } from '../../../platform/ssh/sftp/pieces.ts';

/** What an entry of a folder is. `other`: a socket, a pipe or a device, which can be listed and nothing else. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** One entry of a folder. */
export interface FileEntry {
  /** Without its folder. Bytes that are no character of the asset's charset are lone surrogates, so that every name survives a round trip (`names.ts`). */
  readonly name: string;
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** The permission bits, `0o7777` at the most. */
  readonly mode: number;
  readonly ownerId: number;
  readonly groupId: number;
  /** The names of both, where the target says them. */
  readonly owner?: string;
  readonly group?: string;
  /** When the content changed, in seconds since 1970. */
  readonly modifiedAt: number;
  /** Where a link leads, as the target wrote it; only in the answer of `stat`. */
  readonly linkTarget?: string;
  /** What a link leads to; only in the answer of `stat`, absent when that is missing or outside of the root. */
  readonly targetKind?: FileKind;
}

/** A file that is open for reading. Several reads may be under way at once. */
export interface FileReader {
  /** When it was opened. */
  readonly entry: FileEntry;
  /** Up to `length` bytes; fewer at the end of the file, none behind it. */
  read(offset: number, length: number): Promise<Buffer>;
  /** The same in the pieces in which it came, of which nothing is copied. */
  readPieces(offset: number, length: number): Promise<Pieces>;
  /** Ends the download and writes its entry in the log. `failed` says why it did not come to its end. */
  close(failed?: Error): Promise<void>;
}

/** What became of an upload. */
export interface UploadResult {
  readonly size: number;
  /** Of the whole file, lowercase hex. */
  readonly sha256: string;
}

/** How an upload begins. */
export interface UploadOptions {
  /** The size that it will have, where known: `complete` refuses another one. */
  readonly size?: number | undefined;
  /** Whether a file of this name may be replaced. */
  readonly overwrite: boolean;
  /** Names the part on the target (8 to 36 letters, digits and `-`); the same id continues an upload that was interrupted. */
  readonly uploadId?: string | undefined;
  /** The permission bits of a new file. A file that is replaced passes its own on. */
  readonly mode?: number | undefined;
  /** Begins with the content of the file that is there, for clients that change parts of it. */
  readonly keepsContent?: boolean | undefined;
}

/** A file on its way to the target, written as `.name.sallyport-<id>` next to its place until it is complete. */
export interface FileUpload {
  readonly uploadId: string;
  /** How many bytes of it are on the target: where an interrupted upload goes on. */
  offset(): number;
  /** Looks at the target how many bytes of it are there: another server of the installation may have gone on with it. */
  refresh(): Promise<void>;
  /** Writes bytes at an offset. Several writes may be under way at once. */
  write(offset: number, chunk: Buffer): Promise<void>;
  /** Takes the next bytes behind the end, for a client that appends, and returns their offset. */
  reserve(length: number): number;
  /** Has the target write it to its disk; false where it does not know how. */
  flush(): Promise<boolean>;
  /** Reads what was written. */
  read(offset: number, length: number): Promise<Buffer>;
  /** Cuts it, or fills it up with zeros. */
  truncate(size: number): Promise<void>;
  /** Permission bits and times that the file gets, instead of those that it would have. */
  setAttributes(attributes: {
    readonly mode?: number | undefined;
    readonly modifiedAt?: number | undefined;
  }): Promise<void>;
  /** Puts the file in its place, whole, in one step where the target can. Writes the entry in the log. @throws Refusal, and leaves the place as it was */
  complete(): Promise<UploadResult>;
  /** Removes the part. `failed` says why, for the log. */
  abort(failed?: Error): Promise<void>;
  /** Leaves the part on the target, for an upload with the same id that goes on later. */
  suspend(): Promise<void>;
}

/**
 * Files of one target as one account, inside its root. Paths are absolute POSIX paths below the root (`/` is the root). Links are followed as far as they lead to places
 * inside of the root. Every method refuses with a `Refusal`: `transfer_denied` (the permission lacks the named action), `file_not_found`, `file_exists`, `file_denied`
 * (the target says no), `file_outside`, `file_name`, `file_failed`, `file_limit`, `connect_target_lost`. What transfers or changes something is an entry of the file-transfer log.
 */
export interface RemoteFiles {
  /** The root, as the target calls it. */
  readonly root: string;
  /** The entries of a folder in batches, unsorted, without `.` and `..`. */
  list(path: string): AsyncIterable<readonly FileEntry[]>;
  /** The entry itself, a link not followed. */
  stat(path: string): Promise<FileEntry>;
  /** What a path leads to, links followed. */
  statTarget(path: string): Promise<FileEntry>;
  /** Opens a file, for reads at any place. */
  openFile(path: string): Promise<FileReader>;
  /** The bytes of a file from `start` to before `end`. Destroying the stream ends the download. */
  read(path: string, range?: { readonly start?: number; readonly end?: number }): Promise<Readable>;
  /** Begins or continues to write a file. */
  upload(path: string, options: UploadOptions): Promise<FileUpload>;
  rename(from: string, to: string, options: { readonly overwrite: boolean }): Promise<void>;
  /** Removes a file, a link or a folder; a folder with entries only with `recursive`. */
  remove(path: string, options: { readonly recursive: boolean }): Promise<void>;
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Sets the permission bits, and the time of the last change in seconds. */
  setAttributes(
    path: string,
    attributes: { readonly mode?: number | undefined; readonly modifiedAt?: number | undefined },
  ): Promise<void>;
  /** Numbers about the file system at a path, as SFTP answers them; undefined where the target does not know it. */
  volume(path: string): Promise<Buffer | undefined>;
  /** Copies a file, or a folder with everything in it, to a name that is not taken. */
  copy(from: string, to: string): Promise<void>;
  /** Makes a link; a target that leads out of the root is refused. */
  makeLink(path: string, target: string): Promise<void>;
}
