import { newId } from '../../kit/new-id.ts';
import type { FilesPlace } from './files-api.ts';

const STORAGE_KEY = 'sallyport-unfinished-uploads';
/** Maximum uploads to remember; the oldest ones are forgotten. */
const KEPT = 50;
/** Bytes of a file that takes one piece, so nothing of it can be continued. */
const SMALL = 1024 * 1024;

interface Unfinished {
  /** Digest of place, path and file; the storage holds no names of files. */
  readonly file: string;
  readonly id: string;
}

function isUnfinished(value: unknown): value is Unfinished {
  if (typeof value !== 'object' || value === null) return false;
  const { file, id } = value as Partial<Unfinished>;
  return typeof file === 'string' && typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id);
}

function read(): Unfinished[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isUnfinished).slice(0, KEPT) : [];
  } catch {
    return [];
  }
}

function write(uploads: readonly Unfinished[]): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(uploads.slice(0, KEPT)));
  } catch {
    // Without storage an upload begins again after a reload.
  }
}

/** Hashes a text to 53 bits (FNV-1a, in two halves). `crypto.subtle` is missing without TLS. */
function digestOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(text.length - 1 - at), 0x01000193);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The id of an upload on the server. */
export interface UploadId {
  readonly id: string;
  /** The page began the upload before a reload: the server may have a part of it. */
  readonly isContinued: boolean;
  /** Forgets the id at the end of the upload. */
  forget(): void;
}

/**
 * Returns the id of the unfinished upload of the same file to the same path, or a new one.
 * `isTaken` tells if another upload of this page uses an id.
 */
export function uploadIdOf(
  place: FilesPlace,
  path: string,
  file: Pick<File, 'size' | 'lastModified'>,
  isTaken: (id: string) => boolean,
): UploadId {
  if (file.size <= SMALL) return { id: newId(), isContinued: false, forget: () => undefined };
  const key = digestOf(
    JSON.stringify([place.asset, place.account, path, file.size, file.lastModified]),
  );
  const known = read().find((upload) => upload.file === key && !isTaken(upload.id));
  const id = known?.id ?? newId();
  const others = () => read().filter((upload) => upload.id !== id);
  write([{ file: key, id }, ...others()]);
  return { id, isContinued: known !== undefined, forget: () => write(others()) };
}
