import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATH = 'assets/assets/tasks/';

let test: TestProgram;
let cast: Cast;
let admin: Client;
const addAsset = () => buildAsset(test.db, { organization: cast.organization });
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
  admin = cast.clients.orgAdmin;
});
afterAll(() => test.stop());

it('tests several assets in one job', async () => {
  const assets = [await addAsset(), await addAsset()];
  const { status, body } = await admin.post<{ task: string }>(PATH, {
    action: 'test',
    assets: [...assets, assets[0]],
  });
  expect(status).toBe(201);
  let job: Json = {};
  await until(async () => {
    job = (await admin.get<Json>(`common/jobs/${body.task}/`)).body;
    return job.date_finished !== null;
  }, 'the test ends');
  // Without an admin user, neither is contacted.
  expect(job).toMatchObject({ outcome: 'nothing', total: 2, skipped: 2 });
});

it('rejects foreign assets, an empty list, and callers who may not test', async () => {
  const own = await addAsset();
  const foreign = await buildAsset(test.db, { organization: cast.otherOrganization });
  const post = async (assets: readonly string[], client = admin, action = 'test') =>
    (await client.post(PATH, { action, assets })).status;
  expect([await post([own, foreign]), await post([])]).toEqual([404, 400]);
  expect(await post([own], admin, 'reboot')).toBe(400);
  for (const role of ['user', 'auditor', 'orgAuditor', 'otherOrgAdmin'] as const)
    expect([role, await post([own], cast.clients[role])]).toEqual([role, 403]);
});
