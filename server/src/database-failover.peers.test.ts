import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFailovers } from './features/audits/failovers.ts';
import { unique } from './testing/builders.ts';
import type { Json, Page } from './testing/client.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { type CanaryWorld, startCanaryWorld } from './testing/terminals/canary-world.ts';

requirePeers('postgresql');

let database: ReplicatedPostgres;
let world: CanaryWorld;
beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  world = await startCanaryWorld(database.url);
});
afterAll(async () => {
  await world?.stop();
  await database?.stop();
});

const commandsOf = async (id: string) =>
  (
    await database.query<{ input: string }>(
      'select input from command where session = $1 order by sequence',
      [id],
    )
  ).map(({ input }) => input);
const digests = (id: string) =>
  database.query('select from session_digest where session = $1', [id]);
const head = async () =>
  (
    await database.query<{ sequence: number }>(
      "select sequence::int from audit_chain where log = 'operate_log'",
    )
  )[0]?.sequence;
const watched = () =>
  JSON.parse(readFileSync(join(world.test.dataDirectory, 'audit-heads.json'), 'utf8')) as {
    heads: { operate_log?: { sequence: number } };
    instance: { timeline: string };
  };
const lines = (session: string, count: number) =>
  until(
    async () => (await commandsOf(session)).length === count,
    `${count} commands of ${session} in the database`,
  );

it('sends the record again and declares the step back when a lagging standby takes over', async () => {
  const running = await world.open();
  await running.type('before');
  await lines(running.session, 1);
  const before = await head();
  database.cutStandby();
  await running.type('lost');
  const brief = await world.open();
  await brief.type('only here');
  await brief.exit();
  const label = { name: unique('label'), value: 'x' };
  expect((await world.admin.post('assets/labels/', label)).status).toBe(201);
  await lines(running.session, 2);
  await until(async () => (await digests(brief.session)).length === 1, 'the end of the session');
  const last = await head();
  await until(
    () => watched().heads.operate_log?.sequence === last,
    'the server has seen the newest row',
  );
  const { timeline } = watched().instance;
  await database.failOver();
  expect(await database.query('select from session where id = $1', [brief.session])).toEqual([]);
  await running.type('after');
  await running.exit();
  for (const { session } of [running, brief])
    await until(async () => (await digests(session)).length === 1, `the digest of ${session}`);
  expect(await commandsOf(running.session)).toEqual([
    'echo before',
    'echo lost',
    'echo after',
    'exit',
  ]);
  expect(await commandsOf(brief.session)).toEqual(['echo only here', 'exit']);
  await until(
    async () => (await readFailovers(world.test.db)).length === 1,
    'the declared failover',
  );
  // The ends of the logs are accepted by then.
  await until(() => watched().instance.timeline !== timeline, 'the server follows the new primary');
  const [declared] = await readFailovers(world.test.db);
  expect(declared?.from.operate_log?.sequence).toBe(last);
  expect(declared?.to.operate_log?.sequence).toBe(before);
  const { body: lost } = await world.admin.get<Page<Json>>('audits/lost-changes/?limit=9');
  expect(lost.results).toMatchObject([{ action: 'create', resource: label.name }]);
  const { body } = await world.admin.post<Json>('audits/verify/', {});
  expect(body).toMatchObject({ intact: true, sessions: { wrong: 0 } });
});
