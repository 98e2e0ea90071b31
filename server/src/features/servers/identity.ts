import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { open, readdir, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Config, StartError } from '../../config.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { COMMAND } from '../../platform/release.ts';

type Folder = Pick<Config, 'dataDirectory'>;

/** File of a data folder with the id of its server. A backup does not contain it. */
const SERVER_ID = 'server.id';
/** Ids of earlier versions are a host name and a path. */
const MAX_ID = 4_500;
/** Days and recordings of a folder that are enough to find the former id of its server. */
const MAX_DAYS = 30;
const MAX_RECORDINGS = 200;
const RECORDING = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.)/;

const pathOf = ({ dataDirectory }: Folder) => join(dataDirectory, SERVER_ID);

/** The id that versions without the file gave to the server of a folder. */
const formerIdOf = ({ dataDirectory }: Folder) => `${hostname()}:${dataDirectory}`;

/** Reads the id in a data folder. Undefined without a file. @throws StartError */
function readServerId(folder: Folder): string | undefined {
  const path = pathOf(folder);
  let id: string;
  try {
    id = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new StartError(`${path}, the identity of this server, cannot be read (${code}).`);
  }
  if (id === '' || id.length > MAX_ID || /\p{Cc}/u.test(id))
    throw new StartError(
      `${path} does not hold the identity of a server. Restore the file, or give this server a new identity: ${COMMAND} server new-identity`,
    );
  return id;
}

/**
 * The unique id of a server in its rows. It belongs to the data folder: host name, address and path
 * may change.
 */
export const serverIdOf = (folder: Folder): string => readServerId(folder) ?? formerIdOf(folder);

/** Gives the server of a data folder a new identity. Returns it. */
export async function writeNewServerId(folder: Folder): Promise<string> {
  const id = randomUUID();
  await writeServerId(folder, id);
  return id;
}

/** Replaces the file, which is durable on return. */
async function writeServerId(folder: Folder, id: string): Promise<void> {
  const path = pathOf(folder);
  const next = `${path}.${process.pid}.new`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(`${id}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

/**
 * Writes the id of a folder that has none: the former id of a server that an earlier version
 * started, so that its rows stay its own, or else a new one.
 */
export async function ensureServerId(
  db: Db,
  config: Pick<Config, 'dataDirectory' | 'databaseUrl'>,
): Promise<void> {
  if (readServerId(config) !== undefined) return;
  const former = await formerIdIn(db, config);
  if (former === undefined) await writeNewServerId(config);
  else await writeServerId(config, former);
}

/** Finds the id under which earlier versions knew the server of a folder. */
async function formerIdIn(
  db: Db,
  { dataDirectory, databaseUrl }: Pick<Config, 'dataDirectory' | 'databaseUrl'>,
): Promise<string | undefined> {
  // An emptied folder is a new server, whatever its name was before.
  if (databaseUrl !== undefined && !hasRecordingsFolder(dataDirectory)) return undefined;
  const registered = await sql<{ holder: string }>`
    select holder from terminal where holder = ${formerIdOf({ dataDirectory })}`.execute(db);
  if (registered.rows[0]) return registered.rows[0].holder;
  // The machine or the folder has another name since: the recordings name their server.
  const sessions = await newestRecordings(join(dataDirectory, 'recordings'));
  const recorded = await sql<{ holder: string }>`
    select regexp_replace(holder, '//[0-9]{1,2}$', '') as holder from session
    where id = any (${sessions}::uuid[]) and holder is not null
    order by date_start desc limit 1`.execute(db);
  if (recorded.rows[0] || databaseUrl !== undefined) return recorded.rows[0]?.holder;
  // An embedded database belongs to the folder.
  const newest = await sql<{ holder: string }>`
    select holder from terminal order by date_heartbeat desc nulls last, date_created desc
    limit 1`.execute(db);
  return newest.rows[0]?.holder;
}

function hasRecordingsFolder(dataDirectory: string): boolean {
  try {
    return readdirSync(join(dataDirectory, 'recordings')).length > 0;
  } catch {
    return false;
  }
}

/** The sessions of the newest recordings in a folder. */
async function newestRecordings(folder: string): Promise<readonly string[]> {
  const names = (path: string) => readdir(path).catch(() => []);
  const days = (await names(folder)).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)).sort();
  const sessions: string[] = [];
  for (const day of days.reverse().slice(0, MAX_DAYS)) {
    for (const name of await names(join(folder, day))) {
      const id = RECORDING.exec(name)?.[0];
      if (id) sessions.push(id);
      if (sessions.length >= MAX_RECORDINGS) return sessions;
    }
  }
  return sessions;
}
