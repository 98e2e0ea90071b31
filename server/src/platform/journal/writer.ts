import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../storage/files.ts';

/** Maximum bytes of a record. */
export const MAX_RECORD = 512 * 1024;
const CHECKSUM = 8;
const NEWLINE = 0x0a;

/** Encodes a record: checksum, entry as JSON, line feed. */
export function writeRecord(entry: unknown): Buffer {
  const json = JSON.stringify(entry);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

interface ReadRecords<Entry> {
  /** Entries with the position after each. */
  readonly records: readonly { readonly entry: Entry; readonly end: number }[];
  /** Position after the last complete line; the start position if no line is complete. */
  readonly next: number;
  /** Number of complete lines with a wrong checksum, damaged by the disk. */
  readonly damaged: number;
}

/** Reads the complete records of a chunk that starts at position `from` of its segment. */
export function readRecords<Entry>(piece: Buffer, from: number): ReadRecords<Entry> {
  const records: { entry: Entry; end: number }[] = [];
  let damaged = 0;
  let start = 0;
  for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
    const json = piece.toString('utf8', start + CHECKSUM + 1, end);
    const isWhole =
      end - start > CHECKSUM &&
      piece.toString('latin1', start, start + CHECKSUM) === checksum(json);
    start = end + 1;
    if (isWhole) records.push({ entry: JSON.parse(json) as Entry, end: from + start });
    else damaged++;
  }
  return { records, next: from + start, damaged };
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM, '0');

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

export type SegmentFile = Pick<FileHandle, 'appendFile' | 'datasync' | 'close'>;

/** Creates a segment whose name is durable. */
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
  /** Number of the first segment. */
  readonly first: number;
  /** Undrained bytes above which writes wait. */
  readonly mostUndrained: number;
  /** Returns the number of undrained bytes. */
  readonly undrained: () => number;
  /** Called with each new segment. */
  readonly onSegment: (segment: Segment) => void;
  /** Called when a segment has more durable bytes. */
  readonly onWritten: () => void;
  readonly create?: CreateSegment | undefined;
}

interface Waiting {
  readonly record: Buffer;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Appends records. Records that arrive during a write share the next write and sync. */
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
    const written = new Promise<void>((done, failed) => {
      this.waiting.push({ record, done, failed });
    });
    this.work ??= this.writeAll().finally(() => {
      this.work = undefined;
    });
    return written;
  }

  /** Tells the writer that undrained bytes decreased. */
  drained(): void {
    this.hasRoom?.();
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
      // The content of the file is unknown now. Its readers stop at the last durable record, and
      // the next record starts a new file.
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
