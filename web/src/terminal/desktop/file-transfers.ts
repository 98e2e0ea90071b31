import { type FileRights, MAX_DESKTOP_FILE, MAX_DESKTOP_FILES } from '@sallyport/contract';
import type { FrameFile } from '../../kit/rdp-frame/messages.ts';
import type { LocalFiles } from '../files/dropped-files.ts';

export type TransferStatus = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** A file transfer: queued, running or ended. */
export interface FileTransfer {
  readonly id: number;
  readonly operation: 'upload' | 'download';
  readonly name: string;
  readonly size: number;
  readonly passed: number;
  readonly status: TransferStatus;
  readonly error?: string;
}

/** State of the transfers, for drawing. */
export interface FilesState {
  /** Null if the desktop transfers no files, or its rights are not known yet. */
  readonly rights: FileRights | null;
  /** Files that the desktop offers. */
  readonly offered: readonly FrameFile[];
  readonly transfers: readonly FileTransfer[];
}

/** Returns the parts of an offer: files that pass, files above the limits, and the sent list. */
export function plannedOffer({ files, folders }: LocalFiles) {
  const tooLarge = files.filter(({ file }) => file.size > MAX_DESKTOP_FILE);
  const fitting = files.filter(({ file }) => file.size <= MAX_DESKTOP_FILE);
  const passing = fitting.slice(0, MAX_DESKTOP_FILES - folders.length);
  const path = (name: string) => name.replaceAll('\\', '_').replaceAll('/', '\\');
  const listed = [
    ...folders.map((folder) => ({ path: path(folder), size: 0, lastModified: 0, isFolder: true })),
    ...passing.map((one) => ({
      path: path(one.path),
      size: one.file.size,
      lastModified: one.file.lastModified,
      isFolder: false,
    })),
  ];
  return { passing, tooLarge, left: fitting.length - passing.length, listed };
}
