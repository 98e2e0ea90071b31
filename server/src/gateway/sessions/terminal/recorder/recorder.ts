import { isAscii } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { RecordingDigest, RunningRecording } from '../../../../platform/storage/recordings.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import { LineWriter } from '../../../recorder/line-writer.ts';
import { type RecordingOptions, RecordingPace } from '../../../recorder/recording-pace.ts';
import { recordingTurns } from '../../../recorder/recording-turns.ts';

interface CastHeader {
  readonly cols: number;
  readonly rows: number;
  readonly startedAt: Date;
  readonly title: string;
}

/** Encodes terminal events as lines of asciicast v2. Chunks may split characters anywhere. */
export class CastEncoder {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** True if the decoder may hold the first bytes of a character. */
  private midCharacter = false;

  header(header: CastHeader): string {
    const { cols: width, rows: height, startedAt, title } = header;
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const env = { TERM: 'xterm-256color' };
    return `${JSON.stringify({ version: 2, width, height, timestamp, title, env })}\n`;
  }

  /** Returns an output line, or an empty string if the chunk has only part of a character. */
  output(seconds: number, chunk: Buffer): string {
    const text = this.decode(chunk);
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  resize(seconds: number, cols: number, rows: number): string {
    return `[${stamp(seconds)}, "r", "${cols}x${rows}"]\n`;
  }

  marker(seconds: number, label: string): string {
    return `[${stamp(seconds)}, "m", ${JSON.stringify(label)}]\n`;
  }

  /** Returns the pending bytes as a line when the output ends inside a character. */
  end(seconds: number): string {
    const text = this.decoder.decode();
    return text === '' ? '' : `[${stamp(seconds)}, "o", ${JSON.stringify(text)}]\n`;
  }

  private decode(chunk: Buffer): string {
    if (!this.midCharacter && isAscii(chunk)) return chunk.toString('latin1');
    this.midCharacter = true;
    const text = this.decoder.decode(chunk, { stream: true });
    const last = chunk.at(-1);
    // A chunk that ends in ASCII leaves the decoder empty, so the next one may skip it.
    if (last !== undefined && last < 0x80) this.midCharacter = false;
    return text;
  }
}

function stamp(seconds: number): string {
  return Math.max(0, seconds).toFixed(6);
}

/**
 * Merges output of this long into one event: players cannot show it separately, and floods get
 * cheap.
 */
const COALESCE_MS = 16;
const COALESCE_BYTES = 32 * 1024;

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

  /**
   * Starts the recording and makes its header durable. Throws if that fails; then no data may flow.
   */
  static async start(options: RecorderOptions): Promise<Recorder> {
    const encoder = new CastEncoder();
    const recording = await options.recordings.begin(
      { id: options.sessionId, startedAt: options.startedAt },
      encoder.header(options),
    );
    return new Recorder(encoder, recording, options);
  }

  /** Milliseconds since the recording began; replays and commands use this clock. */
  get elapsed(): number {
    return performance.now() - this.began;
  }

  /**
   * Records output that arrived at a time, now by default. Returns false if the disk is behind:
   * pause the target until `onDrain`.
   */
  output(chunk: Buffer, at = this.elapsed): boolean {
    if (this.pace.isEnding || this.writer.hasFailed || chunk.length === 0) return true;
    if (this.chunkBytes === 0) {
      this.chunkAt = at;
      this.timer ??= setTimeout(() => recordingTurns.run(() => this.closeEvent()), COALESCE_MS);
    }
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    if (this.chunkBytes >= COALESCE_BYTES) this.closeEvent();
    this.pace.count(chunk.length);
    return !this.pace.isBehind;
  }

  get size(): number {
    return this.pace.size;
  }

  /** Digest of the finished recording. */
  get kept(): RecordingDigest | undefined {
    return this.pace.kept;
  }

  /** Adds a marker for the replay. */
  mark(label: string, at = this.elapsed): void {
    if (this.pace.isEnding) return;
    this.closeEvent();
    const line = this.encoder.marker(at / 1000, label);
    this.writer.add(line);
    // Markers are no output, but they use disk space too.
    this.pace.count(line.length);
  }

  resize({ cols, rows }: TerminalSize, at = this.elapsed): void {
    if (this.pace.isEnding) return;
    this.closeEvent();
    this.writer.add(this.encoder.resize(at / 1000, cols, rows));
  }

  /** Writes the rest and compresses the file. Returns `failed` if the recording is incomplete. */
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
