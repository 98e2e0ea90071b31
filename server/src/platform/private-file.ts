import { statSync } from 'node:fs';
import { posixPath } from '@sallyport/contract';
import { StartError } from '../config.ts';

/**
 * Checks that only the owner of a file can read it. The hint never takes the file from the account
 * that reads it.
 * @throws StartError
 */
export function assertPrivateFile(file: string): void {
  if (process.platform === 'win32') return;
  const { mode, uid, gid } = statSync(file);
  if ((mode & 0o077) !== 0)
    throw new StartError(
      `${file} can be read by other accounts. Run: ${commandFor(file, { uid, gid }, process.getuid?.())}`,
    );
}

/** Returns the command after which the account of the server, and no other, can read the file. */
export function commandFor(
  path: string,
  owner: { readonly uid: number; readonly gid: number },
  self: number | undefined,
): string {
  const file = posixPath(path);
  const restrict = `chmod 600 ${file}`;
  if (self !== 0) return owner.uid === self ? restrict : `chown ${self} ${file} && ${restrict}`;
  // A file of root with another group is often read by a server of that group.
  return owner.uid === 0 && owner.gid !== 0
    ? `chown ACCOUNT ${file} && ${restrict}, with the account that runs the server`
    : restrict;
}
