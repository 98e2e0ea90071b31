import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { makeFolder } from '../storage/files.ts';
import { RecentBytes } from './recent-bytes.ts';
import {
  type CreateSegment,
  JournalWriter,
  MAX_RECORD,
  readBytes,
  readRecords,
  type Segment,
  writeRecord,
} from './writer.ts';

/** Bytes read and delivered at once. */
const PIECE = 2 * MAX_RECORD;
/** Undrained bytes on disk above which writers wait. */
const MAX_UNDRAINED = 256 * 1024 * 1024;
/** Minimum time between deliveries without a waiting caller: intermediate entries share one. */
const GATHER_MS = 100;
/** Shortest wait: all entries of a brief session share a delivery. */
const FIRST_MS = 50;
/** Interval between deliveries that fail. */
const RETRY_MS = 1000;
/** File of entries that the destination rejected. */
const REFUSED = 'refused';
const NAME = /^(\d{10})-[0-9a-f]{8}$/;

/** An entry with the position after it in its segment. */
export interface Placed<Entry> {
  readonly entry: Entry;
  readonly end: number;
}

/** Destination of a journal's entries. */
export interface Destination<Entry> {
  /**
   * Takes entries of a segment in order, all or none. Stores the position after the last one in the
   * same transaction, and skips entries up to the stored position: they come again after a lost
   * response.
   * @throws if the entries were not taken; they come again
   */
  take(segment: string, entries: readonly Placed<Entry>[]): Promise<void>;
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
  /** Waits for the destination up to the timeout. The next start delivers remaining entries. */
  close(milliseconds: number): Promise<void>;
}

export interface JournalOptions<Entry> {
  readonly folder: string;
  readonly destination: Destination<Entry>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly mostUndrained?: number;
  readonly create?: CreateSegment;
}

/** A caller of `settled`. */
interface Waiting extends Pick<Placed<unknown>, 'end'> {
  readonly segment: string;
  readonly isPatient: boolean;
  readonly done: (hasArrived: boolean) => void;
}

/** Opens a journal with the segments of earlier processes, and starts to drain it. */
export async function openJournal<Entry>(options: JournalOptions<Entry>): Promise<Journal<Entry>> {
  const { folder } = options;
  await makeFolder(folder);
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  const segments: Segment[] = [];
  for (const name of names)
    segments.push({ name, size: (await stat(join(folder, name))).size, isClosed: true });
  return new FileJournal(options, segments, Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0) + 1);
}

class FileJournal<Entry> implements Journal<Entry> {
  private readonly options: JournalOptions<Entry>;
  private readonly segments: Segment[];
  private readonly writer: JournalWriter;
  private position = 0;
  private readonly recent = new RecentBytes(PIECE);
  private isFailing = false;
  private readonly closing = new AbortController();
  private wake: () => void = () => undefined;
  private hurry: () => void = () => undefined;
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private waiting: Waiting[] = [];
  private readonly draining: Promise<void>;

  constructor(options: JournalOptions<Entry>, segments: Segment[], first: number) {
    this.options = options;
    this.segments = segments;
    this.writer = new JournalWriter({
      folder: options.folder,
      first,
      mostUndrained: options.mostUndrained ?? MAX_UNDRAINED,
      undrained: () => this.undrained,
      onSegment: (segment) => this.segments.push(segment),
      onWritten: (written) => {
        if (written) this.recent.add(written);
        this.wake();
        if (this.isUrgent) this.hurry();
      },
      create: options.create,
    });
    // Start the loop here: a loop started by `append` would belong to the caller's request.
    this.draining = this.drainAll();
  }

  append(entry: Entry): Promise<void> {
    return this.writer.append(writeRecord(entry));
  }

  settled(isPatient = false): Promise<boolean> {
    const last = this.segments.at(-1);
    if (!last || this.undrained === 0) return Promise.resolve(true);
    return new Promise((done) => {
      this.waiting.push({ segment: last.name, end: last.size, isPatient, done });
      if (!isPatient) this.hurry();
      if (this.isFailing) this.answer(false);
    });
  }

  async close(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((done) => {
      timer = setTimeout(done, milliseconds);
    });
    const drained = async () => {
      await this.writer.close();
      await this.settled();
    };
    await Promise.race([drained(), late]);
    clearTimeout(timer);
    this.closing.abort();
    this.wake();
    this.hurry();
    await this.draining;
    if (this.undrained > 0)
      this.options.log.warn(
        { bytes: this.undrained },
        'entries of the journal wait for the database; the next start writes them',
      );
  }

  private get undrained(): number {
    return this.segments.reduce((sum, { size }) => sum + size, -this.position);
  }

  private async drainAll(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const woken = new Promise<void>((done) => {
        this.wake = done;
      });
      try {
        if (this.undrained > 0) await this.gather();
        const hasWorked = await this.drainPiece();
        if (this.isFailing) this.options.log.info({}, 'the journal reaches the database again');
        this.isFailing = false;
        this.answer();
        if (!hasWorked) await woken;
      } catch (error) {
        if (!this.isFailing)
          this.options.log.error(
            { err: error },
            'entries of the journal could not be written into the database; they are tried again',
          );
        this.isFailing = true;
        this.answer(false);
        await sleep(RETRY_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  /** True if entries must not wait for more. */
  private get isUrgent(): boolean {
    return (
      this.waiting.some(({ isPatient }) => !isPatient) ||
      this.closing.signal.aborted ||
      this.undrained >= Math.min(PIECE, this.options.mostUndrained ?? PIECE)
    );
  }

  /** Waits until the next delivery is due. */
  private async gather(): Promise<void> {
    const left = Math.max(FIRST_MS, this.deliveredAt + GATHER_MS - performance.now());
    if (this.isUrgent) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, left);
      this.hurry = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  /** Delivers the next records; returns false if there are none. */
  private async drainPiece(): Promise<boolean> {
    const [segment] = this.segments;
    if (!segment) return false;
    if (this.position < segment.size) {
      const { records, next, damaged } = readRecords<Entry>(
        this.recent.take(segment, this.position) ??
          (await readBytes(join(this.options.folder, segment.name), {
            from: this.position,
            length: Math.min(PIECE, segment.size - this.position),
          })),
        this.position,
      );
      if (damaged > 0)
        this.options.log.error(
          { segment: segment.name, damaged },
          'records of the journal are damaged and were left out',
        );
      if (records.length > 0) await this.offer(segment.name, records);
      this.deliveredAt = performance.now();
      if (next > this.position) {
        this.position = next;
        this.writer.drained();
        return true;
      }
      // A crash or a failed write left a partial record at the end.
      this.options.log.warn(
        { segment: segment.name, bytes: segment.size - this.position },
        'the journal ends in the middle of a record, which was left out',
      );
      this.position = segment.size;
      return true;
    }
    if (!segment.isClosed) return false;
    // Delete the file before its position: a position without a file does no harm.
    await rm(join(this.options.folder, segment.name), { force: true });
    this.segments.shift();
    this.position = 0;
    this.writer.drained();
    await this.options.destination
      .forget(this.segments.map(({ name }) => name))
      .catch(() => undefined);
    return true;
  }

  /**
   * Offers each record alone after a final error, so that a rejected record does not block the
   * others.
   */
  private async offer(segment: string, records: readonly Placed<Entry>[]): Promise<void> {
    const { destination, folder, log } = this.options;
    try {
      await destination.take(segment, records);
    } catch (error) {
      if (!destination.isFinal(error)) throw error;
      for (const record of records) {
        await destination.take(segment, [record]).catch((refusal: unknown) => {
          if (!destination.isFinal(refusal)) throw refusal;
          log.error(
            { segment, position: record.end, err: refusal },
            `the database refused an entry of the journal; it is kept in the file ${REFUSED}`,
          );
          return appendFile(join(folder, REFUSED), writeRecord(record.entry), {
            mode: 0o600,
            flush: true,
          });
        });
      }
    }
  }

  /** Resolves callers whose entries were delivered; all others too when `value` is false. */
  private answer(value?: false): void {
    const [first] = this.segments;
    this.waiting = this.waiting.filter(({ segment, end, done }) => {
      const hasArrived =
        !first || segment < first.name || (segment === first.name && end <= this.position);
      if (hasArrived) done(true);
      else if (value === false) done(false);
      return !hasArrived && value !== false;
    });
  }
}
