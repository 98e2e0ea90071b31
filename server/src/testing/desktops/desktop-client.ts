import { once } from 'node:events';
import { inflateRawSync } from 'node:zlib';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_MARK,
  DESKTOP_SOCKET_PATH,
  type DesktopClientMessage,
  type DesktopConnectMessage,
  type DesktopRecord,
  RECORD,
  readBlockHead,
  readRecords,
  WATCH_SOCKET_PATH,
} from '@sallyport/contract';
import { RdpPage } from '@sallyport/rdp';
import type { WebSocket } from 'ws';
import { TerminalClient } from '../terminals/terminal-client.ts';

/**
 * Encodings that a page requests: raw, CopyRect, desktop size, cursor (which is then in no
 * picture), and QEMU keys, which servers acknowledge with an empty rectangle.
 */
const ENCODINGS = [1, 0, -223, -239, -258];

/** Draws raw updates, like every VNC viewer. */
export class RawScreen {
  width = 0;
  height = 0;
  pixels = Buffer.alloc(0);
  /** Number of drawn rectangles. */
  drawn = 0;
  private kept = Buffer.alloc(0);

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.pixels = Buffer.alloc(width * height * 4);
  }

  /** Color of a pixel as `#rrggbb`. */
  color(x: number, y: number): string {
    return `#${this.pixels.subarray((y * this.width + x) * 4, (y * this.width + x) * 4 + 3).toString('hex')}`;
  }

  /** Returns true if every pixel has the color. */
  isFilled(color: string): boolean {
    const expected = Number.parseInt(color.slice(1), 16);
    for (let at = 0; at < this.pixels.length; at += 4)
      if (this.pixels.readUIntBE(at, 3) !== expected) return false;
    return this.pixels.length > 0;
  }

  feed(bytes: Buffer): void {
    this.kept = Buffer.concat([this.kept, bytes]);
    for (let used = this.message(); used > 0; used = this.message())
      this.kept = this.kept.subarray(used);
  }

  /** Parses one message and returns its length; 0 if it is incomplete. */
  private message(): number {
    const { kept } = this;
    if (kept[0] === 2 || kept[0] === 150) return 1;
    if (kept[0] === 248) return kept.length >= 9 + (kept[8] ?? 0) ? 9 + (kept[8] ?? 0) : 0;
    if (kept[0] === 3)
      return kept.length >= 8 && kept.length >= 8 + kept.readUInt32BE(4)
        ? 8 + kept.readUInt32BE(4)
        : 0;
    if (kept.length < 4) return 0;
    let at = 4;
    const work: (() => void)[] = [];
    for (let left = kept.readUInt16BE(2); left > 0; left--) {
      if (kept.length < at + 12) return 0;
      const [x = 0, y = 0, width = 0, height = 0] = [0, 2, 4, 6].map((offset) =>
        kept.readUInt16BE(at + offset),
      );
      const encoding = kept.readInt32BE(at + 8);
      at += 12;
      const from = at;
      if (encoding === 0) at += width * height * 4;
      else if (encoding === 1) at += 4;
      else if (encoding === -239) at += width * height * 4 + Math.ceil(width / 8) * height;
      else if (encoding !== -223 && encoding !== -258)
        throw new Error(`encoding ${encoding} was not asked for`);
      if (kept.length < at) return 0;
      if (encoding === -223) work.push(() => this.resize(width, height));
      else if (encoding === 0 || encoding === 1) {
        const source = encoding === 0 ? kept.subarray(from, at) : undefined;
        const place = {
          x: source ? 0 : kept.readUInt16BE(from),
          y: source ? 0 : kept.readUInt16BE(from + 2),
        };
        work.push(() =>
          this.draw({ x, y, width, height }, source ?? this.cut({ ...place, width, height })),
        );
      }
    }
    for (const draw of work) draw();
    this.drawn += work.length;
    return at;
  }

  private cut({
    x,
    y,
    width,
    height,
  }: {
    x: number;
    y: number;
    width: number;
    height: number;
  }): Buffer {
    const rows = Array.from({ length: height }, (_, row) =>
      this.pixels.subarray(
        ((y + row) * this.width + x) * 4,
        ((y + row) * this.width + x + width) * 4,
      ),
    );
    return Buffer.concat(rows);
  }

  private draw(
    { x, y, width, height }: { x: number; y: number; width: number; height: number },
    source: Buffer,
  ): void {
    for (let row = 0; row < height; row++)
      source.copy(
        this.pixels,
        ((y + row) * this.width + x) * 4,
        row * width * 4,
        (row + 1) * width * 4,
      );
  }
}

/** Does what a page does with a desktop socket. */
export class DesktopClient {
  readonly wire: TerminalClient;
  readonly screen = new RawScreen();
  /** All received bytes, including messages. */
  readonly received: Buffer[] = [];

  private constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.wire = new TerminalClient(url, headers);
    this.wire.keepsOutput = false;
    this.wire.socket.on('message', (data, isBinary) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      this.received.push(bytes);
      if (isBinary) this.screen.feed(bytes);
      else {
        const message = JSON.parse(bytes.toString());
        if (message.type === 'desktop') this.screen.resize(message.width, message.height);
      }
    });
  }

  static async connect(
    base: string,
    request: Pick<DesktopConnectMessage, 'asset' | 'remote_app' | 'system_user'> = {
      asset: 'a',
      system_user: 's',
    },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<DesktopClient> {
    const client = new DesktopClient(`${base}${DESKTOP_SOCKET_PATH}`, headers);
    await once(client.wire.socket, 'open');
    client.say({ type: 'connect', width: 800, height: 600, ...request });
    return client;
  }

  /** Plays a page that shows RDP desktops; a watching page sends nothing. */
  asRdpPage({ watches = false } = {}): RdpPage {
    const page = new RdpPage((bytes) => (watches ? undefined : this.send(bytes)));
    this.socket.removeAllListeners('message');
    this.socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.received.push(data);
      if (isBinary) {
        page.take(data);
        if (!watches) this.say({ type: 'ack', bytes: data.length });
        return;
      }
      const message = JSON.parse(data.toString());
      this.wire.messages.push(message);
      if (message.type === 'desktop' && !watches) page.begin();
    });
    return page;
  }

  /** Plays a page that confirms all bytes and draws nothing. */
  asBlindPage(): void {
    this.socket.removeAllListeners('message');
    this.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.say({ type: 'ack', bytes: data.length });
      else this.wire.messages.push(JSON.parse(data.toString()));
    });
  }

  /** Opens a desktop and continuously requests its picture. */
  static async open(base: string): Promise<DesktopClient> {
    const client = await DesktopClient.connect(base);
    await client.wire.message('open');
    client.start();
    return client;
  }

  static watch(
    base: string,
    session: string,
    headers: Readonly<Record<string, string>> = {},
  ): DesktopClient {
    return new DesktopClient(`${base}${WATCH_SOCKET_PATH}?session=${session}`, headers);
  }

  get socket(): WebSocket {
    return this.wire.socket;
  }

  say(message: DesktopClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  send(bytes: Buffer | readonly number[]): void {
    this.socket.send(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes));
  }

  /** Sends the encodings, and requests the full picture and then updates. */
  start(encodings: readonly number[] = ENCODINGS): void {
    const message = Buffer.alloc(4 + encodings.length * 4);
    message.writeUInt8(2, 0);
    message.writeUInt16BE(encodings.length, 2);
    for (const [index, encoding] of encodings.entries())
      message.writeInt32BE(encoding, 4 + index * 4);
    this.send(message);
    this.ask(false);
    this.socket.on('message', (_data, isBinary) => {
      if (isBinary && this.socket.readyState === this.socket.OPEN) this.ask(true);
    });
  }

  /** Waits until every pixel has the color. */
  async shows(color: string): Promise<void> {
    await this.wire.until(`the color ${color}`, () =>
      this.screen.isFilled(color) ? true : undefined,
    );
  }

  private ask(isIncremental: boolean): void {
    const message = Buffer.alloc(10);
    message.writeUInt8(3, 0);
    message.writeUInt8(isIncremental ? 1 : 0, 1);
    message.writeUInt16BE(this.screen.width, 6);
    message.writeUInt16BE(this.screen.height, 8);
    this.send(message);
  }
}

/** The records of a desktop recording, without those that a crash has cut. */
export function recordsOf(file: Buffer): DesktopRecord[] {
  const records: DesktopRecord[] = [];
  for (let at = file.indexOf(0x0a) + 1; ; ) {
    const head = readBlockHead(file.subarray(at, at + BLOCK_HEAD_BYTES));
    if (head?.mark !== BLOCK_MARK || at + BLOCK_HEAD_BYTES + head.length > file.length)
      return records;
    const content = inflateRawSync(
      file.subarray(at + BLOCK_HEAD_BYTES, at + BLOCK_HEAD_BYTES + head.length),
    );
    records.push(...readRecords(new Uint8Array(content)));
    at += BLOCK_HEAD_BYTES + head.length;
  }
}

/** The picture at the end of a recording. */
export function replayed(records: readonly DesktopRecord[]): RawScreen {
  const screen = new RawScreen();
  for (const { kind, bytes } of records) {
    if (kind === RECORD.picture || kind === RECORD.part) screen.feed(Buffer.from(bytes));
    else if (kind === RECORD.note) {
      const note = JSON.parse(Buffer.from(bytes).toString());
      if (note.type === 'start') screen.resize(note.width, note.height);
    }
  }
  return screen;
}
