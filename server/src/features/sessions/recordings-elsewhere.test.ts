import type { AttentionItem } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { Verdicts } from '../audits/verification.ts';
import { factsSha256 } from './session-digest.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** An ended session whose recording is on another server. */
async function sessionOn(holder: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into session (id, "user", asset, "system_user", holder, is_finished, is_success,
      replay_state, has_replay, date_end)
    values (${id}, 'li.wei', 'web-1', 'root', ${holder}, true, true, 'finished', true,
      now())`.execute(test.db);
  return id;
}
/** Registers a server with a fresh heartbeat and a port without a listener. */
const register = (id: string) =>
  sql`insert into server (id, host, port, date_seen) values (${id}, '127.0.0.1', 1, now())`.execute(
    test.db,
  );

it('names the server of a recording when it does not answer, in both languages', async () => {
  await register('silent');
  await sql`insert into terminal (name, holder) values ('east', 'silent')`.execute(test.db);
  const id = await sessionOn('silent');
  const replay = (client: Client, path = '') =>
    client.get<Json>(`terminal/sessions/${id}/replay/${path}`);
  for (const path of ['', 'file/', 'download/'])
    expect(await replay(admin, path)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('on the server east, which does not answer') },
    });
  expect((await replay(admin.with({ 'accept-language': 'zh' }))).body.detail).toContain(
    '服务器“east”上，该服务器没有响应',
  );
});

it('reports the same for a server that has stopped', async () => {
  const id = await sessionOn('stopped');
  const { body } = await admin.get<Json>(`terminal/sessions/${id}/replay/`);
  expect(body.detail).toContain('on the server stopped, which does not answer');
});

it('verifies such a recording as not read, which is no change: the last result stays and becomes too old', async () => {
  const before = (await admin.post<Verdicts>('audits/verify/')).body;
  expect(before).toMatchObject({ intact: true, sessions: { wrong: 0, unread: 0 } });
  const last = async () =>
    (await sql`select date_verified, intact from audit_verification`.execute(test.db)).rows;
  const known = await last();
  const id = await sessionOn('silent');
  await sql`
    insert into session_digest (session, version, facts_sha256, recording_size, recording_sha256)
    select s.id, 3, ${factsSha256(3)}, 1, ${'0'.repeat(64)} from session s
      where s.id = ${id}`.execute(test.db);
  const verify = async () => (await admin.post<Verdicts>('audits/verify/')).body;
  const isAccused = async () =>
    (await admin.get<AttentionItem[]>('common/attention/')).body.some(
      ({ kind }) => kind === 'audit_logs_broken',
    );
  expect(await verify()).toMatchObject({
    intact: false,
    sessions: {
      wrong: 1,
      unread: 1,
      broken: [{ session: id, problem: 'recording_unreadable' }],
    },
  });
  expect([await last(), await isAccused()]).toEqual([known, false]);
  const { code, stdout } = await runOperatorCommand(test, ['audit', 'verify']);
  expect([code, stdout]).toEqual([
    2,
    expect.stringMatching(/: 1 not read, to be verified again, the others as they were when/),
  ]);

  // A change next to it is one.
  await sql`update session set "user" = 'wang.fang' where id = ${id}`.execute(test.db);
  expect((await verify()).sessions).toMatchObject({ wrong: 1, unread: 0 });
  expect(await isAccused()).toBe(true);
});
