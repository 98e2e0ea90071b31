import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DiskSpeed } from './disk-speed.ts';
import { MAX_RECORD } from './records.ts';
import { type CreateSegment, createSegment, type SegmentFile } from './segment-file.ts';

/** Maximum bytes per write and sync. */
const MAX_GROUP = 1024 * 1024;
/** Maximum bytes of records that wait in memory; more are rejected. */
const MAX_WAITING = 16 * 1024 * 1024;
/** A segment that reaches this size is closed, and a new one follows. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** A file of records. Only the last one grows. */
export interface Segment {
  readonly name: string;
  /** Durable bytes. */
  size: number;
  isClosed: boolean;
}

interface OpenSegment {
  readonly segment: Segment;
  readonly file: SegmentFile;
}

/** Bytes that were written at a position of a segment. */
export interface WrittenPiece {
  readonly segment: Segment;
  readonly from: number;
  readonly bytes: Buffer;
}

export interface WriterOptions {
  readonly folder: string;
  /** Number of the first segment. */
  readonly first: number;
  /** Undrained bytes above which writes wait. */
  readonly mostUndrained: number;
  /** Returns the number of undrained bytes. */
  readonly undrained: () => number;
  /** Called with each new segment. */
  readonly onSegment: (segment: Segment) => void;
  /** Called when a segment has more durable bytes, or was closed. */
  readonly onWritten: (written?: WrittenPiece) => void;
  readonly create?: CreateSegment | undefined;
}

/** Records of one write and sync. */
class Group {
  readonly records: Buffer[] = [];
  bytes = 0;
  /** Resolves when all records are durable. */
  readonly written: Promise<void>;
  done: () => void = () => undefined;
  failed: (error: unknown) => void = () => undefined;

  constructor() {
    this.written = new Promise((done, failed) => {
      this.done = done;
      this.failed = failed;
    });
  }

  add(record: Buffer): void {
    this.records.push(record);
    this.bytes += record.length;
  }
}

/** Appends records. Records that arrive during a write share the next write and sync. */
export class JournalWriter {
  private readonly options: WriterOptions;
  private number: number;
  private current: (OpenSegment & { readonly openedAt: number }) | undefined;
  private waiting: Group[] = [];
  private waitingBytes = 0;
  private work: Promise<void> | undefined;
  private hasRoom: (() => void) | undefined;
  private isClosed = false;
  private readonly speed = new DiskSpeed();

  constructor(options: WriterOptions) {
    this.options = options;
    this.number = options.first;
  }

  /**
   * Resolves when the record is durable.
   * @throws if it cannot be written
   */
  append(record: Buffer): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('the journal is closed'));
    if (record.length > MAX_RECORD)
      return Promise.reject(new Error('the record is too long for the journal'));
    if (this.waitingBytes + record.length > MAX_WAITING)
      return Promise.reject(new Error('too much waits for the journal'));
    this.waitingBytes += record.length;
    let group = this.waiting.at(-1);
    if (!group || group.bytes >= MAX_GROUP) {
      group = new Group();
      this.waiting.push(group);
    }
    group.add(record);
    this.work ??= this.writeAll();
    return group.written;
  }

  /** Tells the writer that undrained bytes decreased. */
  drained(): void {
    this.hasRoom?.();
  }

  /** Closes the segment if it was opened this long ago and nothing is being written. */
  async rotate(milliseconds: number): Promise<void> {
    const { current } = this;
    if (current && !this.work && performance.now() - current.openedAt >= milliseconds)
      await this.closeSegment();
  }

  /** Writes waiting records and closes the segment. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.hasRoom?.();
    await this.work;
    await this.closeSegment();
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      while (!this.isClosed && this.options.undrained() > this.options.mostUndrained) {
        await new Promise<void>((done) => {
          this.hasRoom = done;
        });
      }
      const group = this.waiting.shift();
      if (group) await this.write(group);
    }
    // In the same turn as the last look at the queue, so that no record is left in it.
    this.work = undefined;
  }

  private async write(group: Group): Promise<void> {
    this.waitingBytes -= group.bytes;
    try {
      const { segment, file } = await this.segment();
      const bytes = Buffer.concat(group.records, group.bytes);
      const isNow = file.appendNow !== undefined && this.speed.isQuick(bytes.length);
      const began = performance.now();
      if (isNow) file.appendNow?.(bytes, segment.size);
      else await file.append(bytes, segment.size);
      this.speed.took(performance.now() - began, isNow);
      const from = segment.size;
      segment.size += group.bytes;
      group.done();
      this.options.onWritten({ segment, from, bytes });
    } catch (error) {
      // The content of the file is unknown now. Its readers stop at the last durable record, and
      // the next record starts a new file.
      await this.closeSegment();
      group.failed(error);
    }
  }

  private async segment(): Promise<OpenSegment> {
    if (this.current && this.current.segment.size >= SEGMENT_BYTES) await this.closeSegment();
    if (this.current) return this.current;
    const name = `${String(this.number++).padStart(10, '0')}-${randomBytes(4).toString('hex')}`;
    const file = await (this.options.create ?? createSegment)(join(this.options.folder, name));
    const segment: Segment = { name, size: 0, isClosed: false };
    this.current = { segment, file, openedAt: performance.now() };
    this.options.onSegment(segment);
    return this.current;
  }

  private async closeSegment(): Promise<void> {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    await current.file.close(current.segment.size).catch(() => undefined);
    current.segment.isClosed = true;
    this.options.onWritten();
  }
}
