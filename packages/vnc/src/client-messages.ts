import { canOpen } from './provided-texts.ts';
import { MAX_TEXT } from './server-messages.ts';
import { type Program, UnknownData } from './stream-parser.ts';

/** Actions of the "Extended Clipboard Pseudo-Encoding" (RFB community). */
const ACTION = {
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;

/** Directions in which texts may pass: from the desktop, and to it. */
interface ClipboardRights {
  readonly copy: boolean;
  readonly paste: boolean;
}

/**
 * Returns true if a clipboard message may pass in its direction. `extended` is the body of an
 * extended message, which begins with its flags. Drops texts of a desktop that a page cannot open.
 */
export function mayPass(
  rights: ClipboardRights,
  from: 'desktop' | 'page',
  extended: Buffer | undefined,
): boolean {
  // Messages that carry text need the right of their direction; requests need that of the answer.
  const [canSend, canRequest] =
    from === 'desktop' ? [rights.copy, rights.paste] : [rights.paste, rights.copy];
  if (!extended) return canSend;
  if (extended.length < 4) return false;
  const flags = extended.readUInt32BE(0);
  const has = (action: number) => (flags & action) !== 0;
  if (from === 'desktop' && has(ACTION.provide) && !canOpen(extended)) return false;
  if (has(ACTION.notify) || has(ACTION.provide)) return canSend;
  if (has(ACTION.request) || has(ACTION.peek)) return canRequest;
  return has(ACTION.caps) && (canSend || canRequest);
}

const MAX_ENCODINGS = 128;
const MAX_FENCE = 64;
const MAX_SCREENS = 16;

/** Position in pixels of the desktop, and pressed buttons as a bit mask. */
export interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly buttons: number;
}

export interface PageSide {
  /** Sends a whole message to the server. */
  send(message: Buffer): void;
  /** The page listed the encodings that it supports. */
  encodings(supported: readonly number[]): void;
  /** The user was active. */
  onInput(pointer?: Pointer): void;
  /** The user pressed or released a key of X11. */
  key(keysym: number, isDown: boolean): void;
  /** Checks the size that the page requests. @throws UnknownData */
  checkSize(width: number, height: number): void;
  /** Returns true if a clipboard message may pass. */
  mayPaste(extended: Buffer | undefined): boolean;
}

/** Parses the messages of a page (RFC 6143, section 7.5), and forwards permitted ones whole. */
export function* clientMessages(side: PageSide): Program {
  for (;;) {
    const first = Buffer.from(yield 1);
    switch (first[0]) {
      // Drop SetPixelFormat: recordings and watchers depend on our own format.
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
        side.key(rest.readUInt32BE(3), rest[0] !== 0);
        side.onInput();
        break;
      }
      case 5: {
        const rest = yield 5;
        side.send(Buffer.concat([first, rest]));
        side.onInput({ buttons: rest[0] ?? 0, x: rest.readUInt16BE(1), y: rest.readUInt16BE(3) });
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
      // Drop the xvp message: it would shut the machine down.
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
        side.key(rest.readUInt32BE(3), rest.readUInt16BE(1) !== 0);
        side.onInput();
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
  const signedLength = head.readInt32BE(3);
  const length = Math.abs(signedLength);
  if (length > MAX_TEXT) throw new UnknownData('a text of that length');
  const content = yield length;
  if (!side.mayPaste(signedLength < 0 ? content : undefined)) return;
  side.send(Buffer.concat([first, head, content]));
  side.onInput();
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
  side.checkSize(head.readUInt16BE(1), head.readUInt16BE(3));
  side.send(Buffer.concat([first, head, list]));
}
