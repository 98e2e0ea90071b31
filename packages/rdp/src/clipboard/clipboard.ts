import { u32 } from '../byte-reader.ts';
import { FileFlow, type FileLimits, type FileReport, type Offer } from './file-flow.ts';
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

/** Name of the clipboard channel (MS-RDPECLIP 1.5). */
export const CLIPBOARD_CHANNEL = 'cliprdr';

/** `DROPEFFECT_COPY`: files are copied, never moved. */
const COPY = u32(1);
/** Limits of unanswered requests for clipboard data, and their timeout. */
const MAX_AWAITED = 16;
const AWAITED_MS = 30_000;
const NOTHING = Buffer.alloc(0);

type Side = 'client' | 'server';

/** Directions in which texts may pass: from the desktop, and to it. */
interface TextRights {
  readonly copy: boolean;
  readonly paste: boolean;
}

/** Directions in which files may pass: to the desktop, and from it. */
export interface FileRights {
  readonly upload: boolean;
  readonly download: boolean;
}

export interface PassRights {
  readonly texts: TextRights;
  readonly files: FileRights;
}

/** Receivers of permitted messages and of reports. */
export interface ClipboardEnds {
  toServer(piece: Buffer): void;
  toBrowser(piece: Buffer): void;
  /** The file directions that are active from now on; called once both sides support files. */
  files(rights: FileRights): void;
  readonly uploads: FileReport;
  readonly downloads: FileReport;
}

/** State of one side: its offers, and the requests to it. */
interface Half {
  readonly reader: PieceReader;
  readonly writer: PieceWriter;
  /** The files that this side offers. */
  readonly flow: FileFlow;
  /** Format id of this side's drop effect (copy or move). */
  dropEffect: number | undefined;
  /** Unanswered requests to this side. */
  awaited: { readonly what: Offer | 'text'; readonly at: number }[];
  /** True if the running answer of this side is forwarded. */
  passes: boolean;
}

/**
 * Forwards clipboard texts and files within the rights, and no other formats. For blocked content,
 * the other side sees an empty clipboard.
 */
export class ClipboardFilter {
  readonly #ends: ClipboardEnds;
  readonly #halves: Readonly<Record<Side, Half>>;
  #rights: PassRights;
  #serverHasFiles = false;
  #hasFiles = false;

  constructor(rights: PassRights, limits: FileLimits, ends: ClipboardEnds) {
    this.#rights = rights;
    this.#ends = ends;
    const half = (send: (piece: Buffer) => void, isAllowed: boolean, report: FileReport): Half => ({
      reader: new PieceReader(),
      writer: new PieceWriter(send),
      flow: new FileFlow(isAllowed, report, limits),
      dropEffect: undefined,
      awaited: [],
      passes: false,
    });
    this.#halves = {
      client: half((piece) => ends.toBrowser(piece), rights.files.upload, ends.uploads),
      server: half((piece) => ends.toServer(piece), rights.files.download, ends.downloads),
    };
  }

  /** Changes the rights. Pending requests without a right are answered with a failure. */
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

  /** Reads a chunk of one side. @throws BadPdu */
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
        const outcome = other.flow.request(body);
        if ('on' in outcome) other.writer.message(MESSAGE.contentsRequest, 0, outcome.on);
        else
          half.writer.message(MESSAGE.contents, outcome.isEnd ? OK : FAILED, u32(outcome.streamId));
        break;
      }
      // Drop locks, which are not negotiated, and the temporary folder of old servers.
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
    // The browser's first format list starts the clipboard at the server: forward it even if empty.
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

  /** A side requests data that the other has offered. */
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

  /** A side answers with its data. */
  #answer(from: Side, isOk: boolean, body: Buffer): void {
    const { awaited, flow } = this.#halves[from];
    const what = awaited.shift()?.what;
    // The request has timed out.
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

  /** Returns true if texts of a side may pass. */
  #mayPassText(from: Side): boolean {
    return from === 'server' ? this.#rights.texts.copy : this.#rights.texts.paste;
  }

  #mayPassFiles(from: Side): boolean {
    return this.#hasFiles && this.#halves[from].flow.isAllowed;
  }

  /** Fails requests for files of a side. */
  #fail(owner: Side, streamIds: readonly number[]): void {
    for (const streamId of streamIds)
      this.#other(owner).writer.message(MESSAGE.contents, FAILED, u32(streamId));
  }

  #other(side: Side): Half {
    return this.#halves[side === 'client' ? 'server' : 'client'];
  }
}
