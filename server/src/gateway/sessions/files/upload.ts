import type { Attributes } from '@sallyport/ssh';
import { Refusal } from '../../refusal.ts';
import { UploadAttributes } from './apply-attributes.ts';
import { ifExists, type Place } from './boundary.ts';
import { type FileContext, fileRefusal, reasonOf } from './file-context.ts';
import { resolve } from './opening.ts';
import { isContinued, type PartFile } from './part-file.ts';
import { digestOf, moveReplacing, moveWithoutReplacing, RunningDigest } from './partial-file.ts';
import { shownName } from './paths.ts';
import { PendingWrites } from './pending-writes.ts';
import type { FileUpload, UploadOptions, UploadResult } from './remote-files.ts';

interface UploadParts {
  readonly context: FileContext;
  readonly path: string;
  readonly options: UploadOptions;
  readonly uploadId: string;
  readonly place: Place;
  readonly part: PartFile;
  readonly start: number;
}

/** A file that is being written, with a digest of its bytes. */
export class Upload implements FileUpload {
  readonly uploadId: string;
  private readonly parts: UploadParts;
  private readonly digest = new RunningDigest();
  private readonly writes = new PendingWrites();
  private size: number;
  private readonly attributes: UploadAttributes;
  private isClosed = false;
  private isNoted = false;
  private dropping: Promise<void> | undefined;

  constructor(parts: UploadParts) {
    this.parts = parts;
    this.uploadId = parts.uploadId;
    this.size = parts.start;
    if (this.size > 0) this.digest.spoil();
    this.attributes = new UploadAttributes(parts.place.attributes);
  }

  offset(): number {
    return this.size;
  }

  async refresh(): Promise<void> {
    this.mustBeOpen();
    const { size = 0 } = await this.parts.context.files
      .attributesOfOpen(this.parts.part.handle)
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
  private async send(offset: number, chunk: Buffer): Promise<void> {
    const { context, part } = this.parts;
    this.mustBeOpen();
    context.require('upload_file');
    context.active();
    this.digest.add(offset, chunk);
    await context.files.write(part.handle, offset, chunk);
    part.record.wrote(offset, chunk.length);
  }

  async read(offset: number, length: number): Promise<Buffer> {
    this.mustBeOpen();
    const { context, part } = this.parts;
    context.require('download_file');
    await this.writes.settled();
    this.mustBeOpen();
    return context.files.read(part.handle, offset, length).catch(rethrow);
  }

  async flush(): Promise<boolean> {
    this.mustBeOpen();
    const { context, part } = this.parts;
    await this.writes.settled();
    this.writes.check();
    return await context.files.flush(part.handle).catch(rethrow);
  }

  async truncate(size: number): Promise<void> {
    this.mustBeOpen();
    const { context, part } = this.parts;
    context.require('upload_file');
    await this.writes.settled();
    this.mustBeOpen();
    if (this.digest.end !== size) this.digest.spoil();
    await this.writes.add(context.files.setAttributesOfOpen(part.handle, { size }));
    this.size = size;
    part.record.truncated(size);
  }

  async setAttributes(changes: Pick<Attributes, 'mode' | 'modifiedAt'>): Promise<void> {
    this.mustBeOpen();
    this.attributes.set(changes);
  }

  takesAttributes(): Promise<boolean> {
    this.mustBeOpen();
    const { context, part } = this.parts;
    return this.attributes.areTaken(context.files, part.place.real, part.handle).catch(rethrow);
  }

  /** Copies the existing file into the partial file. */
  async takeContent(): Promise<void> {
    const { context, place, part } = this.parts;
    const { files } = context;
    const source = await files.open(place.real, 'read');
    try {
      await context.boundary.recheck(place);
      await this.copyFrom(source);
      part.record.copied(this.size);
    } finally {
      await files.closeHandle(source).catch(() => undefined);
    }
  }

  /** Copies an open file into the partial file, on the target if it supports that. */
  async copyFrom(source: Buffer): Promise<void> {
    const { files } = this.parts.context;
    const { handle } = this.parts.part;
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
      await this.leave(error);
      await this.note(this.size, undefined, this.parts.context.ending() ?? error);
      throw fileRefusal(error);
    }
  }

  /** Moves the file to its path without a log entry. */
  async finish(): Promise<UploadResult> {
    this.mustBeOpen();
    const { context, options, part } = this.parts;
    // A target that answers in order gets the closing behind the writes.
    if (this.digest.end !== this.size || !context.files.resolvesLinks) await this.writes.settled();
    this.writes.check();
    context.require('upload_file');
    if (options.size !== undefined && this.size !== options.size) throw new Refusal('file_size');
    const sha256 =
      this.digest.end === this.size
        ? this.digest.finish()
        : await digestOf(context, part.handle, () => this.size);
    await this.seal();
    this.writes.check();
    if (this.isClosed) throw new Refusal('file_incomplete');
    // From here on the end of the session is too late: the file is complete and takes its place.
    this.isClosed = true;
    const placed = this.putInPlace();
    this.dropping = placed.catch(() => undefined);
    await placed;
    return {
      size: this.size,
      sha256: sha256 ?? '',
      attributesRefused: this.attributes.wereRefused,
    };
  }

  /**
   * Sets the attributes, closes the file and checks its path. A target that resolves links answers
   * in order, so all of it takes one round trip there.
   */
  private async seal(): Promise<void> {
    const { context, part } = this.parts;
    const { files, boundary } = context;
    const { real } = part.place;
    const steps: (() => Promise<unknown>)[] = [
      () => this.attributes.apply(files, real, part.handle),
      () => part.close(),
      () => boundary.recheckOpened(part.place, resolve(files, real)),
    ];
    if (files.resolvesLinks) {
      // All have ended before a failure removes the file, the writes before them included.
      const results = await Promise.allSettled(steps.map((step) => step()));
      await this.writes.settled();
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    } else for (const step of steps) await step();
  }

  async abort(failed: Error = new Refusal('file_incomplete')): Promise<void> {
    const { ending } = this.parts.context;
    const isPlaced = await this.isPlacedElsewhere().catch(() => false);
    if ((await this.drop()) && !isPlaced) await this.note(this.size, undefined, ending() ?? failed);
  }

  /** Removes the partial file without a log entry. Returns false if it was closed already. */
  drop(): Promise<boolean> {
    return this.closePart((part) => part.remove(this.writes));
  }

  async interrupt(failed: Error = new Refusal('file_incomplete')): Promise<void> {
    const reason = this.parts.context.ending() ?? failed;
    if (await this.isPlacedElsewhere().catch(() => false)) await this.drop();
    else if (await this.leave(reason)) await this.note(this.size, undefined, reason);
  }

  /** Called at the end of the session. */
  close(failed: Error): Promise<void> {
    return this.interrupt(failed);
  }

  /** Keeps the partial file if its user may continue the upload after this reason. */
  private leave(reason: unknown): Promise<boolean> {
    return isContinued(reason) ? this.closePart((part) => part.keep(this.writes)) : this.drop();
  }

  private async closePart(end: (part: PartFile) => Promise<void>): Promise<boolean> {
    if (this.isClosed) {
      await this.dropping;
      return false;
    }
    const { context, part } = this.parts;
    this.isClosed = true;
    this.dropping = end(part).finally(() => context.release(this));
    await this.dropping;
    return true;
  }

  /** Returns true if another server of the installation has completed this upload and logged it. */
  private async isPlacedElsewhere(): Promise<boolean> {
    const { context, options, part, place } = this.parts;
    if (options.uploadId === undefined || options.size === undefined || this.isClosed) return false;
    if ((await ifExists(context.files.attributesOf(part.place.real, false))) !== undefined)
      return false;
    return (await ifExists(context.files.attributesOf(place.real, false)))?.size === options.size;
  }

  private async putInPlace(): Promise<void> {
    const { context, options, part, place } = this.parts;
    try {
      const move = options.overwrite ? moveReplacing : moveWithoutReplacing;
      await move(context.files, part.place.real, place.real);
      await part.record.forget();
    } catch (error) {
      await (isContinued(error) ? part.keep(this.writes) : part.remove(this.writes));
      throw error;
    } finally {
      context.release(this);
    }
  }

  private mustBeOpen(): void {
    if (this.isClosed || this.parts.part.isClosing) throw new Refusal('file_incomplete');
  }

  private async note(size: number, sha256: string | undefined, failed: unknown): Promise<void> {
    if (this.isNoted) return;
    this.isNoted = true;
    const { context } = this.parts;
    const path = shownName(this.parts.path);
    const reason = failed === undefined ? {} : { reason: reasonOf(failed) };
    await context.note({ operation: 'upload', path, size, sha256, ...reason });
    if (failed === undefined && this.attributes.wereRefused)
      await context.note({ operation: 'chmod', path, reason: 'file_attributes' });
  }
}

function rethrow(error: unknown): never {
  throw fileRefusal(error);
}
