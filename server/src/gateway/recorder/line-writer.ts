import type { RunningRecording } from '../../platform/storage/recordings.ts';

/** Bytes per block: room for the longest event with every byte escaped. */
const BLOCK_BYTES = 512 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];

/**
 * Returns a block to fill. All recordings share a pool of blocks, so a flood creates no garbage.
 */
function takeBlock(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}

/** Returns a written block to the pool. An idle recording holds none. */
function giveBlock(block: Buffer): void {
  if (block.length === BLOCK_BYTES && spare.length < MAX_SPARE) spare.push(block);
}

/**
 * Characters that wait as text. Most recordings write a few lines at a time: a block for each would
 * take hundreds of MiB, and allocating it more time than all other work.
 */
const SHORT = 4 * 1024;

const WRITE_EVERY_MS = 200;
const WRITE_BYTES = 256 * 1024;
const SYNC_AFTER_MS = 600;
/** Blocks that may wait for the disk. Beyond this the caller must pause. */
const MAX_WAITING = 4;

export interface WriterEvents {
  onFailure(error: Error): void;
  onDrain(): void;
}

type Target = Pick<RunningRecording, 'append' | 'flush' | 'close'>;

interface Filled {
  readonly block: Buffer;
  length: number;
}

/** Appends lines to a file: writes after 200 ms at most, flushes within a second. */
export class LineWriter {
  private readonly file: Target;
  private readonly events: WriterEvents;
  /** Lines that no block holds yet; empty while a block is filling. */
  private short = '';
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

  /** True if the caller should pause until `onDrain`. */
  get isBehind(): boolean {
    return this.behind;
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  add(line: string): void {
    if (this.failure || line === '') return;
    if (!this.filling && this.short.length + line.length <= SHORT) this.short += line;
    else {
      this.fill(this.short);
      this.short = '';
      this.fill(line);
    }
    if ((this.filling?.length ?? 0) >= WRITE_BYTES) this.write();
    else this.writeTimer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  private fill(lines: string): void {
    const filled = this.roomFor(lines);
    filled.length += filled.block.write(lines, filled.length, 'utf8');
  }

  /** Writes the rest and closes the file. Never throws; failures are reported as events. */
  async end(): Promise<void> {
    while (!this.failure && (this.isFilling || this.waiting.length > 0 || this.writing)) {
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

  private get isFilling(): boolean {
    return this.filling !== undefined || this.short !== '';
  }

  private seal(): void {
    if (this.filling) this.waiting.push(this.filling);
    else if (this.short) {
      const block = Buffer.from(this.short);
      this.waiting.push({ block, length: block.length });
    }
    this.filling = undefined;
    this.short = '';
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
    else if (this.isFilling) this.writeTimer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
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
