import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client } from '../../testing/client.ts';
import { withoutSchedule } from '../../testing/jobs.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { Verdicts } from '../audits/verification.ts';
import { checkSessions } from './check-sessions.ts';
import { commandSha256, type DigestVersion, factsSha256 } from './session-digest.ts';

/** Constant: the texts below contain it. */
const SESSION = '5816819c-0000-4000-8000-000000000001';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const SESSION_FACTS =
  '"5816819c-0000-4000-8000-000000000001", "", "Li Wei(li.wei)", "web-01", "deploy(deploy)",' +
  ' "u1", "a1", "s1", "WT", "10.0.0.9", "ssh", "2026-11-22 03:56:20.000000",' +
  ' "2026-11-22 03:57:20.123456", "session_finished"';
const COMMANDS = [
  '1, "Li Wei(li.wei)", "web-01", "deploy(deploy)", "id", "uid=0", 0, false, 5, "2026-11-22 03:56:20.005000"',
  '2, "Li Wei(li.wei)", "web-01", "deploy(deploy)", "rm -rf /srv", "", 5, true, 9, "2026-11-22 03:56:20.009000"',
] as const;

/** The digested text of each version, character by character. These texts never change. */
const TEXTS: Record<DigestVersion, string> = {
  1: `[${SESSION_FACTS}]${sha256(`[${COMMANDS[0]}]`)}${sha256(`[${COMMANDS[1]}, "Zhang San"]`)}`,
  2: `[${SESSION_FACTS}]${sha256(`[${COMMANDS[0]}][]`)}${sha256(`[${COMMANDS[1]}, "Zhang San"][]`)}`,
  3: `[3, ${SESSION_FACTS}, true, "terminal", "asset", "none", false]${sha256(`[${COMMANDS[0]}, null, false, null, null, null]`)}${sha256(`[${COMMANDS[1]}, "Zhang San", false, 7, 12, "denied"]`)}`,
};

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  await withoutSchedule(test, 'audit-seal');
  // Here one session has a digest of every version.
  await sql`alter table session_digest disable trigger admit`.execute(test.db);
  await sql`
    insert into session (id, "user", asset, "system_user", user_id, asset_id, system_user_id,
      login_from, remote_addr, protocol, date_start, date_end, end_reason, is_finished, is_success)
    values (${SESSION}, 'Li Wei(li.wei)', 'web-01', 'deploy(deploy)', 'u1', 'a1', 's1', 'WT',
      '10.0.0.9', 'ssh', '2026-11-22T03:56:20Z', '2026-11-22T03:57:20.123456Z',
      'session_finished', true, true)`.execute(test.db);
});
afterAll(() => test.stop());

beforeEach(async () => {
  await sql`delete from command`.execute(test.db);
  await sql`
    insert into command (session, sequence, "user", asset, "system_user", input, output,
      risk_level, is_denied, offset_ms, date, typed_by, row_count, duration_ms, error)
    values
      (${SESSION}, 1, 'Li Wei(li.wei)', 'web-01', 'deploy(deploy)', 'id', 'uid=0', 0, false, 5,
        '2026-11-22T03:56:20.005Z', null, null, null, null),
      (${SESSION}, 2, 'Li Wei(li.wei)', 'web-01', 'deploy(deploy)', 'rm -rf /srv', '', 5, true, 9,
        '2026-11-22T03:56:20.009Z', 'Zhang San', 7, 12, 'denied')`.execute(test.db);
});

/** Adds a digest row as a program of the version wrote it. */
const digestOf = (version: DigestVersion, text: string) =>
  sql`insert into session_digest (session, version, facts_sha256)
    values (${SESSION}, ${version === 3 ? 3 : null}, ${sha256(text)})`.execute(test.db);
const verify = async () => (await admin.post<Verdicts>('audits/verify/')).body.sessions;

it.each([1, 2, 3] as const)('computes the frozen text of version %i', async (version) => {
  const { rows } = await sql<{ facts: string }>`
    select ${factsSha256(version)} as facts from session s where s.id = ${SESSION}`.execute(
    test.db,
  );
  expect(rows).toEqual([{ facts: sha256(TEXTS[version]) }]);
});

it('verifies rows of every version, and names the session when a command changes', async () => {
  for (const version of [1, 2, 3] as const) await digestOf(version, TEXTS[version]);
  expect(await verify()).toMatchObject({ checked: 3, wrong: 0, broken: [] });
  for (const change of [
    sql`update command set output = '' where sequence = 1`,
    sql`update command set is_by_key_tree = true where sequence = 1`,
    sql`delete from command where sequence = 2`,
  ]) {
    await change.execute(test.db);
    expect(await verify()).toMatchObject({ checked: 3, wrong: 3 });
  }
});

it('rejects a text of an older version in a row of the newest', async () => {
  await sql`insert into session_digest (session, version, facts_sha256)
    values (${SESSION}, 3, ${sha256(TEXTS[2])})`.execute(test.db);
  expect(await verify()).toMatchObject({ checked: 4, wrong: 1 });
});

it('chains the version of new rows, and keeps the digests of rows without one', async () => {
  const digest = await sql<{ text: string }>`
    select audit_text(to_jsonb(d)) as text from session_digest d where version is null
      limit 1`.execute(test.db);
  expect(digest.rows[0]?.text).not.toContain('version');
  expect((await admin.post<Verdicts>('audits/verify/')).body.logs).toContainEqual(
    expect.objectContaining({ log: 'session_digest', first_break: null }),
  );
  const newest = await sql<{ text: string }>`
    select audit_text(to_jsonb(d)) as text from session_digest d where version = 3 limit 1`.execute(
    test.db,
  );
  expect(newest.rows[0]?.text).toContain('"version": 3');
});

it('verifies an older session whose commands a newer program moved to a storage', async () => {
  const { rows } = await sql<{ id: string }>`
    update command c set sha256 = ${commandSha256(3, sql`c.input`, sql`c.output`)}, input = '',
      output = '',
      stored_in = (select id from command_storage where name = 'default')
    where sequence = 2 returning id`.execute(test.db);
  const id = rows[0]?.id ?? '';
  const check = (input: string) =>
    checkSessions({
      db: test.db,
      recordings: test.program.recordings,
      vault: test.program.vault,
      stored: {
        texts: async (ids) => new Map(ids.includes(id) ? [[id, { input, output: '' }]] : []),
      },
    });
  expect(await check('rm -rf /srv')).toMatchObject({ checked: 4, wrong: 1 });
  expect(await check('ls /srv')).toMatchObject({ checked: 4, wrong: 4 });
});
