import { MAX_OPEN_FILES } from '../../../limits.ts';
import { Refusal } from '../../../refusal.ts';
import type {
  FileEntry,
  FileReader,
  FileUpload,
  RemoteFiles,
} from '../../../sessions/files/remote-files.ts';
import { normal } from './tree.ts';

/** An open handle of a client. */
export type Handle =
  | { readonly kind: 'folder'; readonly reader: FolderReader }
  | {
      readonly kind: 'reading';
      readonly file: FileReader;
      readonly files: RemoteFiles;
      readonly path: string;
    }
  | Writing;

export interface Writing {
  readonly kind: 'writing';
  readonly file: FileUpload;
  readonly files: RemoteFiles;
  readonly path: string;
  /** The path with which the client opened it. */
  readonly clientPath: string;
  readonly appends: boolean;
  /** The file's future permission bits. */
  mode: number;
}

/** The handles of one channel. */
export class Handles {
  private readonly open = new Map<number, Handle>();
  private next = 0;

  /** @throws Refusal when too many handles are open */
  checkRoom(): void {
    if (this.open.size >= MAX_OPEN_FILES) throw new Refusal('file_limit');
  }

  add(handle: Handle): Buffer {
    const id = this.next++;
    this.open.set(id, handle);
    const name = Buffer.alloc(4);
    name.writeUInt32BE(id % 2 ** 32);
    return name;
  }

  /** @throws Refusal for an unknown handle */
  get(name: Buffer): Handle {
    const handle = name.length === 4 ? this.open.get(name.readUInt32BE(0)) : undefined;
    if (!handle) throw new Refusal('file_failed');
    return handle;
  }

  /** Returns the open upload to a path, if any. */
  writing(files: RemoteFiles, path: string): Writing | undefined {
    const key = normal(path).join('/');
    for (const handle of this.open.values()) {
      if (
        handle.kind === 'writing' &&
        handle.files === files &&
        normal(handle.path).join('/') === key
      )
        return handle;
    }
    return undefined;
  }

  remove(name: Buffer): Handle {
    const handle = this.get(name);
    this.open.delete(name.readUInt32BE(0));
    return handle;
  }

  /** Returns and forgets all open handles. */
  takeAll(): Handle[] {
    const all = [...this.open.values()];
    this.open.clear();
    return all;
  }
}

/** Returns a folder in batches, one request at a time. */
export class FolderReader {
  private readonly batches: AsyncIterator<readonly FileEntry[]>;
  private rest: readonly FileEntry[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(entries: AsyncIterable<readonly FileEntry[]>) {
    this.batches = entries[Symbol.asyncIterator]();
  }

  /** Reads the first batch. @throws Refusal when the folder cannot be read */
  async fill(): Promise<void> {
    const { done, value } = await this.batches.next();
    if (!done) this.rest = value;
  }

  /** Returns up to `max` entries; none at the end. */
  take(max: number): Promise<readonly FileEntry[]> {
    const batch = this.last.then(async () => {
      while (this.rest.length === 0) {
        const { done, value } = await this.batches.next();
        if (done) return [];
        this.rest = value;
      }
      const some = this.rest.slice(0, max);
      this.rest = this.rest.slice(max);
      return some;
    });
    this.last = batch.catch(() => undefined);
    return batch;
  }

  async close(): Promise<void> {
    await this.last;
    await this.batches.return?.();
  }
}

/** Yields known entries as one batch. */
export async function* oneBatch(
  entries: readonly FileEntry[],
): AsyncGenerator<readonly FileEntry[]> {
  if (entries.length > 0) yield entries;
}

/** The entry of a file that is being written. */
export function entryOf({ file, mode }: Writing): FileEntry {
  const now = Math.floor(Date.now() / 1000);
  return {
    name: '',
    kind: 'file',
    size: file.offset(),
    mode,
    ownerId: 0,
    groupId: 0,
    modifiedAt: now,
  };
}

/** A reader for a file that is being written. Closing it has no effect on the upload. */
export function readerOf(writing: Writing): FileReader {
  const { file } = writing;
  return {
    entry: entryOf(writing),
    read: (offset, length) => file.read(offset, length),
    readPieces: async (offset, length) => [await file.read(offset, length)],
    close: async () => undefined,
  };
}
