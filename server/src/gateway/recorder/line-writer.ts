import type { RunningRecording } from '../../platform/storage/recordings.ts';
import { recordingTurns } from './recording-turns.ts';

/** Bytes per block: room for the longest event with every byte escaped. */
const BLOCK_BYTES = 512 * 1024;
/** Blocks of all recordings. While none is free, recordings fill small blocks. */
const MAX_BLOCKS = 8;
const SMALL_BLOCK_BYTES = 32 * 1024;
const MAX_SMALL_BLOCKS = 192;

/** Blocks of one size that all recordings share, so a flood creates no garbage. */
class BlockPool {
  private readonly spare: Buffer[] = [];
  private used = 0;
  private readonly bytes: number;
  private readonly most: number;

  constructor(bytes: number, most: number) {
    this.bytes = bytes;
    this.most = most;
  }

  /** Returns a block, or undefined if all are in use. */
  take(): Buffer | undefined {
    if (this.used >= this.most) return undefined;
    this.used++;
    return this.spare.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  give(block: Buffer): void {
    this.used--;
    this.spare.push(block);
  }
}

const large = new BlockPool(BLOCK_BYTES, MAX_BLOCKS);
const small = new BlockPool(SMALL_BLOCK_BYTES, MAX_SMALL_BLOCKS);

/** Returns a block with room for some lines. An idle recording holds none. */
function takeBlock(lines: string): Filled {
  const isSmall =
    lines.length * 3 <= SMALL_BLOCK_BYTES || Buffer.byteLength(lines) <= SMALL_BLOCK_BYTES;
  for (const pool of isSmall ? [large, small] : [large]) {
    const block = pool.take();
    if (block) return { block, length: 0, pool };
  }
  const bytes = isSmall ? SMALL_BLOCK_BYTES : Buffer.byteLength(lines);
  return { block: Buffer.allocUnsafeSlow(bytes), length: 0, pool: undefined };
}

const giveBlock = ({ block, pool }: Filled): void => pool?.give(block);

/**
 * Characters that wait as text. Most recordings write a few lines at a time: a block for each would
 * take hundreds of MiB, and allocating it more time than all other work.
 */
const SHORT = 4 * 1024;

const WRITE_EVERY_MS = 200;
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
  /** The pool that gets the block back. */
  readonly pool: BlockPool | undefined;
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
    if (this.isHalfFull) this.write();
    else this.writeSoon();
  }

  private writeSoon(): void {
    this.writeTimer ??= setTimeout(() => recordingTurns.run(() => this.write()), WRITE_EVERY_MS);
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
      this.filling.length + line.length * 3 > this.filling.block.length &&
      this.filling.length + Buffer.byteLength(line) > this.filling.block.length;
    if (isTooLong) this.seal();
    this.filling ??= takeBlock(line);
    return this.filling;
  }

  private get isHalfFull(): boolean {
    return this.filling !== undefined && this.filling.length >= this.filling.block.length / 2;
  }

  private get isFilling(): boolean {
    return this.filling !== undefined || this.short !== '';
  }

  private seal(): void {
    if (this.filling) this.waiting.push(this.filling);
    else if (this.short) {
      const block = Buffer.from(this.short);
      this.waiting.push({ block, length: block.length, pool: undefined });
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
        giveBlock(next);
        this.fail(error);
      },
    );
  }

  private wrote(filled: Filled): void {
    this.writing = undefined;
    giveBlock(filled);
    this.syncTimer ??= setTimeout(() => this.sync(), SYNC_AFTER_MS);
    if (this.behind && this.waiting.length <= 1) {
      this.behind = false;
      this.events.onDrain();
    }
    if (this.waiting.length > 0 || this.isHalfFull) this.write();
    else if (this.isFilling) this.writeSoon();
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
    for (const unwritten of this.waiting.splice(0)) giveBlock(unwritten);
    if (this.filling) giveBlock(this.filling);
    this.filling = undefined;
    this.events.onFailure(this.failure);
  }
}
