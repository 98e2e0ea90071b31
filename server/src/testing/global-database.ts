import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../platform/db/embedded.ts';
import { ensureTemplateServer } from './kept-server.ts';
import { FOLDER_VARIABLE, SETUP_URL_VARIABLE, URL_VARIABLE } from './test-database.ts';

/** Four test files run at a time, some with several servers and pools. */
const MAXIMUM_CONNECTIONS = 400;

/** Starts one PostgreSQL with a migrated database, which every test file copies. */
export async function setup(): Promise<() => Promise<void>> {
  const parent = await mkdtemp(join(tmpdir(), 'sallyport-tests-'));
  // The account of PostgreSQL needs access to the folder.
  await chmod(parent, 0o711);
  const folder = join(parent, 'server');
  // Keep owners: PostgreSQL only reads files of the same account.
  const template = await ensureTemplateServer();
  execFileSync('cp', ['-a', template, folder]);
  const embedded = await startEmbedded(folder, { maximumConnections: MAXIMUM_CONNECTIONS });
  process.env[FOLDER_VARIABLE] = template;
  process.env[URL_VARIABLE] = embedded.url;
  process.env[SETUP_URL_VARIABLE] = embedded.setupUrl;
  return async () => {
    await embedded.stop();
    await rm(parent, { recursive: true, force: true });
  };
}
