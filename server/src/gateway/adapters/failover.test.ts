import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../testing/client.ts';
import { createEarlierDatabase, type EarlierDatabase } from '../../testing/earlier-database.ts';
import { until } from '../../testing/poll.ts';
import { type CanaryWorld, startCanaryWorld } from '../../testing/terminals/canary-world.ts';

let database: EarlierDatabase;
let world: CanaryWorld;
beforeAll(async () => {
  database = await createEarlierDatabase();
  world = await startCanaryWorld(database.url);
});
afterAll(async () => {
  await world?.stop();
  await database?.drop();
});

interface Row {
  readonly is_finished: boolean;
  readonly end_reason: string | null;
  readonly replay_state: string;
  readonly command_amount: number;
  readonly commands: readonly string[];
  readonly digests: number;
}
const rowOf = async (id: string): Promise<Row | undefined> =>
  (
    await database.query<Row>(
      `select is_finished, end_reason, replay_state, command_amount, array(select input from command
        where session = s.id order by sequence) as commands,
        (select count(*)::int from session_digest d where d.session = s.id) as digests
      from session s where id = $1`,
      [id],
    )
  )[0];
const hasCommands = (id: string, count: number) =>
  until(
    async () => (await rowOf(id))?.command_amount === count,
    `${count} commands of the session ${id} in the database`,
  );

it('sends again what a database lacks that went back: commands, whole sessions, ends and digests', async () => {
  const running = await world.open();
  await running.type('before');
  const ending = await world.open();
  await ending.type('stays');
  await hasCommands(running.session, 1);
  await hasCommands(ending.session, 1);
  await database.remember();
  await running.type('lost 1');
  await running.type('lost 2');
  await ending.exit();
  const brief = await world.open();
  await brief.type('only here');
  await brief.exit();
  const begun = await world.open();
  await hasCommands(running.session, 3);
  for (const { session } of [ending, brief])
    await until(async () => (await rowOf(session))?.digests === 1, `the end of ${session}`);
  const ends = [await rowOf(ending.session), await rowOf(brief.session)];
  await database.goBack();
  expect(await rowOf(brief.session)).toBeUndefined();
  await running.type('after');
  await begun.type('begun');
  await running.exit();
  await begun.exit();
  for (const { session } of [running, ending, brief, begun])
    await until(async () => (await rowOf(session))?.digests === 1, `the end of ${session}`);
  expect((await rowOf(running.session))?.commands).toEqual(
    ['before', 'lost 1', 'lost 2', 'after'].map((line) => `echo ${line}`).concat('exit'),
  );
  expect((await rowOf(begun.session))?.commands).toEqual(['echo begun', 'exit']);
  expect([await rowOf(ending.session), await rowOf(brief.session)]).toEqual(ends);
  const { body } = await world.admin.post<{ sessions: Json }>('audits/verify/', {});
  expect(body.sessions).toMatchObject({ wrong: 0 });
  expect(world.test.log()).toContain('the database lacks entries that it had stored');
});
