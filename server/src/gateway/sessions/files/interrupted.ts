import type { Place } from './boundary.ts';
import type { FileContext } from './file-context.ts';
import type { ShownPart } from './kept-parts.ts';
import { below, decodeName, join, readPath } from './paths.ts';
import type { InterruptedUpload } from './remote-files.ts';

/** Returns the interrupted upload of the user to a path. */
export async function interruptedAt(
  context: FileContext,
  path: string,
): Promise<InterruptedUpload | undefined> {
  const { boundary, kept, charset } = context;
  if ((await kept.list()).length === 0) return undefined;
  // The request itself reports a path that does not exist or leads out of the root.
  const place = await boundary.find(readPath(path, charset), 'follow').catch(() => undefined);
  const match = place && (await kept.at(place, boundary));
  return match && place && uploadOf(context, place, match);
}

/** Returns the interrupted uploads of the user to files of a folder. */
export async function interruptedIn(
  context: FileContext,
  path: string,
): Promise<readonly InterruptedUpload[]> {
  const { boundary, kept, charset } = context;
  const all = await kept.list();
  if (all.length === 0) return [];
  const folder = await boundary.find(readPath(path, charset), 'follow').catch(() => undefined);
  const uploads: InterruptedUpload[] = [];
  for (const { place: real } of folder ? all : []) {
    const names = below(boundary.root, real);
    if (!names || !folder || !join(boundary.root, names.slice(0, -1)).equals(folder.real)) continue;
    const place = await boundary.find(names, 'keep').catch(() => undefined);
    const match = place && (await kept.at(place, boundary));
    if (match && place) uploads.push(uploadOf(context, place, match));
  }
  return uploads;
}

function uploadOf(
  { charset }: FileContext,
  { names }: Place,
  { part, size }: ShownPart,
): InterruptedUpload {
  const text = (name: Buffer | undefined) => (name ? decodeName(name, charset) : '');
  return {
    name: text(names.at(-1)),
    part: `/${part.names.map(text).join('/')}`,
    partName: text(part.names.at(-1)),
    size,
  };
}
