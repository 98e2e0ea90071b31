import type { Logger } from '../log.ts';
import type { EntrySealer } from './records.ts';
import type { CreateSegment } from './segment-file.ts';

/** Positions of segments in a destination, by their names. */
export type Positions = ReadonlyMap<string, number>;

/** An entry with the position after it in its segment. */
export interface Placed<Entry> {
  readonly entry: Entry;
  readonly end: number;
}

/** Entries of a segment between two positions. Damaged records between them are left out. */
export interface Delivery<Entry> {
  readonly segment: string;
  readonly from: number;
  readonly to: number;
  readonly entries: readonly Placed<Entry>[];
  /** True if the destination may have lost what else belongs to these entries. */
  readonly isAgain: boolean;
}

/** The state of a destination. */
export interface Stored {
  readonly positions: Positions;
  /** Changes when an operator restores a backup into the destination. */
  readonly epoch: string;
}

/**
 * Destination of a journal's entries. It may go back in time: a standby that takes over lacks what
 * its primary had not sent to it.
 */
export interface Destination<Entry> {
  /**
   * Takes entries of a segment in order, all or none. Stores their end in the same transaction, and
   * skips entries up to the stored position: they come again after a lost response.
   * @throws if the entries were not taken, or if the stored position is before their beginning
   */
  take(delivery: Delivery<Entry>): Promise<void>;
  /** Reads the stored positions of these segments. */
  stored(segments: readonly string[]): Promise<Stored>;
  /** Replaces stored positions after a restore: nothing before them comes again. */
  adopt(positions: Positions): Promise<void>;
  /** Called when the destination lacks bytes that it had acknowledged, before they come again. */
  wentBack?(bytes: number): void;
  /** Deletes stored positions of segments that are not among the `existing` ones. */
  forget(existing: readonly string[]): Promise<void>;
  /**
   * Returns true if an entry rejected with this error can never be taken. The journal then puts it
   * aside.
   */
  isFinal(error: unknown): boolean;
}

/** Durable entries on this server's disk on their way to a destination. */
export interface Journal<Entry> {
  /**
   * Resolves when the entry is durable.
   * @throws if it cannot be written
   */
  append(entry: Entry): Promise<void>;
  /**
   * Waits for the entries so far. Returns true when they were delivered, false when the destination
   * fails. A patient caller waits until the next delivery is due.
   */
  settled(isPatient?: boolean): Promise<boolean>;
  /**
   * Compares the destination with the delivered entries, and delivers missing ones again.
   * Returns false when the destination fails.
   */
  recheck(): Promise<boolean>;
  /** Returns true unless entries were deleted before their time, to limit the bytes on disk. */
  keepsAll(): boolean;
  /** Waits for the destination up to the timeout. The next start delivers remaining entries. */
  close(milliseconds: number): Promise<void>;
}

export interface JournalOptions<Entry> {
  readonly folder: string;
  readonly destination: Destination<Entry>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly mostUndrained?: number;
  readonly create?: CreateSegment;
  /** Returns how long delivered entries are kept, in milliseconds. Default: not at all. */
  readonly keep?: () => number;
  readonly mostKept?: number;
  readonly sealer?: EntrySealer;
}
