import { BadPdu, ByteReader, u32 } from '../byte-reader.ts';
import { type FileEntry, type FileFailure, FileRead } from './file-read.ts';
import { type OfferedFile, readFileList, writeFileList } from './messages.ts';

/** Maximum bytes per request. */
const MAX_RANGE = 4 * 1024 * 1024 - 1024;
/** Maximum parallel requests per direction. */
const MAX_REQUESTS = 32;
/** Kinds of file requests (MS-RDPECLIP 2.2.5.3). */
const ASKS = { size: 1, range: 2 } as const;
const SIZE_BYTES = 8;
const REQUEST_BYTES = 24;
/** Requests may end with a lock id. Locks are not negotiated, but some servers send a zero. */
const WITH_LOCK_BYTES = 28;

/** Maximum files of a list, and maximum bytes of a file. */
export interface FileLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Records file transfers. */
export interface FileReport {
  begin(name: string): FileEntry;
  refused(name: string, reason: FileFailure): void;
}

/** A file list, valid until the side offers other content. */
export interface Offer {
  readonly formatId: number;
  files?: readonly ListedFile[];
  /** The list in the form in which it was forwarded. */
  list?: Buffer;
}

/** A file of a list, with its transfer. */
interface ListedFile extends OfferedFile {
  /** Size from the owner's answer, if the list had none. */
  reportedSize?: number;
  read?: FileRead;
  isRefused?: boolean;
  isEmptyNoted?: boolean;
}

interface OpenRequest {
  readonly streamId: number;
  readonly file: ListedFile;
  /** Undefined for a size request. */
  readonly position: number | undefined;
  readonly length: number;
  /** The requester has already received a failure. */
  isGivenUp: boolean;
}

/** Result of a request: a message for the owner of the file, or an immediate answer. */
export type RequestResult =
  | { readonly on: Buffer }
  | { readonly streamId: number; readonly isEnd: boolean };

/** Files in one direction: the owner's offers, the other side's requests, and the transfers. */
export class FileFlow {
  readonly #report: FileReport;
  readonly #limits: FileLimits;
  #isAllowed: boolean;
  #offer: Offer | undefined;
  #requests: OpenRequest[] = [];
  /** The answer in transit, and its transferred bytes. */
  #passing: (OpenRequest & { done: number; size: Buffer }) | undefined;

  constructor(isAllowed: boolean, report: FileReport, limits: FileLimits) {
    this.#isAllowed = isAllowed;
    this.#report = report;
    this.#limits = limits;
  }

  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  get offer(): Offer | undefined {
    return this.#offer;
  }

  /** Enables or disables the direction. Returns the requests that fail now. */
  allow(isAllowed: boolean): readonly number[] {
    this.#isAllowed = isAllowed;
    return isAllowed ? [] : this.#giveUp('transfer_denied');
  }

  /**
   * The owner offers a file list under a format id, or other content. Returns the requests that
   * fail now.
   */
  offered(formatId: number | undefined): readonly number[] {
    const givenUp = this.#giveUp('file_incomplete');
    this.#offer = formatId === undefined ? undefined : { formatId };
    return givenUp;
  }

  /** The owner sent a list. Returns the list to forward; undefined to reject it. @throws BadPdu */
  listed(offer: Offer, body: Buffer): Buffer | undefined {
    const files = readFileList(body, this.#limits.files);
    if (!files || offer !== this.#offer || !this.#isAllowed) return undefined;
    const list = writeFileList(files);
    // A repeated list is usually unchanged, and its files may be in transfer: keep their state.
    if (!offer.list?.equals(list)) {
      offer.files = files.map((file) => ({ ...file }));
      offer.list = list;
    }
    return list;
  }

  /** The other side requests a size or a range of a file. @throws BadPdu */
  request(body: Buffer): RequestResult {
    if (body.length !== REQUEST_BYTES && body.length !== WITH_LOCK_BYTES)
      throw new BadPdu('a request for a file has another length');
    const reader = new ByteReader(body);
    const [streamId, index, asks, low, high, length] = [
      reader.u32(),
      reader.u32(),
      reader.u32(),
      reader.u32(),
      reader.u32(),
      reader.u32(),
    ];
    if (asks !== ASKS.size && asks !== ASKS.range)
      throw new BadPdu('a request for a file has an unknown kind');
    const refusal: RequestResult = { streamId, isEnd: false };
    const file = this.#offer?.files?.[index];
    if (!file) return refusal;
    if (!this.#isAllowed) return this.#refuse(file, 'transfer_denied', refusal);
    if (file.isFolder || this.#requests.length >= MAX_REQUESTS) return refusal;
    const request = { streamId, file, isGivenUp: false };
    if (asks === ASKS.size) {
      this.#requests.push({ ...request, position: undefined, length: SIZE_BYTES });
      return { on: writeRequest({ streamId, index, asks, position: 0, length: SIZE_BYTES }) };
    }
    const size = file.size ?? file.reportedSize ?? this.#limits.bytes;
    if (size > this.#limits.bytes) return this.#refuse(file, 'desktop_file_size', refusal);
    if (high === 0 && low >= size) return { streamId, isEnd: true };
    if (high !== 0 || length === 0 || length > MAX_RANGE) return refusal;
    const piece = Math.min(length, size - low);
    if (!file.read || file.read.isOver) file.read = new FileRead(this.#report.begin(file.name));
    this.#requests.push({ ...request, position: low, length: piece });
    return { on: writeRequest({ streamId, index, asks, position: low, length: piece }) };
  }

  /**
   * The owner answers. Returns the length to forward, 0 for a failure; undefined if the requester
   * already has an answer.
   * @throws BadPdu for an answer without a request, or one that is too long
   */
  answers(
    streamId: number,
    length: number,
    isOk: boolean,
  ): { readonly isOk: boolean; readonly length: number } | undefined {
    const at = this.#requests.findIndex((one) => one.streamId === streamId);
    const [request] = at < 0 ? [] : this.#requests.splice(at, 1);
    if (!request) throw new BadPdu('the contents of a file come without a request');
    if (
      isOk &&
      (length > request.length || (request.position === undefined && length !== SIZE_BYTES))
    )
      throw new BadPdu('the contents of a file have another length than requested');
    if (request.isGivenUp) return undefined;
    if (!isOk) {
      request.file.read?.end('file_failed');
      return { isOk, length: 0 };
    }
    this.#passing = { ...request, done: 0, size: Buffer.alloc(0) };
    return { isOk, length };
  }

  /** Bytes of the answer pass. */
  part(bytes: Buffer): void {
    const passing = this.#passing;
    if (!passing) return;
    if (passing.position === undefined) passing.size = Buffer.concat([passing.size, bytes]);
    else passing.file.read?.add(passing.position + passing.done, bytes);
    passing.done += bytes.length;
  }

  /** The answer is complete. */
  end(): void {
    const passing = this.#passing;
    this.#passing = undefined;
    if (!passing) return;
    const { file, position, done } = passing;
    if (position === undefined) {
      file.reportedSize = Number(passing.size.readBigUInt64LE());
      if (file.reportedSize === 0 && (file.size ?? 0) === 0 && !file.isEmptyNoted) {
        file.isEmptyNoted = true;
        this.#report.begin(file.name).end(undefined, EMPTY_SHA256);
      }
      return;
    }
    const size = file.size ?? file.reportedSize;
    if (size !== undefined && file.read?.isWhole(size)) file.read.end();
    else if (done === 0) file.read?.end('file_size');
    else if (!this.#isAllowed) file.read?.end('transfer_denied');
    else if (!this.#offer?.files?.includes(file)) file.read?.end('file_incomplete');
  }

  /** Ends all transfers, except the one in transit, which ends with its answer. */
  #giveUp(reason: FileFailure): readonly number[] {
    for (const file of this.#offer?.files ?? [])
      if (file !== this.#passing?.file) file.read?.end(reason);
    const open = this.#requests.filter(({ isGivenUp }) => !isGivenUp);
    for (const request of open) request.isGivenUp = true;
    return open.map(({ streamId }) => streamId);
  }

  #refuse(file: ListedFile, reason: FileFailure, refusal: RequestResult): RequestResult {
    if (!file.isRefused) this.#report.refused(file.name, reason);
    file.isRefused = true;
    return refusal;
  }
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface ContentsRequest {
  readonly streamId: number;
  /** Index of the file in the offer. */
  readonly index: number;
  readonly asks: number;
  readonly position: number;
  readonly length: number;
}

function writeRequest({ streamId, index, asks, position, length }: ContentsRequest): Buffer {
  return Buffer.concat([u32(streamId), u32(index), u32(asks), u32(position), u32(0), u32(length)]);
}
