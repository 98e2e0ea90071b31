import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DatabasePassword, mysqlOptionFile } from '../../contract/src/index.ts';
import { assertSafe } from './answers.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { line, note, plain, printJson } from './print.ts';
import { ask, runProgram, withFolder } from './programs.ts';
import { hostOf, Refused, Server } from './server.ts';
import { loginOf, sshTo } from './ssh.ts';
import type { Stored } from './stored.ts';
import { accountsOf, chooseAccount, findDatabase } from './targets.ts';
import { words } from './words.ts';

/** Databases with a listener for clients. Others have a prompt over SSH. */
const LISTENED = ['mysql', 'mariadb', 'postgresql'];

interface Wish {
  readonly database_app: string;
  readonly system_user: string;
}

/** Creates a password; asks for a second factor if the permission requires a fresh one. */
async function makePassword(server: Server, wish: Wish): Promise<DatabasePassword> {
  const make = () => server.post<DatabasePassword>('terminal/databases/passwords/', wish);
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Refused) || error.body.code !== 'mfa_verify_required') throw error;
    const code = await ask(t(words.secondFactor));
    if (code === undefined) throw error;
    await server.post('authentication/otp/verify/', { code });
    return make();
  }
}

const isSelfSigned = (pem: string): boolean => {
  const { issuer, subject } = new X509Certificate(pem);
  return issuer === subject;
};

/** A client program with its arguments and environment. The password is in no argument. */
interface Client {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * psql with a verified connection: the listener's own certificate is pinned, any other is checked
 * with the authorities of the system.
 */
const psql = (issued: DatabasePassword, host: string, pem: string): Client => ({
  program: 'psql',
  args: [],
  environment: {
    PGHOST: host,
    PGPORT: `${issued.port}`,
    PGUSER: issued.username,
    PGPASSWORD: issued.password,
    ...(issued.database && { PGDATABASE: issued.database }),
    ...(isSelfSigned(issued.certificate)
      ? { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: pem }
      : { PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'system' }),
  },
});

/**
 * mysql or mariadb, whose names, password and certificate are in a private option file: on Windows,
 * characters of an argument may change.
 */
async function mysql(
  issued: DatabasePassword,
  host: string,
  { folder, pem }: { readonly folder: string; readonly pem: string },
): Promise<Client> {
  const version = await promisify(execFile)('mysql', ['--version']).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const isMariaDb = version === '' || /mariadb/i.test(version);
  const isPinned = isSelfSigned(issued.certificate);
  const file = join(folder, 'client.cnf');
  const options = mysqlOptionFile({
    host,
    port: issued.port,
    user: issued.username,
    password: issued.password,
    ...(issued.database && { database: issued.database }),
    protocol: 'tcp',
    ...(isPinned && { 'ssl-ca': pem }),
    ...(isMariaDb
      ? { 'ssl-verify-server-cert': true as const }
      : { 'ssl-mode': isPinned ? 'VERIFY_CA' : 'VERIFY_IDENTITY' }),
  });
  await writeFile(file, options, { mode: 0o600 });
  return {
    program: version === '' ? 'mariadb' : 'mysql',
    args: [`--defaults-extra-file=${file}`],
    environment: {},
  };
}

export interface DatabaseOptions {
  readonly target: string | undefined;
  /** Prints how to connect, and starts nothing. */
  readonly prints: boolean;
  readonly isJson: boolean;
  readonly rest: readonly string[];
}

/** Opens a database with the client of this machine and a password for some minutes. */
export async function db(
  stored: Stored,
  organization: string | undefined,
  { target, prints, isJson, rest }: DatabaseOptions,
): Promise<number> {
  if (target === undefined) throw new Failure(t(words.usageDb), STATUS.usage);
  const server = Server.of(stored, organization);
  const { thing, account: wanted } = await findDatabase(server, target);
  const account = chooseAccount(await accountsOf(server, thing.id), wanted, thing.name);
  if (!LISTENED.includes(thing.type)) {
    if (prints || isJson) throw new Failure(t(words.promptOnly), STATUS.usage);
    note(t(words.overSsh));
    return sshTo(server, loginOf(stored.username, account, thing), rest);
  }
  const wish = { database_app: thing.id, system_user: account.id };
  const issued = await makePassword(server, wish);
  const host = issued.host || hostOf(server);
  if (isJson || prints) {
    if (isJson) printJson({ ...issued, host });
    else printFacts({ ...issued, host });
    return 0;
  }
  assertSafe({ ...issued, host });
  return withFolder(async (folder) => {
    const pem = join(folder, 'server.pem');
    await writeFile(pem, issued.certificate, { mode: 0o600 });
    const client =
      issued.protocol === 'postgresql'
        ? psql(issued, host, pem)
        : await mysql(issued, host, { folder, pem });
    note(t(words.passwordUntil, { date: issued.date_expired }));
    return runProgram(client.program, [...client.args, ...rest], client.environment);
  });
}

function printFacts(issued: DatabasePassword): void {
  for (const [label, value] of [
    [words.host, issued.host],
    [words.port, `${issued.port}`],
    [words.user, issued.username],
    [words.password, issued.password],
    [words.database, issued.database],
    [words.until, issued.date_expired],
    [words.fingerprint, issued.fingerprint],
  ] as const)
    if (value !== '') line(`${t(label)}: ${plain(value)}`);
}
