import type { ClipboardRights, FileRights } from '@sallyport/contract';
import { u32 } from '../byte-reader.ts';
import { FileFlow, type FileReport, type Offer } from './file-flow.ts';
import {
  DROP_EFFECT,
  FAILED,
  FILE_LIST,
  MESSAGE,
  OK,
  readCapabilities,
  readFormats,
  TEXTS,
  writeCapabilities,
  writeFormats,
} from './messages.ts';
import { type Arrived, PieceReader, PieceWriter } from './pieces.ts';

/** The name of the channel (MS-RDPECLIP 1.5). */
export const CLIPBOARD_CHANNEL = 'cliprdr';

/** Files are copied, never moved (`DROPEFFECT_COPY`). */
const COPY = u32(1);
/** Contents of the clipboard that one side has asked for and has no answer to, and how long an answer is waited for. */
const MAX_AWAITED = 16;
const AWAITED_MS = 30_000;
const NOTHING = Buffer.alloc(0);

type Side = 'client' | 'server';

/** What may pass through the clipboard. */
export interface PassRights {
  readonly texts: ClipboardRights;
  readonly files: FileRights;
}

/** Where the clipboard sends what it lets pass, and what it reports. */
export interface ClipboardEnds {
  toServer(piece: Buffer): void;
  toBrowser(piece: Buffer): void;
  /** Which files pass from now on, once both sides are known to be able to. */
  files(rights: FileRights): void;
  readonly uploads: FileReport;
  readonly downloads: FileReport;
}

/** What one side offers, and what the other has asked of it. */
interface Half {
  readonly reader: PieceReader;
  /** To this side. */
  readonly writer: PieceWriter;
  /** The files of this side. */
  readonly flow: FileFlow;
  /** Where this side offers whether files are copied or moved. */
  dropEffect: number | undefined;
  /** What this side has been asked for: the text, or a list of files. */
  awaited: { readonly what: Offer | 'text'; readonly at: number }[];
  /** This side's answer is passed on, or left out. */
  passes: boolean;
}

/** Passes texts and files of the clipboard as far as the rights allow, and no pictures or other formats. Where something may not pass, the other side hears of no content. */
export class ClipboardFilter {
  readonly #ends: ClipboardEnds;
  readonly #halves: Readonly<Record<Side, Half>>;
  #rights: PassRights;
  #serverHasFiles = false;
  #hasFiles = false;

  constructor(rights: PassRights, ends: ClipboardEnds) {
    this.#rights = rights;
    this.#ends = ends;
    const half = (send: (piece: Buffer) => void, isAllowed: boolean, report: FileReport): Half => ({
      reader: new PieceReader(),
      writer: new PieceWriter(send),
      flow: new FileFlow(isAllowed, report),
      dropEffect: undefined,
      awaited: [],
      passes: false,
    });
    this.#halves = {
      client: half((piece) => ends.toBrowser(piece), rights.files.upload, ends.uploads),
      server: half((piece) => ends.toServer(piece), rights.files.download, ends.downloads),
    };
  }

  /** What may pass has changed. What is asked for and may not pass any more is answered with a failure. */
  setRights(rights: PassRights): void {
    const before = this.#rights.files;
    this.#rights = rights;
    const { upload, download } = rights.files;
    for (const [side, isAllowed] of [
      ['client', upload],
      ['server', download],
    ] as const)
      this.#fail(side, this.#halves[side].flow.allow(isAllowed));
    if (this.#hasFiles && (before.upload !== upload || before.download !== download))
      this.#ends.files(rights.files);
  }

  /** Reads a piece of one side. @throws BadPdu */
  read(from: Side, bytes: Buffer): void {
    for (const arrived of this.#halves[from].reader.push(bytes)) this.#arrived(from, arrived);
  }

  #arrived(from: Side, arrived: Arrived): void {
    const half = this.#halves[from];
    const { writer } = this.#other(from);
    if (arrived.type === 'message') this.#message(from, arrived.kind, arrived.flags, arrived.body);
    else if (arrived.type === 'contents') {
      const { streamId, flags, length } = arrived;
      const passed = half.flow.answers(streamId, length, (flags & OK) !== 0);
      half.passes = passed?.isOk === true;
      if (passed?.isOk) writer.contents(OK, streamId, passed.length);
      else if (passed) writer.message(MESSAGE.contents, FAILED, u32(streamId));
    } else if (arrived.type === 'end') half.flow.end();
    else if (half.passes) {
      half.flow.part(arrived.bytes);
      writer.part(arrived.bytes);
    }
  }

  #message(from: Side, kind: number, flags: number, body: Buffer): void {
    const half = this.#halves[from];
    const other = this.#other(from);
    switch (kind) {
      case MESSAGE.ready:
        other.writer.message(MESSAGE.ready, 0, NOTHING);
        break;
      case MESSAGE.capabilities:
        this.#capabilities(from, body);
        break;
      case MESSAGE.formats:
        this.#formats(from, body);
        break;
      case MESSAGE.formatsAnswer:
        other.writer.message(MESSAGE.formatsAnswer, flags & FAILED ? FAILED : OK, NOTHING);
        break;
      case MESSAGE.request:
        this.#request(from, body);
        break;
      case MESSAGE.answer:
        this.#answer(from, (flags & OK) !== 0, body);
        break;
      case MESSAGE.contentsRequest: {
        const asked = other.flow.asked(body);
        if ('on' in asked) other.writer.message(MESSAGE.contentsRequest, 0, asked.on);
        else half.writer.message(MESSAGE.contents, asked.isEnd ? OK : FAILED, u32(asked.streamId));
        break;
      }
      // Nobody has agreed on locks, and the folder for files of old servers is not used.
      default:
    }
  }

  #capabilities(from: Side, body: Buffer): void {
    const { upload, download } = this.#rights.files;
    const hasFiles = readCapabilities(body) && (upload || download);
    if (from === 'server') this.#serverHasFiles = hasFiles;
    else if (hasFiles && this.#serverHasFiles && !this.#hasFiles) {
      this.#hasFiles = true;
      this.#ends.files(this.#rights.files);
    }
    this.#other(from).writer.message(
      MESSAGE.capabilities,
      0,
      writeCapabilities(from === 'server' ? hasFiles : this.#hasFiles),
    );
  }

  #formats(from: Side, body: Buffer): void {
    const half = this.#halves[from];
    const formats = readFormats(body);
    const files = this.#mayPassFiles(from)
      ? formats.find(({ name }) => name === FILE_LIST)
      : undefined;
    const effect =
      files && from === 'client' ? formats.find(({ name }) => name === DROP_EFFECT) : undefined;
    this.#fail(from, half.flow.offered(files?.id));
    half.dropEffect = effect?.id;
    const mayOffer = this.#mayPassText(from);
    // The browser's first list tells the server that somebody is there: it must come, even if it is empty.
    if (from === 'server' && !mayOffer && !files) {
      half.writer.message(MESSAGE.formatsAnswer, OK, NOTHING);
      return;
    }
    const passed = [
      ...(mayOffer ? formats.filter(({ id }) => TEXTS.has(id)) : []),
      ...(files ? [files] : []),
      ...(effect ? [effect] : []),
    ];
    this.#other(from).writer.message(MESSAGE.formats, 0, writeFormats(passed));
  }

  /** A side asks for what the other one has offered. */
  #request(from: Side, body: Buffer): void {
    const half = this.#halves[from];
    const owner = this.#other(from);
    const id = body.length === 4 ? body.readUInt32LE(0) : undefined;
    const { offer } = owner.flow;
    if (id !== undefined && id === owner.dropEffect) {
      half.writer.message(MESSAGE.answer, OK, COPY);
      return;
    }
    const isList = offer !== undefined && id === offer.formatId && owner.flow.isAllowed;
    const isText =
      id !== undefined &&
      TEXTS.has(id) &&
      this.#mayPassText(from === 'client' ? 'server' : 'client');
    const now = performance.now();
    owner.awaited = owner.awaited.filter(({ at }) => now - at < AWAITED_MS);
    if ((isList || isText) && owner.awaited.length < MAX_AWAITED) {
      owner.awaited.push({ what: isList ? offer : 'text', at: now });
      owner.writer.message(MESSAGE.request, 0, body);
    } else half.writer.message(MESSAGE.answer, FAILED, NOTHING);
  }

  /** A side answers with what it has. */
  #answer(from: Side, isOk: boolean, body: Buffer): void {
    const { awaited, flow } = this.#halves[from];
    const what = awaited.shift()?.what;
    // Nobody waits for it any more.
    if (what === undefined) return;
    const { writer } = this.#other(from);
    const passed = !isOk
      ? undefined
      : what === 'text'
        ? this.#mayPassText(from)
          ? body
          : undefined
        : flow.listed(what, body);
    if (passed) writer.message(MESSAGE.answer, OK, passed);
    else writer.message(MESSAGE.answer, FAILED, NOTHING);
  }

  /** Whether texts of a side may pass: one of the server goes out. */
  #mayPassText(from: Side): boolean {
    return from === 'server' ? this.#rights.texts.copy : this.#rights.texts.paste;
  }

  #mayPassFiles(from: Side): boolean {
    return this.#hasFiles && this.#halves[from].flow.isAllowed;
  }

  /** Who asked for files of a side gets failures. */
  #fail(owner: Side, streamIds: readonly number[]): void {
    for (const streamId of streamIds)
      this.#other(owner).writer.message(MESSAGE.contents, FAILED, u32(streamId));
  }

  #other(side: Side): Half {
    return this.#halves[side === 'client' ? 'server' : 'client'];
  }
}
