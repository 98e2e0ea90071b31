import { readdir, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { API_VERSION, type PublicSettings } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { RELEASE } from '../../platform/release.ts';
import { buildUser } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const TOKEN = 'a token of the health test';
/** MiB. More than any disk here has. */
const EVERYTHING = 1_000_000;

let test: TestProgram;
let admin: Client;
let metricsPort: number;
beforeAll(async () => {
  const free = createServer();
  await new Promise<void>((done) => free.listen(0, '127.0.0.1', done));
  metricsPort = (free.address() as { port: number }).port;
  await new Promise((done) => free.close(done));
  test = await startTestProgram({ metricsPort, metricsToken: TOKEN });
  admin = await bearer(test);
});
afterAll(() => test.stop());

const reserve = (mebibytes: number) =>
  changeSettings([admin], 'terminal', { TERMINAL_RECORDING_DISK_RESERVE: mebibytes });

async function readMetric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers })).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

it('answers 503 while the disk of recordings has less free space than the reserve', async () => {
  const health = () => test.visitor.get('/api/health/');
  expect(await health()).toMatchObject({
    status: 200,
    body: { dependencies: { recordings: { status: 'up' } } },
  });
  await reserve(EVERYTHING);
  expect(await health()).toMatchObject({
    status: 503,
    body: {
      dependencies: { recordings: { status: 'down', code: 'reserve' }, database: { status: 'up' } },
    },
  });
  await reserve(512);
  expect((await health()).status).toBe(200);
});

it('answers 503 with a code, and names it in Needs attention, while a folder takes no files', async () => {
  const recordings = join(test.dataDirectory, 'recordings');
  const state = async () => {
    const { status, body } = await test.visitor.get<{ dependencies: object }>('/api/health/');
    return { status, ...body.dependencies };
  };
  const attention = async () =>
    (await admin.get<readonly { kind: string }[]>('common/attention/')).body.map(
      ({ kind }) => kind,
    );
  expect(await attention()).not.toContain('recordings_stopped');
  await rename(recordings, `${recordings}.away`);
  await expect
    .poll(state, { timeout: 20_000 })
    .toMatchObject({ status: 503, recordings: { status: 'down', code: 'missing' } });
  expect(await attention()).toContain('recordings_stopped');
  await rename(`${recordings}.away`, recordings);
  await expect
    .poll(state, { timeout: 20_000 })
    .toMatchObject({ status: 200, recordings: { status: 'up' } });
  expect(await attention()).not.toContain('recordings_stopped');
  expect((await readdir(recordings)).filter((name) => name.startsWith('.probe'))).toEqual([]);
});

it('reports the reserve to Prometheus', async () => {
  await reserve(600);
  expect(await readMetric('sallyport_recordings_reserve_bytes')).toBe(600 * 1_048_576);
});

it('tells the version without a sign-in, and the commit to administrators of the installation', async () => {
  const { version, commit } = RELEASE;
  expect(commit).toMatch(/^[\da-f]{12}(-dirty)?$/);
  const told = async (client: Client) => {
    const { body: health } = await client.get<{ version: string; commit?: string }>('/api/health/');
    const { body: settings } = await client.get<{ data: PublicSettings }>('settings/public/');
    const { VERSION: api, PRODUCT_VERSION: product, PRODUCT_COMMIT: productCommit } = settings.data;
    return { api, versions: [health.version, product], commits: [health.commit, productCommit] };
  };
  const versions = { api: API_VERSION, versions: [version, version] };
  expect(await told(test.visitor)).toEqual({ ...versions, commits: [undefined, undefined] });
  expect(await told(admin)).toEqual({ ...versions, commits: [commit, commit] });
  const member = await bearer(test, await buildUser(test.db));
  expect(await told(member)).toEqual({ ...versions, commits: [undefined, undefined] });
});

it('answers 503 with a code, and names it in Needs attention and metrics, while the database is read-only', async () => {
  const names = await sql<{ name: string }>`select current_database() as name`.execute(test.db);
  const database = sql.ref(names.rows[0]?.name ?? '');
  const reconnect = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(test.db);
  const state = async () => {
    const { status, body } = await test.visitor.get<{ dependencies: Json }>('/api/health/');
    return [status, body.dependencies.database];
  };
  const attention = async () =>
    (await admin.get<readonly { kind: string }[]>('common/attention/')).body.some(
      ({ kind }) => kind === 'database_stopped',
    );
  expect([await state(), await attention()]).toEqual([[200, { status: 'up' }], false]);
  await sql`alter database ${database} set default_transaction_read_only = on`.execute(test.db);
  try {
    await reconnect();
    await expect
      .poll(state, { timeout: 20_000 })
      .toEqual([503, { status: 'down', code: 'refused' }]);
    await until(attention, 'Needs attention names it');
    expect(await readMetric('sallyport_database_writable')).toBe(0);
  } finally {
    await test.db.transaction(async (tx) => {
      await sql`set transaction read write`.execute(tx);
      await sql`alter database ${database} reset default_transaction_read_only`.execute(tx);
    });
    await reconnect();
  }
  await expect.poll(state, { timeout: 20_000 }).toEqual([200, { status: 'up' }]);
  await until(async () => !(await attention()), 'the item is gone');
  await until(async () => (await readMetric('sallyport_database_writable')) === 1, 'metrics too');
});
