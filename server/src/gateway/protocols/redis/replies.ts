/** A part of a reply that has no parts of its own, and an empty list. */
export interface ReplyPart {
  /** Where it is, from 1: `2.1` is the first part of the second. Empty for a reply that is one value. */
  readonly path: string;
  readonly type: 'string' | 'integer' | 'status' | 'error' | 'list';
  /** Null for nil. */
  readonly value: string | null;
}

/** What a reader of replies reports. */
export interface ReplyEvents {
  onPart(part: ReplyPart): void;
  /** The reply is complete. */
  onEnd(): void;
  /** What came is no reply, or longer than anybody reads. */
  onBroken(): void;
}

interface List {
  left: number;
  at: number;
  readonly path: string;
}

const MAX_LINE = 64 * 1024;
const MAX_DEPTH = 16;
const NEWLINE = Buffer.from('\r\n');

/** Reads replies of a Redis server (RESP2) as they come. It holds one value at most, and of no value more than `mostBytes`. */
export class ReplyReader {
  private readonly events: ReplyEvents;
  private readonly mostBytes: number;
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** What is needed before it is worth looking again. */
  private wanted = 1;
  private readonly lists: List[] = [];
  private isBroken = false;

  constructor(mostBytes: number, events: ReplyEvents) {
    this.mostBytes = mostBytes;
    this.events = events;
  }

  /** Takes bytes of the server. */
  read(chunk: Buffer): void {
    if (this.isBroken) return;
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.wanted) return;
    let rest = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes);
    for (let used = this.next(rest); used > 0 && !this.isBroken; used = this.next(rest))
      rest = rest.subarray(used);
    this.chunks = rest.length > 0 ? [rest] : [];
    this.bytes = rest.length;
  }

  /** Reads one element; 0 where it is not complete. */
  private next(data: Buffer): number {
    this.wanted = data.length + 1;
    if (data.length === 0) return 0;
    const end = data.indexOf(NEWLINE);
    if (end === -1) {
      if (data.length > MAX_LINE) this.broken();
      return 0;
    }
    const line = data.toString('utf8', 1, end);
    const behind = end + NEWLINE.length;
    switch (data[0]) {
      case 0x2b:
        this.leaf('status', line);
        return behind;
      case 0x2d:
        this.leaf('error', line);
        return behind;
      case 0x3a:
        this.leaf('integer', line);
        return behind;
      case 0x24:
        return this.bulk(data, line, behind);
      case 0x2a:
        return this.list(line, behind);
      default:
        this.broken();
        return 0;
    }
  }

  private bulk(data: Buffer, line: string, behind: number): number {
    const length = lengthOf(line);
    if (length === -1) {
      this.leaf('string', null);
      return behind;
    }
    if (length === undefined || length > this.mostBytes) {
      this.broken();
      return 0;
    }
    const end = behind + length + NEWLINE.length;
    if (data.length < end) {
      this.wanted = end;
      return 0;
    }
    this.leaf('string', textOf(data.subarray(behind, behind + length)));
    return end;
  }

  private list(line: string, behind: number): number {
    const count = lengthOf(line);
    if (count === undefined || this.lists.length >= MAX_DEPTH) {
      this.broken();
      return 0;
    }
    if (count <= 0) this.leaf('list', count === -1 ? null : '');
    else this.lists.push({ left: count, at: 0, path: this.path() });
    return behind;
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

  private broken(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.chunks = [];
    this.events.onBroken();
  }
}

function lengthOf(line: string): number | undefined {
  return /^(?:-1|\d{1,10})$/.test(line) ? Number(line) : undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Bytes that are no text are written as the client of Redis writes them. */
function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }
}

/** A command as it is sent. */
export function encodeCommand(words: readonly string[]): Buffer {
  const parts = words.map((word) => Buffer.from(word));
  return Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, NEWLINE]),
  ]);
}
