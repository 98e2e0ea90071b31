import { createHash } from 'node:crypto';
import { lengthOf, type Pieces } from '@sallyport/ssh';
import { FILE_WINDOW } from '../../limits.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { ifExists } from './boundary.ts';
import type { FileContext } from './file-context.ts';

/** Maximum number of pieces that wait for an earlier one. */
const MAX_AHEAD = 128;

/** SHA-256 of bytes that arrive in pieces, mostly in order. */
export class RunningDigest {
  private readonly hash = createHash('sha256');
  private readonly ahead = new Map<number, Pieces>();
  private readonly start: number;
  private next: number;
  private isBroken = false;

  /** `start` is the offset of the first byte. */
  constructor(start = 0) {
    this.start = start;
    this.next = start;
  }

  /** Adds bytes at an offset. The caller must not change them afterwards. */
  add(offset: number, ...pieces: Pieces): void {
    if (this.isBroken || lengthOf(pieces) === 0) return;
    if (offset === this.next) {
      this.take(pieces);
      for (let more = this.ahead.get(this.next); more; more = this.ahead.get(this.next)) {
        this.ahead.delete(this.next);
        this.take(more);
      }
    } else if (offset > this.next && this.ahead.size < MAX_AHEAD && !this.ahead.has(offset))
      this.ahead.set(offset, pieces);
    else this.spoil();
  }

  /** Drops the digest: the bytes did not arrive contiguously. */
  spoil(): void {
    this.isBroken = true;
    this.ahead.clear();
  }

  /** Offset after the last byte, if all bytes arrived without a gap. */
  get end(): number | undefined {
    return this.isBroken || this.ahead.size > 0 ? undefined : this.next;
  }

  /** Returns the digest in lowercase hex, if available. Call it once, at the end. */
  finish(): string | undefined {
    return this.end === undefined ? undefined : this.hash.digest('hex');
  }

  get length(): number {
    return this.next - this.start;
  }

  private take(pieces: Pieces): void {
    for (const piece of pieces) {
      this.hash.update(piece);
      this.next += piece.length;
    }
  }
}

/** Moves a complete partial file to its path. @throws Refusal when the path exists already */
export async function moveWithoutReplacing(
  files: TargetFiles,
  part: Buffer,
  place: Buffer,
): Promise<void> {
  await files.rename(part, place).catch(async (error: unknown) => {
    throw (await ifExists(files.attributesOf(place, false)).catch(() => undefined))
      ? new Refusal('file_exists')
      : error;
  });
}

/** Moves a complete partial file to its path, replacing an existing file. */
export async function moveReplacing(
  files: TargetFiles,
  part: Buffer,
  place: Buffer,
): Promise<void> {
  if (files.canReplace) {
    await files.replace(part, place);
    return;
  }
  // Without an atomic replace: rename the old file, and rename it back if that fails.
  const isTaken = (await ifExists(files.attributesOf(place, false))) !== undefined;
  const aside = Buffer.concat([part, Buffer.from('-old')]).subarray(0);
  if (isTaken) await files.rename(place, aside);
  try {
    await files.rename(part, place);
  } catch (error) {
    if (isTaken) await files.rename(aside, place);
    throw error;
  }
  if (isTaken) await files.remove(aside);
}

/**
 * Reads an open file up to its expected size and returns its SHA-256. @throws Refusal if it is
 * shorter
 */
export async function digestOf(
  context: Pick<FileContext, 'files' | 'active'>,
  handle: Buffer,
  size: () => number,
): Promise<string | undefined> {
  const { files } = context;
  const digest = new RunningDigest();
  const step = files.readLength;
  const window = Math.max(1, Math.floor(FILE_WINDOW / step));
  for (let at = 0; at < size(); at = digest.length) {
    const offsets = Array.from({ length: window }, (_, index) => at + index * step).filter(
      (offset) => offset < size(),
    );
    const pieces = await Promise.all(offsets.map((offset) => files.read(handle, offset, step)));
    for (const piece of pieces) {
      digest.add(digest.length, piece);
      if (piece.length < step) break;
    }
    if (digest.length === at) throw new Refusal('file_failed');
    context.active();
  }
  return digest.finish();
}
