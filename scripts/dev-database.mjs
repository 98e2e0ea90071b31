// The embedded database of `npm run dev`, which outlives restarts of the server. Its parent gets
// `ready`, and ends it by disconnecting.
import { mkdirSync } from 'node:fs';
import { readConfig, StartError } from '../server/src/config.ts';
import { launchEmbedded } from '../server/src/platform/db/embedded.ts';
import { claimFolder } from '../server/src/platform/process/folder-lock.ts';

// Ctrl-C reaches the whole group, and the server needs its database until it has stopped.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
const gone = new Promise((settle) => process.once('disconnect', settle));

try {
  const { dataDirectory } = readConfig(process.env, process.argv.slice(2));
  mkdirSync(dataDirectory, { recursive: true, mode: 0o711 });
  const release = claimFolder(dataDirectory);
  const { ready, stop } = await launchEmbedded(dataDirectory);
  await ready;
  // The server claims the folder itself.
  release();
  process.send('ready');
  await gone;
  await stop();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
