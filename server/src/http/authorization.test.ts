import { Permission } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { buildCast, type Cast, ROLES, type RoleName } from '../testing/roles.ts';
import { tryToOpen } from '../testing/sockets.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import type { DeclaredRoute } from './route.ts';

const { USE, AUDIT, ADMIN, SUPER } = Permission;
/** The permission bits of each role, written down here by hand; undefined is nobody at all. */
const BITS: Readonly<Record<RoleName, number | undefined>> = {
  nobody: undefined,
  user: USE,
  auditor: AUDIT | USE,
  orgAdmin: ADMIN | AUDIT | USE,
  orgAuditor: AUDIT | USE,
  otherOrgAdmin: USE,
  superAdmin: SUPER | ADMIN | AUDIT | USE,
  disabled: undefined,
  expired: 0,
};

let test: TestProgram;
let cast: Cast;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
});
afterAll(() => test.stop());

/** What the access check alone says: 401, 403, or 200 for whatever comes after it. */
async function knock(client: Client, route: DeclaredRoute): Promise<number> {
  const path = route.url.replace(/:\w+/g, () => crypto.randomUUID()).replace('*', 'nothing');
  const csrf = { cookie: 'csrftoken=0123456789abcdef', 'x-csrftoken': '0123456789abcdef' };
  const { status, text } = route.socket ? await tryToOpen(client.with(csrf), path) : await client.with(csrf).send(route.method, path);
  if (status === 401) return 401;
  return status === 403 && text.includes('permission_denied') ? 403 : 200;
}

function expected(access: DeclaredRoute['access'], bits: number | undefined): number {
  if (access === 'public') return 200;
  if (bits === undefined) return 401;
  return access === 'signed-in' || (access & bits) === access ? 200 : 403;
}

describe('every declared route and socket', () => {
  it.each(ROLES)('lets %s in exactly where the declaration says', async (role) => {
    // Signing out comes last: what follows it would be nobody's.
    const routes = [...test.program.app.routes].sort((a, b) => Number(a.url.includes('logout')) - Number(b.url.includes('logout')));
    expect(routes.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const route of routes) {
      if (route.method === 'HEAD') continue;
      const answered = await knock(cast.clients[role], route);
      if (answered !== expected(route.access, BITS[role])) wrong.push(`${route.method} ${route.url} answered ${answered} to ${role}`);
    }
    expect(wrong).toEqual([]);
  });

  it('asks for at least one bit where it asks for bits', () => {
    expect(test.program.app.routes.filter(({ access }) => typeof access === 'number' && access <= 0)).toEqual([]);
  });
});

it('a route that declares no access keeps the server from being built', async () => {
  const app = await createApp({ log: test.program.app.http.log as never, authenticator: { authenticate: async () => undefined }, trustedProxies: [] });
  expect(() => app.http.get('/forgotten/', () => 'open to all')).toThrow(/declares no access/);
  await app.http.close();
});
