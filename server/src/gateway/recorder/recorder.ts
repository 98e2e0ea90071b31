import { type FileHandle, open } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { archiveRecording } from './archive.ts';
import { CastEncoder } from './asciicast.ts';
import { makeRecordingFolder, type RecordingPaths, recordingPaths, syncFolder } from './paths.ts';

/** Output of this long is one event: a player cannot show it apart, and a flood becomes cheap. */
const COALESCE_MS = 16;
const COALESCE_BYTES = 64 * 1024;
const WRITE_EVERY_MS = 200;
const WRITE_BYTES = 256 * 1024;
const SYNC_EVERY_MS = 900;
/** Lines that wait for the disk; beyond this the target has to wait too. */
const HIGH_WATER = 2 * 1024 * 1024;

/** How a recorder begins. */
export interface RecorderOptions {
  readonly directory: string;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly title: string;
  readonly cols: number;
  readonly rows: number;
  /** Called once, when the disk refuses. What follows is not recorded any more, so the session must end. */
  readonly onFailure: (error: Error) => void;
  /** Called when the disk has caught up after `output` said false. */
  readonly onDrain: () => void;
}

/** Records one terminal to disk while it runs: at most a quarter of a second behind in the file, a second behind on the disk. */
export class Recorder {
  private readonly encoder = new CastEncoder();
  private readonly began = performance.now();
  private readonly chunks: Buffer[] = [];
  private chunkBytes = 0;
  private chunkAt = 0;
  private chunkTimer: NodeJS.Timeout | undefined;
  private lines: string[] = [];
  private lineLength = 0;
  private writeTimer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private full = false;
  private ended = false;
  private failure: Error | undefined;
  private readonly file: FileHandle;
  private readonly paths: RecordingPaths;
  private readonly options: RecorderOptions;

  private constructor(file: FileHandle, paths: RecordingPaths, options: RecorderOptions) {
    this.file = file;
    this.paths = paths;
    this.options = options;
  }

  /** Creates the file and makes its header durable; throws when that is not possible, and then nothing may flow. */
  static async start(options: RecorderOptions): Promise<Recorder> {
    const paths = recordingPaths(options.directory, options.sessionId, options.startedAt);
    await makeRecordingFolder(paths);
    const file = await open(paths.running, 'ax', 0o600);
    try {
      const recorder = new Recorder(file, paths, options);
      await file.appendFile(recorder.encoder.header(options));
      await file.sync();
      await syncFolder(paths.folder);
      return recorder;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Milliseconds since the recording began: the time that replays and commands are told in. */
  get elapsed(): number {
    return performance.now() - this.began;
  }

  /** Takes output; false when the disk is behind and the target should pause until `onDrain`. */
  output(chunk: Buffer): boolean {
    if (this.ended || this.failure || chunk.length === 0) return true;
    if (this.chunkBytes === 0) {
      this.chunkAt = this.elapsed;
      this.chunkTimer ??= setTimeout(() => this.closeEvent(), COALESCE_MS);
    }
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    if (this.chunkBytes >= COALESCE_BYTES) this.closeEvent();
    if (this.lineLength > HIGH_WATER) this.full = true;
    return !this.full;
  }

  /** Takes a new size. */
  resize(cols: number, rows: number): void {
    if (this.ended || this.failure) return;
    this.closeEvent();
    this.addLine(this.encoder.resize(this.elapsed / 1000, cols, rows));
  }

  /** Writes what is left and compresses; `failed` when the recording is not whole. */
  async finish(): Promise<'finished' | 'failed'> {
    if (this.ended) return this.failure ? 'failed' : 'finished';
    this.closeEvent();
    this.addLine(this.encoder.end(this.elapsed / 1000));
    this.ended = true;
    clearTimeout(this.writeTimer);
    clearTimeout(this.syncTimer);
    await this.writing;
    try {
      if (!this.failure) {
        await this.file.appendFile(this.lines.join(''));
        await this.file.sync();
      }
    } catch (error) {
      this.fail(error);
    }
    this.lines = [];
    await this.file.close().catch((error) => this.fail(error));
    if (this.failure) return 'failed';
    try {
      await archiveRecording(this.paths.running, this.paths.finished);
      return 'finished';
    } catch (error) {
      // The plain file is whole and stays; the next start archives it.
      this.fail(error);
      return 'failed';
    }
  }

  private closeEvent(): void {
    clearTimeout(this.chunkTimer);
    this.chunkTimer = undefined;
    if (this.chunkBytes === 0) return;
    const [first] = this.chunks;
    const data = this.chunks.length === 1 && first ? first : Buffer.concat(this.chunks, this.chunkBytes);
    this.chunks.length = 0;
    this.chunkBytes = 0;
    this.addLine(this.encoder.output(this.chunkAt / 1000, data));
  }

  private addLine(line: string): void {
    if (line === '') return;
    this.lines.push(line);
    this.lineLength += line.length;
    if (this.lineLength >= WRITE_BYTES) this.write();
    else this.writeTimer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private write(): void {
    if (this.writing || this.ended || this.failure || this.lineLength === 0) return;
    clearTimeout(this.writeTimer);
    this.writeTimer = undefined;
    const text = this.lines.join('');
    this.lines = [];
    this.lineLength = 0;
    this.writing = this.file.appendFile(text).then(
      () => this.wrote(),
      (error) => {
        this.writing = undefined;
        this.fail(error);
      },
    );
  }

  private wrote(): void {
    this.writing = undefined;
    if (this.ended) return;
    this.syncTimer ??= setTimeout(() => this.sync(), SYNC_EVERY_MS - WRITE_EVERY_MS);
    if (this.lineLength >= WRITE_BYTES) this.write();
    if (this.full && this.lineLength <= HIGH_WATER / 2) {
      this.full = false;
      this.options.onDrain();
    }
  }

  private sync(): void {
    this.file.datasync().then(
      () => {
        this.syncTimer = undefined;
      },
      (error) => {
        // The handle is closed while the recording ends; `finish` makes its own sync.
        if (!this.ended) this.fail(error);
      },
    );
  }

  private fail(error: unknown): void {
    if (this.failure) return;
    this.failure = error instanceof Error ? error : new Error(String(error));
    clearTimeout(this.chunkTimer);
    clearTimeout(this.writeTimer);
    clearTimeout(this.syncTimer);
    this.options.onFailure(this.failure);
  }
}
