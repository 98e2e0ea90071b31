import { constants, ftruncate, write, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../storage/files.ts';

/**
 * A segment grows in steps of this many bytes, filled with zeros. A sync of a file whose size does
 * not change costs a third less: the file system need not commit the size.
 */
const STEP_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(STEP_BYTES);

/** The growing end of a segment. */
export interface SegmentFile {
  /** Resolves when the bytes are durable at position `at`, the end of the records so far. */
  append(bytes: Buffer, at: number): Promise<void>;
  /** Appends on the main thread: the bytes are durable when it returns. */
  appendNow?(bytes: Buffer, at: number): void;
  /** Closes the file and cuts it after the records, which have `size` bytes. */
  close(size: number): Promise<void>;
}

/** Creates a segment whose name is durable. */
export type CreateSegment = (path: string) => Promise<SegmentFile>;

/** Linux syncs the data of each write itself: one task for a thread instead of two. */
const SYNCED_WRITES = process.platform === 'linux' ? constants.O_DSYNC : 0;

const truncate = promisify(ftruncate);

export const createSegment: CreateSegment = async (path) => {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SYNCED_WRITES,
    0o600,
  );
  await syncFolder(join(path, '..'));
  let length = 0;
  /** Adds zeros up to the next step if the bytes do not fit into the file. */
  const padded = (bytes: Buffer, at: number): Buffer => {
    const end = at + bytes.length;
    if (end <= length) return bytes;
    length = Math.ceil(end / STEP_BYTES) * STEP_BYTES;
    return Buffer.concat([bytes, ZEROS.subarray(0, length - end)]);
  };
  return {
    append: async (bytes, at) => {
      await writeWhole(file, padded(bytes, at), at);
      if (SYNCED_WRITES === 0) await file.datasync();
    },
    ...(SYNCED_WRITES !== 0 && {
      appendNow: (bytes, at) => {
        const all = padded(bytes, at);
        for (let done = 0; done < all.length; )
          done += writeSync(file.fd, all, done, all.length - done, at + done);
      },
    }),
    close: async (size) => {
      await truncate(file.fd, size).catch(() => undefined);
      await file.close();
    },
  };
};

/** Writes by callback, which costs a third of the time of a promise of the file system. */
function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  return new Promise((done, failed) => {
    write(file.fd, bytes, 0, bytes.length, at, (error, written) => {
      if (error) failed(error);
      else if (written === bytes.length) done();
      else writeWhole(file, bytes.subarray(written), at + written).then(done, failed);
    });
  });
}

/**
 * Returns the length of the records in a segment. A killed process leaves zeros after them; records
 * contain none.
 */
export async function recordedLength(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    let { size: end } = await file.stat();
    const piece = Buffer.allocUnsafe(Math.min(end, STEP_BYTES));
    while (end > 0) {
      const from = Math.max(0, end - piece.length);
      const { bytesRead } = await file.read(piece, 0, end - from, from);
      const last = piece.subarray(0, bytesRead).findLastIndex((byte) => byte !== 0);
      if (last >= 0) return from + last + 1;
      end = from;
    }
    return 0;
  } finally {
    await file.close();
  }
}
