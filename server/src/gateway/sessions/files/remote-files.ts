import type { Readable } from 'node:stream';
import type { Pieces } from '@sallyport/ssh';

/** Kind of a folder entry. `other` is a socket, pipe or device, which can only be listed. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface FileEntry {
  /**
   * Name without its folder. Bytes that the charset cannot decode are lone surrogates, so every
   * name survives a round trip (`paths.ts`).
   */
  readonly name: string;
  readonly kind: FileKind;
  /** In bytes. */
  readonly size: number;
  /** Permission bits, up to `0o7777`. */
  readonly mode: number;
  readonly ownerId: number;
  readonly groupId: number;
  /** Names of both, if the target sends them. */
  readonly owner?: string;
  readonly group?: string;
  /** Time of the last change of the content, in seconds since 1970. */
  readonly modifiedAt: number;
  /** Target of a link as stored; only from `stat`. */
  readonly linkTarget?: string;
  /** Kind of a link's target; only from `stat`. Absent if it is missing or outside of the root. */
  readonly targetKind?: FileKind;
}

/** A file open for reading. Reads may run in parallel. */
export interface FileReader {
  /** The entry at the time of opening. */
  readonly entry: FileEntry;
  /** Reads up to `length` bytes; fewer at the end of the file, none after it. */
  read(offset: number, length: number): Promise<Buffer>;
  /** Same as `read`, but returns the received pieces without copying. */
  readPieces(offset: number, length: number): Promise<Pieces>;
  /** Ends the download and writes its log entry. `failed` is the reason if it is incomplete. */
  close(failed?: Error): Promise<void>;
}

export interface UploadResult {
  readonly size: number;
  /** SHA-256 of the whole file in lowercase hex. */
  readonly sha256: string;
  /** True if the target refused mode or time of the file. */
  readonly attributesRefused: boolean;
}

export interface UploadOptions {
  /** Final size, if known. `complete` rejects another size. */
  readonly size?: number | undefined;
  /** Allows replacing an existing file. */
  readonly overwrite: boolean;
  /**
   * Names the partial file on the target: 8 to 36 letters, digits and `-`. The same id resumes an
   * interrupted upload.
   */
  readonly uploadId?: string | undefined;
  /** Permission bits of a new file. A replaced file passes on its own. */
  readonly mode?: number | undefined;
  /**
   * Starts with the existing content, for clients that change parts of a file: with that of an
   * interrupted upload of the same user if there is one.
   */
  readonly keepsContent?: boolean | undefined;
}

/** An upload that its client did not complete. */
export interface InterruptedUpload {
  /** Name of the file that the upload writes. */
  readonly name: string;
  /** Path and name of the partial file. */
  readonly part: string;
  readonly partName: string;
  /** Bytes after which the upload continues. */
  readonly size: number;
}

/** An upload, stored as `.name.sallyport-<id>` in the same folder until it is complete. */
export interface FileUpload {
  readonly uploadId: string;
  /** Bytes on the target: the offset at which an interrupted upload resumes. */
  offset(): number;
  /**
   * Fetches the size from the target: another server of the installation may have continued the
   * upload.
   */
  refresh(): Promise<void>;
  /**
   * Like `write`, but does not wait for the target while few bytes wait. A failure reaches the next
   * call, at the latest `complete`, which then leaves the path unchanged.
   */
  writeAhead(offset: number, chunk: Buffer): Promise<void>;
  /** Writes at an offset. Writes may run in parallel. */
  write(offset: number, chunk: Buffer): Promise<void>;
  /** Reserves the next bytes at the end for a client that appends. Returns their offset. */
  reserve(length: number): number;
  /** Flushes to the target's disk. Returns false if the target does not support it. */
  flush(): Promise<boolean>;
  /** Reads back written bytes. */
  read(offset: number, length: number): Promise<Buffer>;
  /** Truncates, or extends with zeros. */
  truncate(size: number): Promise<void>;
  /** Sets permission bits and times in place of the defaults. */
  setAttributes(attributes: {
    readonly mode?: number | undefined;
    readonly modifiedAt?: number | undefined;
  }): Promise<void>;
  /** Returns false if the target refuses the attributes. */
  takesAttributes(): Promise<boolean>;
  /**
   * Moves the complete file to its path, atomically if the target supports it, and writes the log
   * entry.
   * @throws Refusal, leaving the path unchanged
   */
  complete(): Promise<UploadResult>;
  /** Removes the partial file. `failed` is the reason for the log. */
  abort(failed?: Error): Promise<void>;
  /**
   * Keeps the partial file on the target for some hours: a later upload of the same user to the
   * same path continues it. Removes it if it cannot be continued.
   */
  interrupt(failed?: Error): Promise<void>;
}

export interface RemovalOptions {
  /** Stops the removal of a tree; what was removed stays so. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of removed entries. */
  readonly onRemoved?: ((count: number) => void) | undefined;
}

/**
 * Files of one account on one target, inside its root. Paths are absolute POSIX paths below the
 * root (`/` is the root). Links are followed if they lead to places inside of the root.
 * All methods throw a `Refusal`: `transfer_denied` (the permission lacks the named action),
 * `file_not_found`, `file_exists`, `file_denied` (by the target), `file_outside`,
 * `file_link_outside`, `file_name`, `file_failed`, `file_limit` or `connect_target_lost`. Transfers
 * and changes write an entry of the file-transfer log.
 */
export interface RemoteFiles {
  /** Path of the root on the target. */
  readonly root: string;
  /** Lists a folder in batches, unsorted, without `.` and `..`. */
  list(path: string): AsyncIterable<readonly FileEntry[]>;
  /** Returns the entry of a path without following a link. */
  stat(path: string): Promise<FileEntry>;
  /** Returns the entry of a path, following links. */
  statTarget(path: string): Promise<FileEntry>;
  /** Opens a file for random access. */
  openFile(path: string): Promise<FileReader>;
  /** Streams a file from `start` to before `end`. Destroying the stream ends the download. */
  read(path: string, range?: { readonly start?: number; readonly end?: number }): Promise<Readable>;
  /**
   * Returns the interrupted upload of the user to a path, which the user sees instead of the file.
   */
  interrupted(path: string): Promise<InterruptedUpload | undefined>;
  /** Returns the interrupted uploads of the user to files of a folder. */
  interruptedIn(path: string): Promise<readonly InterruptedUpload[]>;
  /** Starts or resumes an upload. */
  upload(path: string, options: UploadOptions): Promise<FileUpload>;
  rename(from: string, to: string, options: { readonly overwrite: boolean }): Promise<void>;
  /** Removes a file, link or folder. A folder that is not empty requires `recursive`. */
  remove(path: string, options: { readonly recursive: boolean } & RemovalOptions): Promise<void>;
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Sets permission bits, and the time of the last change in seconds. */
  setAttributes(
    path: string,
    attributes: { readonly mode?: number | undefined; readonly modifiedAt?: number | undefined },
  ): Promise<void>;
  /**
   * Statistics of the file system at a path in SFTP encoding; undefined if the target does not
   * support it.
   */
  volume(path: string): Promise<Buffer | undefined>;
  /** Copies a file or folder tree to a free name. */
  copy(from: string, to: string): Promise<void>;
  /** Creates a link. Rejects a target outside of the root. */
  makeLink(path: string, target: string): Promise<void>;
}
