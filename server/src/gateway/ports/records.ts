import type { ErrorCode, SessionKind } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import type { Grant } from './grant.ts';
import type { Person } from './people.ts';

/** The row of a session, written before its first byte. */
export interface NewSession {
  readonly id: string;
  /** What people do in it; a terminal where it is absent. */
  readonly kind?: SessionKind;
  readonly person: Person;
  readonly grant: Grant;
  /** The account at the target; differs from the system user's when the person typed one. */
  readonly account: string;
  /** Whether it needed a fresh second factor, and how there was one. */
  readonly secondFactor?: 'none' | 'recent' | 'asked' | undefined;
  readonly dateStart: Date;
}

export type ReplayState = 'none' | 'recording' | 'finished' | 'recovered' | 'failed';

export interface SessionEnd {
  readonly dateEnd: Date;
  readonly reason: ErrorCode | 'interrupted';
  /** Whether a shell was ever open. */
  readonly success: boolean;
  readonly replayState: ReplayState;
  /** Of the finished recording; absent when there is none. */
  readonly recording?: RecordingDigest | undefined;
}

/** A statement of an earlier session. */
export interface PastStatement {
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
}

/** A while in which nobody was at the near end of a session. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  /** Where the person came back from. */
  readonly remoteAddr: string | null;
}

/** A session whose row is open. */
export interface UnfinishedRow {
  readonly id: string;
  readonly dateStart: Date;
  /** The last that is known of it besides its recording. */
  readonly lastActive: Date;
}

/** The session rows. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /** The recording has begun; `takesGuests` where people work in a terminal, which others may be invited into. */
  begun(id: string, takesGuests: boolean): Promise<void>;
  /** What became of a recording; with the digest of one that was finished after its session had ended. */
  setReplay(id: string, state: ReplayState, recording?: RecordingDigest): Promise<void>;
  /** Settles when the commands are durable, whether or not the database has them yet. */
  addCommands(id: string, commands: readonly CommandRecord[]): Promise<void>;
  addGap(id: string, gap: Gap): Promise<void>;
  /** The outdated SSH algorithms that its connection uses, before anything is opened in it. */
  setOldAlgorithms(id: string, names: readonly string[]): Promise<void>;
  /** Settles when the end is durable, and in the row unless the database is away. */
  finish(id: string, end: SessionEnd): Promise<void>;
  /** Open rows of this server without a live session: a crash left them, or the database was away when they were written. */
  unfinished(): Promise<readonly UnfinishedRow[]>;
  /** How many sessions of a user are open on other servers. */
  openElsewhere(userId: string): Promise<number>;
  /** Which of these sessions have ended according to their rows. */
  ended(ids: readonly string[]): Promise<readonly string[]>;
}

/** What was done with files. */
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

/** One entry of the file-transfer log. */
export interface FileRecord {
  readonly operation: FileOperation;
  /** For people: control characters and bytes that are no text are escaped. Of a rename, a copy and a link both paths, with `=>` between. */
  readonly path: string;
  /** Bytes that were transferred. */
  readonly size?: number | undefined;
  /** Of the content that was transferred, lowercase hex; absent where it did not pass in one piece. */
  readonly sha256?: string | undefined;
  /** Why it was not done, or not whole. */
  readonly reason?: ErrorCode | undefined;
}

/** The file-transfer log. */
export interface FileLog {
  /** Settles when the entry is durable. */
  write(session: NewSession, record: FileRecord): Promise<void>;
}
