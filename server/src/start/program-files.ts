import cluster, { type Worker } from 'node:cluster';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** The program of a folder: its main module, and the Node that runs it. */
export interface ProgramFiles {
  readonly main: string;
  readonly node: string;
}

/** Permission bits to write for the group and for all accounts, and the sticky bit. */
const WRITABLE = 0o022;
const STICKY = 0o1000;

/** Returns the program of this process. */
export const runningProgram = (): ProgramFiles => ({
  main: process.argv[1] ?? '',
  node: process.execPath,
});

/** Starts a program as one of `processes`, with these words of the command line. */
export function forkProgram(
  { main, node }: ProgramFiles,
  words: readonly string[],
  processes: number,
): Worker {
  cluster.setupPrimary({ exec: main, args: [...words] });
  // Node starts workers with the binary of this process. An upgrade brings its own.
  process.execPath = node;
  // The same number in all versions, whatever the machine has by now.
  return cluster.fork({ SALLYPORT_PROCESSES: String(processes) });
}

/** Returns the program of a folder, or the problem as a sentence for the operator. */
export function checkProgram(folder: string): ProgramFiles | string {
  if (!isAbsolute(folder)) return `${folder} is not an absolute path.`;
  const main = existingFile(join(folder, 'server/dist/main.mjs'));
  if (!main || !existingFile(join(folder, 'server/package.json')))
    return `${folder} does not hold a built Sallyport: server/dist/main.mjs is missing.`;
  const node = existingFile(join(folder, 'bin/node'));
  if (node !== undefined && !isExecutable(node)) return `${node} cannot be executed.`;
  for (const file of [main, ...(node === undefined ? [] : [node])]) {
    const open = writableByOthers(file);
    if (open !== undefined)
      return `${open} can be written by other accounts. Only root and the account of the server may write a program: chmod go-w ${open}`;
  }
  return { main, node: node ?? process.execPath };
}

/** Returns the real path of a file; undefined for a missing one. */
function existingFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the file or the folder above it that an account besides root and ours may change. */
function writableByOthers(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    const { mode, uid } = statSync(path);
    const isForeign = uid !== 0 && uid !== process.getuid?.();
    if (isForeign || ((mode & WRITABLE) !== 0 && (mode & STICKY) === 0)) return path;
    if (path === dirname(path)) return undefined;
  }
}
