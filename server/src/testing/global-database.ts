import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../platform/db/embedded.ts';
import { ensureTemplateServer } from './kept-server.ts';
import { SETUP_URL_VARIABLE, URL_VARIABLE } from './test-database.ts';

/** Four test files run at a time, and some of them have several servers with a pool each. */
const MAXIMUM_CONNECTIONS = 400;

/** Before all tests: one real PostgreSQL, with a migrated database that every test file copies. */
export default async function setup(): Promise<() => Promise<void>> {
  const parent = await mkdtemp(join(tmpdir(), 'sallyport-tests-'));
  // The account that PostgreSQL runs as must be able to pass through.
  await chmod(parent, 0o711);
  const folder = join(parent, 'server');
  // With owners: PostgreSQL reads only files of its own account.
  execFileSync('cp', ['-a', await ensureTemplateServer(), folder]);
  const embedded = await startEmbedded(folder, { maximumConnections: MAXIMUM_CONNECTIONS });
  process.env[URL_VARIABLE] = embedded.url;
  process.env[SETUP_URL_VARIABLE] = embedded.setupUrl;
  return async () => {
    await embedded.stop();
    await rm(parent, { recursive: true, force: true });
  };
}
