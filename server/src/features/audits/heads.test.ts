import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditVerification } from '@sallyport/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { createEarlierDatabase, type EarlierDatabase } from '../../testing/earlier-database.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { readFailovers } from './failovers.ts';

let database: EarlierDatabase;
let test: TestProgram;
let admin: Client;
beforeEach(async () => {
  database = await createEarlierDatabase();
  test = await startTestProgram({ databaseUrl: database.url });
  admin = await bearer(test);
});
afterEach(async () => {
  await test?.stop();
  await database?.drop();
});

const FILE = 'audit-heads.json';
interface File {
  readonly heads: Readonly<Record<string, { readonly sequence: number }>>;
  readonly instance: { readonly system: string; readonly timeline: string };
}
const file = () => JSON.parse(readFileSync(join(test.dataDirectory, FILE), 'utf8')) as File;
const head = async () => {
  const [row] = await database.query<{ sequence: number }>(
    "select sequence::int from audit_chain where log = 'operate_log'",
  );
  return row?.sequence ?? 0;
};
async function write(count: number): Promise<number> {
  for (let index = 0; index < count; index++) {
    const label = { name: crypto.randomUUID(), value: String(index) };
    expect((await admin.post('assets/labels/', label)).status).toBe(201);
  }
  const sequence = await head();
  await until(() => file().heads.operate_log?.sequence === sequence, 'the rows are seen');
  return sequence;
}
const verify = async () => {
  const { body } = await admin.post<AuditVerification & { logs: Json[] }>('audits/verify/', {});
  return { intact: body.intact, log: body.logs.find(({ log }) => log === 'operate_log') };
};
const writable = () =>
  until(
    async () => (await admin.get('users/profile/')).status === 200,
    'the database answers the program',
  );

it('finds the newest rows that an administrator of the database cut, also after new rows replaced them', async () => {
  const kept = await write(2);
  await database.remember();
  await writable();
  await write(3);
  await database.goBack();
  await writable();
  await until(() => test.log().includes('lacks rows that this server has seen'), 'the log says so');
  expect(await verify()).toMatchObject({ intact: false, log: { first_break: kept + 1 } });
  for (let index = 0; index < 6; index++)
    await admin.post('assets/labels/', { name: crypto.randomUUID(), value: 'x' });
  expect(await head()).toBeGreaterThan(kept + 3);
  expect(await verify()).toMatchObject({ intact: false, log: { first_break: kept + 3 } });
  expect(await readFailovers(test.db)).toEqual([]);
});

it('declares a failover to an older state once, with the rows before and after, and stays intact', async () => {
  const kept = await write(2);
  await database.remember();
  await writable();
  const lost = await write(3);
  // The tests have one PostgreSQL: the file says that another timeline had these rows.
  const { program, ...rest } = test;
  await program.stop();
  const seen = file();
  const instance = { ...seen.instance, timeline: '00000000' };
  writeFileSync(join(rest.dataDirectory, FILE), JSON.stringify({ ...seen, instance }));
  await database.goBack();
  const again = await startTestProgram({
    databaseUrl: database.url,
    dataDirectory: rest.dataDirectory,
  });
  try {
    admin = await bearer(again);
    const declared = await readFailovers(again.db);
    expect(declared).toHaveLength(1);
    expect(declared[0]?.to.operate_log?.sequence).toBe(kept);
    expect(declared[0]?.from.operate_log?.sequence).toBeGreaterThanOrEqual(lost);
    expect((await verify()).intact).toBe(true);
    const { body } = await admin.get<Json[]>('audits/operate-logs/?search=failover');
    expect(JSON.stringify(body)).toContain('timeline 00000000');
    expect(again.log()).not.toContain('does not match its seal');
  } finally {
    await again.stop();
  }
});
