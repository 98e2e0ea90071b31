// The supervisor runs this when it ends without a server: a killed server leaves its database
// running.
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { stopOrphan } from '../platform/db/orphan.ts';
import { socketPath } from '../platform/db/socket-folder.ts';
import { isClaimed } from '../platform/process/folder-lock.ts';

const { dataDirectory, databaseUrl } = readConfig(process.env, process.argv.slice(2));
// Another server may have claimed the folder meanwhile.
if (!databaseUrl && !isClaimed(dataDirectory))
  await stopOrphan(join(dataDirectory, 'postgres'), socketPath(dataDirectory));
