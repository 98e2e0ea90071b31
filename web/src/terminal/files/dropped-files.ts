/** A local file with the path of its folders. */
export interface LocalFile {
  /** Relative: `photos/one.jpg`. */
  readonly path: string;
  readonly file: File;
}

/** Files, and folders without files. */
export interface LocalFiles {
  readonly files: readonly LocalFile[];
  readonly folders: readonly string[];
}

/** Maximum files per drop. */
const MOST = 20_000;

/**
 * Reads dropped files and folders recursively. Starts at once, as the browser clears the list after
 * the event.
 */
export async function readDropped(transfer: DataTransfer): Promise<LocalFiles> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  const files: LocalFile[] = [];
  const folders: string[] = [];
  for (const entry of entries) if (entry) await readEntry(entry, '', files, folders);
  if (files.length === 0 && folders.length === 0)
    return { files: plain.map((file) => ({ path: file.name, file })), folders };
  return { files, folders };
}

/** Reads the files of a file input. */
export function readChosen(list: FileList): LocalFiles {
  const files = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return { files, folders: [...folders] };
}

/** The folders of a relative path, outermost first. */
export function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_name, index) => names.slice(0, index + 1).join('/'));
}

async function readEntry(
  entry: FileSystemEntry,
  above: string,
  files: LocalFile[],
  folders: string[],
): Promise<void> {
  if (files.length >= MOST) return;
  const path = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) =>
      (entry as FileSystemFileEntry).file(done, failed),
    ).catch(() => undefined);
    if (file) files.push({ path, file });
    return;
  }
  folders.push(path);
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const inside = await new Promise<FileSystemEntry[]>((done, failed) =>
      reader.readEntries(done, failed),
    ).catch(() => []);
    if (inside.length === 0) return;
    for (const one of inside) await readEntry(one, `${path}/`, files, folders);
  }
}
