import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, StartError } from './config.ts';
import type { SessionProblem } from './features/audits/sessions-verdict.ts';
import { type AccountEngine, openAccounts } from './features/identity/accounts/account-engine.ts';
import { recoverPassword, recoverSecondFactor } from './features/identity/accounts/recovery.ts';
import { issueLicense } from './features/license/issue.ts';
import { authorityLine, ensureHostAuthority, ensureListenerKeys, fingerprintOf, knownHostsName } from './gateway/adapters/listener-keys.ts';
import { createVault, readSecretKey } from './platform/crypto/vault.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { embeddedUrl, startEmbedded } from './platform/db/embedded.ts';
import { isCurrent } from './platform/db/migrate.ts';
import { claimFolder, isClaimed } from './platform/process.ts';
import { openVerifier } from './start/verifier.ts';

const USAGE = `Usage: npm run sallyport -- COMMAND

  host-keys                  prints the fingerprints of the SSH listener's host keys, their lines for known_hosts, and that of the host CA
  audit verify               proves that nothing in the audit logs was changed, removed or put in between, and that ended
                             sessions, their commands and their recordings are as they were
  license issue FACTS…       signs a license with this installation's own key and prints it; facts are name=value:
                             corporation, expired (last day), asset_count (0: no limit), and if wanted edition
                             (standard, enterprise, ultimate) and subscription_id
  user reset-password NAME   gives an account a new random password, printed once, and makes it usable again; its sign-ins end
  user reset-mfa NAME        takes the second factors of an account away; its sign-ins end`;

/** Works on the database of a running server, or starts the embedded one for as long as it takes. */
async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const config = readConfig(process.env, process.argv.slice(2));
  if (!config.databaseUrl) assertDatabaseIn(config.dataDirectory);
  const release = config.databaseUrl || isClaimed(config.dataDirectory) ? undefined : claimFolder(config.dataDirectory);
  const embedded = release ? await startEmbedded(config.dataDirectory) : undefined;
  const database = openDatabase(config.databaseUrl ?? embedded?.url ?? embeddedUrl(config.dataDirectory), 3);
  try {
    await assertMigrated(database);
    return await work(database);
  } finally {
    await database.close();
    await embedded?.stop();
    release?.();
  }
}

/** A command works with the database that is there and never makes one. @throws StartError that names a folder where there is one */
function assertDatabaseIn(folder: string): void {
  const holds = (directory: string) => existsSync(join(directory, 'postgres', 'PG_VERSION'));
  if (holds(folder)) return;
  const isDemo = folder.endsWith('-demo');
  const hint =
    !isDemo && holds(`${folder}-demo`)
      ? `The one with sample data is in ${folder}-demo: add --demo to the command.`
      : isDemo && holds(folder.slice(0, -'-demo'.length))
        ? `There is one in ${folder.slice(0, -'-demo'.length)}: leave --demo out.`
        : "Name the folder of the server, for example SALLYPORT_DATA_DIR='/var/lib/sallyport'.";
  throw new StartError(`There is no database in ${folder}, and a command does not make one. ${hint}`);
}

/** Commands leave the bringing up to date to the server. */
async function assertMigrated({ pool }: Database): Promise<void> {
  if (!(await isCurrent(pool)))
    throw new StartError('This database belongs to another version of Sallyport. Start the server once; it brings the database up to date.');
}

const PROBLEMS: Readonly<Record<SessionProblem, string>> = {
  session_missing: 'its row was REMOVED',
  session_changed: 'its row or its commands were CHANGED',
  recording_missing: 'its recording is MISSING',
  recording_changed: 'its recording was CHANGED',
  recording_unreadable: 'its recording could not be read',
  commands_unreadable: 'its commands could not be read',
};

async function verifyAudits(): Promise<number> {
  const config = readConfig(process.env, process.argv.slice(2));
  const { intact, logs, sessions } = await withDatabase(async ({ db }) => (await openVerifier(db, config)).verify('Command line'));
  for (const { log, rows, removed, first_break: first, last_break: last } of logs) {
    const kept = `${rows} rows${removed > 0 ? `, ${removed} removed by retention before them` : ''}`;
    const place = first === last ? `at row ${first}` : `between row ${first} and row ${last}; the chain was recomputed`;
    process.stdout.write(first === null ? `${log}: intact (${kept})\n` : `${log}: BROKEN ${place} (${kept})\n`);
  }
  for (const { session, problem } of sessions.broken) process.stdout.write(`session ${session}: ${PROBLEMS[problem]}\n`);
  if (sessions.wrong > sessions.broken.length) process.stdout.write(`and ${sessions.wrong - sessions.broken.length} more sessions\n`);
  process.stdout.write(
    `sessions and recordings: ${sessions.wrong === 0 ? 'as they were when they ended' : `${sessions.wrong} BROKEN`} (${sessions.checked} compared)\n`,
  );
  return intact ? 0 : 2;
}

/** Works on accounts by the rules of the server. */
const withAccounts = <T>(work: (accounts: AccountEngine) => Promise<T>): Promise<T> =>
  withDatabase(async ({ db }) => work(await openAccounts(db, createVault(readSecretKey(readConfig(process.env, process.argv.slice(2)))))));

async function resetPassword(username = ''): Promise<number> {
  const password = await withAccounts((accounts) => recoverPassword(accounts, username));
  process.stdout.write(
    password === undefined ? `There is no local account named ${username || '(nobody was named)'}.\n` : `The new password of ${username} is ${password}\n`,
  );
  return password === undefined ? 1 : 0;
}

async function resetSecondFactor(username = ''): Promise<number> {
  const isDone = await withAccounts((accounts) => recoverSecondFactor(accounts, username));
  process.stdout.write(isDone ? `${username} has no second factor any more.\n` : `There is no account named ${username || '(nobody was named)'}.\n`);
  return isDone ? 0 : 1;
}

async function printLicense(...facts: string[]): Promise<number> {
  const config = readConfig(process.env, process.argv.slice(2));
  const { license, publicKey } = await withDatabase(({ db }) => issueLicense(db, config, facts));
  // Printed to another stream than the license, so that only the license goes into a file.
  process.stderr.write(`Signed with the key whose public half is ${publicKey}\n`);
  process.stdout.write(`${JSON.stringify(license, undefined, 2)}\n`);
  return 0;
}

/** Makes the keys when the server never ran with the listener. */
async function printHostKeys(): Promise<number> {
  const config = readConfig(process.env, process.argv.slice(2));
  const { keys, authority } = await withDatabase(async ({ db }) => {
    const vault = createVault(readSecretKey(config));
    return { keys: await ensureListenerKeys(db, vault), authority: await ensureHostAuthority(db, vault) };
  });
  for (const { type, publicKey } of keys) process.stdout.write(`${fingerprintOf(publicKey)}  ${type}\n`);
  process.stdout.write('\n');
  for (const { publicKey } of keys) process.stdout.write(`${knownHostsName(config)} ${publicKey}\n`);
  process.stdout.write(`${authorityLine(authority.publicKey)}\n`);
  return 0;
}

const COMMANDS: Readonly<Record<string, (...words: string[]) => Promise<number>>> = {
  'host-keys': printHostKeys,
  'audit verify': verifyAudits,
  'license issue': printLicense,
  'user reset-mfa': resetSecondFactor,
  'user reset-password': resetPassword,
};

const [area = '', verb = '', ...words] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const command = COMMANDS[`${area} ${verb}`.trim()];
if (!command) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
command(...words).then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
