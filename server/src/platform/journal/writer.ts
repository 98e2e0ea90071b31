import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../durable-folder.ts';
import { MAX_RECORD } from './record.ts';

/** Bytes that are written and synced at once. */
const MAX_GROUP = 1024 * 1024;
/** Bytes of records that wait in memory; more are refused. */
const MAX_WAITING = 16 * 1024 * 1024;
/** A segment that has grown so large is followed by a new one. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** A file of records. Only the last one grows. */
export interface Segment {
  readonly name: string;
  /** Bytes that are durable. */
  size: number;
  isClosed: boolean;
}

/** What a segment is written to. */
export type SegmentFile = Pick<FileHandle, 'appendFile' | 'datasync' | 'close'>;

/** How a segment is created, durable with its name. */
export type CreateSegment = (path: string) => Promise<SegmentFile>;

const createSegment: CreateSegment = async (path) => {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
    0o600,
  );
  await syncFolder(join(path, '..'));
  return file;
};

export interface WriterOptions {
  readonly folder: string;
  /** The number of the first segment. */
  readonly first: number;
  /** Bytes in segments that nobody has taken yet, above which nothing is written. */
  readonly mostUndrained: number;
  /** How many such bytes there are. */
  readonly undrained: () => number;
  /** A segment has begun. */
  readonly onSegment: (segment: Segment) => void;
  /** More of a segment is durable. */
  readonly onWritten: () => void;
  readonly create?: CreateSegment | undefined;
}

interface Waiting {
  readonly record: Buffer;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Appends records. Those that arrive while others are written share the next write and the next sync. */
export class JournalWriter {
  private readonly options: WriterOptions;
  private number: number;
  private current: { readonly segment: Segment; readonly file: SegmentFile } | undefined;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private work: Promise<void> | undefined;
  private hasRoom: (() => void) | undefined;
  private isClosed = false;

  constructor(options: WriterOptions) {
    this.options = options;
    this.number = options.first;
  }

  /** Settles when the record is durable. @throws where it cannot be written */
  append(record: Buffer): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('the journal is closed'));
    if (record.length > MAX_RECORD)
      return Promise.reject(new Error('the record is too long for the journal'));
    if (this.waitingBytes + record.length > MAX_WAITING)
      return Promise.reject(new Error('too much waits for the journal'));
    this.waitingBytes += record.length;
    const written = new Promise<void>((done, failed) => {
      this.waiting.push({ record, done, failed });
    });
    this.work ??= this.writeAll().finally(() => {
      this.work = undefined;
    });
    return written;
  }

  /** Some records were taken out of the segments. */
  drained(): void {
    this.hasRoom?.();
  }

  /** Writes what waits, and closes the segment. */
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
      await this.write(this.take());
    }
  }

  private async write(group: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.concat(group.map(({ record }) => record));
    try {
      const { segment, file } = await this.segment();
      await file.appendFile(bytes);
      await file.datasync();
      segment.size += bytes.length;
      for (const { done } of group) done();
      this.options.onWritten();
    } catch (error) {
      // Nobody knows what the file has now. Its readers stop where its records do, and the next record begins another one.
      await this.closeSegment();
      for (const { failed } of group) failed(error);
    }
  }

  private async segment(): Promise<{ readonly segment: Segment; readonly file: SegmentFile }> {
    if (this.current && this.current.segment.size >= SEGMENT_BYTES) await this.closeSegment();
    if (this.current) return this.current;
    const name = `${String(this.number++).padStart(10, '0')}-${randomBytes(4).toString('hex')}`;
    const file = await (this.options.create ?? createSegment)(join(this.options.folder, name));
    const segment: Segment = { name, size: 0, isClosed: false };
    this.current = { segment, file };
    this.options.onSegment(segment);
    return this.current;
  }

  private async closeSegment(): Promise<void> {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    await current.file.close().catch(() => undefined);
    current.segment.isClosed = true;
    this.options.onWritten();
  }

  private take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && bytes < MAX_GROUP)
      bytes += this.waiting[count++]?.record.length ?? 0;
    this.waitingBytes -= bytes;
    return this.waiting.splice(0, count);
  }
}
