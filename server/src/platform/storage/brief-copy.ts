import type { RecordingDigest } from './buckets.ts';
import type { RunningRecording } from './recording-types.ts';
import type { SpoolFile } from './spool.ts';

/** Maximum bytes of a copy. An idle session has few hundred. */
const MOST = 2 * 1024;

/** Copies the content of a growing file while it is brief, so that its end reads no file. */
class BriefCopy {
  /** A character for each byte. Small buffers would hold the block that Node cuts them from. */
  private text: string | undefined = '';

  add(bytes: Uint8Array, length: number): void {
    if (this.text === undefined) return;
    if (this.text.length + length > MOST) this.text = undefined;
    else this.text += Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
  }

  /** True while it has the whole content. */
  get isWhole(): boolean {
    return this.text !== undefined;
  }

  /** The whole content; undefined if the file has become longer. */
  get content(): Buffer | undefined {
    return this.text === undefined ? undefined : Buffer.from(this.text, 'latin1');
  }
}

interface RunningFile {
  /** Stores the first `length` bytes as finished; `brief` has them if they are few. */
  readonly keep: (length: number, brief: Buffer | undefined) => Promise<RecordingDigest>;
  /** Makes the closed file durable. */
  readonly sync: () => Promise<void>;
  /** Leaves the closed file to be finished later. */
  readonly leave: () => void;
}

/**
 * A running recording whose content stays in memory while it is brief. Its file is not synced at
 * the end: the finished file is durable before the running one is deleted.
 */
export function withBriefCopy(
  file: SpoolFile,
  beginning: string,
  { keep, sync, leave }: RunningFile,
): RunningRecording {
  const first = Buffer.from(beginning);
  let size = first.length;
  const brief = new BriefCopy();
  brief.add(first, size);
  return {
    ...file,
    async append(block, length) {
      await file.append(block, length);
      size += length;
      brief.add(block, length);
    },
    close: () => file.close(brief.isWhole),
    leave,
    async keep() {
      const copy = brief.content;
      return keep(size, copy).catch(async (error: unknown) => {
        if (copy) await sync();
        throw error;
      });
    },
  };
}
