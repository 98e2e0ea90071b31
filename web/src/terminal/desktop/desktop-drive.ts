import {
  DRIVE_PIECE,
  type DriveAction,
  type DriveAnswerMessage,
  type DriveEntry,
  type DriveRequestMessage,
  type DriveStateMessage,
} from '@sallyport/contract';
import { saveBlob } from '../../kit/download.ts';
import { t } from '../../kit/i18n/index.ts';
import { Emitter } from '../connection/emitter.ts';
import { base64Of, bytesOf } from './base64.ts';
import { words } from './words.ts';

/** Open requests of a download: the way to the gateway is not idle between pieces. */
const PIECES = 4;
/** Parts of a download after which they are joined. */
const PARTS_JOINED = 64;

export interface DriveTransfer {
  readonly name: string;
  readonly passed: number;
  readonly size: number;
}

/** The drive of a desktop, for drawing. */
export interface DriveState {
  /** Null until the desktop shows the drive. */
  readonly facts: Omit<DriveStateMessage, 'type'> | null;
  /** Path of the open folder, with `/` as separator; '' is the root. */
  readonly path: string;
  readonly entries: readonly DriveEntry[];
  /** The running transfer. */
  readonly transfer: DriveTransfer | null;
  /** The reason for which the last action failed. */
  readonly error: string | null;
}

const EMPTY: DriveState = { facts: null, path: '', entries: [], transfer: null, error: null };

/** The page's side of the folder that a desktop shows as a drive. */
export class DesktopDrive extends Emitter<{ readonly change: DriveState }> {
  readonly #send: (message: DriveRequestMessage) => void;
  readonly #answers = new Map<number, (answer: DriveAnswerMessage) => void>();
  #state: DriveState = EMPTY;
  #nextId = 1;
  #isCancelled = false;

  constructor(send: (message: DriveRequestMessage) => void) {
    super();
    this.#send = send;
  }

  /** Returns the state; the same object until it changes. */
  readonly snapshot = (): DriveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => this.on('change', listener);

  /** Prepares for a new session. */
  reset(): void {
    for (const id of [...this.#answers.keys()])
      this.hear({ type: 'drive', id, error: t(words.sessionEnded) });
    this.#change(EMPTY);
  }

  /** Takes the state that the gateway reports, and lists the open folder again. */
  follow({ used, max, upload, download }: DriveStateMessage): void {
    this.#change({ facts: { used, max, upload, download } });
    void this.#list(this.#state.path);
  }

  /** Takes the answer to a request. */
  hear(answer: DriveAnswerMessage): void {
    const settle = this.#answers.get(answer.id);
    this.#answers.delete(answer.id);
    settle?.(answer);
  }

  /** Opens a folder of the drive. */
  open(path: string): Promise<void> {
    return this.#do(() => this.#list(path));
  }

  makeFolder(name: string): Promise<void> {
    return this.#do(() => this.#ask({ action: 'make_folder', path: this.#at(name) }));
  }

  remove(name: string): Promise<void> {
    return this.#do(() => this.#ask({ action: 'remove', path: this.#at(name) }));
  }

  /** Uploads files into the folder that is open now, one after the other. */
  upload(files: readonly File[]): Promise<void> {
    const paths = files.map(({ name }) => this.#at(name));
    return this.#transfer(async () => {
      for (const [index, file] of files.entries())
        if (!this.#isCancelled) await this.#upload(file, paths[index] ?? file.name);
    });
  }

  /** Downloads a file of the open folder. */
  download(name: string): Promise<void> {
    return this.#transfer(async () => {
      const { id: of, answer } = await this.#request({ action: 'read', path: this.#at(name) });
      const size = answer.size ?? 0;
      let parts: BlobPart[] = [];
      let passed = 0;
      for (let isOver = false; !isOver; ) {
        if (this.#isCancelled) {
          await this.#ask({ action: 'cancel', of });
          return;
        }
        this.#change({ transfer: { name, passed, size } });
        // The browser may keep joined parts on disk.
        if (parts.length > PARTS_JOINED) parts = [new Blob(parts)];
        const data = await this.#next(of, Math.ceil((size - passed) / DRIVE_PIECE));
        for (const piece of data) {
          passed += piece.length;
          parts.push(piece);
          isOver ||= piece.length === 0;
        }
      }
      saveBlob(name, new Blob(parts));
    });
  }

  /** Gives up the running transfer. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** Asks for the next pieces; the last one, which completes the transfer, alone. */
  async #next(of: number, left: number): Promise<Uint8Array<ArrayBuffer>[]> {
    const count = Math.max(1, Math.min(PIECES, left));
    const answers = await Promise.all(
      Array.from({ length: count }, () => this.#ask({ action: 'next', of })),
    );
    return answers.map(({ data }) => bytesOf(data ?? ''));
  }

  async #upload(file: File, path: string): Promise<void> {
    const { name, size } = file;
    const { id: of } = await this.#request({ action: 'write', path });
    try {
      for (let passed = 0; passed < size; passed += DRIVE_PIECE) {
        if (this.#isCancelled) break;
        this.#change({ transfer: { name, passed, size } });
        const piece = await file.slice(passed, passed + DRIVE_PIECE).arrayBuffer();
        await this.#ask({ action: 'piece', of, data: base64Of(new Uint8Array(piece)) });
      }
    } catch (error) {
      await this.#ask({ action: 'cancel', of }).catch(() => undefined);
      throw error;
    }
    await this.#ask({ action: this.#isCancelled ? 'cancel' : 'done', of });
  }

  async #list(path: string): Promise<void> {
    const answer = await this.#ask({ action: 'list', path }).catch(() => undefined);
    if (answer?.entries) this.#change({ path, entries: answer.entries });
    // The desktop has deleted the open folder.
    else if (path !== '') await this.#list('');
  }

  /** Runs an action, and keeps its error. */
  async #do(work: () => Promise<unknown>): Promise<void> {
    this.#change({ error: null });
    try {
      await work();
    } catch (error) {
      this.#change({ error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Runs a transfer. Other actions may run at the same time. */
  async #transfer(work: () => Promise<unknown>): Promise<void> {
    this.#isCancelled = false;
    await this.#do(work);
    this.#change({ transfer: null });
  }

  #at(name: string): string {
    return this.#state.path === '' ? name : `${this.#state.path}/${name}`;
  }

  async #ask(action: DriveAction): Promise<DriveAnswerMessage> {
    return (await this.#request(action)).answer;
  }

  async #request(action: DriveAction): Promise<{ id: number; answer: DriveAnswerMessage }> {
    const id = this.#nextId++;
    const answer = await new Promise<DriveAnswerMessage>((done) => {
      this.#answers.set(id, done);
      this.#send({ type: 'drive', id, ...action });
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return { id, answer };
  }

  #change(part: Partial<DriveState>): void {
    this.#state = { ...this.#state, ...part };
    this.emit('change', this.#state);
  }
}
