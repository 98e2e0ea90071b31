import { u16, u32 } from '../byte-reader.ts';
import { CLIPBOARD_CHANNEL } from '../clipboard/clipboard.ts';
import {
  FILE_LIST,
  MESSAGE,
  type OfferedFile,
  OK,
  readFileList,
  readFormats,
  writeFileList,
  writeFormats,
} from '../clipboard/messages.ts';
import { PieceReader, PieceWriter } from '../clipboard/pieces.ts';
import type { RdpPage } from './rdp-page.ts';

const MAX_FILES = 1000;
const FILE_FORMAT = 0xc0fe;
const STREAMS = 0x0e;
const ASKS = { size: 1, range: 2 } as const;

export interface PageFile {
  readonly name: string;
  readonly content: Buffer;
}

/**
 * The clipboard of a page. Answers like IronRDP, downloads files of the desktop, and serves its own
 * files.
 */
export class RdpClipboard {
  /** Format ids of the file offers from the desktop, in order. */
  readonly offers: (number | undefined)[] = [];
  readonly #reader = new PieceReader();
  readonly #writer: PieceWriter;
  /** True once the desktop has accepted this page's first format list. */
  isReady = false;
  #files: readonly PageFile[] = [];
  #lists: ((list: Buffer | undefined) => void)[] = [];
  readonly #contents = new Map<number, (content: Buffer | undefined) => void>();
  #arriving:
    | { readonly streamId: number; readonly isOk: boolean; readonly parts: Buffer[] }
    | undefined;
  #streamId = 0;

  constructor(page: RdpPage) {
    this.#writer = new PieceWriter((piece) => page.say(CLIPBOARD_CHANNEL, piece));
    page.onChannel = (name, data) => {
      if (name === CLIPBOARD_CHANNEL) this.#take(data);
    };
  }

  /** Requests the desktop's file list. */
  async list(format = this.offers.at(-1)): Promise<readonly OfferedFile[] | undefined> {
    const list = await new Promise<Buffer | undefined>((done) => {
      this.#lists.push(done);
      this.#writer.message(MESSAGE.request, 0, u32(format ?? 0));
    });
    return list && readFileList(list, MAX_FILES);
  }

  /** Requests a range of a desktop file; undefined on failure. */
  read(index: number, position: number, length: number): Promise<Buffer | undefined> {
    const streamId = ++this.#streamId;
    return new Promise((done) => {
      this.#contents.set(streamId, done);
      const place = [
        u32(streamId),
        u32(index),
        u32(ASKS.range),
        u32(position),
        u32(0),
        u32(length),
      ];
      this.#writer.message(MESSAGE.contentsRequest, 0, Buffer.concat(place));
    });
  }

  offer(files: readonly PageFile[]): void {
    this.#files = files;
    this.#writer.message(MESSAGE.formats, 0, writeFormats([{ id: FILE_FORMAT, name: FILE_LIST }]));
  }

  #take(piece: Buffer): void {
    for (const arrived of this.#reader.push(piece)) {
      if (arrived.type === 'message')
        this.#message(arrived.kind, (arrived.flags & OK) !== 0, arrived.body);
      else if (arrived.type === 'contents')
        this.#arriving = {
          streamId: arrived.streamId,
          isOk: (arrived.flags & OK) !== 0,
          parts: [],
        };
      else if (arrived.type === 'part') this.#arriving?.parts.push(Buffer.from(arrived.bytes));
      else if (this.#arriving) {
        const { streamId, isOk, parts } = this.#arriving;
        this.#contents.get(streamId)?.(isOk ? Buffer.concat(parts) : undefined);
        this.#contents.delete(streamId);
      }
    }
  }

  #message(kind: number, isOk: boolean, body: Buffer): void {
    if (kind === MESSAGE.ready) {
      this.#writer.message(
        MESSAGE.capabilities,
        0,
        Buffer.concat([u16(1), u16(0), u16(1), u16(12), u32(2), u32(STREAMS)]),
      );
      this.#writer.message(MESSAGE.formats, 0, Buffer.alloc(0));
    } else if (kind === MESSAGE.formats) {
      this.offers.push(readFormats(body).find(({ name }) => name === FILE_LIST)?.id);
      this.#writer.message(MESSAGE.formatsAnswer, OK, Buffer.alloc(0));
    } else if (kind === MESSAGE.formatsAnswer) this.isReady = true;
    else if (kind === MESSAGE.answer) this.#lists.shift()?.(isOk ? body : undefined);
    else if (kind === MESSAGE.request) {
      const files = this.#files.map(({ name, content }) => ({
        name,
        isFolder: false,
        size: content.length,
        written: undefined,
      }));
      this.#writer.message(MESSAGE.answer, OK, writeFileList(files));
    } else if (kind === MESSAGE.contentsRequest) {
      const [streamId = 0, index = 0, asks = 0, position = 0, , length = 0] = Array.from(
        { length: 6 },
        (_, at) => body.readUInt32LE(at * 4),
      );
      const content = this.#files[index]?.content ?? Buffer.alloc(0);
      const bytes =
        asks === ASKS.size
          ? Buffer.concat([u32(content.length), u32(0)])
          : content.subarray(position, position + length);
      this.#writer.contents(OK, streamId, bytes.length);
      if (bytes.length > 0) this.#writer.part(bytes);
    }
  }
}
