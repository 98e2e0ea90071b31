import type { Readable } from 'node:stream';
import { Refusal } from '../../refusal.ts';
import { beginUpload } from './begin-upload.ts';
import { isFolder, type Place } from './boundary.ts';
import { openDownload, streamOf } from './download.ts';
import { entryOf, kindOf, readEntries } from './entries.ts';
import { type FileContext, fileRefusal, logged, readOnly } from './file-context.ts';
import { interruptedAt, interruptedIn } from './interrupted.ts';
import { Listing } from './listing.ts';
import { makeLink } from './make-link.ts';
import { below, decodeName, encodeName, join, readPath } from './paths.ts';
import type {
  FileEntry,
  FileReader,
  FileUpload,
  InterruptedUpload,
  RemoteFiles,
  RemovalOptions,
  UploadOptions,
} from './remote-files.ts';
import { assertLinksStay, copyTree, removeTree } from './trees.ts';

/** Maximum bytes per read of a stream. */
const MAX_STEP = 255 * 1024;
const PERMISSIONS = 0o7777;

export class SessionFiles implements RemoteFiles {
  private readonly context: FileContext;

  constructor(context: FileContext) {
    this.context = context;
  }

  get root(): string {
    return decodeName(this.context.boundary.root, this.context.charset);
  }

  async *list(path: string): AsyncGenerator<readonly FileEntry[]> {
    const { context } = this;
    const { files, boundary, charset } = context;
    let listing: Listing | undefined;
    try {
      const handle = await readOnly(context, async () => {
        const place = await this.find(path, 'follow');
        if (!isFolder(this.attributesAt(place))) throw new Refusal('file_kind');
        const opened = await files.openFolder(place.real);
        await boundary.recheck(place).catch(async (error: unknown) => {
          await files.closeHandle(opened).catch(() => undefined);
          throw error;
        });
        listing = new Listing(place.real);
        return opened;
      });
      boundary.listing = listing;
      for await (const batch of readEntries(files, handle, charset)) {
        context.require();
        context.active();
        listing?.add(batch);
        yield batch;
      }
    } catch (error) {
      throw fileRefusal(error);
    }
  }

  stat(path: string): Promise<FileEntry> {
    return readOnly(this.context, async () => {
      const { files, boundary, charset } = this.context;
      const place = await this.find(path, 'keep');
      const entry = entryOf(nameOf(path), this.attributesAt(place));
      if (entry.kind !== 'link') return entry;
      const target = await files.readLink(place.real);
      const inside = target[0] === 0x2f ? below(boundary.root, target) : undefined;
      const linkTarget = decodeName(inside ? join(Buffer.from('/'), inside) : target, charset);
      const leadsTo = await boundary.find(place.names, 'follow').catch(() => undefined);
      return {
        ...entry,
        linkTarget,
        ...(leadsTo?.attributes && { targetKind: kindOf(leadsTo.attributes) }),
      };
    });
  }

  statTarget(path: string): Promise<FileEntry> {
    return readOnly(this.context, async () =>
      entryOf(nameOf(path), this.attributesAt(await this.find(path, 'follow'))),
    );
  }

  volume(path: string): Promise<Buffer | undefined> {
    return readOnly(this.context, async () => {
      const place = await this.find(path, 'follow');
      this.attributesAt(place);
      return await this.context.files.volumeOf(place.real);
    });
  }

  openFile(path: string): Promise<FileReader> {
    return openDownload(this.context, path);
  }

  async read(
    path: string,
    range: { readonly start?: number; readonly end?: number } = {},
  ): Promise<Readable> {
    return streamOf(
      await openDownload(this.context, path),
      range,
      Math.min(this.context.files.readLength, MAX_STEP),
    );
  }

  interrupted(path: string): Promise<InterruptedUpload | undefined> {
    return readOnly(this.context, () => interruptedAt(this.context, path));
  }

  interruptedIn(path: string): Promise<readonly InterruptedUpload[]> {
    return readOnly(this.context, () => interruptedIn(this.context, path));
  }

  upload(path: string, options: UploadOptions): Promise<FileUpload> {
    return beginUpload(this.context, path, options);
  }

  rename(from: string, to: string, { overwrite }: { readonly overwrite: boolean }): Promise<void> {
    return logged(this.context, 'rename', [from, to], async () => {
      const { files } = this.context;
      const [source, target] = await Promise.all([this.find(from, 'keep'), this.find(to, 'keep')]);
      this.attributesAt(source);
      if (source.names.length === 0 || target.names.length === 0) throw new Refusal('file_outside');
      if (target.attributes && !overwrite) throw new Refusal('file_exists');
      await assertLinksStay(this.context, source, target.names);
      if (target.attributes && files.canReplace) await files.replace(source.real, target.real);
      else {
        if (target.attributes) await files.remove(target.real);
        await files.rename(source.real, target.real);
      }
      await this.context.kept.forgetKnown(source.real);
      return undefined;
    });
  }

  async remove(
    path: string,
    { recursive, ...options }: { readonly recursive: boolean } & RemovalOptions,
  ): Promise<void> {
    const isTree = await readOnly(this.context, async () => {
      const place = await this.find(path, 'keep');
      return place.attributes !== undefined && isFolder(place.attributes);
    }).catch(() => recursive);
    return logged(this.context, isTree ? 'rmdir' : 'delete', [path], async () => {
      const { files } = this.context;
      const place = await this.find(path, 'keep');
      if (place.names.length === 0) throw new Refusal('file_outside');
      if (!isFolder(this.attributesAt(place))) {
        await files.remove(place.real);
        await this.context.kept.forgetKnown(place.real);
      } else if (recursive) await removeTree(this.context, place, options);
      else await files.removeFolder(place.real);
      return undefined;
    });
  }

  makeFolder(path: string, mode = 0o755): Promise<void> {
    return logged(this.context, 'mkdir', [path], async () => {
      const place = await this.find(path, 'keep');
      if (place.attributes) throw new Refusal('file_exists');
      await this.context.files.makeFolder(place.real, mode & PERMISSIONS);
      return undefined;
    });
  }

  setAttributes(
    path: string,
    {
      mode,
      modifiedAt,
    }: { readonly mode?: number | undefined; readonly modifiedAt?: number | undefined },
  ): Promise<void> {
    return logged(this.context, 'chmod', [path], async () => {
      const place = await this.find(path, 'follow');
      this.attributesAt(place);
      const attributes = { ...(mode !== undefined && { mode: mode & PERMISSIONS }), modifiedAt };
      await this.context.files.setAttributes(place.real, attributes);
      return undefined;
    });
  }

  copy(from: string, to: string): Promise<void> {
    return logged(this.context, 'copy', [from, to], async () => {
      this.context.require('download_file');
      const [source, target] = await Promise.all([this.find(from, 'keep'), this.find(to, 'keep')]);
      this.attributesAt(source);
      if (target.attributes) throw new Refusal('file_exists');
      if (source.names.every((name, index) => target.names[index]?.equals(name)))
        throw new Refusal('file_outside');
      return copyTree(this.context, source, target);
    });
  }

  makeLink(path: string, target: string): Promise<void> {
    return logged(this.context, 'symlink', [path, target], async () => {
      const { boundary, charset } = this.context;
      const place = await this.find(path, 'keep');
      if (place.attributes) throw new Refusal('file_exists');
      // An absolute target is relative to the root, as in every other method.
      const text = target.startsWith('/')
        ? join(boundary.root, readPath(target, charset))
        : encodeName(target, charset);
      await makeLink(this.context, place, text);
      return undefined;
    });
  }

  private find(path: string, last: 'follow' | 'keep'): Promise<Place> {
    const { boundary, charset } = this.context;
    return boundary.find(readPath(path, charset), last);
  }

  private attributesAt({ attributes }: Place) {
    if (!attributes) throw new Refusal('file_not_found');
    return attributes;
  }
}

function nameOf(path: string): string {
  return path.split('/').findLast((part) => part !== '' && part !== '.') ?? '/';
}
