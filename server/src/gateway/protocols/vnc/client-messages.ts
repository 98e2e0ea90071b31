import { KEY_VALUE, type RecordedKey } from '@sallyport/contract';
import { MAX_DESKTOP_TEXT } from '../../limits.ts';
import type { DesktopPointer } from '../connector.ts';
import { checkSize } from './server-messages.ts';
import { type Program, UnknownData } from './stream-parser.ts';

const MAX_ENCODINGS = 128;
const MAX_FENCE = 64;
const MAX_SCREENS = 16;

/** What the reader of a page's messages works with. */
export interface PageSide {
  /** Sends a whole message to the server. */
  send(message: Buffer): void;
  /** The page names the encodings that it reads. */
  encodings(asked: readonly number[]): void;
  /** The person did something. */
  did(pointer?: DesktopPointer): void;
  /** A key was pressed or let go. */
  key(key: RecordedKey): void;
  /** Whether a message of the clipboard may pass. */
  mayPaste(extended: Buffer | undefined): boolean;
}

/** Reads all that a page sends (RFC 6143, section 7.5), and passes on what the server may get, each message whole. */
export function* clientMessages(side: PageSide): Program {
  for (;;) {
    const first = Buffer.from(yield 1);
    switch (first[0]) {
      // The format of pixels is ours: recordings and those who watch depend on it.
      case 0:
        yield 19;
        break;
      case 2:
        yield* encodings(side);
        break;
      case 3:
        side.send(Buffer.concat([first, yield 9]));
        break;
      case 4: {
        const rest = yield 7;
        side.send(Buffer.concat([first, rest]));
        side.key({ kind: KEY_VALUE.keysym, isDown: rest[0] !== 0, value: rest.readUInt32BE(3) });
        side.did();
        break;
      }
      case 5: {
        const rest = yield 5;
        side.send(Buffer.concat([first, rest]));
        side.did({ buttons: rest[0] ?? 0, x: rest.readUInt16BE(1), y: rest.readUInt16BE(3) });
        break;
      }
      case 6:
        yield* text(side, first);
        break;
      case 150:
        side.send(Buffer.concat([first, yield 9]));
        break;
      case 248:
        yield* fence(side, first);
        break;
      // It would switch the machine off.
      case 250:
        yield 3;
        break;
      case 251:
        yield* size(side, first);
        break;
      case 255: {
        const rest = yield 11;
        if (rest[0] !== 0) throw new UnknownData('a message of another kind');
        side.send(Buffer.concat([first, rest]));
        side.key({
          kind: KEY_VALUE.keysym,
          isDown: rest.readUInt16BE(1) !== 0,
          value: rest.readUInt32BE(3),
        });
        side.did();
        break;
      }
      default:
        throw new UnknownData(`message ${first[0]}`);
    }
  }
}

function* encodings(side: PageSide): Program {
  const head = yield 3;
  const count = head.readUInt16BE(1);
  if (count > MAX_ENCODINGS) throw new UnknownData('more encodings than there are');
  const list = yield count * 4;
  side.encodings(Array.from({ length: count }, (_, index) => list.readInt32BE(index * 4)));
}

function* text(side: PageSide, first: Buffer): Program {
  const head = Buffer.from(yield 7);
  const given = head.readInt32BE(3);
  const length = Math.abs(given);
  if (length > MAX_DESKTOP_TEXT) throw new UnknownData('a text of that length');
  const content = yield length;
  if (!side.mayPaste(given < 0 ? content : undefined)) return;
  side.send(Buffer.concat([first, head, content]));
  side.did();
}

function* fence(side: PageSide, first: Buffer): Program {
  const head = Buffer.from(yield 8);
  const length = head[7] ?? 0;
  if (length > MAX_FENCE) throw new UnknownData('a fence of that length');
  side.send(Buffer.concat([first, head, yield length]));
}

function* size(side: PageSide, first: Buffer): Program {
  const head = Buffer.from(yield 7);
  const screens = head[5] ?? 0;
  if (screens > MAX_SCREENS) throw new UnknownData('more screens than there are');
  const list = yield screens * 16;
  checkSize(head.readUInt16BE(1), head.readUInt16BE(3));
  side.send(Buffer.concat([first, head, list]));
}
