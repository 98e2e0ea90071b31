import type { NewSession } from './records.ts';

/** The file at the path of an upload when the upload began. */
export interface ReplacedFile {
  readonly size: number;
  /** In seconds since 1970. */
  readonly modifiedAt: number;
}

/** A partial file of an upload on a target. Paths are those of the target. */
export interface KeptUpload {
  readonly part: Buffer;
  readonly place: Buffer;
  /**
   * Bytes from the start that the target has confirmed, less the last one. A part never counts as
   * complete, so a client that continues it always closes it, which puts the file in its place.
   */
  readonly bytes: number;
  /** Absent if the path had no file. */
  readonly replaced?: ReplacedFile | undefined;
  /** Another open session that writes the file, but has made no progress for some seconds. */
  readonly holder?: string | undefined;
}

/**
 * `open`: the session writes it. `kept`: a later session may continue it. `unwanted`: the server
 * removes it.
 */
export type KeptState = 'open' | 'kept' | 'unwanted';

/** The partial files of uploads, for the account of a session on its target. */
export interface KeptUploads {
  /**
   * Notes a new partial file on the disk of this server. The database receives the note soon, or at
   * the next start of a killed server, unless the file has ended before.
   */
  began(session: NewSession, upload: Omit<KeptUpload, 'bytes'>): void;
  /** Withdraws the note of a partial file that was moved or removed. */
  ended(session: NewSession, part: Buffer): void;
  /**
   * Returns the uploads of the user that are not expired, and that no session has open or only a
   * `holder`.
   */
  find(session: NewSession): Promise<readonly KeptUpload[]>;
  /**
   * Gives an upload to a session, and ends its holder. Returns false if another session has it or
   * it was removed.
   */
  claim(session: NewSession, upload: Pick<KeptUpload, 'part' | 'holder'>): Promise<boolean>;
  /** Returns false for `kept` if the setting keeps no uploads: the caller removes the file. */
  save(session: NewSession, upload: KeptUpload, state: KeptState): Promise<boolean>;
  /** Forgets a partial file that was moved or removed. */
  forget(session: NewSession, part: Buffer): Promise<void>;
  /** Returns expired partial files of all users of the account, to remove. */
  expired(session: NewSession): Promise<readonly Buffer[]>;
}
