import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, unique } from '../testing/builders.ts';
import type { Client, Json } from '../testing/client.ts';
import { countRoundTrips } from '../testing/round-trips.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** Sends something again and again, different each time, and fails when it is refused. */
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

it('an asset is updated in at most fourteen round trips, also when everything about it changes', async () => {
  const { path, bodies } = await everythingOfAnAsset();
  expect(await roundTrips((turn) => admin.put(path, bodies[turn % 2]))).toBeLessThanOrEqual(14);
  expect((await admin.get(path)).body).toMatchObject({
    ip: bodies[0].ip,
    platform: 'Linux',
    nodes: bodies[0].nodes,
    labels: bodies[0].labels,
  });
});

it('who asks, and what they may do in the organization that they name, is one', async () => {
  const inside = admin.inOrganization(await buildOrganization(test.db));
  // Metadata is made without the database.
  expect(await roundTrips(() => inside.options('assets/labels/'))).toBe(1);
});

it('an asset with new words only is updated in at most twelve', async () => {
  const { path } = await everythingOfAnAsset();
  expect(
    await roundTrips((turn) => admin.patch(path, { comment: `words ${turn}` })),
  ).toBeLessThanOrEqual(12);
});

it('an asset is deleted in at most ten', async () => {
  const made = await Promise.all(
    Array.from({ length: 4 }, async () => (await everythingOfAnAsset()).path),
  );
  expect(await roundTrips((turn) => admin.delete(made[turn - 1] ?? ''))).toBeLessThanOrEqual(10);
});

it('a batch asks as often as one row, but for what belongs to each', async () => {
  const bodies = (turn: number) =>
    Array.from({ length: 50 }, (_, row) => ({
      hostname: unique(`b${turn}-${row}`),
      ip: '192.0.2.9',
      platform: 'Linux',
    }));
  expect(
    await roundTrips((turn) => admin.post('assets/assets/', bodies(turn))),
  ).toBeLessThanOrEqual(18);
});
