import type { Attributes } from '@sallyport/ssh';
import { Refusal } from '../../refusal.ts';
import { applyAttributes } from './apply-attributes.ts';
import { ifExists, type Place } from './boundary.ts';
import { type FileContext, fileRefusal, reasonOf } from './file-context.ts';
import { resolve } from './opening.ts';
import { digestOf, moveReplacing, moveWithoutReplacing, RunningDigest } from './partial-file.ts';
import { shownName } from './paths.ts';
import { PendingWrites } from './pending-writes.ts';
import type { FileUpload, UploadOptions, UploadResult } from './remote-files.ts';

const PERMISSIONS = 0o7777;
/** Permission bits of a new file. */
export const NEW_FILE = 0o644;

interface UploadParts {
  readonly context: FileContext;
  readonly path: string;
  readonly options: UploadOptions;
  readonly uploadId: string;
  readonly place: Place;
  readonly part: Place;
  readonly handle: Buffer;
}

/** A file that is being written, with a digest of its bytes. */
export class Upload implements FileUpload {
  readonly uploadId: string;
  private readonly parts: UploadParts;
  private readonly digest = new RunningDigest();
  private readonly writes = new PendingWrites();
  private size: number;
  private mode: number | undefined;
  private modifiedAt: number | undefined;
  private isClosed = false;
  private isNoted = false;
  private closing: Promise<void> | undefined;
  private dropping: Promise<void> | undefined;

  constructor(parts: UploadParts) {
    this.parts = parts;
    this.uploadId = parts.uploadId;
    this.size = parts.part.attributes?.size ?? 0;
    if (this.size > 0) this.digest.spoil();
    // Pass on the permissions of a replaced file, unless the client sets others on this upload.
    if (parts.place.attributes) this.mode = (parts.place.attributes.mode ?? NEW_FILE) & PERMISSIONS;
  }

  offset(): number {
    return this.size;
  }

  async refresh(): Promise<void> {
    this.mustBeOpen();
    const { size = 0 } = await this.parts.context.files
      .attributesOfOpen(this.parts.handle)
      .catch(rethrow);
    if (size === this.size) return;
    this.digest.spoil();
    this.size = size;
  }

  reserve(length: number): number {
    const offset = this.size;
    this.size += length;
    return offset;
  }

  async write(offset: number, chunk: Buffer): Promise<void> {
    await this.writes.add(this.send(offset, chunk));
    this.size = Math.max(this.size, offset + chunk.length);
  }

  async writeAhead(offset: number, chunk: Buffer): Promise<void> {
    this.writes.check();
    if (!this.writes.hasRoom(chunk.length)) return this.write(offset, chunk);
    this.writes.addAhead(this.send(offset, chunk), chunk.length);
    this.size = Math.max(this.size, offset + chunk.length);
  }

  /** Sends a chunk to the target. @throws Refusal when it may not be sent */
  private send(offset: number, chunk: Buffer): Promise<void> {
    const { context, handle } = this.parts;
    this.mustBeOpen();
    context.require('upload_file');
    context.active();
    this.digest.add(offset, chunk);
    return context.files.write(handle, offset, chunk);
  }

  async read(offset: number, length: number): Promise<Buffer> {
    this.mustBeOpen();
    const { context, handle } = this.parts;
    context.require('download_file');
    await this.writes.settled();
    this.mustBeOpen();
    return context.files.read(handle, offset, length).catch(rethrow);
  }

  async flush(): Promise<boolean> {
    this.mustBeOpen();
    const { context, handle } = this.parts;
    await this.writes.settled();
    this.writes.check();
    return await context.files.flush(handle).catch(rethrow);
  }

  async truncate(size: number): Promise<void> {
    this.mustBeOpen();
    this.parts.context.require('upload_file');
    await this.writes.settled();
    this.mustBeOpen();
    if (this.digest.end !== size) this.digest.spoil();
    await this.writes.add(
      this.parts.context.files.setAttributesOfOpen(this.parts.handle, { size }),
    );
    this.size = size;
  }

  async setAttributes(changes: Pick<Attributes, 'mode' | 'modifiedAt'>): Promise<void> {
    this.mustBeOpen();
    const { mode, modifiedAt } = changes;
    if (mode !== undefined) this.mode = mode & PERMISSIONS;
    if (modifiedAt !== undefined) this.modifiedAt = modifiedAt;
  }

  /** Copies the existing file into the partial file. */
  async takeContent(): Promise<void> {
    const { context, place, handle } = this.parts;
    const { files } = context;
    const source = await files.open(place.real, 'read');
    try {
      await context.boundary.recheck(place);
      await this.copyFrom(source, handle);
    } finally {
      await files.closeHandle(source).catch(() => undefined);
    }
  }

  /** Copies an open file into the partial file, on the target if it supports that. */
  async copyFrom(source: Buffer, handle = this.parts.handle): Promise<void> {
    const { files } = this.parts.context;
    if (files.canCopy) {
      await files.copyData(source, handle);
      this.digest.spoil();
      this.size = (await files.attributesOfOpen(handle)).size ?? 0;
      return;
    }
    for (let at = 0; ; ) {
      const piece = await files.read(source, at, files.readLength);
      if (piece.length === 0) return;
      await this.write(at, piece);
      at += piece.length;
    }
  }

  async complete(): Promise<UploadResult> {
    try {
      const result = await this.finish();
      await this.note(result.size, result.sha256, undefined);
      return result;
    } catch (error) {
      await this.drop();
      await this.note(this.size, undefined, this.parts.context.ending() ?? error);
      throw fileRefusal(error);
    }
  }

  /** Moves the file to its path without a log entry. */
  async finish(): Promise<UploadResult> {
    this.mustBeOpen();
    const { context, options, handle } = this.parts;
    // A target that answers in order gets the closing behind the writes.
    if (this.digest.end !== this.size || !context.files.resolvesLinks) await this.writes.settled();
    this.writes.check();
    context.require('upload_file');
    if (options.size !== undefined && this.size !== options.size) throw new Refusal('file_size');
    const sha256 =
      this.digest.end === this.size
        ? this.digest.finish()
        : await digestOf(context, handle, () => this.size);
    await this.seal();
    this.writes.check();
    if (this.isClosed) throw new Refusal('file_incomplete');
    // From here on the end of the session is too late: the file is complete and takes its place.
    this.isClosed = true;
    const placed = this.putInPlace();
    this.dropping = placed.catch(() => undefined);
    await placed;
    return { size: this.size, sha256: sha256 ?? '' };
  }

  /**
   * Sets the attributes, closes the file and checks its path. A target that resolves links answers
   * in order, so all of it takes one round trip there.
   */
  private async seal(): Promise<void> {
    const { context, part, handle } = this.parts;
    const { files, boundary } = context;
    const { mode, modifiedAt } = this;
    const steps: (() => Promise<unknown>)[] = [
      () => applyAttributes(files, part.real, handle, { mode, modifiedAt }),
      () => this.closeHandle(),
      () => boundary.recheckOpened(part, resolve(files, part.real)),
    ];
    if (files.resolvesLinks) {
      // All have ended before a failure removes the file, the writes before them included.
      const results = await Promise.allSettled(steps.map((step) => step()));
      await this.writes.settled();
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    } else for (const step of steps) await step();
  }

  /** Closes the file once: the target may give the same handle to the next file. */
  private closeHandle(): Promise<void> {
    this.closing ??= this.parts.context.files.closeHandle(this.parts.handle);
    return this.closing;
  }

  async abort(failed: Error = new Refusal('file_incomplete')): Promise<void> {
    const { ending } = this.parts.context;
    const isPlaced = await this.isPlacedElsewhere().catch(() => false);
    if ((await this.drop()) && !isPlaced) await this.note(this.size, undefined, ending() ?? failed);
  }

  /** Removes the partial file without a log entry. Returns false if it was closed already. */
  async drop(): Promise<boolean> {
    if (this.isClosed) {
      await this.dropping;
      return false;
    }
    this.isClosed = true;
    this.dropping = this.removePart();
    await this.dropping;
    return true;
  }

  async suspend(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.writes.settled();
    await this.closeHandle().catch(() => undefined);
    this.parts.context.release(this);
  }

  /** Called at the end of the session. */
  close(failed: Error): Promise<void> {
    return this.abort(failed);
  }

  /** Returns true if another server of the installation has completed this upload and logged it. */
  private async isPlacedElsewhere(): Promise<boolean> {
    const { context, options, part, place } = this.parts;
    if (options.uploadId === undefined || options.size === undefined || this.isClosed) return false;
    if ((await ifExists(context.files.attributesOf(part.real, false))) !== undefined) return false;
    return (await ifExists(context.files.attributesOf(place.real, false)))?.size === options.size;
  }

  private async putInPlace(): Promise<void> {
    const { context, options, part, place } = this.parts;
    try {
      const move = options.overwrite ? moveReplacing : moveWithoutReplacing;
      await move(context.files, part.real, place.real);
    } catch (error) {
      await context.files.remove(part.real).catch(() => undefined);
      throw error;
    } finally {
      context.release(this);
    }
  }

  private async removePart(): Promise<void> {
    const { context, part } = this.parts;
    await this.writes.settled();
    await this.closeHandle().catch(() => undefined);
    await context.files.remove(part.real).catch(() => undefined);
    context.release(this);
  }

  private mustBeOpen(): void {
    if (this.isClosed || this.closing) throw new Refusal('file_incomplete');
  }

  private async note(size: number, sha256: string | undefined, failed: unknown): Promise<void> {
    if (this.isNoted) return;
    this.isNoted = true;
    const { context, path } = this.parts;
    await context.note({
      operation: 'upload',
      path: shownName(path),
      size,
      sha256,
      ...(failed !== undefined && { reason: reasonOf(failed) }),
    });
  }
}

function rethrow(error: unknown): never {
  throw fileRefusal(error);
}
