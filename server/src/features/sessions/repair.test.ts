import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import type { Client, Json } from '../../testing/client.ts';
import { withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { writeOperateLog } from '../audits/operate-log.ts';
import type { Verdicts } from '../audits/verification.ts';
import { serverIdOf } from '../servers/index.ts';
import { repairDigests } from './repair.ts';
import { factsSha256, NEWEST } from './session-digest.ts';
import { createSessionRows } from './store.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  await withoutSchedule(test, 'audit-seal');
  // An earlier version had no such rule.
  await sql`alter table session_digest disable trigger admit`.execute(test.db);
});
afterAll(() => test.stop());

const rows = () => createSessionRows(test.db, serverIdOf(test));
const commands = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({
    sequence: from + index,
    input: `echo ${from + index}`,
    output: '',
    at: from + index,
  }));

/** A live session with three commands and a recording on the disk. */
async function liveSession() {
  const [id, startedAt] = [crypto.randomUUID(), new Date()];
  await rows().create({
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
    secondFactor: 'none',
    dateStart: startedAt,
  });
  await rows().addCommands(id, commands(0, 3));
  const recording = await test.program.recordings.add({ id, startedAt }, `what ${id} showed`);
  return { id, recording };
}

/** Writes the digest of the present row, as each closer of an earlier version did. */
const prove = (id: string, recording?: { readonly size: number; readonly sha256: string }) =>
  sql`insert into session_digest (session, version, facts_sha256, recording_size, recording_sha256)
    select s.id, ${NEWEST}, ${factsSha256(NEWEST)}, ${recording?.size ?? null}::bigint,
      ${recording?.sha256 ?? null} from session s where s.id = ${id}`.execute(test.db);

/** Ends a row as another server of an earlier version did: its recording disappeared from lists. */
const interrupt = (id: string) =>
  sql`update session set is_finished = true, end_reason = 'interrupted', is_success = true,
    replay_state = 'recovered', has_replay = false, date_end = now() where id = ${id}`.execute(
    test.db,
  );

const verify = async () => (await admin.post<Verdicts>('audits/verify/')).body;
const problems = async () =>
  Object.fromEntries(
    (await verify()).sessions.broken.map(({ session, problem }) => [session, problem]),
  );
const repair = () =>
  repairDigests({
    db: test.db,
    vault: test.program.vault,
    audit: writeOperateLog,
    log: createLog('silent'),
  });
const entries = async () =>
  (
    await sql<{ changes: Json }>`select changes from operate_log
      where resource_type = 'audit_log' and changes ? 'repaired_sessions'`.execute(test.db)
  ).rows;

it('declares early digests once and visibly, shows their recordings, and still finds real changes', async () => {
  const restored = await liveSession();
  await prove(restored.id, restored.recording);
  await interrupt(restored.id);
  await prove(restored.id);

  const cloned = await liveSession();
  await interrupt(cloned.id);
  await prove(cloned.id, cloned.recording);
  await rows().addCommands(cloned.id, commands(3, 7));
  await prove(cloned.id);

  const open = await liveSession();
  await prove(open.id, open.recording);

  const edited = await liveSession();
  await interrupt(edited.id);
  await prove(edited.id, edited.recording);
  await sql`update session set "user" = 'Wang Fang(wang.fang)' where id = ${edited.id}`.execute(
    test.db,
  );
  await prove(edited.id);
  // The open session differs from its digest once it ends.
  expect(Object.keys(await problems())).toHaveLength(3);

  await sql`insert into session_repair_pending default values on conflict do nothing`.execute(
    test.db,
  );
  await repair();
  await repair();
  const honest = [restored.id, cloned.id, open.id];
  expect(await problems()).toEqual({ [edited.id]: 'session_changed' });
  expect((await verify()).sessions).toMatchObject({ repaired: 3, wrong: 1 });
  const [entry, ...more] = await entries();
  expect(more).toEqual([]);
  expect(entry?.changes.repaired_rows).toEqual([null, 3]);
  expect(
    (entry?.changes.repaired_sessions as [null, string[]] | undefined)?.[1].toSorted(),
  ).toEqual(honest.toSorted());
  const { stdout } = await runOperatorCommand(test, ['audit', 'verify']);
  expect(stdout).toContain('3 early digests of an earlier version are declared');
  for (const { id } of [restored, cloned])
    expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body.has_replay).toBe(true);

  // The open one ends by the rules of this version.
  await sql`alter table session_digest enable trigger admit`.execute(test.db);
  await rows().finish(open.id, {
    dateEnd: new Date(),
    reason: 'session_finished',
    success: true,
    replayState: 'finished',
    recording: open.recording,
  });
  expect(await problems()).toEqual({ [edited.id]: 'session_changed' });
  await expect(prove(open.id, open.recording)).rejects.toThrow('has its digest already');

  // A writer of the database cannot declare the change of another session.
  await sql`insert into session_repair (session, sequences, seal)
    select session, array_agg(sequence), 'none' from session_digest where session = ${edited.id}
    group by session`.execute(test.db);
  expect(await problems()).toEqual({ [edited.id]: 'session_changed' });
  for (const id of honest)
    await sql`update session set remote_addr = '10.0.0.10' where id = ${id}`.execute(test.db);
  expect(await problems()).toEqual(
    Object.fromEntries([...honest, edited.id].map((id) => [id, 'session_changed'])),
  );
});
