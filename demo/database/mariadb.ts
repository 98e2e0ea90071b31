import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { chooseAccount } from '../../server/src/platform/db/account.ts';
import { readSample } from '../files.ts';
import { inLanguage } from '../language.ts';
import { type DemoProgram, installed, onceItAnswers, startDemoProgram } from './program.ts';

/** Name of the demo database in MariaDB, and of its account. */
export const STORE_DATABASE = 'demo_store';
const READY_MS = 60_000;
const FIRST_FILE = 'demo-first.sql';
const run = promisify(execFile);

/**
 * Starts a MariaDB server with a small store in a separate folder; returns undefined if MariaDB is
 * not installed.
 */
export async function startDemoMariadb(
  dataDirectory: string,
  password: string,
  port: number | undefined,
): Promise<DemoProgram | undefined> {
  const [path, install] = [installed('mariadbd'), installed('mariadb-install-db')];
  if (!path || !install) return undefined;
  const folder = join(dataDirectory, 'demo-mariadb');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const runAs = chooseAccount(folder, path);
  const owner = {
    ...(runAs.uid !== undefined && { uid: runAs.uid }),
    ...(runAs.gid !== undefined && { gid: runAs.gid }),
  };
  if (!existsSync(join(folder, 'mysql'))) {
    const [command = install, ...rest] = [
      ...runAs.prefix,
      install,
      '--no-defaults',
      `--datadir=${folder}`,
      '--skip-test-db',
    ];
    await run(command, rest, { ...owner, cwd: folder });
  }
  // Pass the first statements in a file: other users can see command lines.
  const first = join(folder, FIRST_FILE);
  writeFileSync(first, firstStatements(password), { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(first, owner.uid, owner.gid);
  try {
    const program = await startDemoProgram({
      path,
      folder,
      port,
      start: (chosen) => ({ words: words(folder, chosen), input: '' }),
    });
    await ready(program, password).catch(async (error: unknown) => {
      await program.stop();
      throw error;
    });
    return program;
  } finally {
    rmSync(first, { force: true });
  }
}

/**
 * Options: little memory, loopback only, no files outside the folder. Paths are relative, because
 * socket paths have a short maximum length.
 */
const words = (folder: string, port: number): readonly string[] => [
  ...[
    '--no-defaults',
    `--datadir=${folder}`,
    '--socket=demo.sock',
    '--pid-file=mariadbd.pid',
    `--port=${port}`,
    '--bind-address=127.0.0.1',
  ],
  ...[
    '--skip-name-resolve',
    '--skip-symbolic-links',
    `--secure-file-priv=${folder}`,
    `--init-file=${join(folder, FIRST_FILE)}`,
  ],
  ...[
    '--innodb-buffer-pool-size=24M',
    '--innodb-log-file-size=8M',
    '--key-buffer-size=1M',
    '--performance-schema=OFF',
    '--max-connections=30',
    '--log-error=demo.log',
  ],
];

/**
 * Returns the statements for each start, one per line: the store if missing, and its account with
 * the new password.
 */
const firstStatements = (password: string): string =>
  [
    `create database if not exists ${STORE_DATABASE} character set utf8mb4;`,
    `use ${STORE_DATABASE};`,
    inLanguage(readSample('database/store.sql')).trimEnd(),
    `create or replace user '${STORE_DATABASE}'@'127.0.0.1' identified by '${password.replace(/[\\']/g, '')}' with max_user_connections 20;`,
    `grant all privileges on ${STORE_DATABASE}.* to '${STORE_DATABASE}'@'127.0.0.1';`,
    '',
  ].join('\n');

/** Waits until the account can sign in. */
const ready = (program: DemoProgram, password: string): Promise<void> =>
  onceItAnswers(program, { milliseconds: READY_MS }, async () => {
    const connection = await createConnection({
      host: '127.0.0.1',
      port: program.port,
      user: STORE_DATABASE,
      password,
      database: STORE_DATABASE,
    });
    await connection.end();
  });
