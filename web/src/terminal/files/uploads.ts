import type { LocalFiles } from './dropped-files.ts';
import { pathIn } from './entries.ts';
import type { FileManager } from './file-manager.ts';
import { changeFiles, type FilesPlace } from './files-api.ts';
import type { ConflictAnswer } from './upload-items.ts';
import { UploadQueue } from './upload-queue.ts';

const managers = new Set<FileManager>();

/** The uploads of this window. They continue while the user opens other folders. */
export const uploads = new UploadQueue((place, path) => {
  for (const manager of managers) {
    if (manager.place.asset === place.asset && manager.place.account === place.account)
      manager.uploaded(path);
  }
});

/** Reports finished uploads to a file manager; returns the unsubscribe function. */
export function followUploads(manager: FileManager): () => void {
  managers.add(manager);
  return () => managers.delete(manager);
}

/** Asks before the user leaves the page during an upload; returns the unsubscribe function. */
export function warnOfUploads(): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    if (uploads.open > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', warn);
  return () => window.removeEventListener('beforeunload', warn);
}

interface UploadedFiles {
  readonly place: FilesPlace;
  readonly folder: string;
  readonly local: LocalFiles;
  /** Handling of existing names; without it the user is asked. */
  readonly taken?: ConflictAnswer | undefined;
}

/**
 * Uploads local files into a folder; creates folders first.
 * @throws ApiError if the folders cannot be created without a connection
 */
export async function uploadInto(
  queue: UploadQueue,
  { place, folder, local, taken }: UploadedFiles,
): Promise<void> {
  // Existing folders stay as they are.
  if (local.folders.length > 0)
    await changeFiles(place, {
      action: 'make_folder',
      items: local.folders.map((path) => ({ path: pathIn(folder, path) })),
    });
  queue.add(
    place,
    local.files.map(({ path, file }) => ({ path: pathIn(folder, path), file })),
    taken,
  );
}
