import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDataKeys } from '../../platform/crypto/data-keys.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import type { Client, Json } from '../../testing/client.ts';
import { createEarlierDatabase, type EarlierDatabase } from '../../testing/earlier-database.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import {
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram, testConfig } from '../../testing/test-program.ts';
import { readFailovers, seenHeads } from '../audits/index.ts';
import { putHeads, readBucketHeads } from './bucket-heads.ts';

const SECRET = 'b'.repeat(64);
let database: EarlierDatabase;
let s3: S3Server;
let witness: TimestampServer;
let folder: string;
let test: TestProgram;
let admin: Client;

const start = async () => {
  const caFile = join(folder, 'ca.pem');
  test = await startTestProgram({
    databaseUrl: database.url,
    secretKey: SECRET,
    witness: { url: witness.url, caFile },
  });
  admin = await bearer(test);
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-outside-'));
  [database, s3, witness] = await Promise.all([
    createEarlierDatabase(),
    startS3(),
    startTimestampServer(),
  ]);
  writeFileSync(join(folder, 'ca.pem'), witness.authority);
  await start();
  for (const job of ['audit-seal', 'audit-witness']) await withoutSchedule(test, job);
  const { body } = await admin.post<Json>('terminal/replay-storages/', {
    name: 'bucket',
    type: 's3',
    bucket: s3.bucket,
    endpoint: s3.endpoint,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
    path_style: true,
  });
  expect(body.name).toBe('bucket');
  await useBucket();
});
afterEach(async () => {
  await test?.stop();
  await Promise.all([database?.drop(), s3?.stop(), witness?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The server keeps its recordings in the bucket. */
async function useBucket(): Promise<void> {
  for (const { id } of (await admin.get<Json[]>('terminal/terminals/')).body)
    await admin.patch(`terminal/terminals/${id}/`, { replay_storage: 'bucket' });
}
const bucket = () => createS3Storage({ ...s3, pathStyle: true });
const vault = async () =>
  (await openDataKeys(test.db, { ...testConfig(folder), secretKey: SECRET })).vault;
const head = async () => {
  const [row] = await database.query<{ sequence: number }>(
    "select sequence::int from audit_chain where log = 'operate_log'",
  );
  return row?.sequence ?? 0;
};
const write = async (count: number) => {
  for (let index = 0; index < count; index++) {
    const label = { name: crypto.randomUUID(), value: String(index) };
    expect((await admin.post('assets/labels/', label)).status).toBe(201);
  }
  return head();
};
const seal = () => runHousekeeping(test, 'audit-seal');
const kept = async () => readBucketHeads(test.db, await vault());
/** Writes entries, and waits until the bucket has the newest one. */
async function writeKept(count: number): Promise<number> {
  const sequence = await write(count);
  const isSeen = () =>
    (seenHeads(test.dataDirectory)?.heads.operate_log?.sequence ?? 0) >= sequence;
  await until(isSeen, 'the server has seen the rows');
  await until(async () => {
    await seal();
    return (await kept()).some(
      (one) => 'heads' in one && (one.heads.operate_log?.sequence ?? 0) >= sequence,
    );
  }, 'the bucket has the rows');
  return sequence;
}
const verify = async () => {
  const { body } = await admin.post<Json & { logs: Json[]; outside: Json[] }>('audits/verify/', {});
  const log = body.logs.find((one) => one.log === 'operate_log');
  const states = body.outside.map(({ place, state }) => `${place} ${state}`);
  return { intact: body.intact, first: log?.first_break, states, outside: body.outside };
};
/** The server and its data folder are lost. The database is in the state of `remember`. */
async function loseServer(): Promise<void> {
  await test.stop();
  await database.goBack();
  await start();
}
const reachable = () =>
  until(async () => (await admin.get('users/profile/')).status === 200, 'the server answers');

it('finds rows that an administrator of the database cut, by the bucket alone', async () => {
  const before = await writeKept(2);
  await database.remember();
  await reachable();
  const newest = await writeKept(3);
  await loseServer();
  expect(await verify()).toMatchObject({ intact: false, states: ['bucket missing'] });
  await write(newest - before + 2);
  expect(await verify()).toMatchObject({ intact: false, first: newest });
  // The new server keeps its own rows, and deletes nothing that proves the cut.
  await useBucket();
  await writeKept(1);
  const { intact, states } = await verify();
  expect([intact, states.toSorted()]).toEqual([false, ['bucket missing', 'bucket present']]);
  expect(await readFailovers(test.db)).toEqual([]);
});

it('finds rows that an administrator of the database cut, by the statements for the witness alone', async () => {
  await write(2);
  await database.remember();
  await reachable();
  await write(3);
  await runHousekeeping(test, 'audit-witness');
  expect(await verify()).toMatchObject({ intact: true, states: ['witness present'] });
  const newest = await head();
  const [statement] = await database.query('select * from audit_witness');
  await loseServer();
  await database.query(
    `insert into audit_witness overriding system value
      select * from jsonb_populate_record(null::audit_witness, $1)`,
    [JSON.stringify({ ...statement, token: null })],
  );
  expect(await verify()).toMatchObject({ intact: false, states: ['witness missing'] });
  while ((await head()) < newest) await write(1);
  expect(await verify()).toMatchObject({ intact: false, states: ['witness missing'] });
});

it('declares a failover that took rows of a lost server away, once, and says so', async () => {
  await writeKept(2);
  await database.remember();
  await reachable();
  await writeKept(3);
  const seen = seenHeads(test.dataDirectory);
  const [object] = await kept();
  if (!seen?.instance || !object || !('seen' in object) || !object.seen)
    throw new Error('the bucket has no rows of this server');
  const { server } = object.seen;
  // The tests have one PostgreSQL: the object says that another timeline had these rows.
  const instance = { ...seen.instance, timeline: '00000000' };
  const target = { service: 's3', ...s3, pathStyle: true } as const;
  await loseServer();
  await putHeads(await vault(), target, {
    server,
    seen: { ...seen, instance },
    date: new Date(),
  });
  expect(await verify()).toMatchObject({ intact: false, states: ['bucket missing'] });
  await useBucket();
  const declared = async () => {
    await write(1);
    await seal();
    return (await readFailovers(test.db)).length > 0;
  };
  await until(declared, 'the failover is declared');
  for (let run = 0; run < 3; run++) await writeKept(1);
  expect(await readFailovers(test.db)).toHaveLength(1);
  const { intact, states } = await verify();
  expect([intact, states.toSorted()]).toEqual([true, ['bucket failover', 'bucket present']]);
});

it('leaves the logs intact for objects of a copy, of another installation, or of no server', async () => {
  await writeKept(2);
  const seen = seenHeads(test.dataDirectory);
  if (!seen?.instance) throw new Error('the server has seen no rows');
  const heads = { operate_log: { sequence: 1_000_000, digest: 'a'.repeat(64) } };
  const target = { service: 's3', ...s3, pathStyle: true } as const;
  const own = await vault();
  const date = new Date();
  const instance = { ...seen.instance, system: '1' };
  await putHeads(own, target, { server: 'copy', seen: { ...seen, heads, instance }, date });
  const epoch = crypto.randomUUID();
  await putHeads(own, target, { server: 'drill', seen: { ...seen, heads, epoch }, date });
  for (const [name, content] of [
    ['junk', 'no object of ours'],
    ['empty', ''],
    ['null', 'null'],
    ['forged', JSON.stringify({ text: '{}', signature: 'x' })],
    ['long', 'x'.repeat(100_000)],
  ] as const)
    await bucket().put(`audit-heads/${name}.json`, Readable.from([Buffer.from(content)]));
  const { intact, states } = await verify();
  expect(intact).toBe(true);
  expect(states.toSorted()).toEqual([...Array(7).fill('bucket other'), 'bucket present']);
  // The server itself is known: its rows count, whatever its epoch says.
  const [object] = (await kept()).filter((one) => 'heads' in one && one.seen?.epoch === seen.epoch);
  expect(object).toBeDefined();
  await database.query('update database_epoch set id = gen_random_uuid()');
  expect(await verify()).toMatchObject({ intact: true });
});

it('finds cut rows although the administrator changed the epoch of the database, too', async () => {
  await writeKept(1);
  await database.remember();
  await reachable();
  await writeKept(3);
  await database.goBack();
  await database.query('update database_epoch set id = gen_random_uuid()');
  await reachable();
  await until(
    () => test.log().includes('lacks rows that this server has seen'),
    'the log of the server says so',
  );
  const { intact, states } = await verify();
  expect([intact, states]).toEqual([false, ['bucket missing']]);
});

it('says that a bucket could not be read, without calling the logs broken', async () => {
  await writeKept(2);
  await s3.stop();
  const { intact, first, states, outside } = await verify();
  expect([intact, first, states]).toEqual([false, null, ['bucket unread']]);
  expect(String(outside[0]?.problem)).toContain('ECONNREFUSED');
  expect(test.log()).not.toContain('not intact');
  s3 = await startS3(s3.port);
  expect((await verify()).intact).toBe(true);
});
