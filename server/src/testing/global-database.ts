import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../platform/db/embedded.ts';
import { ensureTemplateServer } from './kept-server.ts';
import { removeFolder } from './remove-folder.ts';
import {
  databaseAt,
  FOLDER_VARIABLE,
  SETUP_URL_VARIABLE,
  TEMPLATE,
  URL_VARIABLE,
} from './test-database.ts';

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
  await writeCatalogCache(embedded.setupUrl);
  process.env[FOLDER_VARIABLE] = template;
  process.env[URL_VARIABLE] = embedded.url;
  process.env[SETUP_URL_VARIABLE] = embedded.setupUrl;
  return async () => {
    await embedded.stop();
    await removeFolder(parent);
  };
}

/** The first connection to a database writes its catalog cache, which each copy then has. */
async function writeCatalogCache(setupUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseAt(setupUrl, TEMPLATE) });
  await client.connect();
  await client.end();
}
