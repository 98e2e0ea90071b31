import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { importLicense } from '../../testing/license.ts';
import { until } from '../../testing/poll.ts';
import {
  buildMachines,
  CLOUD_SERVERS,
  type CloudServer,
} from '../../testing/services/cloud-servers/index.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

const TASKS = 'xpack/cloud/sync-instance-tasks/';
const REGIONS = ['cn-north-1', 'cn-south-2'] as const;
const EACH = 130;

const { startOn } = useCommands();
let database: TestDatabase;
let provider: CloudServer;
beforeAll(async () => {
  database = await createTestDatabase();
  provider = (await CLOUD_SERVERS.aliyun?.()) as CloudServer;
});
afterAll(async () => {
  await provider?.stop();
  await database?.drop();
});

const make = async (client: Client, path: string, body: Json) => {
  const created = await client.post(path, body);
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
};

it('continues a run whose server was killed, and creates no asset twice', async () => {
  for (const [at, region] of REGIONS.entries())
    provider.machines.set(region, buildMachines(EACH, at + 1));
  const { command, signIn } = await startOn(database);
  let admin = await signIn();
  expect((await importLicense(admin)).status).toBe(200);
  const account = await make(admin, 'xpack/cloud/accounts/', {
    name: 'killed',
    provider: 'aliyun',
    access_key_id: provider.keyId,
    access_key_secret: provider.secret,
    endpoint: provider.url,
    ca_certificate: provider.authority,
  });
  const [{ id: node } = {}] = (await admin.get<Json[]>('assets/nodes/')).body;
  const task = await make(admin, TASKS, { name: 'killed', account, regions: REGIONS, node });

  // The last page of the second region does not arrive, so the process dies during the run.
  let hangs = true;
  const pages = () =>
    provider.requests.filter((request) => request.startsWith('DescribeInstances')).length;
  provider.onRequest = async () => {
    if (hangs && pages() >= 3) await new Promise(() => undefined);
  };
  const count = async () =>
    Number(((await admin.get('assets/assets/?limit=1')).body as { count?: number }).count ?? 0);
  const id = String((await admin.get(`${TASKS}${task}/run/`)).body.task);
  await until(async () => (await count()) > EACH, 'the run is in its second region');
  process.kill(command.child.pid ?? 0, 'SIGKILL');
  await command.ended;
  hangs = false;

  // Simulates the queue, which ends the lease of the lost process after some seconds.
  const { db, close } = openDatabase(database.url, 1);
  const newInstances =
    (await sql<{ count: number }>`select count(*)::int as count from asset`.execute(db)).rows[0]
      ?.count ?? 0;
  expect(newInstances).toBeGreaterThan(EACH);
  expect(newInstances).toBeLessThan(2 * EACH);
  await sql`update jobs.job set state = 'retry', retry_count = retry_count + 1, started_on = null,
    start_after = now() where id = ${id} and state = 'active'`.execute(db);
  await close();
  admin = await (await startOn(database)).signIn();
  const history = async () => (await admin.get(`${TASKS}${task}/history/${id}/`)).body;
  await until(async () => (await history()).status !== 2, 'the run is over');
  // All of them are new in this run, whichever process created them.
  expect(await history()).toMatchObject({
    status: 1,
    summary: { new: 2 * EACH, unsync: 0, sync: 0, released: 0 },
  });
  const assets = (await admin.get<Json[]>('assets/assets/')).body;
  expect(assets).toHaveLength(2 * EACH);
  expect(new Set(assets.map(({ ip }) => ip)).size).toBe(2 * EACH);
  const instances = (await admin.get<Json[]>(`${TASKS}${task}/instances/`)).body;
  expect(new Set(instances.map(({ asset }) => asset)).size).toBe(2 * EACH);
});
