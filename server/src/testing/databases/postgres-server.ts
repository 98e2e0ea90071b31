import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chooseAccount, findBinaries, type PostgresBinaries } from '../../platform/db/account.ts';
import { makeCertificates } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

/** The account of system users, and its password, which must never reach a client. */
export const VAULT_ACCOUNT = 'reports';
export const VAULT_PASSWORD = 'the secret of the vault 5Qx';

/** A private PostgreSQL server with TLS. */
export interface PostgresServer {
  readonly port: number;
  readonly database: string;
  /** PEM; verifies its certificate for `localhost`. */
  readonly authority: string;
  /** PEM certificate of the server. */
  readonly certificate: string;
  /** Runs statements as the superuser. */
  admin(statement: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Authentication methods: `reports` uses SCRAM, `old` MD5, `plain` clear text. */
const HBA = [
  'local all all trust',
  'host all old all md5',
  'host all plain all password',
  'host all all all scram-sha-256',
].join('\n');

/**
 * Returns Debian's server programs, which match the version of Debian's `pg_dump`.
 * @throws Error if not installed
 */
export function debianBinaries(): PostgresBinaries {
  const versions = '/usr/lib/postgresql';
  const version = (existsSync(versions) ? readdirSync(versions) : [])
    .filter((name) => existsSync(join(versions, name, 'bin/postgres')))
    .at(-1);
  if (!version)
    throw new Error(
      'A server of PostgreSQL is missing; install it with: apt-get install -y postgresql',
    );
  return {
    initdb: join(versions, version, 'bin/initdb'),
    postgres: join(versions, version, 'bin/postgres'),
  };
}

/** Starts a server; the embedded one by default. `names` are those of its certificate. */
export async function startPostgres(
  { initdb, postgres }: PostgresBinaries = findBinaries(),
  names?: string,
): Promise<PostgresServer> {
  const outer = await mkdtemp(join(tmpdir(), 'sallyport-postgres-'));
  await chmod(outer, 0o711);
  const folder = join(outer, 'data');
  await mkdir(folder, { mode: 0o700 });
  const runAs = chooseAccount(folder, initdb);
  const own = { uid: runAs.uid, gid: runAs.gid, cwd: folder };
  const [maker = '', ...makerWords] = [...runAs.prefix, initdb];
  const initialized = spawnSync(
    maker,
    [
      ...makerWords,
      `--pgdata=${folder}`,
      '--username=super',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    {
      ...own,
      encoding: 'utf8',
    },
  );
  if (initialized.status !== 0) throw new Error(`initdb: ${initialized.stderr}`);
  const files = await makeCertificates(outer, names);
  await writeFile(join(folder, 'server.crt'), await readFile(files.certificate), { mode: 0o600 });
  await writeFile(join(folder, 'server.key'), await readFile(files.key), { mode: 0o600 });
  if (runAs.uid !== undefined)
    for (const name of ['server.crt', 'server.key'])
      chownSync(join(folder, name), runAs.uid, runAs.gid ?? runAs.uid);
  await writeFile(join(folder, 'pg_hba.conf'), HBA);
  const port = await freePort();
  const [command = '', ...words] = [...runAs.prefix, postgres];
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'ssl=on',
    'fsync=off',
    'synchronous_commit=off',
  ];
  const child: ChildProcess = spawn(
    command,
    [...words, '-D', folder, ...settings.flatMap((setting) => ['-c', setting])],
    { ...own, stdio: 'ignore' },
  );
  const query = async (statement: string, database = 'postgres') => {
    const client = new pg.Client({ host: folder, port, user: 'super', database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(statement)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  await until(
    () =>
      query('select 1').then(
        () => true,
        () => false,
      ),
    'the private PostgreSQL answers',
  );
  await query('create database sales');
  const admin = (statement: string) => query(statement, 'sales');
  await admin(`create role ${VAULT_ACCOUNT} login password '${VAULT_PASSWORD}';
    create role plain login password '${VAULT_PASSWORD}';
    set password_encryption = 'md5'; create role old login password '${VAULT_PASSWORD}';
    grant all on schema public to public;
    grant pg_signal_backend to ${VAULT_ACCOUNT}`);
  return {
    port,
    database: 'sales',
    authority: await readFile(files.authority, 'utf8'),
    certificate: await readFile(files.certificate, 'utf8'),
    admin,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      await removeFolder(outer);
    },
  };
}
