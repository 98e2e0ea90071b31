import { performance } from 'node:perf_hooks';
import {
  type DesktopFacts,
  RECORD,
  RECORDING_FORMAT,
  type RecordedKey,
  type RecordingHeader,
  type RecordingNote,
  writeKey,
} from '@sallyport/contract';
import type { RecordingDigest, RunningRecording } from '../../../../platform/storage/recordings.ts';
import type { DesktopPointer } from '../../../protocols/target-desktop.ts';
import { type RecordingOptions, RecordingPace } from '../../../recorder/recording-pace.ts';
import { BlockWriter } from './block-writer.ts';

/**
 * Records one desktop: picture, pointer, and keys if the setting is on. Clipboard text is not
 * recorded.
 */
export class DesktopRecorder {
  private readonly began = performance.now();
  private readonly writer: BlockWriter;
  private readonly pace: RecordingPace;

  private constructor(recording: RunningRecording, headerBytes: number, options: RecordingOptions) {
    this.writer = new BlockWriter(recording, headerBytes, {
      onFailure: options.onFailure,
      onDrain: () => this.pace.resume(),
    });
    this.pace = new RecordingPace(options, recording, this.writer);
  }

  /**
   * Starts the recording and makes its header durable. Throws if that fails; then no data may flow.
   */
  static async start(options: RecordingOptions): Promise<DesktopRecorder> {
    const { sessionId: id, startedAt, title } = options;
    const header: RecordingHeader = {
      format: RECORDING_FORMAT,
      version: 1,
      title,
      timestamp: Math.floor(startedAt.getTime() / 1000),
    };
    const line = `${JSON.stringify(header)}\n`;
    const recording = await options.recordings.begin({ id, startedAt, kind: 'desktop' }, line);
    return new DesktopRecorder(recording, Buffer.byteLength(line), options);
  }

  /** Bytes recorded so far. */
  get size(): number {
    return this.pace.size;
  }

  /** Digest of the finished recording. */
  get kept(): RecordingDigest | undefined {
    return this.pace.kept;
  }

  /** Records the initial state of the picture. */
  start(facts: DesktopFacts, hasKeys: boolean): void {
    this.note({ type: 'start', ...facts, ...(hasKeys && { keys: true }) });
  }

  /**
   * Records picture bytes; `isWhole` if they end at a message boundary. Returns false if the disk
   * is behind: pause the target until `onDrain`.
   */
  picture(bytes: Buffer, isWhole: boolean): boolean {
    if (this.pace.isEnding || this.writer.hasFailed || bytes.length === 0) return true;
    this.writer.add(isWhole ? RECORD.picture : RECORD.part, this.elapsed, bytes);
    this.pace.count(bytes.length);
    return !this.pace.isBehind;
  }

  pointer({ x, y, buttons }: DesktopPointer): void {
    if (this.pace.isEnding) return;
    const bytes = Buffer.alloc(5);
    bytes.writeUInt16LE(x, 0);
    bytes.writeUInt16LE(y, 2);
    bytes.writeUInt8(buttons & 0xff, 4);
    this.writer.add(RECORD.pointer, this.elapsed, bytes);
    this.pace.count(bytes.length);
  }

  key(key: RecordedKey): void {
    if (this.pace.isEnding) return;
    const bytes = Buffer.from(writeKey(key));
    this.writer.add(RECORD.key, this.elapsed, bytes);
    this.pace.count(bytes.length);
  }

  /** Writes the rest and closes the recording. Returns `failed` if it is incomplete. */
  finish(): Promise<'finished' | 'failed'> {
    return this.pace.finish(() => this.note({ type: 'end' }));
  }

  private note(note: RecordingNote): void {
    this.writer.add(RECORD.note, this.elapsed, Buffer.from(JSON.stringify(note)));
  }

  /** Milliseconds since the recording began. */
  private get elapsed(): number {
    return Math.round(performance.now() - this.began);
  }
}
