import { createHash } from 'node:crypto';
import type { UploadState } from '@sallyport/contract';
import { FILE_WINDOW } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';
import type { FileUpload, RemoteFiles } from '../../sessions/files/remote-files.ts';

/** An upload as the browser identifies it in each request. */
export interface UploadRequest {
  /** Chosen by the browser. The same id resumes an interrupted upload. */
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly overwrite: boolean;
  /** Modification time of the local file, in seconds since 1970. */
  readonly modifiedAt: number | undefined;
}

interface Running {
  readonly path: string;
  readonly upload: FileUpload;
}

/** Maximum completed uploads to remember. */
const MAX_FINISHED = 100;

/**
 * The uploads of one connection. Each arrives in several requests; the partial file stays open on
 * the target between them.
 */
export class WebUploads {
  private readonly files: RemoteFiles;
  private readonly userId: string;
  private readonly running = new Map<string, Running>();
  /** Completed uploads: a late or repeated request must not start a new one. */
  private readonly finished = new Map<string, UploadState>();
  /** Serializes the requests per upload: an aborted request may still be writing its last bytes. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(files: RemoteFiles, userId: string) {
    this.files = files;
    this.userId = userId;
  }

  /** Number of open uploads. */
  get count(): number {
    return this.running.size;
  }

  /** Returns the state of an upload. An unknown upload resumes with the bytes on the target. */
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

  /**
   * Writes bytes from `offset`. The last one completes the file.
   * @throws Refusal, `file_offset` when the piece does not continue the previous one
   */
  take(request: UploadRequest, offset: number, bytes: AsyncIterable<Buffer>): Promise<UploadState> {
    return this.inTurn(request, async () => {
      const finished = this.finishedOf(request);
      // Reject the piece: its bytes are not written, so they must not be acknowledged.
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
      const { size, sha256, attributesRefused } = await upload.complete();
      return this.finish(request, {
        offset: size,
        complete: true,
        ...(sha256 && { sha256 }),
        ...(attributesRefused && { attributes_refused: true }),
      });
    });
  }

  /**
   * Cancels an upload: removes its partial file and logs it as incomplete. A completed file stays.
   */
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
      // Count the written bytes of an aborted request too.
      await Promise.all(pending);
    }
    if (failed === undefined) return;
    this.running.delete(this.keyOf(request));
    await upload.interrupt(failed instanceof Error ? failed : undefined);
    throw failed;
  }

  private finishedOf(request: UploadRequest): UploadState | undefined {
    return this.finished.get(this.keyOf(request));
  }

  private finish(request: UploadRequest, state: UploadState): UploadState {
    this.finished.set(this.keyOf(request), state);
    const [oldest] = this.finished.keys();
    if (oldest !== undefined && this.finished.size > MAX_FINISHED) this.finished.delete(oldest);
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

  /** Id of the partial file on the target; unique per user, upload, path and size. */
  private keyOf({ id, path, size }: UploadRequest): string {
    return createHash('sha256')
      .update(JSON.stringify([this.userId, id, path, size]))
      .digest('hex')
      .slice(0, 24);
  }
}
