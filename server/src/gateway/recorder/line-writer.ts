import type { RunningRecording } from '../../platform/storage/recordings.ts';
import { BLOCK_BYTES, giveBlock, takeBlock } from './blocks.ts';

const WRITE_EVERY_MS = 200;
const WRITE_BYTES = 256 * 1024;
const SYNC_AFTER_MS = 600;
/** Blocks that wait for the disk; beyond this the writer of lines has to wait too. */
const MAX_WAITING = 4;

/** What a writer reports. */
export interface WriterEvents {
  onFailure(error: Error): void;
  onDrain(): void;
}

/** What lines are appended to. */
type Target = Pick<RunningRecording, 'append' | 'flush' | 'close'>;

interface Filled {
  readonly block: Buffer;
  length: number;
}

/** Appends lines to a file: written a quarter of a second later at the latest, durable after a second. */
export class LineWriter {
  private readonly file: Target;
  private readonly events: WriterEvents;
  private filling: Filled | undefined;
  private readonly waiting: Filled[] = [];
  private writing: Promise<void> | undefined;
  private writeTimer: NodeJS.Timeout | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private syncing: Promise<void> | undefined;
  private behind = false;
  private failure: Error | undefined;

  constructor(file: Target, events: WriterEvents) {
    this.file = file;
    this.events = events;
  }

  /** Whether the writer of lines should wait for `onDrain`. */
  get isBehind(): boolean {
    return this.behind;
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Takes a line. */
  add(line: string): void {
    if (this.failure || line === '') return;
    const filled = this.roomFor(line);
    filled.length += filled.block.write(line, filled.length, 'utf8');
    if (filled.length >= WRITE_BYTES) this.write();
    else this.writeTimer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  /** Writes everything and closes the file; throws nothing, the failure was or is reported. */
  async end(): Promise<void> {
    while (!this.failure && (this.filling || this.waiting.length > 0 || this.writing)) {
      this.write();
      await this.writing;
    }
    clearTimeout(this.writeTimer);
    clearTimeout(this.syncTimer);
    await this.syncing;
    await this.file.close().catch((error: unknown) => this.fail(error));
  }

  private roomFor(line: string): Filled {
    const isTooLong =
      this.filling &&
      this.filling.length + line.length * 3 > BLOCK_BYTES &&
      this.filling.length + Buffer.byteLength(line) > BLOCK_BYTES;
    if (isTooLong) this.seal();
    this.filling ??= { block: takeBlock(), length: 0 };
    return this.filling;
  }

  private seal(): void {
    if (this.filling) this.waiting.push(this.filling);
    this.filling = undefined;
    if (this.waiting.length >= MAX_WAITING) this.behind = true;
  }

  private write(): void {
    clearTimeout(this.writeTimer);
    this.writeTimer = undefined;
    if (this.writing || this.failure) return;
    if (this.waiting.length === 0) this.seal();
    const next = this.waiting.shift();
    if (!next) return;
    this.writing = this.file.append(next.block, next.length).then(
      () => this.wrote(next),
      (error: unknown) => {
        this.writing = undefined;
        this.fail(error);
      },
    );
  }

  private wrote(filled: Filled): void {
    this.writing = undefined;
    giveBlock(filled.block);
    this.syncTimer ??= setTimeout(() => this.sync(), SYNC_AFTER_MS);
    if (this.behind && this.waiting.length <= 1) {
      this.behind = false;
      this.events.onDrain();
    }
    if (this.waiting.length > 0 || (this.filling?.length ?? 0) >= WRITE_BYTES) this.write();
    else if (this.filling) this.writeTimer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private sync(): void {
    this.syncing = this.file.flush().then(
      () => {
        this.syncing = undefined;
        this.syncTimer = undefined;
      },
      (error: unknown) => this.fail(error),
    );
  }

  private fail(error: unknown): void {
    if (this.failure) return;
    this.failure = error instanceof Error ? error : new Error(String(error));
    clearTimeout(this.writeTimer);
    clearTimeout(this.syncTimer);
    this.events.onFailure(this.failure);
  }
}
