import type { Attributes } from '@sallyport/ssh';
import { within } from '../../../platform/within.ts';
import type { KeptState, KeptUpload, KeptUploads } from '../../ports/kept-uploads.ts';
import type { NewSession } from '../../ports/records.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-end.ts';
import { type Boundary, isFile, type Place } from './boundary.ts';
import { below } from './paths.ts';

/** Lifetime of an answer of the database. */
const FRESH_MS = 1000;
/** Time to wait for the database. Without an answer the last one counts. */
const WAIT_MS = 1000;

/** A part that the user may continue, as the target has it now. */
export interface ShownPart {
  readonly kept: KeptUpload;
  readonly part: Place & { readonly attributes: Attributes };
  /** Bytes after which an upload continues. */
  readonly size: number;
}

interface RemovalContext {
  readonly files: TargetFiles;
  readonly boundary: Boundary;
}

/** The interrupted uploads of a session's user with its account on its target. */
export class KeptParts {
  readonly store: KeptUploads | undefined;
  private readonly session: NewSession;
  /** Settles when the expired parts are removed. */
  cleaned: Promise<void> = Promise.resolve();
  private last: readonly KeptUpload[] = [];
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<unknown> | undefined;

  constructor(store: KeptUploads | undefined, session: NewSession) {
    this.store = store;
    this.session = session;
  }

  /** Returns the uploads that no session has open. */
  async free(): Promise<readonly KeptUpload[]> {
    return (await this.list()).filter(({ holder }) => !holder);
  }

  /**
   * Returns the uploads, also those of holders. Never fails: without the database no upload can be
   * continued.
   */
  async list(): Promise<readonly KeptUpload[]> {
    const { store } = this;
    if (!store) return [];
    if (!this.reading && performance.now() - this.readAt >= FRESH_MS) {
      this.readAt = performance.now();
      this.reading = store
        .find(this.session)
        .then(
          (found) => {
            this.last = found;
          },
          () => {
            this.last = [];
          },
        )
        .finally(() => {
          this.reading = undefined;
        });
    }
    if (this.reading) await within(this.reading, WAIT_MS, () => undefined);
    return this.last;
  }

  /** Notes a partial file that the target is about to create. */
  began(upload: Omit<KeptUpload, 'bytes'>): void {
    this.store?.began(this.session, upload);
  }

  /** Withdraws the note of a partial file. */
  ended(part: Buffer): void {
    this.store?.ended(this.session, part);
  }

  /** Takes an upload over. Returns false if another session was faster. */
  async claim(upload: KeptUpload): Promise<boolean> {
    this.drop(upload.part);
    return (await this.store?.claim(this.session, upload).catch(() => false)) === true;
  }

  /** Saves the state of an upload of this session. Returns false if it cannot be kept. */
  async save(upload: KeptUpload, state: KeptState): Promise<boolean> {
    return (await this.store?.save(this.session, upload, state)) === true;
  }

  /** Forgets a part that was moved or removed. */
  async forget(part: Buffer): Promise<void> {
    this.drop(part);
    await this.store?.forget(this.session, part).catch(() => undefined);
  }

  /** Forgets a part that the user has moved or removed, if it is one. */
  async forgetKnown(part: Buffer): Promise<void> {
    if (this.last.some((kept) => kept.part.equals(part))) await this.forget(part);
  }

  /** Leaves a part that could not be removed to the server. */
  async removeLater(upload: KeptUpload): Promise<void> {
    await this.save(upload, 'unwanted').catch(() => false);
  }

  /**
   * Returns the part of an upload to a place, unless the file there has changed since the upload
   * began: then the part belongs to an older version.
   */
  async at(place: Place, boundary: Boundary): Promise<ShownPart | undefined> {
    for (const kept of await this.list()) {
      if (!kept.place.equals(place.real)) continue;
      const match = await this.match(kept, place, boundary);
      if (match) return match;
    }
    return undefined;
  }

  /**
   * Removes expired parts of the account. The server does so itself if it has the secret of the
   * account; otherwise they wait for a session.
   */
  removeExpired(context: RemovalContext): Promise<void> {
    this.cleaned = this.removeNow(context);
    return this.cleaned;
  }

  private async removeNow({ files, boundary }: RemovalContext): Promise<void> {
    const parts = (await this.store?.expired(this.session).catch(() => [])) ?? [];
    for (const part of parts)
      await removePart(files, boundary, part).then(
        () => this.forget(part),
        () => undefined,
      );
  }

  private async match(
    kept: KeptUpload,
    place: Place,
    boundary: Boundary,
  ): Promise<ShownPart | undefined> {
    if (!isSame(kept, place.attributes)) return undefined;
    const names = below(boundary.root, kept.part);
    const part = names && (await boundary.find(names, 'keep').catch(() => undefined));
    if (!part?.attributes || !isFile(part.attributes) || !part.real.equals(kept.part))
      return undefined;
    const size = Math.min(kept.bytes, part.attributes.size ?? 0);
    return size > 0 ? { kept, part: { ...part, attributes: part.attributes }, size } : undefined;
  }

  private drop(part: Buffer): void {
    this.last = this.last.filter((kept) => !kept.part.equals(part));
  }
}

/** Returns true if the file of a place is the one from before the upload. */
function isSame({ replaced }: KeptUpload, now: Attributes | undefined): boolean {
  if (!replaced || !now) return !replaced && !now;
  return isFile(now) && now.size === replaced.size && (now.modifiedAt ?? 0) === replaced.modifiedAt;
}

/** Removes a part inside of the root. @throws Refusal, TargetFileError if it may still exist */
export async function removePart(
  files: TargetFiles,
  boundary: Boundary,
  part: Buffer,
): Promise<void> {
  const names = below(boundary.root, part);
  if (!names || names.length === 0) throw new TargetFileError('denied');
  const place = await boundary.find(names, 'keep').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!place?.attributes) return;
  // A link or a folder of this name is no part, and a path through a link leads elsewhere.
  if (isFile(place.attributes) && place.real.equals(part)) await files.remove(part);
}

const isMissing = (error: unknown): boolean =>
  (error instanceof TargetFileError && error.problem === 'missing') ||
  (error instanceof Error && error.message === 'file_not_found');
