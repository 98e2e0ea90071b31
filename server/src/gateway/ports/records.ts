import type { ErrorCode, SessionKind } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import type { SecretCounts } from '../../platform/secrets/formats.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import type { Grant } from './grant.ts';
import type { LivePerson } from './people.ts';

/** The row of a session, written before its first byte. */
export interface NewSession {
  readonly id: string;
  /** Terminal if absent. */
  readonly kind?: SessionKind;
  readonly person: LivePerson;
  readonly grant: Grant;
  /** Account at the target. Differs from the system user's if the user typed one. */
  readonly account: string;
  /** The fresh second factor: not required, recent, or requested for this session. */
  readonly secondFactor?: 'none' | 'recent' | 'asked' | undefined;
  readonly dateStart: Date;
}

export type ReplayState = 'none' | 'recording' | 'finished' | 'recovered' | 'failed';

export interface SessionEnd {
  readonly dateEnd: Date;
  readonly reason: ErrorCode | 'interrupted';
  /** True if a shell ever opened. */
  readonly success: boolean;
  readonly replayState: ReplayState;
  /** Digest of the finished recording, if any. */
  readonly recording?: RecordingDigest | undefined;
  /** Numbers of masked secrets by kind; absent if they are not known. */
  readonly maskedSecrets?: SecretCounts | undefined;
}

export interface PastStatement {
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  /** The user decided that it does not run. */
  readonly isDeclined: boolean;
  readonly isFailed: boolean;
}

/** A period in which the client was disconnected. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  /** The address from which the user reconnected. */
  readonly remoteAddr: string | null;
}

/** A change in a session that needs a second person. */
export interface PresenceEvent {
  /** `waits`, `passes`: input stops, or passes again. */
  readonly event: 'waits' | 'joined' | 'left' | 'passes';
  /** The reviewer; empty for other events. */
  readonly name: string;
  readonly date: Date;
}

/** A session whose row is still open. */
export interface UnfinishedRow {
  readonly id: string;
  readonly dateStart: Date;
  /** Time of the last known activity outside of the recording. */
  readonly lastActive: Date;
}

/** The SSH certificate of a session. */
export interface SessionCertificate {
  /** A decimal number: it may exceed 53 bits. */
  readonly serial: string;
  readonly keyId: string;
  readonly principals: readonly string[];
  readonly validBefore: Date;
}

export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /** The recording has started. `takesGuests`: users may be invited into the terminal. */
  begun(id: string, takesGuests: boolean): Promise<void>;
  /** Settles when the commands are durable, possibly before the database has them. */
  addCommands(id: string, commands: readonly CommandRecord[]): Promise<void>;
  addGap(id: string, gap: Gap): Promise<void>;
  /** Settles when a change of the second person is durable. */
  addPresence(id: string, event: PresenceEvent): Promise<void>;
  /** Stores the outdated SSH algorithms of the connection, before a channel opens. */
  setOldAlgorithms(id: string, names: readonly string[]): Promise<void>;
  /** Stores the certificate of the connection, before the target sees it. */
  setCertificate(id: string, certificate: SessionCertificate): Promise<void>;
  /**
   * Settles when the end is durable. Updates the row unless the database is unreachable. A session
   * that has ended gets only its recording.
   */
  finish(id: string, end: SessionEnd): Promise<void>;
  /**
   * Open rows of this process without a live session, left by a crash or a database outage. At the
   * start, also those of processes that this one takes over.
   */
  unfinished(isStart?: boolean): Promise<readonly UnfinishedRow[]>;
  /** Sessions among `ids`, with recordings in this folder, that this start finishes. */
  takenOver(ids: readonly string[]): Promise<readonly string[]>;
  /** Number of the user's open sessions on other servers. */
  openElsewhere(userId: string): Promise<number>;
  /** Returns true if a session of the user ended because its server died. */
  isInterrupted(id: string, userId: string): Promise<boolean>;
  /** Returns the ids whose rows have ended. */
  ended(ids: readonly string[]): Promise<readonly string[]>;
}

/** Undo scripts of statements. They hold data of targets, so they are sealed. */
export interface UndoScripts {
  /** Stores a script that cannot be read yet, and returns its id. */
  add(
    session: NewSession,
    script: { readonly rows: number; readonly text: string },
  ): Promise<string>;
  /** Makes a script part of a statement of its session. */
  keep(id: string, sequence: number): Promise<void>;
  /** Deletes scripts that are not part of a statement. */
  drop(ids: readonly string[]): Promise<void>;
  /** Reads a kept script in parts; none if it was deleted. */
  read(session: NewSession, id: string): AsyncIterable<string>;
}

export type FileOperation =
  | 'upload'
  | 'download'
  | 'delete'
  | 'rename'
  | 'mkdir'
  | 'rmdir'
  | 'chmod'
  | 'symlink'
  | 'copy';

export interface FileRecord {
  readonly operation: FileOperation;
  /**
   * For display: control characters and undecodable bytes are escaped. Rename, copy and link have
   * both paths, joined by `=>`.
   */
  readonly path: string;
  /** Bytes transferred. */
  readonly size?: number | undefined;
  /** SHA-256 of the transferred content in lowercase hex; absent if it was not contiguous. */
  readonly sha256?: string | undefined;
  /** The reason if the operation failed or is incomplete. */
  readonly reason?: ErrorCode | undefined;
}

export interface FileLog {
  /** Settles when the entry is durable. */
  write(session: NewSession, record: FileRecord): Promise<void>;
}
