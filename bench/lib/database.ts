import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../server/src/platform/db/database.ts';

/** Where PostgreSQL's own lock file names the folder of its socket. */
const SOCKET_LINE = 4;

/** Opens the embedded database of a running server. */
export function openRunning(dataDirectory: string): Database {
  const socket =
    readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[
      SOCKET_LINE
    ] ?? '';
  const password = readFileSync(join(dataDirectory, 'postgres.password'), 'utf8').trim();
  return openDatabase(
    `postgresql://sallyport:${password}@localhost/postgres?host=${encodeURIComponent(socket)}`,
    2,
  );
}
