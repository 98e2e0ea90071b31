import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHeadWatch, seenHeads } from './features/audits/heads.ts';
import { createAuditChains, readFailovers } from './features/audits/index.ts';
import { type Db, PoolDb } from './platform/db/connection.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { createLog } from './platform/log.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

requirePeers('postgresql');

let database: ReplicatedPostgres;
let test: TestProgram;
/** The former primary, which still takes writes, and the promoted standby. */
let former: Database;
let promoted: Database;
beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  const urls = database.ports.map((port) => `postgres://${database.account}127.0.0.1:${port}/app`);
  test = await startTestProgram({ databaseUrl: urls[0] ?? '' });
  [former, promoted] = urls.map((url) => openDatabase(url, 4)) as [Database, Database];
  await write(former.db, 3);
  await until(
    async () => (await rows(promoted.db)) === (await rows(former.db)),
    'the standby follows',
  );
  database.cutStandby();
  database.promote();
});
afterAll(async () => {
  await former?.close();
  await promoted?.close();
  await test?.stop();
  await database?.stop();
});

const rows = async (db: Db) =>
  (await sql<{ count: number }>`select count(*) from operate_log`.execute(db)).rows[0]?.count;

async function write(db: Db, count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await sql`insert into operate_log ("user", action, resource_type, resource, remote_addr)
      values ('Li', 'update', 'label', ${String(Math.random())}, '')`.execute(db);
}

/** Numbers from 0 to 1 that are the same in each run (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds the logs intact after two primaries answered in turn (order %i)',
  async (seed) => {
    const next = numbers(seed);
    let pick = () => false;
    const db = new PoolDb({
      connect: () => (pick() ? promoted : former).pool.connect(),
      end: () => Promise.resolve(),
    });
    const directory = await mkdtemp(join(tmpdir(), 'sallyport-primaries-'));
    const log = createLog('silent');
    const { vault } = test.program;
    const seen = () => seenHeads(directory);
    const chains = createAuditChains({ db, vault, directory, seen });
    const watch = createHeadWatch({
      db,
      directory,
      log,
      sealed: (one) => chains.sealed(one),
      accept: (logs, instance) => chains.sealAfterFailover(logs, instance),
    });
    const both = async () => {
      await watch();
      await chains.seal();
    };
    await both();
    pick = () => next() < 0.5;
    const steps = [
      () => watch(),
      () => chains.seal(),
      () => write(former.db, 1),
      () => write(promoted.db, 1),
      () => chains.verify(['operate_log']),
    ];
    for (let step = 0; step < 40; step++)
      // A step that two databases answered may fail. It must leave nothing wrong behind.
      await steps[Math.floor(next() * steps.length)]?.().catch(() => undefined);
    pick = () => true;
    await both();
    for (const verdict of await chains.verify())
      expect([verdict.log, verdict.first_break]).toEqual([verdict.log, null]);
    await rm(directory, { recursive: true });
  },
);

/** Runs `audit verify` on a folder without a server, at the promoted database. */
const verifyWithoutServer = (folder: string) =>
  runOperatorCommandIn(folder, ['audit', 'verify'], {
    SALLYPORT_DATABASE_URL: `postgres://${database.account}127.0.0.1:${database.ports[1]}/app`,
  });

it('declares a failover by the command that verifies while no server runs', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-primaries-'));
  const { vault, db } = { vault: test.program.vault, db: former.db };
  await copyFile(join(test.dataDirectory, 'secret.key'), join(directory, 'secret.key'));
  await write(db, 2);
  const chains = createAuditChains({ db, vault, directory, seen: () => seenHeads(directory) });
  await createHeadWatch({
    db,
    directory,
    log: createLog('silent'),
    sealed: (one) => chains.sealed(one),
    accept: (logs, instance) => chains.sealAfterFailover(logs, instance),
  })();
  await chains.seal();
  const seen = seenHeads(directory)?.heads.operate_log?.sequence;
  const before = (await readFailovers(promoted.db)).length;
  for (const round of ['declares it', 'finds it declared']) {
    const { code, stdout, stderr } = await verifyWithoutServer(directory);
    expect([round, code, stderr]).toEqual([round, 0, '']);
    expect(stdout).toMatch(/operate_log: intact/);
    expect(stdout).toContain(`a declared failover`);
    expect(stdout).toContain(`operate_log from ${seen} to`);
    expect(await readFailovers(promoted.db)).toHaveLength(before + 1);
  }
  await rm(directory, { recursive: true });
});

it('finds newest rows that were cut while one database answers', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-primaries-'));
  const { db } = promoted;
  const chains = createAuditChains({
    db,
    vault: test.program.vault,
    directory,
    seen: () => seenHeads(directory),
  });
  await write(db, 2);
  await chains.seal();
  await database.query(`
    set session_replication_role = replica;
    delete from operate_log where sequence = (select max(sequence) from operate_log);
    update audit_chain set (sequence, digest) = (select sequence, digest from operate_log
      order by sequence desc limit 1) where log = 'operate_log'`);
  const [verdict] = await chains.verify(['operate_log']);
  expect(verdict?.first_break).not.toBeNull();
  await rm(directory, { recursive: true });
});
