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

/** Linux allows 107 bytes for the path of a socket; PostgreSQL adds `/.s.PGSQL.5432`. */
const SOCKET_FOLDER_MAX = 90;

/** Where the socket of a data folder lies: inside, or for long paths in the folder for temporary files. */
export function socketPath(dataDirectory: string): string {
  const near = join(dataDirectory, 'run');
  const digest = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  return Buffer.byteLength(near) <= SOCKET_FOLDER_MAX
    ? near
    : join(tmpdir(), `sallyport-${process.getuid?.() ?? 0}-${digest}`);
}

/**
 * Makes the folder for the socket, or takes the one of an earlier start. Its name can be worked out, and other accounts can write to the folder for
 * temporary files: a symbolic link or another user's folder is refused, not followed or used.
 *
 * @throws StartError when something else is in its place.
 */
export function prepareSocketFolder(dataDirectory: string, runAs: RunAs): string {
  const folder = socketPath(dataDirectory);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const handle = openFolder(folder);
  try {
    // An open handle makes sure that the folder that is checked is the one that is changed, even if it is renamed meanwhile.
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
    `The folder ${folder} for the socket of the embedded database cannot be used: ${reason}. Find out who made it and remove it, or choose a shorter path: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
  );
}
