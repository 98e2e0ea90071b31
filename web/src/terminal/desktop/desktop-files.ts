import { type FileRights, MAX_DESKTOP_FILE, MAX_DESKTOP_FILES } from '@sallyport/contract';
import { toast } from '../../kit/dialogs/toast.tsx';
import { download } from '../../kit/download.ts';
import { t } from '../../kit/i18n/index.ts';
import type { FileFromFrame, FileToFrame } from '../../kit/rdp-frame/messages.ts';
import { Emitter } from '../connection/emitter.ts';
import type { LocalFiles } from '../files/dropped-files.ts';
import { type FilesState, type FileTransfer, plannedOffer } from './file-transfers.ts';
import { words } from './words.ts';

/** Bytes per request, and maximum open requests per file. */
const PIECE_BYTES = 128 * 1024;

const PIECES = 2;

/** Parts of a download after which they are joined, so the browser may keep them on disk. */
const PARTS_JOINED = 64;

const KEEP_ADDRESS_MS = 60_000;

interface Download {
  readonly id: number;
  readonly index: number;
  size: number;
  asked: number;
  kept: number;
  parts: BlobPart[];
  /** Pieces that arrived out of order. */
  readonly early: Map<number, Uint8Array<ArrayBuffer>>;
}

interface Upload {
  readonly id: number;
  readonly file: File | null;
}

/**
 * Transfers between a desktop and this page: runs one download at a time, and offers files to the
 * desktop until the desktop has read them.
 */
export class DesktopFiles extends Emitter<{ readonly change: FilesState }> {
  readonly #send: (message: FileToFrame) => void;
  #state: FilesState = { rights: null, offered: [], transfers: [] };
  #uploads: readonly Upload[] = [];
  #queue: Download[] = [];
  #streams = new Map<number, { readonly of: Download; readonly position: number | undefined }>();
  #nextId = 1;
  #nextStream = 1;

  constructor(send: (message: FileToFrame) => void) {
    super();
    this.#send = send;
  }

  /** Returns the state; the same object until it changes. */
  readonly snapshot = (): FilesState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => this.on('change', listener);

  /** Sets the allowed directions and fails transfers that are no longer allowed. */
  setRights(rights: FileRights): void {
    this.#change({ rights, ...(!rights.download && { offered: [] }) });
    for (const { id, operation, status } of this.#state.transfers)
      if (!rights[operation] && (status === 'waiting' || status === 'running'))
        this.#fail(id, t(operation === 'upload' ? words.uploadEnded : words.downloadEnded));
    if (!rights.upload) this.#uploads = [];
  }

  /** Prepares for a new session: fails unfinished transfers. */
  reset(): void {
    for (const { id, status } of this.#state.transfers)
      if (status === 'waiting' || status === 'running') this.#fail(id, t(words.sessionEnded));
    this.#uploads = [];
    this.#streams = new Map();
    this.#change({ rights: null, offered: [] });
  }

  /** Handles a message of the frame about files. */
  hear(message: FileFromFrame): void {
    if (message.type === 'offered') {
      for (const { id } of [...this.#queue]) this.#fail(id, t(words.notOffered));
      this.#change({ offered: message.files });
    } else if (message.type === 'contents') this.#arrived(message.streamId, message.bytes);
    else if (message.type === 'asked') void this.#answer(message);
    else this.offer(message);
  }

  /** Downloads a file of the list. */
  download(index: number): void {
    const file = this.#state.offered[index];
    if (!file || file.isFolder) return;
    const id = this.#add(
      'download',
      file.name,
      file.size,
      file.size > MAX_DESKTOP_FILE ? t(words.tooLarge) : undefined,
    );
    if (file.size > MAX_DESKTOP_FILE) return;
    this.#queue.push({
      id,
      index,
      size: file.size,
      asked: 0,
      kept: 0,
      parts: [],
      early: new Map(),
    });
    if (this.#queue.length === 1) this.#begin();
  }

  /** Replaces the offered files. The desktop reads a file when the user pastes it there. */
  offer({ files, folders }: LocalFiles): void {
    if (!this.#state.rights?.upload) {
      toast.error(t(words.dropDenied));
      return;
    }
    const { passing, tooLarge, left, listed } = plannedOffer({ files, folders });
    for (const { id, operation, status } of this.#state.transfers)
      if (operation === 'upload' && (status === 'waiting' || status === 'running'))
        this.#update(id, { status: 'cancelled' });
    for (const { path, file } of tooLarge) this.#add('upload', path, file.size, t(words.tooLarge));
    if (left > 0)
      this.#add(
        'upload',
        t(words.moreFiles, { count: left }),
        0,
        t(words.tooMany, { max: MAX_DESKTOP_FILES }),
      );
    this.#uploads = [
      ...folders.map(() => ({ id: 0, file: null })),
      ...passing.map(({ path, file }) => ({ id: this.#add('upload', path, file.size), file })),
    ];
    this.#send({ type: 'offer', files: listed });
    if (passing.length > 0) toast.success(t(words.filesOffered));
  }

  /** Cancels a transfer. */
  cancel(id: number): void {
    this.#update(id, { status: 'cancelled' });
    this.#drop(id);
    this.#uploads = this.#uploads.map((upload) =>
      upload.id === id ? { id: 0, file: null } : upload,
    );
  }

  /** Removes finished transfers. */
  clear(): void {
    this.#change({
      transfers: this.#state.transfers.filter(
        ({ status }) => status === 'waiting' || status === 'running',
      ),
    });
  }

  #begin(): void {
    const [next] = this.#queue;
    if (!next) return;
    this.#update(next.id, { status: 'running' });
    // The list may be older than the file, and the log has an entry for an empty one, too.
    this.#ask(next, undefined, 0);
  }

  #ask(of: Download, position: number | undefined, length: number): void {
    const streamId = this.#nextStream++;
    this.#streams.set(streamId, { of, position });
    this.#send({
      type: 'read',
      streamId,
      index: of.index,
      isSize: position === undefined,
      position: position ?? 0,
      length,
    });
  }

  #arrived(streamId: number, bytes: Uint8Array<ArrayBuffer> | null): void {
    const stream = this.#streams.get(streamId);
    this.#streams.delete(streamId);
    // The user cancelled the download.
    if (!stream || this.#queue[0] !== stream.of) return;
    const { of, position } = stream;
    if (bytes === null || (position !== undefined && bytes.length === 0))
      this.#fail(of.id, t(words.notRead));
    else if (position === undefined) {
      of.size = Math.min(
        Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)),
        of.size || MAX_DESKTOP_FILE,
      );
      this.#update(of.id, { size: of.size });
      this.#go(of);
    } else {
      of.early.set(position, bytes);
      for (let piece = of.early.get(of.kept); piece; piece = of.early.get(of.kept)) {
        of.early.delete(of.kept);
        of.parts.push(piece);
        of.kept += piece.length;
      }
      if (of.parts.length > PARTS_JOINED) of.parts = [new Blob(of.parts)];
      this.#update(of.id, { passed: of.kept });
      this.#go(of);
    }
  }

  #go(of: Download): void {
    if (of.kept >= of.size) {
      this.#update(of.id, { status: 'done', passed: of.size });
      const name = this.#state.offered[of.index]?.name ?? '';
      const address = URL.createObjectURL(new Blob(of.parts));
      download(address, name.slice(name.lastIndexOf('\\') + 1));
      setTimeout(() => URL.revokeObjectURL(address), KEEP_ADDRESS_MS);
      this.#drop(of.id);
      return;
    }
    const open = [...this.#streams.values()].filter((stream) => stream.of === of).length;
    // A piece may be shorter than requested. Its rest is requested when no other piece is open.
    if (open === 0 && of.asked >= of.size) of.asked = of.kept;
    for (let count = open; count < PIECES && of.asked < of.size; count++) {
      const length = Math.min(PIECE_BYTES, of.size - of.asked);
      this.#ask(of, of.asked, length);
      of.asked += length;
    }
  }

  async #answer({
    streamId,
    index,
    isSize,
    position,
    length,
  }: Extract<FileFromFrame, { type: 'asked' }>): Promise<void> {
    const upload = this.#uploads[index];
    const file = upload?.file;
    if (!file) {
      this.#send({ type: 'contents', streamId, bytes: null });
      return;
    }
    if (isSize) {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setBigUint64(0, BigInt(file.size), true);
      this.#send({ type: 'contents', streamId, bytes });
      return;
    }
    const bytes = await file
      .slice(position, position + length)
      .arrayBuffer()
      .then(
        (buffer) => new Uint8Array(buffer),
        () => null,
      );
    this.#send({ type: 'contents', streamId, bytes });
    if (bytes === null) {
      this.#fail(upload.id, t(words.fileChanged));
      return;
    }
    // The desktop reads a file from the beginning when the user pastes it again.
    const before = this.#state.transfers.find(({ id }) => id === upload.id)?.passed ?? 0;
    const passed = Math.min(file.size, (position === 0 ? 0 : before) + bytes.length);
    this.#update(upload.id, { passed, status: passed === file.size ? 'done' : 'running' });
  }

  #add(operation: 'upload' | 'download', name: string, size: number, error?: string): number {
    const id = this.#nextId++;
    const status = error === undefined ? 'waiting' : 'failed';
    this.#change({
      transfers: [
        ...this.#state.transfers,
        { id, operation, name, size, passed: 0, status, ...(error !== undefined && { error }) },
      ],
    });
    return id;
  }

  #fail(id: number, error: string): void {
    this.#update(id, { status: 'failed', error });
    this.#drop(id);
  }

  /** Removes a download from the queue; begins the next one if the download was running. */
  #drop(id: number): void {
    const wasRunning = this.#queue[0]?.id === id;
    this.#queue = this.#queue.filter((one) => one.id !== id);
    if (wasRunning) this.#begin();
  }

  #update(id: number, part: Partial<FileTransfer>): void {
    this.#change({
      transfers: this.#state.transfers.map((one) => (one.id === id ? { ...one, ...part } : one)),
    });
  }

  #change(part: Partial<FilesState>): void {
    this.#state = { ...this.#state, ...part };
    this.emit('change', this.#state);
  }
}
