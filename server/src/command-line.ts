import { escapeMisleading } from '@sallyport/contract';
import { readConfig, StartError } from './config.ts';
import { alertRecovery } from './features/alerts/index.ts';
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
  knownHostsName,
} from './gateway/adapters/ssh/listener-keys.ts';
import { openDataKeys } from './platform/crypto/data-keys.ts';
import { COMMAND, RELEASE_NAME } from './platform/release.ts';
import { fingerprintOf } from './platform/ssh-keys.ts';
import {
  type Call,
  helpOf,
  parseWords,
  plainTerminal,
  type Terminal,
  unknownCommand,
  wordProblem,
} from './start/command-words.ts';
import { describeFailure } from './start/describe-failure.ts';
import { verifyAudits } from './start/verify-audits.ts';
import { withDatabase } from './start/with-database.ts';

const configuration = ({ environment, all }: Call) => readConfig(environment, all);

/** Runs work on accounts by the rules of the server. */
const withAccounts = <T>(call: Call, work: (accounts: AccountEngine) => Promise<T>): Promise<T> =>
  withDatabase(configuration(call), async ({ db }) =>
    work(await openAccounts(db, (await openDataKeys(db, configuration(call))).vault)),
  );

async function resetPassword(call: Call, username = ''): Promise<number> {
  const password = await withAccounts(call, (accounts) =>
    recoverPassword(accounts, username, alertRecovery),
  );
  call.print(
    password === undefined
      ? `There is no local account named ${username || '(no name given)'}.\n`
      : `The new password of ${username} is ${password}\n`,
  );
  return password === undefined ? 1 : 0;
}

async function resetSecondFactor(call: Call, username = ''): Promise<number> {
  const isDone = await withAccounts(call, (accounts) =>
    recoverSecondFactor(accounts, username, alertRecovery),
  );
  call.print(
    isDone
      ? `${username} has no second factor any more.\n`
      : `There is no account named ${username || '(no name given)'}.\n`,
  );
  return isDone ? 0 : 1;
}

async function suspendRules(call: Call): Promise<number> {
  const names = await withDatabase(configuration(call), ({ db }) => suspendSignInRules(db));
  const say = lines(call);
  for (const name of names) say(`deactivated: ${name}`);
  say(names.length === 0 ? 'No sign-in rule is active.' : 'Users can sign in again.');
  return 0;
}

async function printLicense(call: Call, ...facts: string[]): Promise<number> {
  const config = configuration(call);
  const { license, publicKey } = await withDatabase(config, ({ db }) =>
    issueLicense(db, config, facts),
  );
  // Print it to stderr, so that stdout contains only the license.
  call.printError(`Signed with the key whose public half is ${publicKey}\n`);
  call.print(`${JSON.stringify(license, undefined, 2)}\n`);
  return 0;
}

/** Creates the keys if the server never ran with the listener. */
async function printHostKeys(call: Call): Promise<number> {
  const config = configuration(call);
  const { keys, authority } = await withDatabase(config, async ({ db }) => {
    const { vault } = await openDataKeys(db, config);
    return {
      keys: await ensureListenerKeys(db, vault),
      authority: await ensureHostAuthority(db, vault),
    };
  });
  for (const { type, publicKey } of keys) call.print(`${fingerprintOf(publicKey)}  ${type}\n`);
  call.print('\n');
  for (const { publicKey } of keys) call.print(`${knownHostsName(config)} ${publicKey}\n`);
  call.print(`${authorityLine(authority.publicKey)}\n`);
  return 0;
}

/** JSON in which characters that a terminal obeys are escaped. */
const jsonText = (value: unknown) => escapeMisleading(JSON.stringify(value, undefined, 2));

const lines =
  ({ print }: Call) =>
  (text: string) =>
    print(`${text}\n`);

async function apply(call: Call, what?: string, ...sections: string[]): Promise<number> {
  const { applyFile, exportFile } = await import('./start/apply/apply.ts');
  const { file, key, server, organization, yes, json } = call.flags;
  const at = { key, server, organization };
  if (what === 'export')
    return exportFile(configuration(call), { ...at, say: call.printFile }, sections);
  if (what !== undefined) throw new StartError(`Use ${COMMAND} apply, or ${COMMAND} apply export`);
  return applyFile(configuration(call), {
    ...at,
    file,
    isApplied: yes === true,
    isJson: json === true,
    say: lines(call),
  });
}

async function backup(call: Call, folder?: string): Promise<number> {
  if (folder === undefined)
    throw new StartError(
      `Name the folder for the backup: ${COMMAND} backup /backup/sallyport-2026-11-21`,
    );
  // Import it on first use: other commands do not need it.
  const { makeBackup } = await import('./start/backup/backup.ts');
  await makeBackup(configuration(call), {
    folder,
    recordings: call.flags.recordings === true,
    keys: call.flags.keys,
    say: lines(call),
  });
  return 0;
}

async function backupDrill(call: Call, folder?: string): Promise<number> {
  const { drillCommand } = await import('./start/backup/drill-command.ts');
  return drillCommand(configuration(call), folder, lines(call));
}

async function restore(call: Call, folder?: string): Promise<number> {
  if (folder === undefined)
    throw new StartError(`Name the backup: ${COMMAND} restore /backup/sallyport-2026-11-21`);
  const { restoreBackup } = await import('./start/backup/restore.ts');
  const { environment, flags } = call;
  await restoreBackup(configuration(call), {
    folder,
    environment,
    keys: flags.keys,
    say: lines(call),
  });
  return 0;
}

async function databaseMove(call: Call, target?: string): Promise<number> {
  const { moveDatabase } = await import('./start/move/move.ts');
  await moveDatabase(configuration(call), target, lines(call));
  return 0;
}

async function databaseReopen(call: Call): Promise<number> {
  const { reopenDatabase } = await import('./start/move/move.ts');
  await reopenDatabase(configuration(call), lines(call));
  return 0;
}

async function doctor(call: Call): Promise<number> {
  const { examine, inWords } = await import('./start/doctor/doctor.ts');
  const examination = await examine(call.environment, call.all);
  call.print(call.flags.json ? `${jsonText(examination)}\n` : inWords(examination));
  return examination.status;
}

async function evidenceExport(call: Call, file?: string): Promise<number> {
  if (file === undefined) throw new StartError('Name the file for the evidence.');
  const { writeEvidence } = await import('./start/export-evidence.ts');
  call.print(await writeEvidence(configuration(call), file, call.flags));
  return 0;
}

const importCall = (call: Call) => ({
  config: configuration(call),
  flags: call.flags,
  say: lines(call),
});

async function importJumpServer(call: Call): Promise<number> {
  return (await import('./start/import/command.ts')).importJumpServer(importCall(call));
}

const importFile = (kind: 'ssh-config' | 'guacamole') => async (call: Call, file?: string) =>
  (await import('./start/import/command.ts')).importFile(kind, file, importCall(call));

async function importUndo(call: Call, id?: string): Promise<number> {
  return (await import('./start/import/command.ts')).undoImport(importCall(call), id);
}

async function keyStatus(call: Call): Promise<number> {
  const { describeKeys } = await import('./start/keys/status.ts');
  call.print(await describeKeys(configuration(call)));
  return 0;
}

async function keyForget(call: Call): Promise<number> {
  const { forgetKeys } = await import('./start/keys/forget.ts');
  const isDone = await forgetKeys(configuration(call), {
    confirmation: call.flags.confirm,
    say: lines(call),
  });
  return isDone ? 0 : 1;
}

async function keyRotate(call: Call): Promise<number> {
  const { rotateKeys } = await import('./start/keys/rotate.ts');
  await rotateKeys(configuration(call), lines(call));
  return 0;
}

async function newIdentity(call: Call): Promise<number> {
  const { giveNewIdentity } = await import('./start/new-identity.ts');
  await giveNewIdentity(configuration(call), lines(call));
  return 0;
}

async function upgrade(call: Call): Promise<number> {
  const { upgradeCommand } = await import('./start/upgrade-command.ts');
  return upgradeCommand(configuration(call), call);
}

type Command = (call: Call, ...words: string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  apply,
  backup,
  'backup drill': backupDrill,
  'database move': databaseMove,
  'database reopen': databaseReopen,
  doctor,
  'host-keys': printHostKeys,
  'audit verify': verifyAudits,
  'evidence export': evidenceExport,
  'import guacamole': importFile('guacamole'),
  'import jumpserver': importJumpServer,
  'import ssh-config': importFile('ssh-config'),
  'import undo': importUndo,
  'key forget': keyForget,
  'key rotate': keyRotate,
  'key status': keyStatus,
  'license issue': printLicense,
  restore,
  'server new-identity': newIdentity,
  'sign-in-rules off': suspendRules,
  upgrade,
  'user reset-mfa': resetSecondFactor,
  'user reset-password': resetPassword,
};

/** Exit status of an unknown command or flag. */
const WRONG_USAGE = 2;

/** Finds a command by its first two words or the first one. Returns it with the other words. */
function findCommand(words: readonly string[]): [Command | undefined, ...rest: string[]] {
  const pair = words.slice(0, 2).join(' ');
  const [name, rest] = Object.hasOwn(COMMANDS, pair)
    ? [pair, words.slice(2)]
    : [words[0] ?? '', words.slice(1)];
  return [Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined, ...rest];
}

/** Runs an operator command. Returns its exit status. */
export async function runCommandLine(all: readonly string[], terminal: Terminal): Promise<number> {
  const plain = plainTerminal(terminal);
  const { print, printError } = plain;
  try {
    const { values: flags, positionals: words } = parseWords(all);
    if (flags.version) {
      print(`Sallyport ${RELEASE_NAME}\n`);
      return 0;
    }
    const [command, ...rest] = findCommand(words);
    if (flags.help || words[0] === 'help') {
      print(`${helpOf(words[0] === 'help' ? words.slice(1) : words)}\n`);
      return 0;
    }
    if (command) return await command({ ...plain, all, flags, printFile: terminal.print }, ...rest);
    printError(`${unknownCommand(words, Object.keys(COMMANDS))}\n`);
    return WRONG_USAGE;
  } catch (error) {
    const usage = wordProblem(error);
    printError(`${usage ?? describeFailure(error)}\n`);
    return usage === undefined ? 1 : WRONG_USAGE;
  }
}
