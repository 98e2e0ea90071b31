import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, rootNode } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { assertTreeIsExact } from '../../testing/tree-audit.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** One operation of an administrator. Numbers select among the existing nodes and assets. */
const operation = fc.record({
  kind: fc.constantFrom(
    'grow',
    'grow',
    'rename',
    'move',
    'move',
    'prune',
    'asset',
    'asset',
    'add',
    'replace',
    'remove',
    'rehang',
    'drop',
    'disable',
  ),
  node: fc.nat(1_000),
  other: fc.nat(1_000),
  assets: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 4 }),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function perform(client: Client, { kind, node, other, assets }: Operation): Promise<number> {
  const { body: nodes } = await client.get<Json[]>('assets/nodes/');
  const { body: known } = await client.get<Json[]>('assets/assets/');
  const pick = (rows: readonly Json[], number: number) =>
    rows[number % Math.max(1, rows.length)]?.id;
  const [first, second] = [pick(nodes, node), pick(nodes, other)];
  const chosen = [...new Set(assets.map((number) => pick(known, number)))].filter(
    (id) => id !== undefined,
  );
  const names = ['a', 'b', 'c', 'd'];
  const actions: Record<string, () => Promise<{ status: number }>> = {
    grow: () =>
      client.post(`assets/nodes/${first}/children/`, other % 2 ? {} : { value: names[other % 4] }),
    rename: () => client.patch(`assets/nodes/${first}/`, { value: names[other % 4] }),
    move: () => client.put(`assets/nodes/${second}/children/add/`, { nodes: [first] }),
    prune: () => client.delete(`assets/nodes/${first}/`),
    asset: () =>
      client.post(`assets/assets/?node_id=${first}`, {
        hostname: `host-${crypto.randomUUID()}`,
        ip: '10.0.0.1',
        platform: 'Linux',
      }),
    add: () => client.put(`assets/nodes/${first}/assets/add/`, { assets: chosen }),
    replace: () => client.put(`assets/nodes/${first}/assets/replace/`, { assets: chosen }),
    remove: () => client.put(`assets/nodes/${first}/assets/remove/`, { assets: chosen }),
    rehang: () =>
      client.patch(`assets/assets/${chosen[0]}/`, { nodes: [...new Set([first, second])] }),
    drop: () => client.delete(`assets/assets/${chosen.join(',')}/`),
    disable: () => client.patch(`assets/assets/${chosen[0]}/`, { is_active: other % 2 === 0 }),
  };
  return (await actions[kind]?.())?.status ?? 0;
}

it('keeps counts exact after any sequence of operations', {
  timeout: limitOf(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 30 }), async (operations) => {
      const organization = await buildOrganization(test.db);
      await rootNode(test.db, organization);
      const client = admin.inOrganization(organization);
      for (const one of operations) {
        const status = await perform(client, one);
        expect(status, one.kind).toBeGreaterThan(0);
        expect(status, one.kind).toBeLessThan(500);
        await assertTreeIsExact(test.db, organization);
      }
    }),
    { ...runs(6), endOnFailure: true },
  );
});
