import { crc32 } from 'node:zlib';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_MARK,
  END_MARK,
  INDEX_MARK,
  RECORD_HEAD_BYTES,
  type RecordingIndex,
} from '@sallyport/contract';
import type { RunningRecording } from '../../../../platform/storage/recordings.ts';
import { DESKTOP_BLOCK, DESKTOP_BLOCK_MS } from '../../../limits.ts';
import { desktopBudget } from '../../../shared-budget.ts';
import { BlockBuffer } from './block-buffer.ts';
import { Deflaters } from './deflaters.ts';

const SYNC_AFTER_MS = 600;
const deflaters = new Deflaters();
/** Bytes of a block: a part of the records that may wait. */
const maxBlock = () => Math.min(DESKTOP_BLOCK, desktopBudget.share / 2);

interface WriterEvents {
  onFailure(error: Error): void;
  onDrain(): void;
}

type Target = Pick<RunningRecording, 'append' | 'flush' | 'close'>;

/**
 * Writes records into compressed blocks, at least one per second, durable shortly after. Ends the
 * file with an index of its blocks.
 */
export class BlockWriter {
  private readonly file: Target;
  private readonly events: WriterEvents;
  private readonly block = new BlockBuffer();
  private firstAt = 0;
  private lastAt = 0;
  private closing: NodeJS.Timeout | undefined;
  private syncing: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private waiting = 0;
  private behind = false;
  private failure: Error | undefined;
  private offset: number;
  private readonly blocks: (readonly [number, number])[] = [];
  private readonly leaveBudget = desktopBudget.join();

  constructor(file: Target, headerBytes: number, events: WriterEvents) {
    this.file = file;
    this.offset = headerBytes;
    this.events = events;
  }

  /** True if the source should pause until `onDrain`. */
  get isBehind(): boolean {
    return this.behind;
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Adds a record at a millisecond of the recording. Copies `bytes`. */
  add(kind: number, at: number, bytes: Buffer): void {
    if (this.failure) return;
    const { block } = this;
    const length = RECORD_HEAD_BYTES + bytes.length;
    if (block.filled > 0 && block.filled + length > maxBlock()) this.closeBlock();
    if (block.filled === 0) {
      this.firstAt = at;
      this.closing = setTimeout(() => this.closeBlock(), DESKTOP_BLOCK_MS);
    }
    block.add(kind, at, bytes);
    this.lastAt = at;
    if (block.filled >= maxBlock()) this.closeBlock();
  }

  /**
   * Writes pending blocks and the index, and closes the file. Never throws; failures are reported
   * as events.
   */
  async end(): Promise<void> {
    this.closeBlock();
    await this.work;
    this.leaveBudget();
    clearTimeout(this.syncing);
    if (!this.failure) await this.writeIndex().catch((error: unknown) => this.fail(error));
    await this.file.close().catch((error: unknown) => this.fail(error));
  }

  private closeBlock(): void {
    clearTimeout(this.closing);
    this.closing = undefined;
    if (this.block.filled === 0) return;
    const plain = this.block.take();
    const at = this.firstAt;
    this.waiting += plain.length;
    if (this.waiting > desktopBudget.share) this.behind = true;
    this.work = this.work
      .then(() => this.write(plain, at))
      .catch((error: unknown) => this.fail(error));
  }

  private async write(plain: Buffer, at: number): Promise<void> {
    if (this.failure) return;
    this.blocks.push([this.offset, at]);
    await this.append(BLOCK_MARK, plain, at);
    this.waiting -= plain.length;
    BlockBuffer.release(plain);
    this.syncing ??= setTimeout(() => this.sync(), SYNC_AFTER_MS);
    if (this.behind && this.waiting <= desktopBudget.share / 2) {
      this.behind = false;
      this.events.onDrain();
    }
  }

  private async append(mark: number, plain: Buffer, at: number): Promise<void> {
    const content = await deflaters.deflate(plain);
    const head = Buffer.alloc(BLOCK_HEAD_BYTES);
    for (const [index, value] of [mark, content.length, plain.length, at, crc32(content)].entries())
      head.writeUInt32LE(value, index * 4);
    const block = Buffer.concat([head, content]);
    await this.file.append(block, block.length);
    this.offset += block.length;
  }

  private async writeIndex(): Promise<void> {
    const from = this.offset;
    const index: RecordingIndex = { blocks: this.blocks, duration: this.lastAt };
    await this.append(INDEX_MARK, Buffer.from(JSON.stringify(index)), this.lastAt);
    const end = Buffer.alloc(12);
    end.writeUInt32LE(END_MARK, 0);
    end.writeBigUInt64LE(BigInt(from), 4);
    await this.file.append(end, end.length);
  }

  private sync(): void {
    this.syncing = undefined;
    this.work = this.work
      .then(() => (this.failure ? undefined : this.file.flush()))
      .catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    if (this.failure) return;
    this.failure = error instanceof Error ? error : new Error(String(error));
    clearTimeout(this.closing);
    clearTimeout(this.syncing);
    this.block.take();
    this.events.onFailure(this.failure);
  }
}
