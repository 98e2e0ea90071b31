import { createHash } from 'node:crypto';
import type { UploadState } from '@sallyport/contract';
import { FILE_WINDOW } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';
import type { FileUpload, RemoteFiles } from '../../sessions/files/remote-files.ts';

/** An upload as its browser names it in each request. */
export interface UploadRequest {
  /** Chosen by the browser; the same one goes on with an upload that was interrupted. */
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly overwrite: boolean;
  /** Seconds since 1970; of the file on the person's own disk. */
  readonly modifiedAt: number | undefined;
}

interface Running {
  readonly path: string;
  readonly upload: FileUpload;
}

/** Uploads that are remembered once their file is whole. */
const MOST_FINISHED = 100;

/** The uploads of one connection. Each comes in pieces, one request after the other; between them the part stays open at the target. */
export class WebUploads {
  private readonly files: RemoteFiles;
  private readonly userId: string;
  private readonly running = new Map<string, Running>();
  /** A request may be read, or repeated because its answer was lost, after the file is whole: it begins no other upload. */
  private readonly finished = new Map<string, UploadState>();
  /** What is done for an upload waits for what was begun before: a request may be cut off while its last bytes are still written. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(files: RemoteFiles, userId: string) {
    this.files = files;
    this.userId = userId;
  }

  /** How many are open. */
  get count(): number {
    return this.running.size;
  }

  /** Where an upload is; one that is not known here goes on with what the target has of it. */
  state(request: UploadRequest): Promise<UploadState> {
    return this.inTurn(
      request,
      async () =>
        this.finishedOf(request) ?? {
          offset: (await this.open(request)).offset(),
          complete: false,
        },
    );
  }

  /** Takes the bytes from `offset` on; with the last one the file is put in its place. @throws Refusal, `file_offset` when the piece does not begin where the last one ended */
  take(request: UploadRequest, offset: number, bytes: AsyncIterable<Buffer>): Promise<UploadState> {
    return this.inTurn(request, async () => {
      const finished = this.finishedOf(request);
      // Its bytes are not written, so they are not acknowledged either.
      if (finished && finished.offset !== offset)
        throw new Refusal('file_offset', { offset: finished.offset });
      if (finished) return finished;
      const upload = await this.open(request);
      if (upload.offset() !== offset) await upload.refresh();
      if (upload.offset() !== offset) throw new Refusal('file_offset', { offset: upload.offset() });
      await this.write(request, upload, bytes);
      if (upload.offset() < request.size) return { offset: upload.offset(), complete: false };
      this.running.delete(this.keyOf(request));
      if (request.modifiedAt !== undefined)
        await upload.setAttributes({ modifiedAt: request.modifiedAt });
      const { size, sha256 } = await upload.complete();
      return this.finish(request, { offset: size, complete: true, ...(sha256 && { sha256 }) });
    });
  }

  /** Gives an upload up: its part is removed, and the log says that it is not whole. A file that is whole stays. */
  cancel(request: UploadRequest): Promise<void> {
    return this.inTurn(request, async () => {
      if (this.finishedOf(request)) return;
      const upload = await this.open(request);
      this.running.delete(this.keyOf(request));
      await upload.abort(new Refusal('file_incomplete'));
    });
  }

  private async write(
    request: UploadRequest,
    upload: FileUpload,
    bytes: AsyncIterable<Buffer>,
  ): Promise<void> {
    const pending = new Set<Promise<void>>();
    let waiting = 0;
    let failed: unknown;
    let at = upload.offset();
    try {
      for await (const chunk of bytes) {
        if (failed !== undefined) break;
        if (at + chunk.length > request.size) throw new Refusal('file_size');
        const { length } = chunk;
        const written: Promise<void> = upload.write(at, chunk).then(
          () => {
            waiting -= length;
            pending.delete(written);
          },
          (error: unknown) => {
            failed ??= error;
            pending.delete(written);
          },
        );
        at += length;
        waiting += length;
        pending.add(written);
        while (waiting > FILE_WINDOW && pending.size > 0 && failed === undefined)
          await Promise.race(pending);
      }
    } finally {
      // Also after a piece that was cut off: what was written of it counts.
      await Promise.all(pending);
    }
    if (failed === undefined) return;
    this.running.delete(this.keyOf(request));
    await upload.abort(failed instanceof Error ? failed : undefined);
    throw failed;
  }

  private finishedOf(request: UploadRequest): UploadState | undefined {
    return this.finished.get(this.keyOf(request));
  }

  private finish(request: UploadRequest, state: UploadState): UploadState {
    this.finished.set(this.keyOf(request), state);
    const [oldest] = this.finished.keys();
    if (oldest !== undefined && this.finished.size > MOST_FINISHED) this.finished.delete(oldest);
    return state;
  }

  private async open(request: UploadRequest): Promise<FileUpload> {
    const key = this.keyOf(request);
    const running = this.running.get(key);
    if (running) return running.upload;
    const { path, size, overwrite } = request;
    const upload = await this.files.upload(path, { size, overwrite, uploadId: key });
    this.running.set(key, { path, upload });
    return upload;
  }

  private async inTurn<Value>(request: UploadRequest, work: () => Promise<Value>): Promise<Value> {
    const key = this.keyOf(request);
    const before = this.turns.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(key) === turn) this.turns.delete(key);
    }
  }

  /** The name of the part on the target: nobody else's upload can have it, and no other file's. */
  private keyOf({ id, path, size }: UploadRequest): string {
    return createHash('sha256')
      .update(JSON.stringify([this.userId, id, path, size]))
      .digest('hex')
      .slice(0, 24);
  }
}
