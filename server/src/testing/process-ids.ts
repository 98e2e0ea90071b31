import { readdir, readFile } from 'node:fs/promises';

/** Returns the ids of the processes below the parent of a server, by their number. */
export async function processIdsBelow(parentId: number | undefined): Promise<Map<number, number>> {
  const ids = new Map<number, number>();
  for (const name of (await readdir('/proc')).filter((one) => /^\d+$/.test(one))) {
    const [stat, line] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const number = /--worker=(\d+)/.exec(line ?? '')?.[1];
    if (parent === parentId && number) ids.set(Number(number), Number(name));
  }
  return ids;
}
