import { MAX_DESKTOP_PIXELS, MAX_DESKTOP_SIDE } from '@sallyport/contract';
import { MAX_DESKTOP_TEXT } from '../../limits.ts';
import { ENCODING, standsAlone } from './encodings.ts';
import { rectangleContent } from './rectangles.ts';
import { SingleTight } from './single-tight.ts';
import { type Program, UnknownData } from './stream-parser.ts';

/** Who gets bytes of the server: the page of the person, the recording, those who watch. */
export const TO = { page: 1, record: 2, viewers: 4 } as const;
/** A message of one rectangle. */
const ONE = Buffer.from([0, 0, 0, 1]);

/** Texts beyond this are no texts. */
const MAX_DROPPED_TEXT = 64 * 1024 * 1024;
const MAX_FENCE = 64;

/** What the reader of a server's messages works with. */
export interface ServerSide {
  size: { readonly width: number; readonly height: number };
  /** Whether somebody watches at this moment. */
  isWatched(): boolean;
  add(bytes: Buffer, to: number): void;
  /** What was added for the recording is a whole message. */
  endRecord(): void;
  /** A whole message for those who watch begins. */
  beginForViewers(): void;
  /** The desktop has another size. */
  resized(width: number, height: number): void;
  /** Whether a message of the clipboard may pass. */
  mayCopy(extended: Buffer | undefined): boolean;
}

/** Refuses sizes that no desktop has. @throws UnknownData */
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

/** Reads all that a server sends behind its handshake (RFC 6143, section 7.6), and says who gets what. */
export function* serverMessages(side: ServerSide): Program {
  const tight = new SingleTight();
  for (;;) {
    const type = (yield 1)[0];
    if (type === 0) yield* update(side, tight);
    // Colors are in the pixels; a table of them changes nothing.
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
 * New pixels: any number of rectangles. The recording gets each of them as a message of its own, which can be read without those before where its encoding has a way to say so; those
 * who watch get the ones that are so from the beginning.
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
      checkSize(width, height);
      side.resized(width, height);
    }
    // Each rectangle was counted, also one that shows nothing.
    let to: number = TO.page | TO.record;
    side.add(ONE, TO.record);
    if (side.isWatched() && (isSize || (isPicture && standsAlone(encoding)))) {
      side.beginForViewers();
      side.add(ONE, TO.viewers);
      to |= TO.viewers;
    }
    side.add(place, to);
    if (encoding === ENCODING.tight) {
      const content: Buffer[] = [];
      const layout = yield* rectangleContent({ width, height, encoding }, (bytes) => {
        side.add(bytes, TO.page);
        // What comes later may take its place in memory.
        content.push(Buffer.from(bytes));
      });
      side.add(tight.rewrite(Buffer.concat(content), layout), TO.record);
    } else yield* rectangleContent({ width, height, encoding }, (bytes) => side.add(bytes, to));
    side.endRecord();
  }
}

/** A text that was copied at the desktop. Its length is negative where it is of the extended kind. */
function* text(side: ServerSide): Program {
  const head = yield 7;
  const given = head.readInt32BE(3);
  const length = Math.abs(given);
  if (length > MAX_DROPPED_TEXT) throw new UnknownData('a text of that length');
  if (length > MAX_DESKTOP_TEXT) {
    yield { pass: length, to: () => undefined };
    return;
  }
  const content = yield length;
  if (side.mayCopy(given < 0 ? content : undefined))
    side.add(Buffer.concat([Buffer.from([3]), head, content]), TO.page);
}
