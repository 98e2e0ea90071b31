import { ENCODING, isSelfContained, rectangleContent } from './rectangles.ts';
import { SingleTight } from './single-tight.ts';
import { type Program, UnknownData } from './stream-parser.ts';

/** Receivers of server data: the user's page, the recording, and the watchers. */
export const TO = { page: 1, record: 2, viewers: 4 } as const;
/** A FramebufferUpdate header with one rectangle. */
const ONE = Buffer.from([0, 0, 0, 1]);

/** Maximum length of a clipboard text that passes. */
export const MAX_TEXT = 256 * 1024;
/** Maximum length of a skipped text; beyond it the data is invalid. */
const MAX_DROPPED_TEXT = 64 * 1024 * 1024;
const MAX_FENCE = 64;

export interface ServerSide {
  size: { readonly width: number; readonly height: number };
  isWatched(): boolean;
  add(bytes: Buffer, to: number): void;
  /** Marks the end of a whole message for the recording. */
  endRecord(): void;
  /** Marks the start of a whole message for watchers. */
  beginForViewers(): void;
  /** Checks a new size of the desktop. @throws UnknownData */
  checkSize(width: number, height: number): void;
  resized(width: number, height: number): void;
  /** Returns true if a clipboard message may pass. */
  mayCopy(extended: Buffer | undefined): boolean;
}

/**
 * Parses the messages of a server after its handshake (RFC 6143, section 7.6), and routes them to
 * the receivers.
 */
export function* serverMessages(side: ServerSide): Program {
  const tight = new SingleTight();
  for (;;) {
    const type = (yield 1)[0];
    if (type === 0) yield* update(side, tight);
    // Skip color maps: our pixel format is true color.
    else if (type === 1) {
      const head = yield 5;
      yield { pass: head.readUInt16BE(3) * 6, to: () => undefined };
    } else if (type === 2) side.add(Buffer.from([2]), TO.page);
    else if (type === 3) yield* text(side);
    else if (type === 150) side.add(Buffer.from([150]), TO.page);
    else if (type === 248) {
      const head = yield 8;
      const length = head[7] ?? 0;
      if (length > MAX_FENCE) throw new UnknownData('a fence of that length');
      const payload = yield length;
      side.add(Buffer.concat([Buffer.from([248]), head, payload]), TO.page);
    } else throw new UnknownData(`message ${type}`);
  }
}

/**
 * A FramebufferUpdate with any number of rectangles. The recording receives each as its own
 * message, self-contained if the encoding allows it. Watchers receive self-contained rectangles
 * only.
 */
function* update(side: ServerSide, tight: SingleTight): Program {
  const head = yield 3;
  const count = head.readUInt16BE(1);
  side.add(Buffer.concat([Buffer.from([0]), head]), TO.page);
  for (let index = 0; index < count; index++) {
    const place = yield 12;
    const [x, y, width, height] = [
      place.readUInt16BE(0),
      place.readUInt16BE(2),
      place.readUInt16BE(4),
      place.readUInt16BE(6),
    ];
    const encoding = place.readInt32BE(8);
    if (encoding === ENCODING.lastRect) {
      side.add(place, TO.page);
      return;
    }
    const isPicture = encoding >= 0 && encoding !== ENCODING.vmwareCursor;
    if (isPicture && (x + width > side.size.width || y + height > side.size.height))
      throw new UnknownData('a rectangle outside of the desktop');
    const isSize =
      encoding === ENCODING.desktopSize ||
      (encoding === ENCODING.extendedDesktopSize && (x !== 1 || y === 0));
    if (isSize) {
      side.checkSize(width, height);
      side.resized(width, height);
    }
    // Forward empty rectangles too: the header counts them.
    let to: number = TO.page | TO.record;
    side.add(ONE, TO.record);
    if (side.isWatched() && (isSize || (isPicture && isSelfContained(encoding)))) {
      side.beginForViewers();
      side.add(ONE, TO.viewers);
      to |= TO.viewers;
    }
    side.add(place, to);
    if (encoding === ENCODING.tight) {
      const content: Buffer[] = [];
      const layout = yield* rectangleContent({ width, height, encoding }, (bytes) => {
        side.add(bytes, TO.page);
        // Copy: the parser may reuse the memory.
        content.push(Buffer.from(bytes));
      });
      side.add(tight.rewrite(Buffer.concat(content), layout), TO.record);
    } else yield* rectangleContent({ width, height, encoding }, (bytes) => side.add(bytes, to));
    side.endRecord();
  }
}

/** Text copied at the desktop. A negative length marks an extended message. */
function* text(side: ServerSide): Program {
  const head = yield 7;
  const signedLength = head.readInt32BE(3);
  const length = Math.abs(signedLength);
  if (length > MAX_DROPPED_TEXT) throw new UnknownData('a text of that length');
  if (length > MAX_TEXT) {
    yield { pass: length, to: () => undefined };
    return;
  }
  const content = yield length;
  if (side.mayCopy(signedLength < 0 ? content : undefined))
    side.add(Buffer.concat([Buffer.from([3]), head, content]), TO.page);
}
