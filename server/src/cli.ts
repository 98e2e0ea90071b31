import { parseArgs } from 'node:util';
import { readConfig, StartError } from './config.ts';
import type { SessionProblem } from './features/audits/index.ts';
import {
  type AccountEngine,
  openAccounts,
  recoverPassword,
  recoverSecondFactor,
  suspendSignInRules,
} from './features/identity/index.ts';
import { issueLicense } from './features/license/index.ts';
import {
  authorityLine,
  ensureHostAuthority,
  ensureListenerKeys,
  fingerprintOf,
  knownHostsName,
} from './gateway/adapters/ssh/listener-keys.ts';
import { openDataKeys } from './platform/crypto/data-keys.ts';
import { COMMAND, RELEASE_NAME } from './platform/release.ts';
import { openVerifier, withDatabase } from './start/with-database.ts';

const USAGE = `Usage: ${COMMAND} COMMAND

  apply -f FILE --key=FILE
                             compares assets, nodes, users, groups, permissions and command filters
                             of a YAML file with a running server, and shows who gains and loses
                             access; --yes makes the changes. --key: a file with ID:SECRET of an
                             access key; --server=URL, --organization=ID. Exit status 2: there are
                             differences
  backup FOLDER              copies the database into a new folder, while the server runs or not;
                             --recordings adds the recordings, --keys=FILE writes the keys to a file
  restore FOLDER             restores a backup into an empty data folder and an empty database;
                             --keys=FILE names the file with the keys
  doctor                     checks for present and imminent problems and suggests fixes;
                             --json for programs. Exit status 2: a problem exists
  host-keys                  prints the fingerprints of the SSH listener's host keys and of the
                             host CA, with lines for known_hosts
  audit verify               proves that no audit log entry was changed, removed or inserted, and
                             that ended sessions, their commands and recordings are unchanged
  evidence export FILE       packs a session (--session=ID) or a period (--from=TIME --to=TIME) with
                             all proofs into one file, which evidence/verify.mjs proves offline
  key status                 lists master keys and data keys, and how many values wait to be sealed
                             again
  key forget                 lets a database start whose secret key is lost: removes what it
                             sealed, and says so first; --confirm=forget does it
  key rotate                 makes a new master key and new data keys, and seals all secrets again,
                             while the servers run; interrupted, the next call continues
  license issue FACTS…       signs a license with this installation's own key and prints it.
                             FACTS are name=value: corporation, expired (last day), asset_count
                             (0: no limit); optional: edition (standard, enterprise, ultimate),
                             subscription_id
  sign-in-rules off          deactivates all sign-in rules, when they keep every administrator out
  user reset-password NAME   sets a new random password, prints it once, and unlocks the account;
                             ends its sign-ins
  user reset-mfa NAME        removes the second factors of an account; ends its sign-ins
  --version                  prints version and commit of the program`;

const { values: flags, positionals: words } = readWords();

function readWords() {
  try {
    const boolean = { type: 'boolean' } as const;
    return parseArgs({
      allowPositionals: true,
      options: {
        demo: boolean,
        from: { type: 'string' },
        json: boolean,
        confirm: { type: 'string' },
        file: { type: 'string', short: 'f' },
        key: { type: 'string' },
        keys: { type: 'string' },
        organization: { type: 'string' },
        recordings: boolean,
        session: { type: 'string' },
        to: { type: 'string' },
        server: { type: 'string' },
        version: boolean,
        yes: boolean,
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exit(1);
  }
}

const configuration = () => readConfig(process.env, process.argv.slice(2));

const PROBLEMS: Readonly<Record<SessionProblem, string>> = {
  session_missing: 'its row was REMOVED',
  session_changed: 'its row or its commands were CHANGED',
  recording_missing: 'its recording is MISSING',
  recording_changed: 'its recording was CHANGED',
  recording_unreadable: 'its recording could not be read',
  commands_unreadable: 'its commands could not be read',
};

async function verifyAudits(): Promise<number> {
  const config = configuration();
  const { intact, logs, sessions } = await withDatabase(config, async ({ db }) =>
    (await openVerifier(db, config)).verify('Command line'),
  );
  for (const { log, rows, removed, first_break: first, last_break: last } of logs) {
    const before = removed > 0 ? `, ${removed} removed by retention before them` : '';
    const kept = `${rows} rows${before}`;
    const place =
      first === last
        ? `at row ${first}`
        : `between row ${first} and row ${last}; the chain was recomputed`;
    process.stdout.write(
      first === null ? `${log}: intact (${kept})\n` : `${log}: BROKEN ${place} (${kept})\n`,
    );
  }
  for (const { session, problem } of sessions.broken)
    process.stdout.write(`session ${session}: ${PROBLEMS[problem]}\n`);
  if (sessions.wrong > sessions.broken.length)
    process.stdout.write(`and ${sessions.wrong - sessions.broken.length} more sessions\n`);
  process.stdout.write(
    `sessions and recordings: ${sessions.wrong === 0 ? 'as they were when they ended' : `${sessions.wrong} BROKEN`} (${sessions.checked} compared)\n`,
  );
  return intact ? 0 : 2;
}

/** Runs work on accounts by the rules of the server. */
const withAccounts = <T>(work: (accounts: AccountEngine) => Promise<T>): Promise<T> =>
  withDatabase(configuration(), async ({ db }) =>
    work(await openAccounts(db, (await openDataKeys(db, configuration())).vault)),
  );

async function resetPassword(username = ''): Promise<number> {
  const password = await withAccounts((accounts) => recoverPassword(accounts, username));
  process.stdout.write(
    password === undefined
      ? `There is no local account named ${username || '(nobody was named)'}.\n`
      : `The new password of ${username} is ${password}\n`,
  );
  return password === undefined ? 1 : 0;
}

async function resetSecondFactor(username = ''): Promise<number> {
  const isDone = await withAccounts((accounts) => recoverSecondFactor(accounts, username));
  process.stdout.write(
    isDone
      ? `${username} has no second factor any more.\n`
      : `There is no account named ${username || '(nobody was named)'}.\n`,
  );
  return isDone ? 0 : 1;
}

async function suspendRules(): Promise<number> {
  const names = await withDatabase(configuration(), ({ db }) => suspendSignInRules(db));
  for (const name of names) line(`deactivated: ${name}`);
  line(names.length === 0 ? 'No sign-in rule is active.' : 'Users can sign in again.');
  return 0;
}

async function printLicense(...facts: string[]): Promise<number> {
  const config = configuration();
  const { license, publicKey } = await withDatabase(config, ({ db }) =>
    issueLicense(db, config, facts),
  );
  // Print it to stderr, so that stdout contains only the license.
  process.stderr.write(`Signed with the key whose public half is ${publicKey}\n`);
  process.stdout.write(`${JSON.stringify(license, undefined, 2)}\n`);
  return 0;
}

/** Creates the keys if the server never ran with the listener. */
async function printHostKeys(): Promise<number> {
  const config = configuration();
  const { keys, authority } = await withDatabase(config, async ({ db }) => {
    const { vault } = await openDataKeys(db, config);
    return {
      keys: await ensureListenerKeys(db, vault),
      authority: await ensureHostAuthority(db, vault),
    };
  });
  for (const { type, publicKey } of keys)
    process.stdout.write(`${fingerprintOf(publicKey)}  ${type}\n`);
  process.stdout.write('\n');
  for (const { publicKey } of keys)
    process.stdout.write(`${knownHostsName(config)} ${publicKey}\n`);
  process.stdout.write(`${authorityLine(authority.publicKey)}\n`);
  return 0;
}

const line = (text: string) => void process.stdout.write(`${text}\n`);

async function apply(): Promise<number> {
  const { applyFile } = await import('./start/apply/apply.ts');
  const { file, key, server, organization, yes } = flags;
  return applyFile(configuration(), {
    file,
    key,
    server,
    organization,
    isApplied: yes === true,
    say: line,
  });
}

async function backup(folder?: string): Promise<number> {
  if (folder === undefined)
    throw new StartError(
      `Name the folder for the backup: ${COMMAND} backup /backup/sallyport-2026-11-21`,
    );
  // Import it on first use: other commands do not need it.
  const { makeBackup } = await import('./start/backup/backup.ts');
  await makeBackup(configuration(), {
    folder,
    recordings: flags.recordings === true,
    keys: flags.keys,
    say: line,
  });
  return 0;
}

async function restore(folder?: string): Promise<number> {
  if (folder === undefined)
    throw new StartError(
      `Name the folder of the backup: ${COMMAND} restore /backup/sallyport-2026-11-21`,
    );
  const { restoreBackup } = await import('./start/backup/restore.ts');
  await restoreBackup(configuration(), { folder, keys: flags.keys, say: line });
  return 0;
}

async function doctor(): Promise<number> {
  const { examine, inWords } = await import('./start/doctor/doctor.ts');
  const examination = await examine(process.env, process.argv.slice(2));
  process.stdout.write(
    flags.json ? `${JSON.stringify(examination, undefined, 2)}\n` : inWords(examination),
  );
  return examination.status;
}

async function evidenceExport(file?: string): Promise<number> {
  if (file === undefined) throw new StartError('Name the file for the evidence.');
  const { writeEvidence } = await import('./start/export-evidence.ts');
  await writeEvidence(configuration(), file, flags);
  return 0;
}

async function keyStatus(): Promise<number> {
  const { describeKeys } = await import('./start/keys/status.ts');
  process.stdout.write(await describeKeys(configuration()));
  return 0;
}

async function keyForget(): Promise<number> {
  const { forgetKeys } = await import('./start/keys/forget.ts');
  const isDone = await forgetKeys(configuration(), { confirmation: flags.confirm, say: line });
  return isDone ? 0 : 1;
}

async function keyRotate(): Promise<number> {
  const { rotateKeys } = await import('./start/keys/rotate.ts');
  await rotateKeys(configuration(), line);
  return 0;
}

const COMMANDS: Readonly<Record<string, (...words: string[]) => Promise<number>>> = {
  apply,
  backup,
  doctor,
  'host-keys': printHostKeys,
  'audit verify': verifyAudits,
  'evidence export': evidenceExport,
  'key forget': keyForget,
  'key rotate': keyRotate,
  'key status': keyStatus,
  'license issue': printLicense,
  restore,
  'sign-in-rules off': suspendRules,
  'user reset-mfa': resetSecondFactor,
  'user reset-password': resetPassword,
};

if (flags.version) {
  process.stdout.write(`Sallyport ${RELEASE_NAME}\n`);
  process.exit(0);
}
const [area = '', verb = ''] = words;
const isPair = `${area} ${verb}` in COMMANDS;
const command = COMMANDS[isPair ? `${area} ${verb}` : area];
if (!command) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
command(...words.slice(isPair ? 2 : 1)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(1);
  },
);
