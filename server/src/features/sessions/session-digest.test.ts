import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runJob, withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createAuditChains } from '../audits/index.ts';
import { createVerifier, type Verdicts } from '../audits/verification.ts';
import { checkSessions } from './check-sessions.ts';
import { removeFinishedSessions } from './session-removal.ts';
import { createSessionRows } from './store.ts';

let test: TestProgram;
let admin: Client;
/** The running server. Sessions of another one would be ended as interrupted. */
let holder: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  // Each test empties the chain, so nothing may seal it.
  await withoutSchedule(test, 'audit-seal');
  holder =
    (await sql<{ holder: string }>`select holder from terminal`.execute(test.db)).rows[0]?.holder ??
    '';
});
afterAll(() => test.stop());

const verify = async () => (await admin.post<Verdicts>('audits/verify/')).body;
const digestLog = ({ logs }: Verdicts) => logs.find(({ log }) => log === 'session_digest');

/** Changes rows as the database superuser. */
async function tamper(...statements: ReturnType<typeof sql>[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    for (const statement of statements) await statement.execute(tx);
  });
}

const namesOf = (id: string) => ({
  id,
  organizationId: '',
  user: 'Li Wei(li.wei)',
  asset: 'web-01',
  systemUser: 'deploy(deploy)',
  userId: '',
  assetId: '',
  systemUserId: '',
  loginFrom: 'WT',
  remoteAddress: '10.0.0.9',
  protocol: 'ssh',
  secondFactor: 'none' as const,
});

/** An ended session with two commands and, by default, a recording. */
async function endedSession({
  recorded = true,
  startedAt = new Date(),
} = {}): Promise<{ readonly id: string; readonly file: string }> {
  const rows = createSessionRows(test.db, holder);
  const id = crypto.randomUUID();
  await rows.create({ ...namesOf(id), dateStart: startedAt });
  await rows.addCommands(id, [
    { sequence: 1, input: 'id', output: 'root', at: 5 },
    { sequence: 2, input: 'rm -rf /srv', output: '', at: 9 },
  ]);
  const recording = recorded
    ? await test.program.recordings.add({ id, startedAt }, `what ${id} showed`)
    : undefined;
  const replayState = recorded ? 'finished' : 'none';
  await rows.finish(id, {
    dateEnd: new Date(),
    reason: 'session_finished',
    success: true,
    replayState,
    recording,
  });
  return {
    id,
    file: recordingFiles(join(test.dataDirectory, 'recordings'), { id, startedAt }).finished,
  };
}

beforeEach(async () => {
  // Each test starts with an empty chain.
  await tamper(
    sql`truncate session_digest`,
    sql`delete from session`,
    sql`delete from audit_seal`,
    sql`update audit_chain set sequence = 0, digest = '', removed_sequence = 0, removed_digest = ''
      where log = 'session_digest'`,
  );
  await rm(join(test.dataDirectory, 'audit-seals.json'), { force: true });
});

it('verifies unchanged sessions, commands and recordings, including a recording that was recovered later', async () => {
  await endedSession();
  const { id } = await endedSession({ recorded: false });
  const { rows } = await sql<{
    start: Date;
  }>`select date_start as start from session where id = ${id}`.execute(test.db);
  const digest = await test.program.recordings.add(
    { id, startedAt: rows[0]?.start ?? new Date() },
    'recovered at the next start',
  );
  const recovered = {
    dateEnd: new Date(),
    reason: 'interrupted',
    success: true,
    replayState: 'recovered',
  };
  await createSessionRows(test.db, holder).finish(id, { ...recovered, recording: digest });
  const verdict = await verify();
  expect(verdict).toMatchObject({
    intact: true,
    sessions: { rows: 3, checked: 3, wrong: 0, broken: [] },
  });
  expect(digestLog(verdict)).toMatchObject({ rows: 3, first_break: null });
});

it('refuses a digest of a session that has not ended, and a second digest of one that has', async () => {
  const rows = createSessionRows(test.db, holder);
  const { id: ended } = await endedSession();
  const { id: unrecorded } = await endedSession({ recorded: false });
  const open = crypto.randomUUID();
  await rows.create({ ...namesOf(open), dateStart: new Date() });
  const insert = (session: string, facts: string, recording: string | null) =>
    sql`insert into session_digest (session, version, facts_sha256, recording_size, recording_sha256)
      values (${session}, 3, ${facts}, 1, ${recording})`.execute(test.db);
  const factsOf = async (session: string) =>
    (
      await sql<{ facts: string }>`
        select facts_sha256 as facts from session_digest where session = ${session}`.execute(
        test.db,
      )
    ).rows[0]?.facts ?? '';
  const [facts, sha256] = [await factsOf(ended), 'ab'.repeat(32)];
  for (const session of [open, crypto.randomUUID()])
    await expect(insert(session, facts, sha256)).rejects.toThrow('has not ended gets no digest');
  for (const [session, text, recording] of [
    [ended, facts, sha256],
    [ended, facts, null],
    [ended, 'cd'.repeat(32), 'discarded'],
    [unrecorded, await factsOf(unrecorded), null],
    [unrecorded, facts, sha256],
  ] as const)
    await expect(insert(session, text, recording)).rejects.toThrow('has its digest already');
  // A second end of the same session changes neither its facts nor its proof.
  await rows.finish(ended, {
    dateEnd: new Date(0),
    reason: 'interrupted',
    success: false,
    replayState: 'finished',
    recording: { size: 1, sha256 },
  });
  const verdict = await verify();
  expect(verdict.sessions).toMatchObject({ rows: 2, wrong: 0 });
  expect(digestLog(verdict)).toMatchObject({ rows: 2, first_break: null });
});

it('proves a session once, by its own server, when another one has interrupted it', async () => {
  const [here, away] = [holder, 'a server that lost its database'].map((one) =>
    createSessionRows(test.db, one),
  );
  const sessions = [];
  for (const recorded of [true, false]) {
    const [id, startedAt] = [crypto.randomUUID(), new Date()];
    await away?.create({ ...namesOf(id), dateStart: startedAt });
    await away?.addCommands(id, [{ sequence: 1, input: 'id', output: 'root', at: 5 }]);
    sessions.push({ id, startedAt, recorded });
  }
  for (const { id } of sessions) await here?.interruptOrphans(0, id);
  expect((await verify()).sessions).toMatchObject({ rows: 0, wrong: 0 });
  for (const { id, startedAt, recorded } of sessions) {
    // The journal of the returning server has more commands, and then the end.
    await away?.begun(id, false);
    await away?.addCommands(id, [{ sequence: 2, input: 'uptime', output: '', at: 9 }]);
    expect((await away?.unfinished())?.map((row) => row.id)).toContain(id);
    const recording = recorded
      ? await test.program.recordings.add({ id, startedAt }, `what ${id} showed`)
      : undefined;
    await away?.finish(id, {
      dateEnd: new Date(),
      reason: 'session_finished',
      success: true,
      replayState: recorded ? 'finished' : 'none',
      recording,
    });
    expect(await away?.unfinished()).not.toContainEqual(expect.objectContaining({ id }));
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body).toMatchObject({
      end_reason: 'interrupted',
      has_replay: recorded,
    });
  }
  expect((await verify()).sessions).toMatchObject({ rows: 2, checked: 2, wrong: 0 });
  await tamper(sql`update session set is_success = not is_success where id = ${sessions[0]?.id}`);
  expect((await verify()).sessions.broken).toEqual([
    { session: sessions[0]?.id, problem: 'session_changed' },
  ]);
});

it('reports exactly the recordings that were changed, extended or removed', async () => {
  const [changed, longer, gone] = [
    await endedSession(),
    await endedSession(),
    await endedSession(),
  ];
  await endedSession();
  await writeFile(changed.file, 'another recording');
  await appendFile(longer.file, 'x');
  await rm(gone.file);
  const { intact, sessions } = await verify();
  expect(intact).toBe(false);
  expect(sessions).toMatchObject({ rows: 4, checked: 4, wrong: 3 });
  expect(
    Object.fromEntries(sessions.broken.map(({ session, problem }) => [session, problem])),
  ).toEqual({
    [changed.id]: 'recording_changed',
    [longer.id]: 'recording_changed',
    [gone.id]: 'recording_missing',
  });
  // The nightly job and the command line report the same.
  expect(await runJob(test, 'audit-verify')).toMatchObject({
    state: 'succeeded',
    result: { intact: false, sessions: { wrong: 3 } },
  });
  expect(test.log()).toContain('a session or its recording is not as it was');
  const { code, stdout } = await runOperatorCommand(test, ['audit', 'verify']);
  expect([
    code,
    stdout.includes(`session ${gone.id}: its recording is MISSING`),
    stdout.includes('session_digest: intact (4 rows)'),
  ]).toEqual([2, true, true]);
});

it('reports an incomplete verification, which does not override the result of a complete one', async () => {
  const { file } = await endedSession();
  const verifier = createVerifier({
    db: test.db,
    vault: test.program.vault,
    chains: createAuditChains({
      db: test.db,
      vault: test.program.vault,
      directory: test.dataDirectory,
    }),
  });
  verifier.compareSessions((until) =>
    checkSessions(
      {
        db: test.db,
        recordings: test.program.recordings,
        stored: { texts: async () => new Map() },
        vault: test.program.vault,
      },
      until,
    ),
  );
  expect(await verifier.verify('', 0)).toMatchObject({
    intact: true,
    sessions: { rows: 1, checked: 0, wrong: 0 },
  });
  await rm(file);
  expect(await verifier.verify('')).toMatchObject({ intact: false });
  await verifier.verify('', 0);
  expect(await verifier.last()).toMatchObject({ intact: false });
});

it('reports sessions and commands that were changed, added or removed in the database', async () => {
  const [reworded, shortened, lengthened, renamed, removed] = [
    await endedSession(),
    await endedSession(),
    await endedSession(),
    await endedSession(),
    await endedSession(),
  ];
  await sql`update command set input = 'ls'
    where session = ${reworded.id} and sequence = 2`.execute(test.db);
  await sql`delete from command where session = ${shortened.id} and sequence = 1`.execute(test.db);
  await createSessionRows(test.db, holder).addCommands(lengthened.id, [
    { sequence: 3, input: 'true', output: '', at: 10 },
  ]);
  await sql`update session set "user" = 'Somebody else' where id = ${renamed.id}`.execute(test.db);
  await sql`delete from session where id = ${removed.id}`.execute(test.db);
  const { intact, sessions } = await verify();
  expect(intact).toBe(false);
  expect(
    Object.fromEntries(sessions.broken.map(({ session, problem }) => [session, problem])),
  ).toEqual({
    ...Object.fromEntries(
      [reworded, shortened, lengthened, renamed].map(({ id }) => [id, 'session_changed']),
    ),
    [removed.id]: 'session_missing',
  });
});

it('detects a rewritten digest as a break of the chain, and denies updates of the table', async () => {
  const [first, second] = [await endedSession(), await endedSession()];
  for (const statement of [
    sql`update session_digest set recording_sha256 = ''`,
    sql`delete from session_digest`,
    sql`truncate session_digest`,
  ])
    await expect(statement.execute(test.db)).rejects.toThrow('permission denied');
  await writeFile(first.file, 'forged');
  const forged = await test.program.recordings.digestOf({
    id: first.id,
    startedAt: await startOf(first.id),
  });
  await tamper(
    sql`alter table session_digest disable trigger refuse`,
    sql`update session_digest set recording_sha256 = ${forged?.sha256},
      recording_size = ${forged?.size} where session = ${first.id}`,
    sql`alter table session_digest enable trigger refuse`,
  );
  await writeFile(second.file, 'changed, too');
  const verdict = await verify();
  expect(verdict.intact).toBe(false);
  expect(digestLog(verdict)).toMatchObject({ first_break: 1, last_break: 1 });
  expect(verdict.sessions.broken).toEqual([{ session: second.id, problem: 'recording_changed' }]);
});

it('deletes a session after its digest has left the chain, not before', async () => {
  const old = await endedSession({ startedAt: new Date(Date.now() - 90 * 86_400_000) });
  expect(await removeFinishedSessions(test.db, 60)).toBe(0);
  expect((await verify()).sessions).toMatchObject({ rows: 1, wrong: 0 });
  await test.db.transaction(async (tx) => {
    await sql`select audit_forget('session_digest', now() + interval '1 minute')`.execute(tx);
  });
  expect(await removeFinishedSessions(test.db, 60)).toBe(1);
  expect((await sql`select 1 from session where id = ${old.id}`.execute(test.db)).rows).toEqual([]);
});

async function startOf(id: string): Promise<Date> {
  const { rows } = await sql<{
    start: Date;
  }>`select date_start as start from session where id = ${id}`.execute(test.db);
  return rows[0]?.start ?? new Date();
}
