import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { Resource } from '@sallyport/contract';
import pg from 'pg';
import type { Config } from '../config.ts';
import type { Db } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { type Program, startProgram } from '../program.ts';
import { cheapHash } from './cheap-hash.ts';
import { Client } from './client.ts';
import { buildLicense, LICENSE_PUBLIC_KEY } from './license.ts';
import { until } from './poll.ts';
import { removeFolder } from './remove-folder.ts';
import { createTestDatabase } from './test-database.ts';

const PAGES = resolve(import.meta.dirname, '../../../web/dist/ui/index.html');
const PAGES_MS = 10_000;
export const ADMIN_PASSWORD = 'first administrator 1';

/** The whole program on its own port and database. */
export interface TestProgram {
  readonly program: Program;
  readonly db: Db;
  /** Returns the log so far. */
  readonly log: () => string;
  readonly dataDirectory: string;
  /** Address of its database, which a second program may share. */
  readonly databaseUrl: string;
  /** A client without a sign-in. */
  readonly visitor: Client;
  stop(): Promise<void>;
}

/**
 * Makes the database that of an installation that has started before: it issues no license and has
 * its first administrator, whose password costs little to check. Adds a license if `licensed`.
 */
async function prepareInstallation(url: string, licensed: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('insert into license_start default values on conflict do nothing');
    await client.query(
      `insert into account (name, username, email, role, created_by, is_first_login,
        date_password_last_updated, date_expired, password)
      values ('Administrator', 'admin', 'admin@localhost', 'Admin', 'System', false, now(),
        now() + interval '70 years', $1)`,
      [await cheapHash(ADMIN_PASSWORD)],
    );
    if (licensed)
      await client.query('insert into license (content) values ($1)', [
        JSON.stringify(buildLicense()),
      ]);
  } finally {
    await client.end();
  }
}

/**
 * Waits a few seconds for the web: a concurrent build empties its folder for a moment.
 * @throws Error with the command that builds it
 */
export async function requirePages(pages = PAGES, milliseconds = PAGES_MS): Promise<void> {
  await until(() => existsSync(pages), `${pages}. Build the web: npm run build`, milliseconds);
}

export interface TestProgramOptions {
  /** True (default) to enable all features by a license. `first-start`: a new installation. */
  readonly licensed?: boolean | 'first-start';
  /** Resources to serve. Default: those of the contract. */
  readonly resources?: readonly Resource[];
}

/** Configuration of tests: free loopback ports, and the embedded database of the folder. */
export const testConfig = (dataDirectory: string): Config => ({
  httpHost: '127.0.0.1',
  httpPort: 0,
  sshHost: '127.0.0.1',
  sshPort: 0,
  isSshPortChosen: true,
  sshTrustedProxies: [],
  sqlHost: '127.0.0.1',
  mysqlPort: 0,
  postgresqlPort: 0,
  sqlCertificateFile: undefined,
  sqlKeyFile: undefined,
  peerPort: 0,
  processes: 1,
  hasParent: false,
  dataDirectory,
  backupDirectory: join(dataDirectory, 'backups'),
  databaseUrl: undefined,
  databaseReadUrl: undefined,
  databaseReadLagSeconds: 10,
  databasePoolSize: 10,
  databaseWaitSeconds: 0,
  adminPassword: ADMIN_PASSWORD,
  secretKey: undefined,
  secretKeyFile: undefined,
  secretKeyCommand: undefined,
  transit: undefined,
  suite: 'international',
  sshCaCommand: undefined,
  keepAtLeast: {},
  witness: undefined,
  publicUrl: undefined,
  licensePublicKey: LICENSE_PUBLIC_KEY,
  ldapCaFile: undefined,
  countryDatabase: undefined,
  trustedProxies: [],
  trustForwardedHost: false,
  allowedHosts: [],
  without: [],
  targetNetworks: ['127.0.0.0/8'],
  logLevel: 'trace',
  logFormat: 'json',
  metricsHost: '127.0.0.1',
  metricsPort: 0,
  metricsToken: undefined,
  metricsTokenFile: undefined,
  traces: undefined,
  demo: false,
});

/** Starts the program like its command, except for port and database. */
export async function startTestProgram(
  changes: Partial<Config> = {},
  { licensed = true, resources }: TestProgramOptions = {},
): Promise<TestProgram> {
  await requirePages();
  const database = changes.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sallyport-program-'));
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const config: Config = { ...testConfig(dataDirectory), databaseUrl: database?.url, ...changes };
  if (licensed !== 'first-start' && database) await prepareInstallation(database.url, licensed);
  const started = await startProgram(config, createLog('trace', sink), { resources });
  // Workers keep the functions of their files, and with them what these hold: seven megabytes for
  // each program.
  let program: Program | undefined = started;
  return {
    get program() {
      if (!program) throw new Error('the program of this test has stopped');
      return program;
    },
    db: started.database.db,
    log: () => lines.join(''),
    dataDirectory,
    databaseUrl: config.databaseUrl ?? '',
    visitor: new Client(started.url),
    async stop() {
      await program?.stop();
      program = undefined;
      await database?.drop();
      await removeFolder(dataDirectory);
    },
  };
}
