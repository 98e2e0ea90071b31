import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { posixPath } from '../../contract/src/index.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { words } from './words.ts';

/** The sign-in of this device. */
export interface Stored {
  readonly server: string;
  readonly token: string;
  readonly username: string;
  readonly date_expired: string;
}

const isWindows = process.platform === 'win32';

const folderOf = ({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || (isWindows && APPDATA) || join(homedir(), '.config'), 'sallyctl');

const FOLDER = folderOf(process.env);
const FILE = join(FOLDER, 'sign-in.json');

/** Stores the sign-in, readable by its owner only. */
export async function store(signIn: Stored): Promise<void> {
  await mkdir(FOLDER, { recursive: true, mode: 0o700 });
  if (!isWindows) await chmod(FOLDER, 0o700);
  const part = `${FILE}.${process.pid}`;
  await writeFile(part, `${JSON.stringify(signIn, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(part, FILE);
}

/** Reads the sign-in; undefined without one. @throws Failure if other accounts can read it */
export async function readStored(): Promise<Stored | undefined> {
  try {
    if (!isWindows && ((await stat(FILE)).mode & 0o077) !== 0)
      throw new Failure(t(words.openFile, { file: FILE, word: posixPath(FILE) }));
    return JSON.parse(await readFile(FILE, 'utf8')) as Stored;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(t(words.badFile, { file: FILE }));
  }
}

/** Reads the sign-in. @throws Failure without one */
export async function requireStored(): Promise<Stored> {
  const stored = await readStored();
  if (!stored) throw new Failure(t(words.notSignedIn), STATUS.notSignedIn);
  return stored;
}

export const forget = (): Promise<void> => rm(FILE, { force: true });
