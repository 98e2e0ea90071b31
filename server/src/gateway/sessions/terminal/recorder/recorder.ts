import { performance } from 'node:perf_hooks';
import type { RecordingDigest, RunningRecording } from '../../../../platform/storage/recordings.ts';
import { LineWriter } from '../../../recorder/line-writer.ts';
import type { RecordingOptions } from '../../../recorder/recording-options.ts';
import { RecordingPace } from '../../../recorder/recording-pace.ts';
import { CastEncoder } from './asciicast.ts';

/** Output of this long is one event: a player cannot show it apart, and a flood becomes cheap. */
const COALESCE_MS = 16;
const COALESCE_BYTES = 32 * 1024;

/** How a recorder of a terminal begins. */
export interface RecorderOptions extends RecordingOptions {
  readonly cols: number;
  readonly rows: number;
}

/** Records one terminal while it runs. */
export class Recorder {
  private readonly encoder: CastEncoder;
  private readonly began = performance.now();
  private readonly writer: LineWriter;
  private chunks: Buffer[] = [];
  private chunkBytes = 0;
  private chunkAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly pace: RecordingPace;

  private constructor(encoder: CastEncoder, recording: RunningRecording, options: RecorderOptions) {
    this.encoder = encoder;
    this.writer = new LineWriter(recording, {
      onFailure: options.onFailure,
      onDrain: () => this.pace.resume(),
    });
    this.pace = new RecordingPace(options, recording, this.writer);
  }

  /** Begins the recording and makes its header durable; throws when that is not possible, and then nothing may flow. */
  static async start(options: RecorderOptions): Promise<Recorder> {
    const encoder = new CastEncoder();
    const recording = await options.recordings.begin(
      { id: options.sessionId, startedAt: options.startedAt },
      encoder.header(options),
    );
    return new Recorder(encoder, recording, options);
  }

  /** Milliseconds since the recording began: the clock of replays and commands. */
  get elapsed(): number {
    return performance.now() - this.began;
  }

  /** Takes output; false when the disk is behind and the target should pause until `onDrain`. */
  output(chunk: Buffer): boolean {
    if (this.pace.isEnding || this.writer.hasFailed || chunk.length === 0) return true;
    if (this.chunkBytes === 0) {
      this.chunkAt = this.elapsed;
      this.timer ??= setTimeout(() => this.closeEvent(), COALESCE_MS);
    }
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    if (this.chunkBytes >= COALESCE_BYTES) this.closeEvent();
    this.pace.count(chunk.length);
    return !this.pace.isBehind;
  }

  /** Bytes of output so far. */
  get size(): number {
    return this.pace.size;
  }

  /** Of the recording as it is kept, once it is finished. */
  get kept(): RecordingDigest | undefined {
    return this.pace.kept;
  }

  /** Adds a mark for people who play the recording. */
  mark(label: string): void {
    if (this.pace.isEnding) return;
    this.closeEvent();
    const line = this.encoder.marker(this.elapsed / 1000, label);
    this.writer.add(line);
    // Marks are no output, but they fill the disk as well.
    this.pace.count(line.length);
  }

  /** Takes a new size. */
  resize(cols: number, rows: number): void {
    if (this.pace.isEnding) return;
    this.closeEvent();
    this.writer.add(this.encoder.resize(this.elapsed / 1000, cols, rows));
  }

  /** Writes what is left and compresses; `failed` when the recording is not whole. */
  finish(): Promise<'finished' | 'failed'> {
    return this.pace.finish(() => {
      this.closeEvent();
      this.writer.add(this.encoder.end(this.elapsed / 1000));
    });
  }

  private closeEvent(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [first] = this.chunks;
    if (!first) return;
    const data = this.chunks.length === 1 ? first : Buffer.concat(this.chunks, this.chunkBytes);
    this.chunks = [];
    this.chunkBytes = 0;
    this.writer.add(this.encoder.output(this.chunkAt / 1000, data));
  }
}
