import { randomBytes } from 'node:crypto';
import { constants, write, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../storage/files.ts';
import { DiskSpeed } from './disk-speed.ts';

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

/** Reads a part of a file. */
export async function readBytes(
  path: string,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
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

/** The growing end of a segment. */
export interface SegmentFile {
  /** Resolves when the bytes at the end of the file are durable. */
  append(bytes: Buffer): Promise<void>;
  /** Appends on the main thread: the bytes are durable when it returns. */
  appendNow?(bytes: Buffer): void;
  close(): Promise<void>;
}

/** Creates a segment whose name is durable. */
export type CreateSegment = (path: string) => Promise<SegmentFile>;

/** Linux syncs the data of each write itself: one task for a thread instead of two. */
const SYNCED_WRITES = process.platform === 'linux' ? constants.O_DSYNC : 0;

const createSegment: CreateSegment = async (path) => {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | SYNCED_WRITES,
    0o600,
  );
  await syncFolder(join(path, '..'));
  return {
    append: async (bytes) => {
      await writeWhole(file, bytes);
      if (SYNCED_WRITES === 0) await file.datasync();
    },
    ...(SYNCED_WRITES !== 0 && {
      appendNow: (bytes) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
      },
    }),
    close: () => file.close(),
  };
};

/** Writes by callback, which costs a third of the time of a promise of the file system. */
function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  return new Promise((done, failed) => {
    write(file.fd, bytes, (error, written) => {
      if (error) failed(error);
      else if (written === bytes.length) done();
      else writeWhole(file, bytes.subarray(written)).then(done, failed);
    });
  });
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
  private current: { readonly segment: Segment; readonly file: SegmentFile } | undefined;
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
      if (isNow) file.appendNow?.(bytes);
      else await file.append(bytes);
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
}
