import { MAX_FOLDER_ENTRIES } from '../../limits.ts';
import type { FileRecord } from '../../ports/records.ts';
import { Refusal } from '../../refusal.ts';
import { begin } from './begin-upload.ts';
import { isFile, isFolder, isLink, type Place } from './boundary.ts';
import { readEntries } from './entries.ts';
import type { FileContext } from './file-context.ts';
import { makeLink } from './make-link.ts';
import { checked, decodeName, encodeName, follow, namesOf } from './paths.ts';
import type { FileEntry } from './remote-files.ts';

/** Files removed in parallel. */
const AT_ONCE = 16;
const SLASH = 0x2f;
const PERMISSIONS = 0o7777;

/** Removes a folder tree. Removes links instead of following them. */
export async function removeTree(context: FileContext, folder: Place): Promise<void> {
  const { files } = context;
  const inside = await placesIn(context, folder);
  for (let at = 0; at < inside.length; at += AT_ONCE) {
    const some = inside.slice(at, at + AT_ONCE);
    context.require('upload_file');
    context.active();
    for (const place of some)
      if (place.attributes && isFolder(place.attributes)) await removeTree(context, place);
    await Promise.all(
      some
        .filter(({ attributes }) => !attributes || !isFolder(attributes))
        .map(({ real }) => files.remove(real)),
    );
  }
  await context.boundary.recheck(folder);
  await files.removeFolder(folder.real);
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
 * Returns the places in a folder. Reads it to the end first, because removing entries changes it.
 */
async function placesIn(
  { files, boundary, charset }: FileContext,
  folder: Place,
  isWanted: (entry: FileEntry) => boolean = () => true,
): Promise<Place[]> {
  const handle = await files.openFolder(folder.real);
  await boundary.recheck(folder).catch(async (error: unknown) => {
    await files.closeHandle(handle).catch(() => undefined);
    throw error;
  });
  const names: Buffer[] = [];
  for await (const batch of readEntries(files, handle, charset))
    for (const entry of batch) if (isWanted(entry)) names.push(encodeName(entry.name, charset));
  if (names.length > MAX_FOLDER_ENTRIES)
    throw new Refusal('file_folder_full', { max: MAX_FOLDER_ENTRIES });
  const places: Place[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names
      .slice(at, at + AT_ONCE)
      .map((name) => boundary.find(checked([...folder.names, name]), 'keep'));
    places.push(...(await Promise.all(some)));
  }
  return places;
}
