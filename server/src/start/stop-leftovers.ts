// What the supervisor runs when it ends while no server runs: a server that was killed leaves its database behind.
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { stopOrphan } from '../platform/db/orphan.ts';
import { socketPath } from '../platform/db/socket-folder.ts';
import { isClaimed } from '../platform/process.ts';

const { dataDirectory, databaseUrl } = readConfig(process.env, process.argv.slice(2));
// Another server may have taken the folder in the meantime.
if (!databaseUrl && !isClaimed(dataDirectory))
  await stopOrphan(join(dataDirectory, 'postgres'), socketPath(dataDirectory));
