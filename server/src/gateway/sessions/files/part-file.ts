import type { Place } from './boundary.ts';
import { type FileContext, reasonOf } from './file-context.ts';
import type { PartRecord } from './part-record.ts';
import type { PendingWrites } from './pending-writes.ts';

/** Reasons after which the same user may continue an upload. */
const CONTINUED: ReadonlySet<string> = new Set([
  'file_incomplete',
  'connect_target_lost',
  'connect_target_closed',
  'session_finished',
  'session_idle',
  'session_too_long',
  'session_signed_out',
  'session_server_stopping',
  'session_disk_full',
  'session_disk_read_only',
  'session_database_away',
  'session_interrupted',
]);

/** Returns true if the user may continue an upload that ended for this reason. */
export const isContinued = (reason: unknown): boolean => CONTINUED.has(reasonOf(reason));

/** The partial file of an upload on the target, and how it ends. */
export class PartFile {
  readonly place: Place;
  readonly handle: Buffer;
  readonly record: PartRecord;
  private readonly context: FileContext;
  private closing: Promise<void> | undefined;

  constructor(context: FileContext, place: Place, handle: Buffer, record: PartRecord) {
    this.context = context;
    this.place = place;
    this.handle = handle;
    this.record = record;
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Closes the file once: the target may give the same handle to the next file. */
  close(): Promise<void> {
    this.closing ??= this.context.files.closeHandle(this.handle);
    return this.closing;
  }

  /** Keeps the file for a later session, or removes it if none may continue it. */
  async keep(writes: PendingWrites): Promise<void> {
    await writes.settled();
    await this.close().catch(() => undefined);
    if (!(await this.record.keep())) await this.remove(writes);
  }

  /** Removes the file, or records that it must be removed. */
  async remove(writes: PendingWrites): Promise<void> {
    await writes.settled();
    await this.close().catch(() => undefined);
    const isRemoved = await this.context.files.remove(this.place.real).then(
      () => true,
      (error: unknown) => reasonOf(error) === 'file_not_found',
    );
    await (isRemoved ? this.record.forget() : this.record.removeLater());
  }
}
