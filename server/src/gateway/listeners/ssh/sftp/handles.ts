import { MAX_OPEN_FILES } from '../../../limits.ts';
import { Refusal } from '../../../refusal.ts';
import type {
  FileEntry,
  FileReader,
  FileUpload,
  RemoteFiles,
} from '../../../sessions/files/remote-files.ts';
import { normal } from './tree.ts';

/** What a client has open. */
export type Handle =
  | { readonly kind: 'folder'; readonly reader: FolderReader }
  | {
      readonly kind: 'reading';
      readonly file: FileReader;
      readonly files: RemoteFiles;
      readonly path: string;
    }
  | Writing;

/** A file that a client writes. */
export interface Writing {
  readonly kind: 'writing';
  readonly file: FileUpload;
  readonly files: RemoteFiles;
  readonly path: string;
  /** The path by which the client opened it. */
  readonly shown: string;
  readonly appends: boolean;
  /** The permission bits that it will have. */
  mode: number;
}

/** The handles of one channel. */
export class Handles {
  private readonly open = new Map<number, Handle>();
  private next = 0;

  /** @throws Refusal when there are too many */
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

  /** @throws Refusal for a handle that nobody got */
  get(name: Buffer): Handle {
    const handle = name.length === 4 ? this.open.get(name.readUInt32BE(0)) : undefined;
    if (!handle) throw new Refusal('file_failed');
    return handle;
  }

  /** The open file that will have a path when it is closed. */
  writing(files: RemoteFiles, path: string): Writing | undefined {
    const wanted = normal(path).join('/');
    for (const handle of this.open.values()) {
      if (
        handle.kind === 'writing' &&
        handle.files === files &&
        normal(handle.path).join('/') === wanted
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

  /** All that is still open; nothing is afterwards. */
  takeAll(): Handle[] {
    const all = [...this.open.values()];
    this.open.clear();
    return all;
  }
}

/** Gives out a folder in batches, one after the other. */
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

  /** Up to `most` entries; none at the end. */
  take(most: number): Promise<readonly FileEntry[]> {
    const taken = this.last.then(async () => {
      while (this.rest.length === 0) {
        const { done, value } = await this.batches.next();
        if (done) return [];
        this.rest = value;
      }
      const some = this.rest.slice(0, most);
      this.rest = this.rest.slice(most);
      return some;
    });
    this.last = taken.catch(() => undefined);
    return taken;
  }

  async close(): Promise<void> {
    await this.last;
    await this.batches.return?.();
  }
}

/** A folder that is known already, as one batch. */
export async function* oneBatch(
  entries: readonly FileEntry[],
): AsyncGenerator<readonly FileEntry[]> {
  if (entries.length > 0) yield entries;
}
