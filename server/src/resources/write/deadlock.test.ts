import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqlState } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Answer, Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const isAnyWaiting = async () =>
  (
    await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
      test.db,
    )
  ).rows.length > 0;

interface Row {
  readonly table: string;
  readonly id: string;
}

/**
 * Sends a change that waits for the audit log, while another transaction holds the log and waits
 * for the changed row. Returns the victim of the deadlock.
 */
async function provokeDeadlock(
  row: Row,
  send: () => Promise<Answer<Json>>,
): Promise<{ victim: 'server' | 'other'; answer: Answer<Json> }> {
  const other = await test.db.begin();
  await sql`select 1 from audit_chain where log = 'operate_log' for update`.execute(other);
  const sent = send();
  await until(isAnyWaiting, 'the change to wait');
  // The server has the longer lock timeout, so the other transaction should fail first.
  const refused =
    await sql`update ${sql.table(row.table)} set comment = 'other' where id = ${row.id}`
      .execute(other)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  if (refused) expect(sqlState(refused)?.code).toBe('40P01');
  await (refused ? other.rollback() : other.commit());
  return { victim: refused ? 'other' : 'server', answer: await sent };
}

/** Repeats it until the server is the victim; on a busy machine it can be the other transaction. */
async function deadlockOfServer(
  row: Row,
  send: (value: string) => Promise<Answer<Json>>,
): Promise<Answer<Json>> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const { victim, answer } = await provokeDeadlock(row, () => send(unique('value')));
    expect(answer.status).toBe(200);
    if (victim === 'server') return answer;
  }
  throw new Error('the server was never the victim');
}

describe('a write that has to give way to another transaction', () => {
  it('repeats the write, and the client does not notice', async () => {
    const { body } = await admin.post<Json & { id: string }>('assets/labels/', {
      name: unique('name'),
      value: 'old',
    });
    const answer = await deadlockOfServer({ table: 'label', id: body.id }, (value) =>
      admin.patch(`assets/labels/${body.id}/`, { value }),
    );
    // The other transaction committed first, and its change persists.
    expect(answer.body.comment).toBe('other');
    const log = await admin.get<Page>(
      `audits/operate-logs/?resource_id=${body.id}&action=update&limit=20`,
    );
    const written = log.body.results.filter(({ changes }) =>
      JSON.stringify(changes).includes(JSON.stringify(answer.body.value)),
    );
    expect(written).toHaveLength(1);
  });

  it('repeats a batch with all rows', async () => {
    const bodies = [1, 2].map((n) => ({ name: unique('batch'), value: `${n}` }));
    const created = await admin.post<(Json & { id: string })[]>('assets/labels/', bodies);
    const change = (value: string) => created.body.map(({ id }) => ({ id, value }));
    const answer = await deadlockOfServer(
      { table: 'label', id: created.body[0]?.id ?? '' },
      (value) => admin.patch('assets/labels/', change(value)),
    );
    expect(answer.body).toHaveLength(2);
  });

  it('repeats a route that is no resource', async () => {
    const user = await buildUser(test.db);
    const own = await bearer(test, user);
    const answer = await deadlockOfServer({ table: 'account', id: user.id }, (wechat) =>
      own.patch('users/profile/', { wechat }),
    );
    expect(answer.body.comment).toBe('other');
  });
});
