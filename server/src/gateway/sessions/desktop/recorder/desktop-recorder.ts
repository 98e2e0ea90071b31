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
import type { DesktopPointer } from '../../../protocols/connector.ts';
import type { RecordingOptions } from '../../../recorder/recording-options.ts';
import { RecordingPace } from '../../../recorder/recording-pace.ts';
import { BlockWriter } from './block-writer.ts';

/** Records one desktop while it runs: what it shows, where the pointer is, and keys where the setting asks for them. Texts of the clipboard are not part of it. */
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

  /** Begins the recording and makes its header durable; throws when that is not possible, and then nothing may flow. */
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

  /** Bytes of pictures so far. */
  get size(): number {
    return this.pace.size;
  }

  /** Of the recording as it is kept, once it is finished. */
  get kept(): RecordingDigest | undefined {
    return this.pace.kept;
  }

  /** What the picture begins with. */
  start(facts: DesktopFacts, hasKeys: boolean): void {
    this.note({ type: 'start', ...facts, ...(hasKeys && { keys: true }) });
  }

  /** Takes bytes of the picture, which end with a whole message or in the middle of one; false when the disk is behind and the target should pause until `onDrain`. */
  picture(bytes: Buffer, isWhole: boolean): boolean {
    if (this.pace.isEnding || this.writer.hasFailed || bytes.length === 0) return true;
    this.writer.add(isWhole ? RECORD.picture : RECORD.part, this.elapsed, bytes);
    this.pace.count(bytes.length);
    return !this.pace.isBehind;
  }

  /** The pointer has moved, or a button was pressed. */
  pointer({ x, y, buttons }: DesktopPointer): void {
    if (this.pace.isEnding) return;
    const bytes = Buffer.alloc(5);
    bytes.writeUInt16LE(x, 0);
    bytes.writeUInt16LE(y, 2);
    bytes.writeUInt8(buttons & 0xff, 4);
    this.writer.add(RECORD.pointer, this.elapsed, bytes);
    this.pace.count(bytes.length);
  }

  /** A key was pressed or let go. */
  key(key: RecordedKey): void {
    if (this.pace.isEnding) return;
    const bytes = Buffer.from(writeKey(key));
    this.writer.add(RECORD.key, this.elapsed, bytes);
    this.pace.count(bytes.length);
  }

  /** Writes what is left and hands the recording over; `failed` when it is not whole. */
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
