import type { Charset } from '@sallyport/contract';
import type { Attributes } from '@sallyport/ssh';
import { MAX_FOLDER_ENTRIES } from '../../limits.ts';
import type { FolderEntry, TargetFiles } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { isFile, isFolder, isLink } from './boundary.ts';
import { decodeName } from './paths.ts';
import type { FileEntry, FileKind } from './remote-files.ts';

/** Parallel requests per folder: a large folder takes a thousand. */
const AT_ONCE = 8;
/** Entries that an answer without any counts as: a hostile target sends them without end. */
const EMPTY_COST = 1000;
const PERMISSIONS = 0o7777;
const SLASH = 0x2f;

export function entryOf(name: string, attributes: Attributes): FileEntry {
  return {
    name,
    kind: kindOf(attributes),
    size: attributes.size ?? 0,
    mode: (attributes.mode ?? 0) & PERMISSIONS,
    ownerId: attributes.ownerId ?? 0,
    groupId: attributes.groupId ?? 0,
    modifiedAt: attributes.modifiedAt ?? 0,
  };
}

export function kindOf(attributes: Attributes): FileKind {
  if (isFolder(attributes)) return 'folder';
  if (isLink(attributes)) return 'link';
  return isFile(attributes) ? 'file' : 'other';
}

/**
 * Reads an open folder to its end and closes it. Skips impossible names, which a hostile target may
 * send.
 */
export async function* readEntries(
  files: TargetFiles,
  handle: Buffer,
  charset: Charset,
): AsyncGenerator<readonly FileEntry[]> {
  let count = 0;
  const requests: Promise<FolderEntry[] | undefined>[] = [];
  const ask = () => {
    const answer = files.readFolder(handle);
    // The loop below awaits it; avoid an unhandled rejection until then.
    answer.catch(() => undefined);
    requests.push(answer);
  };
  try {
    for (let index = 0; index < AT_ONCE; index++) ask();
    for (let next = requests.shift(); next; next = requests.shift()) {
      const batch = await next;
      if (!batch) continue;
      ask();
      count += batch.length || EMPTY_COST;
      if (count > MAX_FOLDER_ENTRIES)
        throw new Refusal('file_folder_full', { max: MAX_FOLDER_ENTRIES });
      const entries = batch
        .filter(({ name }) => isPossible(name))
        .map((entry) => withOwner(entry, charset));
      if (entries.length > 0) yield entries;
    }
  } finally {
    await Promise.allSettled(requests);
    await files.closeHandle(handle).catch(() => undefined);
  }
}

function isPossible(name: Buffer): boolean {
  if (name.length === 0 || name.length > 1024 || name.includes(SLASH) || name.includes(0))
    return false;
  return !(name.length <= 2 && /^\.{1,2}$/.test(name.toString('latin1')));
}

function withOwner({ name, longName, attributes }: FolderEntry, charset: Charset): FileEntry {
  const entry = entryOf(decodeName(name, charset), attributes);
  const [, owner, group] = /^\S+\s+\d+\s+(\S+)\s+(\S+)\s/.exec(longName) ?? [];
  if (!owner || !group) return entry;
  return {
    ...entry,
    ...(/^\d+$/.test(owner) ? {} : { owner }),
    ...(/^\d+$/.test(group) ? {} : { group }),
  };
}
