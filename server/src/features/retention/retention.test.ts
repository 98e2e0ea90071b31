import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { runJob } from '../../testing/jobs.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type AuditChains, createAuditChains } from '../audits/index.ts';
import { removeOld } from './service.ts';

let test: TestProgram;
let chains: AuditChains;
beforeAll(async () => {
  test = await startTestProgram();
  chains = createAuditChains({
    db: test.db,
    vault: test.program.vault,
    directory: test.dataDirectory,
  });
});
afterAll(() => test.stop());

const KEEP = { TERMINAL_SESSION_KEEP_DURATION: 60, LOGIN_LOG_KEEP_DAYS: 40, JOB_KEEP_DAYS: 30 };
const run = (keep = KEEP, keepAtLeast: Config['keepAtLeast'] = {}) =>
  removeOld({
    db: test.db,
    chains,
    log: createLog('silent'),
    jobs: test.program.jobs,
    recordings: test.program.recordings,
    expiries: test.program.expiries,
    keepAtLeast,
    settings: { get: (name) => keep[name as keyof typeof keep] as never },
  });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** A session with two commands and a recording. */
async function session(days: number, isFinished = true): Promise<{ id: string; file: string }> {
  const id = crypto.randomUUID();
  await sql`
    insert into session (id, "user", asset, "system_user", is_finished, has_replay, replay_state,
      date_start)
    values (${id}, 'Li', 'web', 'deploy', ${isFinished}, true, 'finished',
      ${daysAgo(days)})`.execute(test.db);
  await sql`
    insert into command (session, sequence, "user", asset, "system_user", input)
    select ${id}, n, 'Li', 'web', 'deploy', 'ls' from generate_series(1, 2) n`.execute(test.db);
  const recorded = { id, startedAt: daysAgo(days) };
  await test.program.recordings.add(recorded, 'recording');
  return { id, file: recordingFiles(join(test.dataDirectory, 'recordings'), recorded).finished };
}

async function left(table: string): Promise<number> {
  return (
    (await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(test.db))
      .rows[0]?.count ?? 0
  );
}

describe('retention', () => {
  beforeEach(async () => {
    await sql`delete from session`.execute(test.db);
    for await (const recording of test.program.recordings.upTo('9999-12-31'))
      await recording.remove();
  });

  it('deletes exactly the old sessions with their commands and recordings', async () => {
    const [old, older, young, running] = [
      await session(61),
      await session(200),
      await session(59),
      await session(300, false),
    ];
    expect(await run()).toMatchObject({ sessions: 2, recordings: 2 });
    const { rows } = await sql<{ id: string }>`select id from session`.execute(test.db);
    expect(rows.map(({ id }) => id).sort()).toEqual([young.id, running.id].sort());
    expect(await left('command')).toBe(4);
    expect([old, older, young, running].map(({ file }) => existsSync(file))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    // The folder of the day is deleted with its last recording.
    expect([existsSync(dirname(older.file)), existsSync(dirname(running.file))]).toEqual([
      false,
      true,
    ]);
  });

  it('deletes more than one batch, and recordings that a crash left without a session', async () => {
    await sql`
      insert into session ("user", asset, "system_user", is_finished, date_start)
      select 'Li', 'web', 'deploy', true, now() - interval '90 days'
        from generate_series(1, 1200)`.execute(test.db);
    const orphan = await session(80);
    await sql`delete from session where id = ${orphan.id}`.execute(test.db);
    // An unfinished recording is deleted as well.
    const broken = { id: crypto.randomUUID(), startedAt: daysAgo(80) };
    await (await test.program.recordings.begin(broken, '')).close();
    expect(await run()).toMatchObject({ sessions: 1200, recordings: 2 });
    expect([
      await left('session'),
      existsSync(orphan.file),
      existsSync(dirname(orphan.file)),
    ]).toEqual([0, false, false]);
  });

  it('deletes sessions with more commands than one statement deletes', async () => {
    const ids = [(await session(70)).id, (await session(70)).id];
    await sql`
      insert into command (session, sequence, "user", asset, "system_user", input)
      select id, n, 'Li', 'web', 'deploy', '' from unnest(${ids}::uuid[]) id,
        generate_series(3, 10001) n`.execute(test.db);
    const young = await session(50);
    expect(await run()).toMatchObject({ sessions: 2 });
    const { rows } = await sql<{ session: string }>`
      select distinct session from command`.execute(test.db);
    expect(rows).toEqual([{ session: young.id }]);
  });

  it('reads no whole table to delete a session', async () => {
    // The rows of other tables that are deleted with each session must have an index.
    const { rows } = await sql<{ column: string }>`
      select c.conrelid::regclass || '.' || a.attname as column
      from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid = 'session'::regclass and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
          and i.indpred is null)`.execute(test.db);
    expect(rows).toEqual([]);
  });

  it('deletes runs of change-auth plans, except those with a server whose password is unknown', async () => {
    const execution = async (
      days: number,
      subtask: { pending?: string; look?: boolean; success?: boolean },
      isFinished = true,
    ) => {
      const { rows } = await sql<{ id: string }>`
        insert into change_auth_execution (id, username, password_strategy, assets_amount,
          nodes_amount, is_finished, date_start, date_finished)
        values (gen_random_uuid(), 'deploy', 'random_all', 1, 0, ${isFinished}, ${daysAgo(days)},
          ${isFinished ? daysAgo(days) : null}) returning id`.execute(test.db);
      await sql`
        insert into change_auth_subtask (plan_execution_id, hostname, ip, username, is_success,
          needs_attention, pending)
        values (${rows[0]?.id}, 'web', '10.0.0.1', 'deploy', ${subtask.success ?? null},
          ${subtask.look ?? false}, ${subtask.pending ?? null})`.execute(test.db);
      return rows[0]?.id ?? '';
    };
    await execution(41, { success: true });
    await execution(400, { success: false });
    const stay = [
      await execution(39, { success: true }),
      await execution(400, { success: false, pending: 'sealed' }),
      await execution(400, { success: false, pending: 'sealed', look: true }),
      await execution(400, {}),
      await execution(400, { success: true }, false),
    ];
    expect(await run()).toMatchObject({ expired: { 'runs of change-auth plans': 2 } });
    const { rows } = await sql<{ id: string }>`select id from change_auth_execution`.execute(
      test.db,
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([...stay].sort());
    expect(await left('change_auth_subtask')).toBe(5);
  });

  it('deletes change sets as long after their decision or expiry as entries of the operate log', async () => {
    const add = (state: string, decided: number | null, expires: number) =>
      sql`insert into change_set (org_id, reason, changes, state, proposer_id, proposer_name,
          decider_id, date_decided, date_expires)
        values ('', ${`${state} ${decided ?? expires}`}, '[]', ${state}, ${crypto.randomUUID()},
          'Li', ${decided === null ? null : crypto.randomUUID()},
          ${decided === null ? null : daysAgo(decided)}, ${daysAgo(expires)})`.execute(test.db);
    await add('applied', 61, 58);
    await add('rejected', 41, 38);
    await add('withdrawn', 39, 34);
    await add('proposed', null, 41);
    await add('proposed', null, -5);
    const reasons = async () => {
      const { rows } = await sql<{ reason: string }>`
        select reason from change_set order by reason`.execute(test.db);
      return rows.map(({ reason }) => reason);
    };
    expect(await run(KEEP, { operate_log: 60 })).toMatchObject({ expired: { 'change sets': 1 } });
    expect(await run()).toMatchObject({ expired: { 'change sets': 2 } });
    expect(await reasons()).toEqual(['proposed -5', 'withdrawn 39']);
  });

  it('runs as a nightly job, and keeps the newest job of each kind', async () => {
    const { rows: schedule } = await sql<{
      cron: string;
    }>`select cron from jobs.schedule where name = 'retention'`.execute(test.db);
    expect(schedule).toEqual([{ cron: '30 3 * * *' }]);
    const job = (days: number, name: string) =>
      sql`insert into job (id, name, state, date_created, date_finished)
        values (gen_random_uuid(), ${name}, 'failed', ${daysAgo(days)}, ${daysAgo(days)})`.execute(
        test.db,
      );
    for (const days of [100, 50, 31]) await job(days, 'old kind');
    await job(29, 'kind of today');
    await job(99, 'kind of today');
    expect(await runJob(test, 'retention')).toMatchObject({
      state: 'succeeded',
      result: { jobs: 3, sessions: 0 },
    });
    const { rows } = await sql<{
      name: string;
    }>`select name from job where name like '%kind%' order by name`.execute(test.db);
    expect(rows.map(({ name }) => name)).toEqual(['kind of today', 'old kind']);
  });

  it('shortens logs from their beginning, and the remaining rows stay verifiable', async () => {
    const add = (days: number) =>
      sql`insert into login_log (username, type, ip, status, datetime)
        values ('li', 'W', '10.0.0.1', true, ${daysAgo(days)})`.execute(test.db);
    await chains.forget('login_log', 0);
    for (const days of [500, 90, 41, 39, 45, 1]) await add(days);
    // The row of 45 days follows a newer one: only the beginning is removed.
    expect(await run()).toMatchObject({ logs: { login_log: 3, operate_log: 0 } });
    expect(await left('login_log')).toBe(3);
    expect((await chains.verify()).map(({ first_break: broken }) => broken)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(await run()).toMatchObject({ logs: { login_log: 0 } });
    await add(50);
  });

  it('writes to the operate log what it removed from a log', async () => {
    await sql`insert into ftp_log (org_id, "user", remote_addr, asset, "system_user", operate,
      filename, is_success, datetime)
      values ('', 'li', '', 'web', 'root', 'Upload', 'a', true, ${daysAgo(50)}),
        ('', 'li', '', 'web', 'root', 'Upload', 'b', true, ${daysAgo(1)})`.execute(test.db);
    expect(await run()).toMatchObject({ logs: { ftp_log: 1 } });
    const { rows } = await sql<{ changes: Record<string, unknown> }>`
      select changes from operate_log where resource_type = 'audit_log' and resource = 'ftp_log'
        order by sequence desc limit 1`.execute(test.db);
    const { rows: chain } = await sql<{ sequence: number; digest: string }>`
      select removed_sequence as sequence, encode(removed_digest, 'hex') as digest
        from audit_chain where log = 'ftp_log'`.execute(test.db);
    expect(rows[0]?.changes).toMatchObject({
      removed_rows: [1, null],
      removed_sequence: [0, chain[0]?.sequence],
      removed_digest: ['', chain[0]?.digest],
    });
    const verdicts = await chains.verify(['ftp_log', 'operate_log']);
    expect(verdicts.map(({ first_break: broken }) => broken)).toEqual([null, null]);
  });

  it('keeps logs and sessions for the minimum days of the configuration', async () => {
    await sql`insert into password_change_log ("user", change_by, remote_addr, datetime)
      values ('li', 'li', '', ${daysAgo(50)})`.execute(test.db);
    const { file } = await session(70);
    const floor = { password_change_log: 60, session_digest: 100 };
    expect(await run(KEEP, floor)).toMatchObject({
      logs: { password_change_log: 0 },
      sessions: 0,
      recordings: 0,
    });
    expect(existsSync(file)).toBe(true);
    expect(await run()).toMatchObject({ logs: { password_change_log: 1 }, sessions: 1 });
  });

  it('keeps a log that fails verification, as the break could not be located in a shortened log', async () => {
    await sql`insert into login_log (username, type, ip, status, datetime)
      values ('li', 'W', '10.0.0.1', true, ${daysAgo(500)})`.execute(test.db);
    await chains.seal();
    const before = await left('login_log');
    await test.db.transaction(async (tx) => {
      await becomeSuperuser(tx);
      await sql`update login_log set datetime = datetime - interval '500 days'`.execute(tx);
    });
    expect(await run()).toMatchObject({ logs: { login_log: 0 } });
    expect(await left('login_log')).toBe(before);
  });
});
