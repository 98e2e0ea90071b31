import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { countRoundTrips } from '../../testing/measures/round-trips.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** Sends varying requests and returns the round trips of one. Fails if a request is rejected. */
async function roundTrips(
  send: (turn: number) => Promise<{ status: number; text: string }>,
): Promise<number> {
  let turn = 0;
  return countRoundTrips(async () => {
    turn += 1;
    const { status, text } = await send(turn);
    expect(status, text).toBeLessThan(300);
  });
}

async function everythingOfAnAsset(): Promise<{ path: string; bodies: readonly [Json, Json] }> {
  const post = async (path: string, body: Json) => (await admin.post(path, body)).body.id;
  const nodes = [
    await post('assets/nodes/', { value: unique('one') }),
    await post('assets/nodes/', { value: unique('two') }),
  ];
  const labels = [
    await post('assets/labels/', { name: unique('a'), value: '1' }),
    await post('assets/labels/', { name: unique('b'), value: '2' }),
  ];
  const users = [
    await post('assets/admin-users/', { name: unique('r'), username: 'root' }),
    await post('assets/admin-users/', { name: unique('s'), username: 'root' }),
  ];
  const domain = await post('assets/domains/', { name: unique('d') });
  const body = (index: 0 | 1): Json => ({
    hostname: unique('web'),
    ip: `192.0.2.${index + 1}`,
    platform: index === 0 ? 'Linux' : 'Windows',
    comment: `turn ${index}`,
    admin_user: users[index],
    domain: index === 0 ? null : domain,
    nodes: [nodes[index]],
    labels: [labels[index]],
  });
  const bodies = [body(0), body(1)] as const;
  return { path: `assets/assets/${await post('assets/assets/', bodies[0])}/`, bodies };
}

it('updates an asset with all of its fields in at most twelve round trips', async () => {
  const { path, bodies } = await everythingOfAnAsset();
  expect(await roundTrips((turn) => admin.put(path, bodies[turn % 2]))).toBeLessThanOrEqual(12);
  expect((await admin.put(path, bodies[0])).status).toBe(200);
  expect((await admin.get(path)).body).toMatchObject({
    ip: bodies[0].ip,
    platform: 'Linux',
    nodes: bodies[0].nodes,
    labels: bodies[0].labels,
  });
});

it('resolves the caller and the permissions in an organization in one round trip', async () => {
  const inside = admin.inOrganization(await buildOrganization(test.db));
  // Metadata needs no database.
  expect(await roundTrips(() => inside.options('assets/labels/'))).toBe(1);
});

it('updates a plain text of an asset in at most nine', async () => {
  const { path } = await everythingOfAnAsset();
  expect(
    await roundTrips((turn) => admin.patch(path, { comment: `words ${turn}` })),
  ).toBeLessThanOrEqual(9);
});

it('deletes an asset in at most ten, with the document of the deleted object', async () => {
  // An asset for each try that a timer may disturb.
  const paths = await Promise.all(
    Array.from({ length: 24 }, async () => (await everythingOfAnAsset()).path),
  );
  expect(await roundTrips((turn) => admin.delete(paths[turn - 1] ?? ''))).toBeLessThanOrEqual(10);
});

it('needs as many round trips for a batch as for one row, except for work per row', async () => {
  const bodies = (turn: number) =>
    Array.from({ length: 50 }, (_, row) => ({
      hostname: unique(`b${turn}-${row}`),
      ip: '192.0.2.9',
      platform: 'Linux',
    }));
  expect(
    await roundTrips((turn) => admin.post('assets/assets/', bodies(turn))),
  ).toBeLessThanOrEqual(14);
});
