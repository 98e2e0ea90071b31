import { Readable } from 'node:stream';
import { joined, lengthOf, type Pieces } from '@sallyport/ssh';
import { FILE_WINDOW } from '../../limits.ts';
import type { FileRecord } from '../../ports/records.ts';
import { Refusal } from '../../refusal.ts';
import { entryOf } from './entries.ts';
import { type FileContext, fileRefusal, reasonOf } from './file-context.ts';
import { openToRead } from './open-to-read.ts';
import { RunningDigest } from './partial-file.ts';
import { shownName } from './paths.ts';
import type { FileEntry, FileReader } from './remote-files.ts';

/** Opens a file for download. Logs a refusal too. @throws Refusal */
export async function openDownload(context: FileContext, path: string): Promise<Download> {
  context.active();
  try {
    context.require('download_file');
    const { handle, attributes } = await openToRead(context, path);
    const entry = entryOf(path.split('/').at(-1) ?? '', attributes);
    const download = new Download(context, path, handle, entry);
    try {
      context.keep(download);
      return download;
    } catch (error) {
      context.ahead.drop(handle);
      await context.files.closeHandle(handle).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    await context.note({ operation: 'download', path: shownName(path), reason: reasonOf(error) });
    throw fileRefusal(error);
  }
}

/** A file open for reading, with a digest of the bytes read. */
export class Download implements FileReader {
  readonly entry: FileEntry;
  private readonly context: FileContext;
  private readonly path: string;
  private readonly handle: Buffer;
  private digest: RunningDigest | undefined;
  private transferred = 0;
  private isClosed = false;
  private isAtEnd = false;
  /** The end of a file that was read ahead, until the next read. */
  private endsAt: number | undefined;
  /** The log entry of a file that passed as a whole: the client need not wait for it at the end. */
  private logging: Promise<void> | undefined;

  constructor(context: FileContext, path: string, handle: Buffer, entry: FileEntry) {
    this.context = context;
    this.path = path;
    this.handle = handle;
    this.entry = entry;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return joined(await this.readPieces(offset, length));
  }

  async readPieces(offset: number, length: number): Promise<Pieces> {
    if (this.isClosed) throw new Refusal('file_incomplete');
    const { context } = this;
    this.digest ??= new RunningDigest(offset);
    try {
      context.require('download_file');
      const pieces = (await this.readAhead(offset, length)) ?? (await this.fetch(offset, length));
      const received = lengthOf(pieces);
      context.active();
      this.transferred += received;
      if (received === 0) this.isAtEnd = true;
      this.digest.add(offset, ...pieces);
      if (this.endsAt !== undefined) this.noteWhole();
      return pieces;
    } catch (error) {
      throw fileRefusal(error);
    }
  }

  /** Returns bytes that were read before the client asked, and the end that they reached. */
  private async readAhead(offset: number, length: number): Promise<Pieces | undefined> {
    const { endsAt } = this;
    this.endsAt = undefined;
    if (offset > 0) return offset === endsAt ? [] : undefined;
    const pieces = await this.context.ahead.take(this.handle, length);
    // A client reads until the end. One that waits for more bytes asks again, and gets them.
    if (pieces && lengthOf(pieces) === this.entry.size) this.endsAt = this.entry.size;
    return pieces;
  }

  private async fetch(offset: number, length: number): Promise<Pieces> {
    const { handle } = this;
    const { files } = this.context;
    const requests: Promise<Pieces>[] = [];
    for (let at = 0; at < length; at += files.readLength)
      requests.push(files.readPieces(handle, offset + at, Math.min(files.readLength, length - at)));
    const pieces: Buffer[] = [];
    let received = 0;
    // After a short piece the file may continue; the caller reads again.
    for (const [index, some] of (await Promise.all(requests)).entries()) {
      pieces.push(...some);
      received += lengthOf(some);
      if (received < Math.min((index + 1) * files.readLength, length)) break;
    }
    return pieces;
  }

  /** Logs a file that passed as a whole. A client that reads it again gets another entry. */
  private noteWhole(): void {
    this.logging = this.note(undefined);
    // The close reports a failure.
    this.logging.catch(() => undefined);
    this.digest = undefined;
    this.transferred = 0;
  }

  /** Closes the file. Waits for the log, but not for the target: it has nothing to report. */
  async close(failed?: Error): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const { context, digest } = this;
    context.release(this);
    context.ahead.drop(this.handle);
    context.files.releaseHandle(this.handle);
    await this.logging;
    if (this.logging && this.transferred === 0) return;
    const isInOnePiece = !digest || digest.end !== undefined;
    const isWhole = !isInOnePiece || this.isAtEnd || (digest?.end ?? 0) >= this.entry.size;
    await this.note(
      failed ? reasonOf(context.ending() ?? failed) : isWhole ? undefined : 'file_incomplete',
    );
  }

  private note(reason: FileRecord['reason']): Promise<void> {
    return this.context.note({
      operation: 'download',
      path: shownName(this.path),
      size: this.transferred,
      sha256: (this.digest ?? new RunningDigest()).finish(),
      reason,
    });
  }
}

/**
 * Streams a download from `start` to before `end`, with read-ahead. The end of the stream closes
 * the download.
 */
export function streamOf(
  download: Download,
  { start = 0, end = Number.MAX_SAFE_INTEGER }: { readonly start?: number; readonly end?: number },
  step: number,
): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    let requests: {
      readonly at: number;
      readonly length: number;
      readonly bytes: Promise<Buffer>;
    }[] = [];
    let next = start;
    let failed: Error | undefined = new Refusal('file_incomplete');
    const fill = () => {
      while (
        requests.length * step < FILE_WINDOW &&
        next < end &&
        (next < download.entry.size || requests.length === 0)
      ) {
        const length = Math.min(step, end - next);
        const piece = download.read(next, length);
        piece.catch(() => undefined);
        requests.push({ at: next, length, bytes: piece });
        next += length;
      }
    };
    try {
      for (;;) {
        fill();
        const first = requests.shift();
        if (!first) break;
        const piece = await first.bytes;
        if (piece.length === 0) break;
        yield piece;
        if (piece.length < first.length) {
          // After a short piece, later requests no longer continue the stream.
          await Promise.allSettled(requests.map((one) => one.bytes));
          requests = [];
          next = first.at + piece.length;
        }
      }
      failed = undefined;
    } catch (error) {
      failed = error instanceof Error ? error : new Refusal('internal');
      throw error;
    } finally {
      await Promise.allSettled(requests.map((one) => one.bytes));
      await download.close(failed);
    }
  }
  return Readable.from(bytes(), { objectMode: false, highWaterMark: step });
}
