import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readConfig } from '../server/src/config.ts';
import { openAccounts } from '../server/src/features/identity/accounts/account-engine.ts';
import { ensureFirstAdministrator } from '../server/src/features/identity/accounts/first-administrator.ts';
import { openDataKeys } from '../server/src/platform/crypto/data-keys.ts';
import { hashPassword } from '../server/src/platform/crypto/password.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { startEmbedded } from '../server/src/platform/db/embedded.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { claimFolder } from '../server/src/platform/process/folder-lock.ts';
import { addAssets } from './generate/assets.ts';
import { openLoader } from './generate/loader.ts';
import { addPeople } from './generate/people.ts';
import { addRules } from './generate/rules.ts';
import { addSessions, addUses } from './generate/sessions.ts';
import { ADMIN_PASSWORD, USER_PASSWORD } from './generate/sizes.ts';
import { growTree } from './generate/tree.ts';
import { verify } from './generate/verify.ts';

/**
 * Fills a fresh data folder with a big installation, ready to be served. Leaves a filled folder as
 * it is. Returns true if this call filled the folder.
 */
export async function generate(
  dataDirectory: string,
  say: (line: string) => void,
): Promise<boolean> {
  // PostgreSQL may run under a separate account, which must be able to enter the folder.
  mkdirSync(dataDirectory, { recursive: true, mode: 0o711 });
  const release = claimFolder(dataDirectory);
  try {
    const embedded = await startEmbedded(dataDirectory);
    const database = openDatabase(embedded.url, 3);
    try {
      await migrate(database.pool);
      const config = readConfig(
        { SALLYPORT_DATA_DIR: dataDirectory, SALLYPORT_PROCESSES: '1' },
        [],
      );
      const keys = await openDataKeys(database.db, config, { canCreate: true });
      const { writer } = await openAccounts(database.db, keys.vault);
      await ensureFirstAdministrator(database.db, writer, ADMIN_PASSWORD);
      const client = new pg.Client({ connectionString: embedded.setupUrl });
      await client.connect();
      try {
        const { rows } = await client.query('select count(*) as count from account');
        if (Number(rows[0].count) > 1) return false;
        const loader = await openLoader(client, say);
        const { step, run } = loader;
        // One transaction: a half filled folder would pass for a filled one.
        await run('begin');
        await step('tree', () => growTree(loader));
        await step('people', async () => addPeople(loader, await hashPassword(USER_PASSWORD)));
        await step('assets', () => addAssets(loader));
        await step('permissions', () => addRules(loader));
        await step('sessions', () => addSessions(loader));
        await step('uses of permissions', () => addUses(loader));
        await step('recount', () => verify(loader));
        await run('commit');
        await step('vacuum and statistics', () => run('vacuum analyze'));
        await run('checkpoint');
        return true;
      } finally {
        await client.end();
      }
    } finally {
      await database.close();
      await embedded.stop();
    }
  } finally {
    release();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
  if (!values['data-dir']) {
    process.stderr.write(
      'Usage: node bench/generate.ts --data-dir <a folder that is empty or does not exist>\n',
    );
    process.exit(2);
  }
  const began = performance.now();
  const wasFilled = await generate(resolve(values['data-dir']), (line) =>
    process.stdout.write(`${line}\n`),
  );
  process.stdout.write(
    wasFilled
      ? `filled in ${((performance.now() - began) / 1_000).toFixed(0)} s\n`
      : 'it was filled before\n',
  );
  process.stdout.write(
    `Sign in as admin with ${ADMIN_PASSWORD}, or as user0001 … with ${USER_PASSWORD}\n`,
  );
}
