import { performance } from 'node:perf_hooks';
import { type DesktopFacts, RECORD, RECORDING_FORMAT, type RecordingHeader, type RecordingNote } from '@sallyport/contract';
import type { RecordingDigest, RunningRecording } from '../../../../platform/storage/recordings.ts';
import type { DesktopPointer } from '../../../protocols/connector.ts';
import { RateLimit } from '../../../recorder/rate.ts';
import type { RecordingOptions } from '../../../recorder/recording-options.ts';
import { BlockWriter } from './block-writer.ts';

/** Records one desktop while it runs: what it shows and where the pointer is. Texts of the clipboard and keys are not part of it. */
export class DesktopRecorder {
  private readonly began = performance.now();
  private readonly recording: RunningRecording;
  private readonly options: RecordingOptions;
  private readonly rate: RateLimit;
  private readonly writer: BlockWriter;
  private written = 0;
  private isFull = false;
  private pausedUntil: NodeJS.Timeout | undefined;
  private digest: RecordingDigest | undefined;
  private ending: Promise<'finished' | 'failed'> | undefined;

  private constructor(recording: RunningRecording, headerBytes: number, options: RecordingOptions) {
    this.recording = recording;
    this.options = options;
    this.rate = new RateLimit(options.bytesPerSecond, options.burstBytes);
    this.writer = new BlockWriter(recording, headerBytes, { onFailure: options.onFailure, onDrain: () => this.resume() });
  }

  /** Begins the recording and makes its header durable; throws when that is not possible, and then nothing may flow. */
  static async start(options: RecordingOptions): Promise<DesktopRecorder> {
    const { sessionId: id, startedAt, title } = options;
    const header: RecordingHeader = { format: RECORDING_FORMAT, version: 1, title, timestamp: Math.floor(startedAt.getTime() / 1000) };
    const line = `${JSON.stringify(header)}\n`;
    const recording = await options.recordings.begin({ id, startedAt, kind: 'desktop' }, line);
    return new DesktopRecorder(recording, Buffer.byteLength(line), options);
  }

  /** Bytes of pictures so far. */
  get size(): number {
    return this.written;
  }

  /** Of the recording as it is kept, once it is finished. */
  get kept(): RecordingDigest | undefined {
    return this.digest;
  }

  /** What the picture begins with. */
  start(facts: DesktopFacts): void {
    this.note({ type: 'start', ...facts });
  }

  /** Takes bytes of the picture, which end with a whole message or in the middle of one; false when the disk is behind and the target should pause until `onDrain`. */
  picture(bytes: Buffer, isWhole: boolean): boolean {
    if (this.ending || this.writer.hasFailed || bytes.length === 0) return true;
    this.writer.add(isWhole ? RECORD.picture : RECORD.part, this.elapsed, bytes);
    this.limit(bytes.length);
    return !this.isBehind;
  }

  /** The pointer has moved, or a button was pressed. */
  pointer({ x, y, buttons }: DesktopPointer): void {
    if (this.ending) return;
    const bytes = Buffer.alloc(5);
    bytes.writeUInt16LE(x, 0);
    bytes.writeUInt16LE(y, 2);
    bytes.writeUInt8(buttons & 0xff, 4);
    this.writer.add(RECORD.pointer, this.elapsed, bytes);
    this.limit(bytes.length);
  }

  /** Writes what is left and hands the recording over; `failed` when it is not whole. */
  finish(): Promise<'finished' | 'failed'> {
    this.ending ??= this.conclude();
    return this.ending;
  }

  private async conclude(): Promise<'finished' | 'failed'> {
    clearTimeout(this.pausedUntil);
    this.note({ type: 'end' });
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

  private note(note: RecordingNote): void {
    this.writer.add(RECORD.note, this.elapsed, Buffer.from(JSON.stringify(note)));
  }

  /** Milliseconds since the recording began. */
  private get elapsed(): number {
    return Math.round(performance.now() - this.began);
  }

  private get isBehind(): boolean {
    return this.writer.isBehind || this.pausedUntil !== undefined;
  }

  private resume(): void {
    if (!this.isBehind) this.options.onDrain();
  }

  private limit(bytes: number): void {
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
}
