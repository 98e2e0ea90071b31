import type { Duplex } from 'node:stream';
import {
  type ClipboardRights,
  type DesktopFacts,
  KEY_VALUE,
  MAX_DESKTOP_PIXELS,
  MAX_DESKTOP_SIDE,
} from '@sallyport/contract';
import {
  clientMessages,
  mayPass,
  Output,
  offeredEncodings,
  StreamParser,
  serverMessages,
  setEncodings,
  UnknownData,
} from '@sallyport/vnc';
import { PacedReads } from '../paced-reads.ts';
import { guardBacklog } from '../ssh/backpressure.ts';
import type {
  DesktopEvents,
  DesktopProblem,
  DesktopRights,
  DesktopView,
  DesktopWatch,
  TargetDesktop,
} from '../target-desktop.ts';
import type { TargetEnd } from '../target-end.ts';

export interface VncDesktopParts {
  readonly stream: Duplex;
  /** Closes the gateways on the route. */
  readonly close: () => void;
  readonly facts: DesktopFacts;
  readonly clipboard: ClipboardRights;
  readonly events: DesktopEvents;
}

/** Bytes read at once: a few rectangles of them can take a millisecond to decode. */
const MAX_READ = 1024;
/** Output of one turn that passes on before its end, and can pause the desktop. */
const MAX_OUTPUT = 256 * 1024;

/**
 * 32 bits per pixel, 8 per color, red lowest: the format that pages read (RFC 6143, section 7.4).
 */
const PIXEL_FORMAT = Buffer.from([
  0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0,
]);

/**
 * The desktop of a VNC server after the handshake. Parses all messages of both sides, and forwards
 * permitted ones.
 */
export class VncDesktop implements TargetDesktop {
  private readonly parts: VncDesktopParts;
  private readonly fromServer: StreamParser;
  private readonly fromPage: StreamParser;
  private readonly reads: PacedReads;
  private readonly output = new Output();
  private readonly viewers = new Set<DesktopView>();
  private size: { width: number; height: number };
  private rights: ClipboardRights;
  private supported: readonly number[] | undefined;
  private isOver = false;

  constructor(parts: VncDesktopParts) {
    this.parts = parts;
    const { stream, facts, events } = parts;
    this.size = { width: facts.width, height: facts.height };
    this.rights = parts.clipboard;
    const sizeNow = () => this.size;
    this.fromServer = new StreamParser(
      serverMessages({
        get size() {
          return sizeNow();
        },
        isWatched: () => this.viewers.size > 0,
        endRecord: () => this.output.endRecord(),
        add: (bytes, to) => this.output.add(bytes, to),
        beginForViewers: () => this.output.begin(),
        checkSize,
        resized: (width, height) => {
          this.size = { width, height };
        },
        mayCopy: (extended) => mayPass(this.rights, 'desktop', extended),
      }),
    );
    this.fromPage = new StreamParser(
      clientMessages({
        send: (message) => this.send(message),
        encodings: (supported) => {
          this.supported = supported;
          this.offer();
        },
        onInput: (pointer) => events.onInput(pointer),
        key: (value, isDown) => events.onKey({ kind: KEY_VALUE.keysym, isDown, value }),
        checkSize,
        mayPaste: (extended) => mayPass(this.rights, 'page', extended),
      }),
    );
    this.reads = new PacedReads(stream, {
      read: (piece) => {
        this.read(this.fromServer, piece, 'desktop_unknown_data');
        if (this.output.bytes > MAX_OUTPUT) this.flush();
      },
      onTurn: () => this.flush(),
    });
    stream.on('data', (chunk: Buffer) => this.reads.push(piecesOf(chunk)));
    stream.on('drain', () => events.onDrain());
    stream.on('error', () => this.end('lost'));
    stream.on('end', () => this.reads.after(() => this.end('closed')));
    stream.on('close', () => this.reads.after(() => this.end('lost')));
    guardBacklog(stream, () => this.end('flooded'));
    this.send(PIXEL_FORMAT);
    stream.resume();
    // The stream may have been lost during the handshake.
    if (stream.destroyed) queueMicrotask(() => this.end('lost'));
  }

  get facts(): DesktopFacts {
    return { ...this.parts.facts, ...this.size };
  }

  get waiting(): number {
    return this.parts.stream.writableLength;
  }

  write(bytes: Buffer): void {
    this.read(this.fromPage, bytes, 'desktop_wrong_input');
  }

  setRights({ clipboard }: DesktopRights): void {
    this.rights = clipboard;
    this.offer();
  }

  /**
   * Adds a watcher. From now on the server uses self-contained encodings, and sends the full
   * picture.
   */
  watch(view: DesktopView): DesktopWatch {
    this.viewers.add(view);
    if (this.viewers.size === 1) this.offer();
    this.refresh();
    return {
      refresh: () => this.refresh(),
      stop: () => {
        if (this.viewers.delete(view) && this.viewers.size === 0) this.offer();
      },
    };
  }

  pause(): void {
    this.reads.pause();
  }

  resume(): void {
    this.reads.resume();
  }

  close(): void {
    this.end('closed');
  }

  private flush(): void {
    if (this.isOver) return;
    const { events } = this.parts;
    this.output.flush({
      page: (bytes) => events.onShow(bytes),
      record: (bytes, isWhole) => events.onPicture(bytes, isWhole),
      viewers: this.viewers,
    });
  }

  private read(parser: StreamParser, piece: Buffer, problem: DesktopProblem): void {
    if (this.isOver) return;
    try {
      parser.feed(piece);
    } catch (error) {
      if (!(error instanceof UnknownData)) throw error;
      this.end(problem, error.message);
    }
  }

  /** Sends the server the encodings that both server and page may use now. */
  private offer(): void {
    if (!this.supported) return;
    this.send(
      setEncodings(
        offeredEncodings(
          this.supported,
          this.viewers.size > 0,
          this.rights.copy || this.rights.paste,
        ),
      ),
    );
  }

  /** Requests the full picture (RFC 6143, section 7.5.3). */
  private refresh(): void {
    const message = Buffer.alloc(10);
    message.writeUInt8(3, 0);
    message.writeUInt16BE(this.size.width, 6);
    message.writeUInt16BE(this.size.height, 8);
    this.send(message);
  }

  private send(message: Buffer): void {
    if (!this.isOver) this.parts.stream.write(message);
  }

  private end(how: TargetEnd | DesktopProblem, detail?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reads.end();
    this.viewers.clear();
    this.parts.stream.destroy();
    this.parts.close();
    this.parts.events.onEnd(how, detail);
  }
}

function piecesOf(chunk: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += MAX_READ)
    pieces.push(chunk.subarray(at, at + MAX_READ));
  return pieces;
}

/** Checks the limits of a desktop's size. @throws UnknownData */
export function checkSize(width: number, height: number): void {
  if (
    width < 1 ||
    height < 1 ||
    width > MAX_DESKTOP_SIDE ||
    height > MAX_DESKTOP_SIDE ||
    width * height > MAX_DESKTOP_PIXELS
  ) {
    throw new UnknownData(`a desktop of ${width} by ${height}`);
  }
}
