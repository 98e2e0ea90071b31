import type {
  RecordingDigest,
  Recordings,
  RunningRecording,
} from '../../platform/storage/recordings.ts';

export interface RecordingOptions {
  readonly recordings: Recordings;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly title: string;
  /**
   * Called once if the recording cannot be written or finished. The session must end, because
   * nothing more is recorded.
   */
  readonly onFailure: (error: Error) => void;
  /** Called when the disk has caught up after the recorder fell behind. */
  readonly onDrain: () => void;
  readonly maxBytes: number;
  readonly bytesPerSecond: number;
  /** Bytes allowed above the rate. */
  readonly burstBytes: number;
  /** Called once when the recording reaches `maxBytes`. */
  readonly onFull: () => void;
}

/** A token bucket: limits the rate of bytes and allows a burst. */
class RateLimit {
  private left: number;
  private at = performance.now();
  private readonly burst: number;
  private readonly bytesPerSecond: number;

  constructor(bytesPerSecond: number, burst: number) {
    this.bytesPerSecond = bytesPerSecond;
    this.burst = burst;
    this.left = burst;
  }

  /** Takes bytes. Returns the milliseconds to wait, 0 for none. */
  take(bytes: number): number {
    const now = performance.now();
    this.left =
      Math.min(this.burst, this.left + ((now - this.at) / 1000) * this.bytesPerSecond) - bytes;
    this.at = now;
    return this.left >= 0 ? 0 : (-this.left / this.bytesPerSecond) * 1000;
  }
}

interface RecordingWriter {
  readonly isBehind: boolean;
  readonly hasFailed: boolean;
  /** Writes the rest and closes the file. */
  end(): Promise<void>;
}

/** Size, rate limit and completion of recordings in every format. */
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

  /** Digest of the finished recording. */
  get kept(): RecordingDigest | undefined {
    return this.digest;
  }

  /** True once it accepts no more data. */
  get isEnding(): boolean {
    return this.ending !== undefined;
  }

  /** True if the source should pause until `onDrain`. */
  get isBehind(): boolean {
    return this.writer.isBehind || this.pausedUntil !== undefined;
  }

  /** Reports that the writer has caught up. */
  resume(): void {
    if (!this.isBehind) this.options.onDrain();
  }

  /** Counts bytes that use disk space. */
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

  /** Writes the last part and completes the recording. Returns `failed` if it is incomplete. */
  finish(writeLast: () => void): Promise<'finished' | 'failed'> {
    this.ending ??= this.conclude(writeLast);
    return this.ending;
  }

  private async conclude(writeLast: () => void): Promise<'finished' | 'failed'> {
    clearTimeout(this.pausedUntil);
    writeLast();
    await this.writer.end();
    if (this.writer.hasFailed) {
      this.recording.leave();
      return 'failed';
    }
    try {
      this.digest = await this.recording.keep();
      return 'finished';
    } catch (error) {
      // The written data stays, and is completed once there is room.
      this.options.onFailure(error instanceof Error ? error : new Error(String(error)));
      return 'failed';
    }
  }
}
