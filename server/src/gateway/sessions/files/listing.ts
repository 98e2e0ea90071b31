import type { FileEntry } from './remote-files.ts';

/** Maximum names kept of one folder. */
const MAX_NAMES = 10_000;
/**
 * Lifetime of a listing. A file that became a pipe since then would let the target wait for its
 * writer when it is opened.
 */
const FRESH_MS = 10_000;

/** The regular files of a folder that the client has just listed. */
export class Listing {
  private readonly folder: Buffer;
  private readonly at = performance.now();
  private readonly names = new Set<string>();

  /** `folder` is the path on the target, without links. */
  constructor(folder: Buffer) {
    this.folder = folder;
  }

  add(entries: readonly FileEntry[]): void {
    for (const { name, kind } of entries)
      if (kind === 'file' && this.names.size < MAX_NAMES) this.names.add(name);
  }

  /** Returns true if the folder had a regular file of this name. */
  hasFile(folder: Buffer, name: string): boolean {
    return (
      this.names.has(name) && this.folder.equals(folder) && performance.now() - this.at < FRESH_MS
    );
  }
}
