import type { AttentionItem } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from './start/doctor/doctor.ts';
import { unique } from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { buildCast } from './testing/roles.ts';
import { bearer } from './testing/sign-in.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

requirePeers('postgresql');

const KINDS = ['standby_behind', 'asynchronous_standby', 'standby_unseen'];

let database: ReplicatedPostgres;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  test = await startTestProgram({ databaseUrl: database.url });
  admin = (await bearer(test)).inOrganization('');
});
afterAll(async () => {
  await test?.stop();
  await database?.stop();
});

/** Returns the items about standbys, with the standbys that they name. */
async function attention(client = admin) {
  const { body } = await client.get<readonly AttentionItem[]>('common/attention/');
  return Object.fromEntries(
    body
      .filter(({ kind }) => KINDS.includes(kind))
      .map(({ kind, examples }) => [kind, examples.map(({ name }) => name)]),
  );
}

async function health() {
  const { body, status } = await test.visitor.get<Json>('/api/health/');
  const { synchronous_replication: synchronous, replication_lag: lag } =
    body.dependencies as Record<string, Json>;
  return { status, synchronous: synchronous?.status, lag: lag?.status };
}

async function doctor() {
  const { findings } = await examine(
    {
      SALLYPORT_HTTP_PORT: new URL(test.program.url).port,
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_DATA_DIR: test.dataDirectory,
    },
    [],
  );
  const of = (check: string) => {
    const { level, message } = findings.find((one) => one.check === check) ?? {};
    return { level, message };
  };
  return { standby: of('standby'), lag: of('standby-lag'), journal: of('journal'), findings };
}

const seesOnlyAsynchronous = () =>
  until(
    async () =>
      (await health()).lag === 'up' &&
      JSON.stringify(await attention()) === '{"asynchronous_standby":["walreceiver"]}',
    'the server sees a standby that follows',
  );
const write = () => admin.post('assets/labels/', { name: unique('label'), value: 'x' });

it('says that a standby is asynchronous, and that its role may not see the lag', async () => {
  await until(
    async () => (await attention()).standby_unseen !== undefined,
    'the server has read the standbys',
  );
  expect(await attention()).toEqual({
    asynchronous_standby: ['walreceiver'],
    standby_unseen: ['walreceiver'],
  });
  expect(await health()).toEqual({ status: 200, synchronous: 'down', lag: undefined });
  const { standby, lag, journal, findings } = await doctor();
  expect(standby).toMatchObject({
    level: 'warning',
    message: expect.stringMatching(/walreceiver/),
  });
  expect(lag).toMatchObject({ level: 'warning', message: expect.stringMatching(/may not see/) });
  expect(journal).toMatchObject({ level: 'ok', message: expect.stringMatching(/last 15 minutes/) });
  expect(findings.filter(({ check, level }) => check === 'server' && level !== 'ok')).toEqual([]);
});

it('tells organizations nothing about the standbys', async () => {
  const { orgAdmin } = (await buildCast(test)).clients;
  expect(await attention(orgAdmin)).toEqual({});
});

it('says how far a standby is behind that has lost its connection', async () => {
  await database.query('grant pg_monitor to app');
  await seesOnlyAsynchronous();
  expect((await doctor()).lag).toMatchObject({
    level: 'ok',
    message: expect.stringMatching(/walreceiver: \d+ s, \d+ bytes/),
  });
  database.cutStandby();
  expect((await write()).status).toBe(201);
  await until(async () => (await health()).lag === 'down', 'the standby is late');
  expect((await health()).status).toBe(200);
  expect((await attention()).standby_behind).toEqual([
    expect.stringMatching(/^walreceiver \(\d+ s\)$/),
  ]);
  database.joinStandby();
  await seesOnlyAsynchronous();
});

it('has nothing to say about a synchronous standby', async () => {
  await database.query("alter system set synchronous_standby_names = '*'");
  await database.query('select pg_reload_conf()');
  await until(
    async () => (await health()).synchronous === 'up',
    'the server has read the synchronous standby',
  );
  expect(await attention()).toEqual({});
  expect((await doctor()).standby).toMatchObject({
    level: 'ok',
    message: expect.stringMatching(/waits for a standby/),
  });
});
