import { TYPES } from '@sallyport/contract/zmodem/frames.ts';
import type { TransferLine } from '../connection/transfer-line.ts';
import { MAX_IN_MEMORY, openSink, writesToDisk } from './file-sinks.ts';
import { FrameLink, type Part } from './frame-link.ts';
import { type FileSink, type OfferedFile, receiveFiles } from './receive-files.ts';
import { sendFiles } from './send-files.ts';

/** State of a transfer, for its dialog. */
export type TransferState =
  | { readonly phase: 'starting' }
  /** `rz` waits for files. */
  | { readonly phase: 'choose' }
  /** `sz` offers a file; it is too large for this browser, or it may be saved. */
  | { readonly phase: 'save'; readonly file: OfferedFile; readonly isTooLarge: boolean }
  | {
      readonly phase: 'running';
      readonly operation: 'upload' | 'download';
      readonly name: string;
      readonly size: number | null;
      readonly passed: number;
    }
  | { readonly phase: 'over' };

const PROGRESS_MS = 100;
type NamedFile = Pick<OfferedFile, 'name' | 'size'>;

/** A transfer by `rz` or `sz` at the target, with the answers of the user. */
export class FileTransfer {
  readonly #line: TransferLine;
  #state: TransferState = { phase: 'starting' };
  #shownAt = 0;
  #listeners = new Set<() => void>();
  #saved: ((sink: FileSink | null) => void) | undefined;
  #chosen: ((files: readonly File[]) => void) | undefined;

  constructor(line: TransferLine) {
    this.#line = line;
  }

  readonly snapshot = (): TransferState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Transfers files until both sides have finished, or one has cancelled. */
  async run(): Promise<void> {
    try {
      await this.#transfer();
    } catch {
      // The line may have ended; then it sends nothing.
      this.#line.cancel();
    }
    // The server ends the transfer; frames until then are confirmed.
    for (let rest = await this.#line.next(); rest; rest = await this.#line.next()) rest.drawn();
    this.#change({ phase: 'over' });
  }

  /** Cancels the transfer, also while a question is open. */
  cancel(): void {
    if (this.#state.phase === 'over') return;
    this.#line.cancel();
    this.#saved?.(null);
  }

  /** Saves the offered file. The user may leave the dialog of the browser: nothing happens then. */
  async save(): Promise<void> {
    const { phase } = this.#state;
    if (phase !== 'save') return;
    try {
      const sink = await openSink(this.#state.file.name);
      if (this.#saved) this.#saved(sink);
      else await sink.abort();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.cancel();
    }
  }

  choose(files: readonly File[]): void {
    this.#chosen?.(files);
  }

  async #transfer(): Promise<void> {
    const link = new FrameLink(this.#line);
    const first = await link.next();
    if (isHeader(first, TYPES.requestInit)) await this.#receive(link, first);
    else if (isHeader(first, TYPES.init)) await this.#send(link);
  }

  async #receive(link: FrameLink, first: Part): Promise<void> {
    let file: OfferedFile | undefined;
    await receiveFiles(
      link,
      first,
      (offered) => {
        file = offered;
        return this.#ask(offered);
      },
      (passed) => file && this.#progress('download', file, passed),
    );
  }

  async #ask(file: OfferedFile): Promise<FileSink | null> {
    const isTooLarge = !writesToDisk() && (file.size ?? 0) > MAX_IN_MEMORY;
    const sink = await new Promise<FileSink | null>((saved) => {
      this.#saved = saved;
      this.#change({ phase: 'save', file, isTooLarge });
      void this.#line.ended.then(() => saved(null));
    });
    this.#saved = undefined;
    this.#progress('download', file, 0);
    return sink;
  }

  async #send(link: FrameLink): Promise<void> {
    const files = await new Promise<readonly File[]>((chosen) => {
      this.#chosen = chosen;
      this.#change({ phase: 'choose' });
      void this.#line.ended.then(() => chosen([]));
    });
    if (files.length > 0)
      await sendFiles(link, files, (file, passed) => this.#progress('upload', file, passed));
  }

  /** Shows progress ten times a second: subpackets are small. */
  #progress(operation: 'upload' | 'download', file: NamedFile, passed: number): void {
    const now = performance.now();
    if (passed > 0 && passed !== file.size && now - this.#shownAt < PROGRESS_MS) return;
    this.#shownAt = now;
    const { name, size } = file;
    this.#change({ phase: 'running', operation, name, size, passed });
  }

  #change(state: TransferState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const isHeader = (part: Part, type: number): boolean =>
  part.kind === 'header' && part.header.type === type;
