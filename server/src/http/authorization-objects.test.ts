import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { buildTwoOrganizations, type TwoOrganizations } from '../testing/two-organizations.ts';
import { isBound } from './authorization-matrix.ts';
import { LATER_PREFIX } from './later-prefix.ts';
import type { DeclaredRoute } from './route.ts';

let test: TestProgram;
let world: TwoOrganizations;
beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
});
afterAll(() => test.stop());

/** Kinds of path parameters with other names than `id`. */
const KIND_OF: Readonly<Record<string, string>> = {
  user: 'users/users',
  group: 'users/groups',
  node: 'assets/nodes',
  asset: 'assets/assets',
};

/** Paths of versions 3 and 4 that name our objects. */
const OURS: Readonly<Record<string, string>> = {
  'assets/hosts': 'assets/assets',
  'assets/zones': 'assets/domains',
  'assets/databases': 'applications/database-apps',
};

/** Fills the path of a route; `idOf` returns the id of a kind. */
function fill({ url }: DeclaredRoute, idOf: (kind: string) => string): string {
  const plain = url
    .replace(LATER_PREFIX, '')
    .replace(/assets\/(hosts|zones|databases)/, (path) => OURS[path] ?? path);
  const kind =
    Object.keys(world.foreign).find((path) => plain.startsWith(`/api/v1/${path}/:`)) ?? '';
  return url.replace(/:(\w+)/g, (_, name: string) => idOf(KIND_OF[name] ?? kind));
}

describe('routes that name an object', () => {
  it.each(['an administrator there', 'the super administrator'])(
    'returns 404 for an object of another organization to %s, and changes nothing',
    async (who) => {
      const caller =
        who === 'the super administrator'
          ? (await bearer(test)).inOrganization(world.here)
          : world.insider;
      const routes = test.program.app.routes.filter(
        (route) => isBound(route) && route.method !== 'HEAD',
      );
      expect(routes.length).toBeGreaterThan(80);
      const before = await world.fingerprint();
      const wrong: string[] = [];
      for (const route of routes) {
        const foreign = fill(route, (kind) => world.foreign[kind] ?? '1');
        const invented = fill(route, () => crypto.randomUUID());
        const answers = [];
        for (const path of [foreign, invented])
          answers.push(
            await caller.request(
              route.method,
              path,
              ['POST', 'PUT', 'PATCH'].includes(route.method) ? {} : undefined,
            ),
          );
        const [answer, other] = answers;
        // Metadata that is the same for every id, even an invented one, reveals nothing.
        if (route.method === 'OPTIONS' && answer?.status === 200 && answer.text === other?.text)
          continue;
        // The server may check the body before it looks up the object.
        const isRefused =
          answer?.status === 404 || (answer?.status === 400 && !answer.text.includes(world.mark));
        if (!isRefused || answer?.status !== other?.status)
          wrong.push(
            `${route.method} ${foreign} answered ${answer?.status}, an invented one ${other?.status}`,
          );
      }
      expect(wrong).toEqual([]);
      expect(await world.fingerprint()).toBe(before);
    },
  );
});
