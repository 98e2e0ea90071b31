import { readdir, readlink } from 'node:fs/promises';

/** Returns the files below a folder that this process has open, also deleted ones. */
export async function openFilesBelow(folder: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => link.startsWith(`${folder}/`));
}
