import type { RecordingDigest, RunningRecording } from '../../platform/storage/recordings.ts';
import { RateLimit } from './rate.ts';
import type { RecordingOptions } from './recording-options.ts';

/** What writes a recording of some format. */
interface RecordingWriter {
  readonly isBehind: boolean;
  readonly hasFailed: boolean;
  /** Writes what is left and closes the file. */
  end(): Promise<void>;
}

/** What recordings of every format share: their size, how fast they may grow, and how they are kept at their end. */
export class RecordingPace {
  private readonly options: RecordingOptions;
  private readonly recording: RunningRecording;
  private readonly writer: RecordingWriter;
  private readonly rate: RateLimit;
  private written = 0;
  private isFull = false;
  private pausedUntil: NodeJS.Timeout | undefined;
  private digest: RecordingDigest | undefined;
  private ending: Promise<'finished' | 'failed'> | undefined;

  constructor(options: RecordingOptions, recording: RunningRecording, writer: RecordingWriter) {
    this.options = options;
    this.recording = recording;
    this.writer = writer;
    this.rate = new RateLimit(options.bytesPerSecond, options.burstBytes);
  }

  /** Bytes so far. */
  get size(): number {
    return this.written;
  }

  /** Of the recording as it is kept, once it is finished. */
  get kept(): RecordingDigest | undefined {
    return this.digest;
  }

  /** Whether it takes no more. */
  get isEnding(): boolean {
    return this.ending !== undefined;
  }

  /** Whether the source should wait until `onDrain`. */
  get isBehind(): boolean {
    return this.writer.isBehind || this.pausedUntil !== undefined;
  }

  /** The disk has caught up. */
  resume(): void {
    if (!this.isBehind) this.options.onDrain();
  }

  /** Counts bytes that fill the disk. */
  count(bytes: number): void {
    this.written += bytes;
    if (this.written > this.options.maxBytes && !this.isFull) {
      this.isFull = true;
      this.options.onFull();
    }
    const wait = this.rate.take(bytes);
    if (wait <= 0 || this.pausedUntil) return;
    this.pausedUntil = setTimeout(() => {
      this.pausedUntil = undefined;
      this.resume();
    }, wait);
  }

  /** Writes the last part and hands the recording over; `failed` when it is not whole. */
  finish(writeLast: () => void): Promise<'finished' | 'failed'> {
    this.ending ??= this.conclude(writeLast);
    return this.ending;
  }

  private async conclude(writeLast: () => void): Promise<'finished' | 'failed'> {
    clearTimeout(this.pausedUntil);
    writeLast();
    await this.writer.end();
    if (this.writer.hasFailed) return 'failed';
    try {
      this.digest = await this.recording.keep();
      return 'finished';
    } catch (error) {
      // What was recorded is whole and stays; the next start keeps it.
      this.options.onFailure(error instanceof Error ? error : new Error(String(error)));
      return 'failed';
    }
  }
}
