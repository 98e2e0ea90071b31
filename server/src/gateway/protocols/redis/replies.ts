import { GrowingBuffer } from '@sallyport/sql-relays';

/** A scalar of a reply, or an empty list. */
export interface ReplyPart {
  /**
   * Position in nested lists, from 1: `2.1` is the first element of the second. Empty for a scalar
   * reply.
   */
  readonly path: string;
  readonly type: 'string' | 'integer' | 'status' | 'error' | 'list';
  /** Null for nil. */
  readonly value: string | null;
}

export interface ReplyEvents {
  onPart(part: ReplyPart): void;
  onEnd(): void;
  /** The data is malformed, or longer than allowed. */
  onBroken(how: 'broke' | 'flooded'): void;
}

interface List {
  left: number;
  at: number;
  readonly path: string;
}

const MAX_LINE = 64 * 1024;
const MAX_DEPTH = 16;
const NEWLINE = Buffer.from('\r\n');

/**
 * Parses Redis replies (RESP2) incrementally. Buffers one value at a time, of at most `maxBytes`
 * bytes.
 */
export class ReplyReader {
  private readonly events: ReplyEvents;
  private readonly maxBytes: number;
  private readonly buffered = new GrowingBuffer();
  /** Number of buffered bytes from which parsing is worth another try. */
  private needed = 1;
  private readonly lists: List[] = [];
  private isBroken = false;

  constructor(maxBytes: number, events: ReplyEvents) {
    this.maxBytes = maxBytes;
    this.events = events;
  }

  read(chunk: Buffer): void {
    if (this.isBroken) return;
    let rest = chunk;
    if (this.buffered.length > 0) {
      this.buffered.push(chunk);
      if (this.buffered.length < this.needed) return;
      rest = this.buffered.take();
    }
    for (let used = this.next(rest); used > 0 && !this.isBroken; used = this.next(rest))
      rest = rest.subarray(used);
    if (!this.isBroken) this.buffered.push(rest);
  }

  /** Parses one element and returns its length; 0 if it is incomplete. */
  private next(data: Buffer): number {
    this.needed = data.length + 1;
    if (data.length === 0) return 0;
    const end = data.indexOf(NEWLINE);
    if (end === -1) {
      if (data.length > MAX_LINE) this.broken('flooded');
      return 0;
    }
    const line = data.toString('utf8', 1, end);
    const bodyStart = end + NEWLINE.length;
    switch (data[0]) {
      case 0x2b:
        this.leaf('status', line);
        return bodyStart;
      case 0x2d:
        this.leaf('error', line);
        return bodyStart;
      case 0x3a:
        this.leaf('integer', line);
        return bodyStart;
      case 0x24:
        return this.bulk(data, line, bodyStart);
      case 0x2a:
        return this.list(line, bodyStart);
      default:
        this.broken('broke');
        return 0;
    }
  }

  private bulk(data: Buffer, line: string, bodyStart: number): number {
    const length = lengthOf(line);
    if (length === -1) {
      this.leaf('string', null);
      return bodyStart;
    }
    if (length === undefined || length > this.maxBytes) {
      this.broken(length === undefined ? 'broke' : 'flooded');
      return 0;
    }
    const end = bodyStart + length + NEWLINE.length;
    if (data.length < end) {
      this.needed = end;
      return 0;
    }
    this.leaf('string', textOf(data.subarray(bodyStart, bodyStart + length)));
    return end;
  }

  private list(line: string, bodyStart: number): number {
    const count = lengthOf(line);
    if (count === undefined || this.lists.length >= MAX_DEPTH) {
      this.broken('broke');
      return 0;
    }
    if (count <= 0) this.leaf('list', count === -1 ? null : '');
    else this.lists.push({ left: count, at: 0, path: this.path() });
    return bodyStart;
  }

  private path(): string {
    const list = this.lists.at(-1);
    if (!list) return '';
    return list.path === '' ? String(list.at + 1) : `${list.path}.${list.at + 1}`;
  }

  private leaf(type: ReplyPart['type'], value: string | null): void {
    this.events.onPart({ path: this.path(), type, value });
    for (let list = this.lists.at(-1); list; list = this.lists.at(-1)) {
      list.at += 1;
      list.left -= 1;
      if (list.left > 0) return;
      this.lists.pop();
    }
    this.events.onEnd();
  }

  private broken(how: 'broke' | 'flooded'): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.buffered.take();
    this.events.onBroken(how);
  }
}

function lengthOf(line: string): number | undefined {
  return /^(?:-1|\d{1,10})$/.test(line) ? Number(line) : undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Binary data is escaped like in redis-cli. */
function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }
}

/** Encodes a command as a RESP array. */
export function encodeCommand(words: readonly string[]): Buffer {
  const parts = words.map((word) => Buffer.from(word));
  return Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, NEWLINE]),
  ]);
}
