import { MAX_ARCHIVE_ENTRIES } from '../../limits.ts';
import { problemOf, Refusal } from '../../refusal.ts';
import { shownName } from '../../sessions/files/paths.ts';
import type { FileEntry, RemoteFiles } from '../../sessions/files/remote-files.ts';
import type { ZipEntry } from './zip.ts';

/** Name of the last entry, which lists unreadable files. */
const MISSING = 'MISSING.txt';

interface Walk {
  readonly files: RemoteFiles;
  readonly missing: string[];
  readonly names: Set<string>;
  /** Returns the text of an error for the list. */
  readonly say: (error: unknown) => string;
  count: number;
}

/**
 * Yields the entries of an archive of some paths. Skips links: their targets would appear twice or
 * without end. Lists unreadable files in a last entry, because an archive that has begun cannot be
 * withdrawn.
 */
export async function* archiveOf(
  files: RemoteFiles,
  paths: readonly string[],
  say: (error: unknown) => string,
): AsyncGenerator<ZipEntry> {
  const walk: Walk = { files, missing: [], names: new Set(), say, count: 0 };
  for (const path of paths) {
    try {
      const entry = await files.statTarget(path);
      yield* below(walk, path, unique(walk, entry.name === '/' ? 'files' : entry.name), entry);
    } catch (error) {
      miss(walk, path, error);
    }
  }
  if (walk.missing.length === 0) return;
  const bytes = Buffer.from(`${walk.missing.join('\n')}\n`);
  yield {
    name: unique(walk, MISSING),
    modifiedAt: Date.now() / 1000,
    mode: 0o644,
    bytes: once(bytes),
  };
}

async function* below(
  walk: Walk,
  path: string,
  name: string,
  entry: FileEntry,
): AsyncGenerator<ZipEntry> {
  if (++walk.count > MAX_ARCHIVE_ENTRIES)
    throw new Refusal('file_folder_full', { max: MAX_ARCHIVE_ENTRIES });
  const { modifiedAt, mode } = entry;
  if (entry.kind === 'file') {
    yield { name, modifiedAt, mode, bytes: contentOf(walk, path) };
    return;
  }
  if (entry.kind !== 'folder') return;
  yield { name: `${name}/`, modifiedAt, mode };
  try {
    for await (const batch of walk.files.list(path)) {
      for (const inside of batch)
        yield* below(
          walk,
          `${path === '/' ? '' : path}/${inside.name}`,
          `${name}/${safe(inside.name)}`,
          inside,
        );
    }
  } catch (error) {
    if (problemOf(error).code === 'file_folder_full') throw error;
    miss(walk, path, error);
  }
}

async function* contentOf(walk: Walk, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await walk.files.read(path)) yield chunk as Buffer;
  } catch (error) {
    miss(walk, path, error);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function miss(walk: Walk, path: string, error: unknown): void {
  // Without the target or the right, the remaining files would fail too.
  const { code } = problemOf(error);
  if (
    code === 'connect_target_lost' ||
    code === 'connect_target_broke' ||
    code === 'transfer_denied' ||
    code === 'internal'
  )
    throw error;
  if (walk.missing.length < 1000) walk.missing.push(`${shownName(path)}: ${walk.say(error)}`);
}

/** Makes a name safe, so that no program unpacks it outside of its folder. */
function safe(name: string): string {
  return name.replace(/[\\/\p{Cc}]/gu, '_').replace(/^\.{1,2}$/, '_');
}

/** Makes a name unique, because two folders may contain the same name. */
function unique(walk: Walk, requested: string): string {
  const name = safe(requested);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (walk.names.has(candidate)) continue;
    walk.names.add(candidate);
    return candidate;
  }
}
