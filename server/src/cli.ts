import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, StartError } from './config.ts';
import { verifyChains } from './features/audits/chain.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { embeddedUrl, startEmbedded } from './platform/db/embedded.ts';
import { claimFolder } from './platform/process.ts';

const USAGE = `Usage: npm run sallyport -- COMMAND

  audit verify    proves that nothing in the audit logs was changed, removed or put in between`;

/** Works on the database of a running server, or starts the embedded one for as long as it takes. */
async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const config = readConfig(process.env, process.argv.slice(2));
  const running = existsSync(join(config.dataDirectory, 'sallyport.lock'));
  const release = config.databaseUrl || running ? undefined : claimFolder(config.dataDirectory);
  const embedded = release ? await startEmbedded(config.dataDirectory) : undefined;
  const database = openDatabase(config.databaseUrl ?? embedded?.url ?? embeddedUrl(config.dataDirectory), 3);
  try {
    return await work(database);
  } finally {
    await database.close();
    await embedded?.stop();
    release?.();
  }
}

async function verifyAudits(): Promise<number> {
  const verdicts = await withDatabase(({ db }) => verifyChains(db));
  for (const { log, rows, removed, first_break: firstBreak } of verdicts) {
    const kept = `${rows} rows${removed > 0 ? `, ${removed} removed by retention before them` : ''}`;
    process.stdout.write(firstBreak === null ? `${log}: intact (${kept})\n` : `${log}: BROKEN at row ${firstBreak} (${kept})\n`);
  }
  return verdicts.every((verdict) => verdict.first_break === null) ? 0 : 2;
}

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = { 'audit verify': verifyAudits };

const command =
  COMMANDS[
    process.argv
      .slice(2)
      .filter((word) => !word.startsWith('--'))
      .join(' ')
  ];
if (!command) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
command().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
