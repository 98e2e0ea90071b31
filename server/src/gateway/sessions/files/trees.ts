import type { FileRecord } from '../../ports/records.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { begin } from './begin-upload.ts';
import { ifExists, isFile, isFolder, isLink, type Place } from './boundary.ts';
import { readEntries } from './entries.ts';
import type { FileContext } from './file-context.ts';
import { makeLink } from './make-link.ts';
import { checked, decodeName, encodeName, follow, join, namesOf } from './paths.ts';
import type { FileEntry, RemovalOptions } from './remote-files.ts';

/** Places of a folder that are looked up in parallel. */
const AT_ONCE = 16;
/** Files removed in parallel. The next request goes out with each answer. */
const MAX_REMOVALS = 64;
/** Maximum time between two checks of a folder whose files are removed. */
const CHECK_MS = 500;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const PERMISSIONS = 0o7777;

/** Removes a folder tree. Removes links instead of following them. @throws Refusal */
export async function removeTree(
  context: FileContext,
  folder: Place,
  { signal, onRemoved }: RemovalOptions = {},
): Promise<void> {
  let count = 0;
  const removal: Removal = {
    check() {
      if (signal?.aborted) throw new Refusal('file_stopped');
      context.require('upload_file');
      context.active();
    },
    removed: () => onRemoved?.(++count),
  };
  const stopped = new Promise<never>((_, failed) => {
    const stop = () => failed(new Refusal('file_stopped'));
    signal?.addEventListener('abort', stop, { once: true });
  });
  const removing = removeFolder(context, folder, removal);
  // A target that answers slowly does not hold a user who has stopped.
  await Promise.race([removing, stopped]);
}

interface Removal {
  /** @throws Refusal if the removal must end */
  check(): void;
  removed(): void;
}

async function removeFolder(context: FileContext, folder: Place, removal: Removal): Promise<void> {
  const { files, boundary, charset } = context;
  const pending = new Removals(files);
  let checkedAt = performance.now();
  for (const { name, kind } of await entriesIn(context, folder)) {
    removal.check();
    if (performance.now() - checkedAt > CHECK_MS) {
      await boundary.recheck(folder);
      checkedAt = performance.now();
    }
    const encoded = encodeName(name, charset);
    const names = checked([...folder.names, encoded]);
    // Servers may list a link as its target, and read a backslash as a slash.
    const isPlain = (kind === 'file' || kind === 'link') && !encoded.includes(BACKSLASH);
    const place = isPlain ? undefined : await boundary.find(names, 'keep');
    if (place?.attributes && isFolder(place.attributes)) {
      await removeFolder(context, place, removal);
      removal.removed();
    } else await pending.add(join(boundary.root, names), removal);
  }
  await pending.settled();
  await boundary.recheck(folder);
  await files.removeFolder(folder.real);
}

/** Removes files in parallel, in the order in which they were added. */
class Removals {
  private readonly files: TargetFiles;
  private readonly waiting: Promise<void>[] = [];

  constructor(files: TargetFiles) {
    this.files = files;
  }

  /** Waits until there is room, then removes a file. */
  async add(path: Buffer, { removed }: Removal): Promise<void> {
    if (this.waiting.length >= MAX_REMOVALS) await this.waiting.shift();
    // Another program may have removed it.
    const removing = ifExists(this.files.remove(path)).then(removed);
    // `settled` or `add` awaits it; avoid an unhandled rejection until then.
    removing.catch(() => undefined);
    this.waiting.push(removing);
  }

  async settled(): Promise<void> {
    await Promise.all(this.waiting.splice(0));
  }
}

/** Copies a file or folder tree. Returns fields for its log entry. */
export async function copyTree(
  context: FileContext,
  source: Place,
  target: Place,
): Promise<Partial<FileRecord>> {
  const { files, boundary, charset } = context;
  const { attributes } = source;
  context.require('upload_file');
  context.active();
  if (!attributes) throw new Refusal('file_not_found');
  if (isLink(attributes)) {
    const text = await files.readLink(source.real);
    await makeLink(context, target, text);
    return { size: 0 };
  }
  if (isFolder(attributes)) {
    await files.makeFolder(target.real, (attributes.mode ?? 0o755) & PERMISSIONS);
    let size = 0;
    for (const inside of await placesIn(context, source)) {
      const name = inside.names.at(-1);
      if (!name) continue;
      const place = await boundary.find(checked([...target.names, name]), 'keep');
      size += (await copyTree(context, inside, place)).size ?? 0;
    }
    return { size };
  }
  if (!isFile(attributes)) throw new Refusal('file_kind');
  const path = `/${target.names.map((name) => decodeName(name, charset)).join('/')}`;
  const from = await files.open(source.real, 'read');
  try {
    await boundary.recheck(source);
    const upload = await begin(context, path, {
      overwrite: false,
      mode: (attributes.mode ?? 0o644) & PERMISSIONS,
    });
    try {
      await upload.copyFrom(from);
      return await upload.finish();
    } catch (error) {
      await upload.drop();
      throw error;
    }
  } finally {
    await files.closeHandle(from).catch(() => undefined);
  }
}

/**
 * Checks that a move leads no link out of the root: fewer folders above a relative link may not be
 * enough for its `..`. A link that already leads out may move.
 * @throws Refusal
 */
export async function assertLinksStay(
  context: FileContext,
  source: Place,
  target: readonly Buffer[],
): Promise<void> {
  const { files, boundary } = context;
  const { names, real, attributes } = source;
  if (!attributes || target.length >= names.length || boundary.isWhole) return;
  if (isLink(attributes)) {
    const text = await files.readLink(real);
    const leadsTo = (place: readonly Buffer[]) => follow(place.slice(0, -1), namesOf(text));
    if (text[0] !== SLASH && leadsTo(names) && !leadsTo(target))
      throw new Refusal('file_link_outside');
  } else if (isFolder(attributes)) {
    context.active();
    for (const place of await placesIn(context, source, ({ kind }) => kind !== 'file')) {
      const name = place.names.at(-1);
      if (name) await assertLinksStay(context, place, [...target, name]);
    }
  }
}

/**
 * Returns the entries of a folder. Reads it to the end first, because removing entries changes it.
 */
async function entriesIn(
  { files, boundary, charset }: FileContext,
  folder: Place,
): Promise<FileEntry[]> {
  const handle = await files.openFolder(folder.real);
  await boundary.recheck(folder).catch(async (error: unknown) => {
    await files.closeHandle(handle).catch(() => undefined);
    throw error;
  });
  const entries: FileEntry[] = [];
  for await (const batch of readEntries(files, handle, charset)) entries.push(...batch);
  return entries;
}

/** Returns the places of the entries in a folder. */
async function placesIn(
  context: FileContext,
  folder: Place,
  isWanted: (entry: FileEntry) => boolean = () => true,
): Promise<Place[]> {
  const { boundary, charset } = context;
  const entries = (await entriesIn(context, folder)).filter(isWanted);
  const places: Place[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries
      .slice(at, at + AT_ONCE)
      .map(({ name }) =>
        boundary.find(checked([...folder.names, encodeName(name, charset)]), 'keep'),
      );
    places.push(...(await Promise.all(some)));
  }
  return places;
}
