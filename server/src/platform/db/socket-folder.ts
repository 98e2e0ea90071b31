import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../config.ts';
import type { RunAs } from './account.ts';

/** Linux limits a socket path to 107 bytes; PostgreSQL appends `/.s.PGSQL.5432`. */
const SOCKET_FOLDER_MAX = 90;

/**
 * Returns a folder for sockets, by default that of the database: inside the data folder, or in the
 * temporary folder if the path is too long.
 */
export function socketPath(dataDirectory: string, name = 'run'): string {
  const near = join(dataDirectory, name);
  const digest = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  return Buffer.byteLength(near) <= SOCKET_FOLDER_MAX
    ? near
    : join(
        tmpdir(),
        `sallyport-${process.getuid?.() ?? 0}-${digest}${name === 'run' ? '' : `-${name}`}`,
      );
}

/**
 * Creates the folder for the socket or reuses that of an earlier start. Other accounts can predict
 * its name and write to the temporary folder. Therefore a symbolic link or a folder of another
 * account is rejected.
 *
 * @throws StartError if the path is not a usable folder.
 */
export function prepareSocketFolder(
  dataDirectory: string,
  runAs: Pick<RunAs, 'uid' | 'gid'>,
  name?: string,
): string {
  const folder = socketPath(dataDirectory, name);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const handle = openFolder(folder);
  try {
    // The open handle guarantees that the checked folder is the changed one, even after a rename.
    const { uid } = fstatSync(handle);
    if (process.getuid && uid !== process.getuid() && uid !== runAs.uid)
      throw inTheWay(folder, `it belongs to the account ${uid}`);
    fchmodSync(handle, 0o700);
    if (runAs.uid !== undefined) fchownSync(handle, runAs.uid, runAs.gid ?? runAs.uid);
  } finally {
    closeSync(handle);
  }
  return folder;
}

function openFolder(folder: string): number {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw inTheWay(
      folder,
      code === 'ENOTDIR' || code === 'ELOOP'
        ? 'it is no folder of its own'
        : `it cannot be opened (${code})`,
    );
  }
}

function inTheWay(folder: string, reason: string): StartError {
  return new StartError(
    `The folder ${folder} for sockets cannot be used: ${reason}. Find out who made it and remove it, or choose a shorter path: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
  );
}
