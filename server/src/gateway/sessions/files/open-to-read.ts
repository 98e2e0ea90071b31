import type { Attributes } from '@sallyport/ssh';
import { Refusal } from '../../refusal.ts';
import { isFile, type Place } from './boundary.ts';
import type { FileContext } from './file-context.ts';
import { type Opening, sendOpening } from './opening.ts';
import { join, readPath } from './paths.ts';

/** A file that the target opened for reading. Its path was checked before and after. */
interface OpenedFile {
  readonly handle: Buffer;
  readonly attributes: Attributes;
}

/** Opens a file. No byte of it has passed when its path turns out to be wrong. @throws Refusal */
export async function openToRead(context: FileContext, path: string): Promise<OpenedFile> {
  const { files, boundary, charset } = context;
  const names = readPath(path, charset);
  const isKnown = files.resolvesLinks && boundary.isListedFile(names, charset);
  // The target answers in order, so it looks at a known file, opens it and resolves its path in
  // one round trip. All three answers are judged.
  const finding = boundary.findToRead(names);
  let opening = isKnown ? sendOpening(files, join(boundary.root, names), 'read') : undefined;
  let place: Place | undefined;
  try {
    place = regularFile(await finding);
    if (opening && !opening.real.equals(place.real)) {
      void close(context, opening);
      opening = undefined;
    }
    opening ??= sendOpening(files, place.real, 'read');
    return await judge(context, place, opening);
  } catch (error) {
    const closed = opening && close(context, opening);
    // The opening of a refused file may take forever.
    if (place) await closed;
    throw error;
  }
}

/** @throws Refusal for a missing file, and for a pipe: opening it would wait for a writer */
function regularFile(place: Place): Place {
  if (!place.attributes) throw new Refusal('file_not_found');
  if (!isFile(place.attributes)) throw new Refusal('file_kind');
  return place;
}

/** Reads ahead while the target resolves the path. @throws Refusal when the path has changed */
async function judge(
  { files, boundary, ahead }: FileContext,
  place: Place,
  opening: Opening,
): Promise<OpenedFile> {
  const handle = await opening.handle;
  ahead.begin(handle, place.attributes?.size);
  // The file may have been deleted after it was opened.
  const attributes =
    (await boundary.recheckOpened(place, opening.resolved)) ??
    (await files.attributesOfOpen(handle));
  return { handle, attributes };
}

async function close({ files, ahead }: FileContext, opening: Opening): Promise<void> {
  const handle = await opening.handle.catch(() => undefined);
  if (!handle) return;
  ahead.drop(handle);
  await files.closeHandle(handle).catch(() => undefined);
}
