import type { UploadState } from '@sallyport/contract';
import { ApiError } from '../../kit/api.ts';
import { newId } from '../../kit/new-id.ts';
import { nameOf, parentOf, pathIn } from './entries.ts';
import {
  dropUpload,
  type FilesPlace,
  sendPiece,
  type UploadTarget,
  uploadState,
} from './files-api.ts';
import { PieceSizes } from './piece-sizes.ts';
import { type UploadId, uploadIdOf } from './unfinished-uploads.ts';
import {
  type ConflictAnswer,
  isEnded,
  nextName,
  SpeedMeter,
  type UploadItem,
  type UploadsSnapshot,
} from './upload-items.ts';

/** Maximum simultaneous uploads. */
const AT_ONCE = 3;

const TRIES = 5;
const PAUSE_MS = 1000;

/** Retried: 0 is no answer; the others come from a proxy or from a server that is stopping. */
const TEMPORARY: ReadonlySet<number> = new Set([0, 502, 503, 504]);

interface Work {
  readonly place: FilesPlace;
  readonly file: File;
  overwrite: boolean;
  /** The user's earlier answer for names that exist. */
  readonly taken: ConflictAnswer | undefined;
  controller: AbortController | null;
  tries: number;
  /** Set when the upload begins; a new name begins another one. */
  upload: UploadId | null;
}

/** Runs a few uploads at a time. An interrupted upload resumes at its offset. */
export class UploadQueue {
  #items: readonly UploadItem[] = [];
  #snapshot: UploadsSnapshot = { items: [], asking: null, speed: 0 };
  readonly #work = new Map<string, Work>();
  readonly #listeners = new Set<() => void>();
  readonly #onDone: (place: FilesPlace, path: string) => void;
  #forAll: ConflictAnswer | null = null;
  /** The listeners hear of the last changes with the next frame. */
  #isTelling = false;
  readonly #sizes = new PieceSizes();
  readonly #speed = new SpeedMeter();

  constructor(onDone: (place: FilesPlace, path: string) => void) {
    this.#onDone = onDone;
    window.addEventListener('online', () => this.#next());
  }

  readonly snapshot = (): UploadsSnapshot => this.#snapshot;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Number of unfinished uploads. */
  get open(): number {
    return this.#items.filter((item) => !isEnded(item)).length;
  }

  /** Adds files by path. Without `taken` the user decides about existing names. */
  add(
    place: FilesPlace,
    files: readonly { readonly path: string; readonly file: File }[],
    taken?: ConflictAnswer,
  ): void {
    if (this.open === 0) this.#forAll = null;
    const added = files.map(({ path, file }): UploadItem => {
      const id = newId();
      this.#work.set(id, {
        place,
        file,
        overwrite: false,
        taken,
        controller: null,
        tries: 0,
        upload: null,
      });
      return { id, path, size: file.size, sent: 0, status: 'waiting', error: null };
    });
    this.#items = [...this.#items, ...added];
    this.#changed();
    this.#next();
  }

  /** Applies the user's answer about an existing name. */
  answer(id: string, answer: ConflictAnswer, forAll: boolean): void {
    if (forAll) this.#forAll = answer;
    const answered = forAll
      ? this.#items.filter(({ status }) => status === 'asking')
      : this.#items.filter((item) => item.id === id && item.status === 'asking');
    for (const item of answered) this.#resolve(item, answer);
    this.#next();
  }

  pause(id: string): void {
    const item = this.#find(id);
    if (!item || isEnded(item)) return;
    this.#change(id, { status: 'paused' });
    this.#work.get(id)?.controller?.abort();
    this.#next();
  }

  /** Resumes a paused or failed upload. */
  resume(id: string): void {
    const item = this.#find(id);
    if (item?.status !== 'paused' && item?.status !== 'failed') return;
    const work = this.#work.get(id);
    if (work) work.tries = 0;
    this.#change(id, { status: 'waiting', error: null });
    this.#next();
  }

  cancel(id: string): void {
    const item = this.#find(id);
    const work = this.#work.get(id);
    if (!item || !work || item.status === 'done' || item.status === 'cancelled') return;
    const hadBegun = item.sent > 0 || item.status === 'running';
    this.#change(id, { status: 'cancelled' });
    work.controller?.abort();
    work.upload?.forget();
    if (hadBegun) void dropUpload(this.#target(item, work)).catch(() => undefined);
    this.#next();
  }

  pauseAll(): void {
    for (const item of this.#items)
      if (item.status === 'waiting' || item.status === 'running') this.pause(item.id);
  }
  resumeAll(): void {
    for (const item of this.#items) this.resume(item.id);
  }
  cancelAll(): void {
    for (const item of this.#items) if (!isEnded(item)) this.cancel(item.id);
  }

  /** Removes ended uploads from the list. */
  clear(): void {
    for (const item of this.#items) if (isEnded(item)) this.#work.delete(item.id);
    this.#items = this.#items.filter((item) => !isEnded(item));
    this.#changed();
  }

  #find(id: string): UploadItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #change(id: string, part: Partial<UploadItem>): void {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...part } : item));
    this.#changed();
  }

  #changed(): void {
    const asking = this.#items.find(({ status }) => status === 'asking') ?? null;
    this.#snapshot = { items: this.#items, asking, speed: this.#speed.bytesPerSecond };
    if (this.#isTelling) return;
    this.#isTelling = true;
    // Each file changes several times in a moment; the list is drawn once for all.
    requestAnimationFrame(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }

  #resolve(item: UploadItem, answer: ConflictAnswer): void {
    const work = this.#work.get(item.id);
    if (!work) return;
    if (answer !== 'overwrite') {
      work.upload?.forget();
      work.upload = null;
    }
    if (answer === 'skip') this.#change(item.id, { status: 'skipped' });
    else if (answer === 'overwrite') {
      work.overwrite = true;
      this.#change(item.id, { status: 'waiting' });
    } else {
      const name = nextName(nameOf(item.path));
      this.#change(item.id, { path: pathIn(parentOf(item.path), name), status: 'waiting' });
    }
  }

  #target(item: UploadItem, work: Work): UploadTarget {
    const { place, file, overwrite } = work;
    work.upload ??= uploadIdOf(place, item.path, file, (id) =>
      [...this.#work.values()].some(({ upload }) => upload?.id === id),
    );
    return {
      place,
      id: work.upload.id,
      path: item.path,
      size: file.size,
      modifiedAt: Math.floor(file.lastModified / 1000),
      overwrite,
    };
  }

  #next(): void {
    while (
      navigator.onLine &&
      this.#items.filter(({ status }) => status === 'running').length < AT_ONCE
    ) {
      const item = this.#items.find(({ status }) => status === 'waiting');
      const work = item && this.#work.get(item.id);
      if (!item || !work) return;
      this.#change(item.id, { status: 'running' });
      void this.#run(item, work);
    }
  }

  async #run(item: UploadItem, work: Work): Promise<void> {
    const controller = new AbortController();
    work.controller = controller;
    const target = this.#target(item, work);
    try {
      // The answer to the last piece may have been lost.
      let state: UploadState =
        item.sent > 0 || work.tries > 0 || work.upload?.isContinued
          ? await uploadState(target)
          : { offset: 0, complete: false };
      let piece = this.#sizes.first;
      while (!state.complete) {
        controller.signal.throwIfAborted();
        const began = performance.now();
        let before = 0;
        const start = state.offset;
        const body = work.file.slice(start, start + piece);
        const next = await sendPiece(target, {
          offset: start,
          piece: body,
          onSent: (bytes) => {
            this.#speed.add(bytes - before);
            before = bytes;
            this.#change(item.id, { sent: Math.min(start + bytes, item.size) });
          },
          signal: controller.signal,
        }).catch((error: unknown) => this.#sizes.shrink(error, body.size));
        if (!next) {
          piece = this.#sizes.atMost(piece);
          continue;
        }
        state = next;
        work.tries = 0;
        this.#change(item.id, { sent: state.offset });
        piece = this.#sizes.after(piece, performance.now() - began);
      }
      work.upload?.forget();
      this.#change(item.id, {
        status: 'done',
        sent: item.size,
        isWithoutTime: state.attributes_refused === true,
      });
      this.#onDone(work.place, item.path);
    } catch (error) {
      this.#failed(item.id, work, error);
    } finally {
      work.controller = null;
      this.#next();
    }
  }

  #failed(id: string, work: Work, error: unknown): void {
    const now = this.#find(id);
    // The user paused or cancelled the upload.
    if (now?.status !== 'running') return;
    if (error instanceof ApiError && error.code === 'file_exists') {
      this.#change(id, { status: 'asking' });
      const answer = work.taken ?? this.#forAll;
      if (answer) this.#resolve(now, answer);
      return;
    }
    const mayPass =
      error instanceof ApiError && (TEMPORARY.has(error.status) || error.code === 'file_offset');
    if (mayPass && (work.tries < TRIES || !navigator.onLine)) {
      work.tries++;
      // Linear backoff. Offline, the upload waits for the `online` event.
      setTimeout(
        () => {
          if (this.#find(id)?.status !== 'running') return;
          this.#change(id, { status: 'waiting' });
          this.#next();
        },
        navigator.onLine ? PAUSE_MS * work.tries : 0,
      );
      return;
    }
    this.#change(id, { status: 'failed', error: error instanceof Error ? error.message : '' });
  }
}
