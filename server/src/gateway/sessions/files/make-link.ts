import type { LinkOrder, TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError, type TargetFileProblem } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import { ifExists, isLink, type Place } from './boundary.ts';
import type { FileContext } from './file-context.ts';
import { join, namesOf } from './paths.ts';

const ORDERS: readonly LinkOrder[] = ['openssh', 'draft'];
/** Failures that the other order of the paths does not change. */
const FINAL: ReadonlySet<TargetFileProblem> = new Set(['unsupported', 'lost', 'broken']);

/**
 * Creates a link at a free place inside of the root. A server that reads the two paths in the other
 * order creates a link at the target instead. Until a link has proven the order, the server
 * therefore receives only absolute paths inside of the root.
 * @throws Refusal when the link would lead out of the root, now or through a folder that becomes a
 * link
 */
export async function makeLink(
  { files, boundary }: Pick<FileContext, 'files' | 'boundary'>,
  place: Place,
  text: Buffer,
): Promise<void> {
  const leadsTo = await boundary.targetOf(place.names, text);
  if (!leadsTo || text.length === 0) throw new Refusal('file_outside');
  if (!boundary.isWhole && climbsBelow(text)) throw new Refusal('file_link_outside');
  const existing = await boundary.find(leadsTo, 'follow').catch((error: unknown) => {
    // Allow a missing target: it may be created later.
    if (error instanceof Refusal && error.problem.code === 'file_not_found') return undefined;
    throw error;
  });
  if (!files.linkOrder) {
    const target = existing?.real ?? join(boundary.root, leadsTo);
    files.linkOrder = await proveOrder(files, place.real, target);
    if (target.equals(text)) return;
    await files.remove(place.real);
  }
  await create(files, place.real, text, files.linkOrder);
}

/**
 * Returns true if a text has `..` behind a name. The server follows a link of this name first, so
 * `..` can lead elsewhere than to the folder of the name.
 */
function climbsBelow(text: Buffer): boolean {
  const names = namesOf(text)
    .map((name) => name.toString('latin1'))
    .filter((name) => name !== '.');
  const first = names.findIndex((name) => name !== '..');
  return first >= 0 && names.includes('..', first);
}

/** Creates the link with an absolute target, in the order that works. */
async function proveOrder(files: TargetFiles, link: Buffer, target: Buffer): Promise<LinkOrder> {
  let failure: unknown;
  for (const order of ORDERS) {
    try {
      await create(files, link, target, order);
      return order;
    } catch (error) {
      failure ??= error;
      if (error instanceof TargetFileError && FINAL.has(error.problem)) break;
    }
  }
  throw failure;
}

/** Sends one request and removes a link that appears at the target. */
async function create(
  files: TargetFiles,
  link: Buffer,
  text: Buffer,
  order: LinkOrder,
): Promise<void> {
  const reversed = await freePlaceOf(files, text);
  let failure: unknown = new Refusal('file_failed');
  try {
    await files.makeLink(link, text, order);
  } catch (error) {
    failure = error;
  }
  if (await ifExists(files.attributesOf(link, false))) return;
  if (reversed && (await isLinkTo(files, reversed, link))) await files.remove(reversed);
  throw failure;
}

/** Returns the path of a text for the server, unless a file exists there. */
async function freePlaceOf(files: TargetFiles, text: Buffer): Promise<Buffer | undefined> {
  try {
    const path = text[0] === 0x2f ? text : await files.realPath(text);
    return (await ifExists(files.attributesOf(path, false))) ? undefined : path;
  } catch {
    // The path cannot be named or read, so no link of ours is found there.
    return undefined;
  }
}

async function isLinkTo(files: TargetFiles, path: Buffer, text: Buffer): Promise<boolean> {
  const attributes = await ifExists(files.attributesOf(path, false));
  return (
    attributes !== undefined && isLink(attributes) && (await files.readLink(path)).equals(text)
  );
}
