import type { LocalFiles } from './dropped-files.ts';
import { pathIn } from './entries.ts';
import type { FileManager } from './file-manager.ts';
import { changeFiles, type FilesPlace } from './files-api.ts';
import { type ConflictAnswer, UploadQueue } from './upload-queue.ts';

const managers = new Set<FileManager>();

/** The uploads of this window. They go on while other files are looked at. */
export const uploads = new UploadQueue((place, path) => {
  for (const manager of managers) {
    if (manager.place.asset === place.asset && manager.place.account === place.account)
      manager.uploaded(path);
  }
});

/** Shows a manager what is uploaded to its place; returns how to stop. */
export function followUploads(manager: FileManager): () => void {
  managers.add(manager);
  return () => managers.delete(manager);
}

/** Asks before the window is left while files are being uploaded; returns how to stop. */
export function warnOfUploads(): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    if (uploads.open > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', warn);
  return () => window.removeEventListener('beforeunload', warn);
}

/**
 * Uploads files of the person's own disk into a folder; folders are made first.
 * @param taken what becomes of a file whose name is taken; without it the person is asked then
 * @throws ApiError when the folders cannot be made because there is no connection
 */
export async function uploadInto(
  queue: UploadQueue,
  place: FilesPlace,
  folder: string,
  local: LocalFiles,
  taken?: ConflictAnswer,
): Promise<void> {
  // A folder that is there already is right as it is.
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
