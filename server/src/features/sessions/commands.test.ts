import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createSessionRows } from './store.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('marks a rejected command as dangerous and others as ordinary', async () => {
  const { rows } = await sql<{
    id: string;
  }>`insert into session ("user", asset, "system_user") values ('Someone', 'web-01', 'root')
    returning id`.execute(test.db);
  const session = rows[0]?.id ?? '';
  await createSessionRows(test.db, 'test').addCommands(session, [
    { sequence: 1, input: 'uptime', output: 'up', at: 10 },
    { sequence: 2, input: 'reboot', output: 'Not allowed.', at: 20, isRefused: true },
  ]);
  const { body } = await (await bearer(test)).get<Json[]>(
    `terminal/commands/?session=${session}&order=sequence`,
  );
  expect(body).toMatchObject([
    { input: 'uptime', risk_level: 0, is_denied: false },
    {
      input: 'reboot',
      output: 'Not allowed.',
      risk_level: 5,
      risk_level_display: 'Dangerous',
      is_denied: true,
    },
  ]);
});

it('lists, filters and sorts sessions and commands by risk; a session has the risk of its worst command', async () => {
  const store = createSessionRows(test.db, 'test');
  const build = async (asset: string) =>
    (
      await sql<{
        id: string;
      }>`insert into session ("user", asset, "system_user") values ('Risky', ${asset}, 'root')
        returning id`.execute(test.db)
    ).rows[0]?.id ?? '';
  const [calm, risky] = [await build('calm-01'), await build('risky-01')];
  await store.addCommands(calm, [{ sequence: 1, input: 'uptime', output: '', at: 1 }]);
  await store.addCommands(risky, [
    { sequence: 1, input: 'reboot', output: 'No.', at: 1, isRefused: true },
  ]);
  await store.addCommands(risky, [{ sequence: 2, input: 'uptime', output: '', at: 2 }]);
  const admin = await bearer(test);
  const sessions = async (query: string) =>
    (await admin.get<Json[]>(`terminal/sessions/?user=Risky&${query}`)).body.map(
      ({ asset, risk_level }) => [asset, risk_level],
    );
  expect(await sessions('order=-risk_level')).toEqual([
    ['risky-01', 5],
    ['calm-01', 0],
  ]);
  expect(await sessions('risk_level=5')).toEqual([['risky-01', 5]]);
  const commands = (await admin.get<Json[]>('terminal/commands/?user=Risky&order=-risk_level'))
    .body;
  expect(commands.map(({ input }) => input).slice(0, 1)).toEqual(['reboot']);
  expect(
    (await admin.get<Json[]>('terminal/commands/?user=Risky&is_denied=true')).body,
  ).toHaveLength(1);
});

it('finds the commands of one session by its id, and none for any other text', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into session ("user", asset, "system_user") values ('One', 'one-01', 'root'),
      ('Two', 'two-01', 'root') returning id`.execute(test.db);
  const store = createSessionRows(test.db, 'test');
  for (const { id } of rows)
    await store.addCommands(id, [{ sequence: 1, input: `of ${id}`, output: '', at: 1 }]);
  const id = rows[0]?.id ?? '';
  const admin = await bearer(test);
  const find = async (query: string) => {
    const { status, body } = await admin.get<Json[]>(`terminal/commands/?${query}`);
    return [status, body.map(({ input }) => input)];
  };
  for (const name of ['session', 'session_id', 'session__in'])
    expect([name, await find(`${name}=${id}`)]).toEqual([name, [200, [`of ${id}`]]]);
  for (const text of [id.slice(1), `${id}0`, 'none', "'"])
    for (const name of ['session', 'session_id', 'session__in'])
      expect([text, await find(`${name}=${encodeURIComponent(text)}`)]).toEqual([text, [200, []]]);
});
