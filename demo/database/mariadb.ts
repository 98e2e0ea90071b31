import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { chooseAccount } from '../../server/src/platform/db/account.ts';
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
    `create database if not exists ${STORE_DATABASE} character set utf8mb4`,
    `use ${STORE_DATABASE}`,
    'create table if not exists category (id int primary key auto_increment, name varchar(60) not null unique)',
    'create table if not exists article (id int primary key auto_increment, category_id int not null, name varchar(80) not null, price decimal(8, 2) not null, stock int not null, foreign key (category_id) references category (id))',
    'create table if not exists visit (id int primary key auto_increment, article_id int not null, visitor varchar(40) not null, seen_at datetime not null, seconds int not null, foreign key (article_id) references article (id), key visit_seen_at (seen_at))',
    "insert into category (name) select n from (select '书籍' n union all select 'Kitchen' union all select '办公' union all select 'Garden' union all select '玩具') kinds where not exists (select 1 from category)",
    "insert into article (category_id, name, price, stock) select 1 + seq % 5, concat(elt(1 + seq % 8, '茶杯', 'Desk lamp', '书架', 'Chair', '台灯', 'Notebook', '背包', 'Bottle'), ' ', seq), 5 + (seq * 37 % 4000) / 10, seq * 13 % 200 from seq_1_to_120 where not exists (select 1 from article)",
    "insert into visit (article_id, visitor, seen_at, seconds) select 1 + seq * 7 % 120, concat('visitor-', seq * 11 % 900), now() - interval (seq * 17520 div 20000) hour, 5 + seq * 31 % 600 from seq_1_to_20000 where not exists (select 1 from visit)",
    'create or replace sql security invoker view most_seen as select a.name, count(*) as visits, round(avg(v.seconds)) as seconds from article a join visit v on v.article_id = a.id group by a.id, a.name',
    `create or replace user '${STORE_DATABASE}'@'127.0.0.1' identified by '${password.replace(/[\\']/g, '')}' with max_user_connections 20`,
    `grant all privileges on ${STORE_DATABASE}.* to '${STORE_DATABASE}'@'127.0.0.1'`,
    '',
  ].join(';\n');

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
