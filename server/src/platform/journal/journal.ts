import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../storage/files.ts';
import { type Delivered, readDelivered, writeDelivered } from './delivered.ts';
import type { Journal, JournalOptions, Placed } from './journal-types.ts';
import { offer } from './offer.ts';
import { RecentBytes } from './recent-bytes.ts';
import { MAX_RECORD, readBytes, readRecords, writeRecord } from './records.ts';
import { recordedLength } from './segment-file.ts';
import { SegmentQueue } from './segments.ts';
import { JournalWriter, type Segment } from './writer.ts';

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
/** Interval between comparisons with a destination to which nothing is delivered. */
const COMPARE_MS = 30_000;
/** Delivered bytes that are kept on disk; beyond them the oldest segments are deleted. */
export const MAX_KEPT = 128 * 1024 * 1024;
const NAME = /^(\d{10})-[0-9a-f]{8}$/;

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
    segments.push({ name, size: await recordedLength(join(folder, name)), isClosed: true });
  const delivered = await readDelivered(folder);
  const last = names.at(-1) ?? delivered?.place?.segment ?? '';
  return new FileJournal(options, { segments, delivered, first: numberOf(last) + 1 });
}

const numberOf = (name: string): number => Number(NAME.exec(name)?.[1] ?? 0);

/** The folder of a journal as earlier processes left it. */
interface Left {
  readonly segments: readonly Segment[];
  readonly delivered: Delivered | undefined;
  /** Number of the next segment. */
  readonly first: number;
}

class FileJournal<Entry> implements Journal<Entry> {
  private readonly options: JournalOptions<Entry>;
  private readonly queue: SegmentQueue;
  private readonly writer: JournalWriter;
  private epoch: string | undefined;
  private isCompared = false;
  private readonly comparing: NodeJS.Timeout;
  private rechecks: ((isDone: boolean) => void)[] = [];
  private readonly recent = new RecentBytes(PIECE);
  private isFailing = false;
  private readonly closing = new AbortController();
  private wake: () => void = () => undefined;
  private hurry: () => void = () => undefined;
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private waiting: Waiting[] = [];
  private readonly draining: Promise<void>;

  constructor(options: JournalOptions<Entry>, { segments, delivered, first }: Left) {
    this.options = options;
    this.epoch = delivered?.epoch;
    this.queue = new SegmentQueue(segments, delivered?.place);
    this.writer = new JournalWriter({
      folder: options.folder,
      first,
      mostUndrained: options.mostUndrained ?? MAX_UNDRAINED,
      undrained: () => this.queue.undelivered,
      onSegment: (segment) => this.queue.add(segment),
      onWritten: (written) => {
        if (written) this.recent.add(written);
        this.wake();
        if (this.isUrgent) this.hurry();
      },
      create: options.create,
    });
    this.comparing = setInterval(() => this.compareSoon(), COMPARE_MS).unref();
    // Start the loop here: a loop started by `append` would belong to the caller's request.
    this.draining = this.drainAll();
  }

  append(entry: Entry): Promise<void> {
    return this.writer.append(writeRecord(entry, this.options.sealer));
  }

  settled(isPatient = false): Promise<boolean> {
    const { last } = this.queue;
    if (!last || this.queue.pending === 0) return Promise.resolve(true);
    return new Promise((done) => {
      this.waiting.push({ segment: last.name, end: last.size, isPatient, done });
      if (!isPatient) this.hurry();
      if (this.isFailing) this.answer(false);
    });
  }

  recheck(): Promise<boolean> {
    return new Promise((done) => {
      this.rechecks.push(done);
      this.compareSoon();
    });
  }

  keepsAll(): boolean {
    return this.queue.hasAllOf(this.options.keep?.() ?? 0);
  }

  async close(milliseconds: number): Promise<void> {
    clearInterval(this.comparing);
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
    for (const done of this.rechecks.splice(0)) done(false);
    await writeDelivered(this.options.folder, this.epoch, this.queue.delivered);
    const { pending } = this.queue;
    if (pending > 0)
      this.options.log.warn(
        { bytes: pending },
        'entries of the journal wait for the database; the next start writes them',
      );
  }

  private compareSoon(): void {
    this.isCompared = false;
    this.wake();
    this.hurry();
  }

  private async drainAll(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const woken = new Promise<void>((done) => {
        this.wake = done;
      });
      try {
        if (!this.isCompared && this.queue.last) await this.compare();
        if (this.queue.pending > 0) await this.gather();
        const hasWorked = this.isCompared && (await this.drainPiece());
        if (this.isFailing) this.options.log.info({}, 'the journal reaches the database again');
        this.isFailing = false;
        this.answer();
        if (hasWorked) continue;
        if (this.isCompared || !this.queue.last) {
          for (const done of this.rechecks.splice(0)) done(true);
          await woken;
        }
      } catch (error) {
        if (!this.isFailing)
          this.options.log.error(
            { err: error },
            'entries of the journal could not be written into the database; they are tried again',
          );
        this.isFailing = true;
        // The destination that answers next may be another one.
        this.isCompared = false;
        this.answer(false);
        for (const done of this.rechecks.splice(0)) done(false);
        await sleep(RETRY_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  /** True if entries must not wait for more. */
  private get isUrgent(): boolean {
    return (
      this.waiting.some(({ isPatient }) => !isPatient) ||
      this.closing.signal.aborted ||
      this.rechecks.length > 0 ||
      this.queue.pending >= Math.min(PIECE, this.options.mostUndrained ?? PIECE)
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

  /** Compares the destination with the delivered entries, and continues where it ends. */
  private async compare(): Promise<void> {
    const { destination } = this.options;
    this.isCompared = true;
    const { positions, epoch } = await destination.stored(this.queue.names);
    if (this.epoch !== undefined && this.epoch !== epoch) {
      // A restored backup is a declared step back: nothing is sent again across it.
      await destination.adopt(this.queue.placeAfterDelivered());
    } else {
      const lost = this.queue.placeAt(positions);
      if (lost > 0) {
        this.options.log.error(
          { bytes: lost },
          'the database lacks entries that it had stored; the journal delivers them again',
        );
        destination.wentBack?.(lost);
      }
    }
    this.epoch = epoch;
    await this.removeOld();
    await writeDelivered(this.options.folder, this.epoch, this.queue.delivered);
  }

  private async removeOld(): Promise<void> {
    const { folder, destination, keep = () => 0, mostKept = MAX_KEPT } = this.options;
    const milliseconds = keep();
    if (milliseconds > 0) await this.writer.rotate(milliseconds);
    const removed = this.queue.removeOld(milliseconds, mostKept);
    // Delete the file before its position: a position without a file does no harm.
    for (const name of removed) await rm(join(folder, name), { force: true });
    if (removed.length > 0) await destination.forget(this.queue.names).catch(() => undefined);
  }

  /** Delivers the next records; returns false if there are none. */
  private async drainPiece(): Promise<boolean> {
    const next = this.queue.next();
    if (!next) {
      await this.removeOld();
      return false;
    }
    const { segment, position, isAgain } = next;
    const { records, damaged, ...read } = readRecords<Entry>(
      this.recent.take(segment, position) ??
        (await readBytes(join(this.options.folder, segment.name), {
          from: position,
          length: Math.min(PIECE, segment.size - position),
        })),
      position,
      this.options.sealer,
    );
    if (damaged > 0)
      this.options.log.error(
        { segment: segment.name, damaged },
        'records of the journal are damaged and were left out',
      );
    if (read.next === position)
      // A crash or a failed write left a partial record at the end.
      this.options.log.warn(
        { segment: segment.name, bytes: segment.size - position },
        'the journal ends in the middle of a record, which was left out',
      );
    const to = read.next > position ? read.next : segment.size;
    const delivery = { segment: segment.name, from: position, to, entries: records, isAgain };
    await offer(this.options, delivery);
    this.deliveredAt = performance.now();
    this.queue.moved(segment.name, to);
    this.writer.drained();
    return true;
  }

  /** Resolves callers whose entries were delivered; all others too when `value` is false. */
  private answer(value?: false): void {
    this.waiting = this.waiting.filter(({ segment, end, done }) => {
      const hasArrived = this.queue.hasDelivered(segment, end);
      if (hasArrived) done(true);
      else if (value === false) done(false);
      return !hasArrived && value !== false;
    });
  }
}
