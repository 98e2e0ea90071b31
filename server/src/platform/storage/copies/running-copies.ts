import type { Sealer } from '../../crypto/vault.ts';
import { one, putOrKept } from '../buckets.ts';
import type { WatchedSpool } from '../disk-watch.ts';
import { nameOf } from '../recording-names.ts';
import type { RecordingCopy } from '../recording-types.ts';
import type { SpoolFile } from '../spool.ts';
import { type Storage, StorageError } from '../storage.ts';
import { MAX_PART, openPart, partKey, sealPart } from './part.ts';

/**
 * Age of bytes that are copied. Shorter sessions make no parts, and a busy session makes one every
 * few seconds.
 */
const COPY_AFTER_MS = 4_000;
/** Files that are copied at the same time. */
const PARALLEL = 8;

interface Growing {
  readonly sessionId: string;
  written: number;
  copied: number;
  parts: number;
  /** Parts of the copy that was noted last. */
  noted: number;
  /** The storage of the parts. */
  storage: string;
  /** Time of the oldest byte that is not copied. */
  since: number | undefined;
  /** End of a part whose put failed. Another range under its number could follow a late one. */
  tried: number | undefined;
}

type Target = Pick<Storage, 'put' | 'open'>;

/** Copies the running recordings of this process into a bucket while they grow. */
export class RunningCopies {
  private readonly growing = new Map<string, Growing>();
  private readonly files: Sealer;
  private spool: Pick<WatchedSpool, 'readPart'> | undefined;
  private hasEnded = false;

  constructor(files: Sealer) {
    this.files = files;
  }

  /** Follows the files of a spool, whose bytes are copied as they are on the disk. */
  follow(spool: WatchedSpool): WatchedSpool {
    this.spool = spool;
    return {
      ...spool,
      create: async (key, beginning) => {
        const file = await spool.create(key, beginning);
        return this.followed(file, key, Buffer.byteLength(beginning));
      },
    };
  }

  /** True if a recording has bytes that wait for their copy. */
  get isBehind(): boolean {
    for (const { since } of this.growing.values()) if (isDue(since)) return true;
    return false;
  }

  /** Returns true once after recordings have ended. */
  takeEnded(): boolean {
    const hasEnded = this.hasEnded;
    this.hasEnded = false;
    return hasEnded;
  }

  /**
   * Copies the bytes that wait. The order of the parts is that of the file: after a failure, the
   * same part is tried again.
   * @throws StorageError
   */
  async copy(storage: string, to: Target): Promise<void> {
    const due = [...this.growing].filter(([, { since }]) => isDue(since));
    let failure: unknown;
    const work = async () => {
      for (let next = due.shift(); next && !failure; next = due.shift()) {
        const [key, file] = next;
        await this.copyFile(key, file, { storage, to }).catch((error: unknown) => {
          // The recording may have ended meanwhile.
          if (!this.growing.delete(key)) return;
          // The others go first the next time.
          this.growing.set(key, file);
          failure ??= error;
        });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    if (failure) throw failure;
  }

  /** Returns the copies that have grown since they were noted. */
  unnoted(): readonly RecordingCopy[] {
    return [...this.growing.values()]
      .filter(({ parts, noted }) => parts !== noted)
      .map(({ sessionId, parts, copied }) => ({ sessionId, parts, size: copied }));
  }

  /** Takes copies as noted. */
  note(copies: readonly RecordingCopy[]): void {
    const noted = new Map(copies.map(({ sessionId, parts }) => [sessionId, parts]));
    for (const file of this.growing.values()) file.noted = noted.get(file.sessionId) ?? file.noted;
  }

  private followed(file: SpoolFile, key: string, size: number): SpoolFile {
    const sessionId = nameOf(key)?.sessionId;
    if (sessionId === undefined) return file;
    const grown: Growing = {
      sessionId,
      written: size,
      copied: 0,
      parts: 0,
      noted: 0,
      storage: '',
      since: performance.now(),
      tried: undefined,
    };
    this.growing.set(key, grown);
    return {
      ...file,
      append: async (block, length) => {
        await file.append(block, length);
        grown.written += length;
        grown.since ??= performance.now();
      },
      close: async (hasCopy) => {
        this.growing.delete(key);
        this.hasEnded = true;
        await file.close(hasCopy);
      },
    };
  }

  private async copyFile(
    key: string,
    file: Growing,
    { storage, to }: { readonly storage: string; readonly to: Target },
  ): Promise<void> {
    if (file.storage !== storage)
      Object.assign(file, { storage, copied: 0, parts: 0, noted: 0, tried: undefined });
    const end = file.written;
    while (file.copied < end) {
      const from = file.copied;
      file.tried ??= Math.min(end, from + MAX_PART);
      const bytes = await this.spool?.readPart(key, from, file.tried - from);
      if (bytes?.length !== file.tried - from)
        throw new StorageError('unavailable', `${key} is shorter than what was written`);
      const place = { running: key, number: file.parts, from };
      await putOrKept(
        () => to.put(partKey(key, place.number), one(sealPart(this.files, place, bytes))),
        async () => bytes.equals(await openPart(to, this.files, place)),
      );
      file.copied = file.tried;
      file.parts += 1;
      file.tried = undefined;
    }
    file.since = file.copied < file.written ? performance.now() : undefined;
  }
}

const isDue = (since: number | undefined) =>
  since !== undefined && performance.now() - since >= COPY_AFTER_MS;
