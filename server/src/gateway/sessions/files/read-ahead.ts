import { lengthOf, type Pieces } from '@sallyport/ssh';
import type { TargetFiles } from '../../protocols/connector.ts';

/** Files from this size on are not read ahead. */
const AHEAD_BYTES = 32 * 1024;
/** Maximum files of a session whose bytes wait for the client. */
const MAX_AHEAD_FILES = 16;

/**
 * Reads small files that the client has opened while it still waits for their handles. The bytes
 * stay here until the client asks for them.
 */
export class ReadAhead {
  private readonly files: TargetFiles;
  /** Answers by handle, the oldest first. */
  private readonly waiting = new Map<string, Promise<Pieces>>();

  constructor(files: TargetFiles) {
    this.files = files;
  }

  /** Begins to read a small file. Drops the bytes of the oldest file beyond the limit. */
  begin(handle: Buffer, size: number | undefined): void {
    if (size === undefined || size >= AHEAD_BYTES) return;
    const pieces = this.files.readPieces(handle, 0, AHEAD_BYTES);
    // A failure reaches only a client that reads.
    pieces.catch(() => undefined);
    this.waiting.set(handle.toString('latin1'), pieces);
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MAX_AHEAD_FILES && oldest !== undefined) this.waiting.delete(oldest);
  }

  /** Returns the start of a file read ahead, once, if it is no longer than `length`. */
  async take(handle: Buffer, length: number): Promise<Pieces | undefined> {
    const pieces = await this.waiting.get(handle.toString('latin1'));
    this.drop(handle);
    return pieces && lengthOf(pieces) <= length ? pieces : undefined;
  }

  /** Forgets the bytes of a file that the client closes or may not read. */
  drop(handle: Buffer): void {
    this.waiting.delete(handle.toString('latin1'));
  }
}
