import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildAsset, buildOrganization, rootNode } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { assertTreeIsExact } from '../../testing/tree-audit.ts';

let test: TestProgram;
let admin: Client;
let organization: string;
let root: string;
let nodes: string[];
let assets: string[];
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  admin = (await bearer(test)).inOrganization(organization);
  root = await rootNode(test.db, organization);
  nodes = [];
  // Four branches of three levels.
  for (let line = 0; line < 4; line++) {
    let parent = root;
    for (let level = 0; level < 3; level++) {
      parent = String(
        (await admin.post(`assets/nodes/${parent}/children/`, { value: `node-${line}-${level}` }))
          .body.id,
      );
      nodes.push(parent);
    }
  }
  assets = [];
  for (const node of nodes) assets.push(await buildAsset(test.db, { organization, nodes: [node] }));
});

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/**
 * Runs requests at once. Some may be rejected or asked to retry; none may fail with 500 or corrupt
 * the tree.
 */
async function runAtOnce(
  work: readonly Promise<{ status: number; text: string }>[],
): Promise<number[]> {
  const answers = await Promise.all(work);
  for (const { status, text } of answers)
    expect([200, 201, 204, 400, 403, 404, 409], text).toContain(status);
  await assertTreeIsExact(test.db, organization);
  return answers.map(({ status }) => status);
}

it('moves nodes against each other without deadlocks or cycles', async () => {
  const moves = nodes.flatMap((node, index) => [
    admin.put(`assets/nodes/${at(nodes, index * 5 + 4)}/children/add/`, { nodes: [node] }),
  ]);
  const statuses = await runAtOnce([
    ...moves,
    ...nodes.map((node, index) =>
      admin.put(`assets/nodes/${at(nodes, index + 6)}/children/add/`, { nodes: [node] }),
    ),
  ]);
  expect(statuses).not.toContain(409);
  expect(statuses).toContain(200);
});

it('keeps all assets that are added to many nodes at once', async () => {
  const statuses = await runAtOnce(
    nodes.map((node, index) =>
      admin.put(`assets/nodes/${node}/assets/add/`, {
        assets: [at(assets, index + 1), at(assets, index + 2)],
      }),
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('keeps counts exact when nodes and assets move, grow and disappear at once', async () => {
  const work = nodes.flatMap((node, index) => [
    admin.put(`assets/nodes/${at(nodes, index + 4)}/children/add/`, { nodes: [node] }),
    admin.put(`assets/nodes/${node}/assets/replace/`, { assets: [at(assets, index + 3)] }),
    admin.post(`assets/nodes/${node}/children/`, {}),
    admin.post(`assets/assets/?node_id=${node}`, {
      hostname: `fresh-${index}`,
      ip: '10.0.0.1',
      platform: 'Linux',
    }),
    admin.patch(`assets/assets/${at(assets, index)}/`, { nodes: [at(nodes, index + 7)] }),
    ...(index % 4 === 0 ? [admin.delete(`assets/assets/${at(assets, index + 1)}/`)] : []),
    ...(index % 5 === 0 ? [admin.delete(`assets/nodes/${node}/`)] : []),
  ]);
  await runAtOnce(work);
});

it('adds rows to one node at once without deadlocks', async () => {
  const ids = await Promise.all(
    Array.from({ length: 60 }, () => buildAsset(test.db, { organization, nodes: [root] })),
  );
  expect(new Set(ids).size).toBe(60);
  await assertTreeIsExact(test.db, organization);
});

it('gives children added at once different names and keys', async () => {
  const statuses = await runAtOnce(
    Array.from({ length: 12 }, () => admin.post(`assets/nodes/${root}/children/`, {})),
  );
  expect(statuses.every((status) => status === 201)).toBe(true);
});
