import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { buildTwoOrganizations, type TwoOrganizations } from '../testing/two-organizations.ts';
import { isBound } from './authorization-matrix.ts';
import type { DeclaredRoute } from './route.ts';

let test: TestProgram;
let world: TwoOrganizations;
beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
});
afterAll(() => test.stop());

/** Parameters that name an object by another word than `id`. */
const KIND_OF: Readonly<Record<string, string>> = {
  user: 'users/users',
  group: 'users/groups',
  node: 'assets/nodes',
  asset: 'assets/assets',
};

/** The address of a route with ids; `idOf` gives the id of a kind. */
function fill({ url }: DeclaredRoute, idOf: (kind: string) => string): string {
  const kind = Object.keys(world.foreign).find((path) => url.startsWith(`/api/v1/${path}/:`)) ?? '';
  return url.replace(/:(\w+)/g, (_, name: string) => idOf(KIND_OF[name] ?? kind));
}

describe('routes that name an object', () => {
  it.each(['an administrator there', 'the super administrator'])(
    'do not find one of another organization for %s, and change nothing',
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
        // Metadata that is the same for every id, made up ones included, tells nothing of any.
        if (route.method === 'OPTIONS' && answer?.status === 200 && answer.text === other?.text)
          continue;
        // 400 for a body that lacks something, before anything is looked up.
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
