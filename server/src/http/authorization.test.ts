import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Permission } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sshAuthorization } from '../gateway/listeners/ssh/requests.ts';
import type { Client } from '../testing/client.ts';
import { buildCast, type Cast, ROLES, type RoleName } from '../testing/roles.ts';
import { tryToOpen } from '../testing/sockets.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import { authorizationDocument, CALLER_KIND_NAMES, CALLER_KINDS } from './authorization-matrix.ts';
import type { DeclaredRoute } from './route.ts';

const { USE, AUDIT, ADMIN, SUPER } = Permission;
/** Permission bits by role, written by hand; undefined without a sign-in. */
const BITS: Readonly<Record<RoleName, number | undefined>> = {
  nobody: undefined,
  user: USE,
  auditor: SUPER | AUDIT | USE,
  orgAdmin: ADMIN | AUDIT | USE,
  orgAuditor: AUDIT | USE,
  otherOrgAdmin: USE,
  superAdmin: SUPER | ADMIN | AUDIT | USE,
  systemAdmin: SUPER | ADMIN | AUDIT | USE,
  securityAdmin: SUPER | ADMIN | AUDIT | USE,
  auditAdmin: SUPER | AUDIT | USE,
  disabled: undefined,
  expired: 0,
};

/** Bits of the same roles in an organization where they hold none. */
const BITS_ELSEWHERE = {
  nobody: undefined,
  expired: 0,
  user: USE,
  orgAuditor: USE,
  orgAdmin: USE,
  auditor: SUPER | AUDIT | USE,
  superAdmin: SUPER | ADMIN | AUDIT | USE,
  systemAdmin: SUPER | ADMIN | AUDIT | USE,
  securityAdmin: SUPER | ADMIN | AUDIT | USE,
  auditAdmin: SUPER | AUDIT | USE,
};

/** Areas by duty, written by hand; `!` for changes too. */
const AREAS_OF: Readonly<Partial<Record<RoleName, string>>> = {
  systemAdmin: 'own! assets! secrets! users! groups operation! jobs! settings! changes!',
  securityAdmin:
    'agents! own! assets users! groups! jobs settings! permissions! changes! rules! security! tickets! reports',
  auditAdmin: 'agents own! jobs tickets logs alerts! reports',
};
const DUTY_ROLES = Object.keys(AREAS_OF) as RoleName[];
const SAFE = ['GET', 'HEAD', 'OPTIONS'];

function isCovered(role: RoleName, { area, method, reads }: DeclaredRoute): boolean {
  const areas = AREAS_OF[role]?.split(' ');
  if (!areas) return true;
  return (
    areas.includes(`${area}!`) ||
    (areas.includes(`${area}`) && (reads === true || SAFE.includes(method)))
  );
}

let test: TestProgram;
let cast: Cast;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
});
afterAll(() => test.stop());

/** Returns the result of the access check alone: 401, 403, or 200 for every later result. */
async function knock(client: Client, route: DeclaredRoute): Promise<number> {
  const path = route.url.replace(/:\w+/g, () => crypto.randomUUID()).replace('*', 'nothing');
  const csrf = { cookie: 'csrftoken=0123456789abcdef', 'x-csrftoken': '0123456789abcdef' };
  const { status, text } = route.socket
    ? await tryToOpen(client.with(csrf), path)
    : await client.with(csrf).send(route.method, path);
  // Some handlers return 401 for other reasons.
  if (status === 401 && (route.socket || text.includes('not_authenticated'))) return 401;
  return status === 403 && /permission_denied|duty_denied/.test(text) ? 403 : 200;
}

function expected(route: DeclaredRoute, bits: number | undefined, role: RoleName): number {
  const { access } = route;
  if (access === 'public') return 200;
  if (bits === undefined) return 401;
  const isAdmitted = access === 'signed-in' || (access & bits) === access;
  return isAdmitted && isCovered(role, route) ? 200 : 403;
}

const everyRoute = () => test.program.app.routes.filter(({ method }) => method !== 'HEAD');
/** Excluded: signing out would leave the later requests without a sign-in. */
const endsSignIn = ({ method, url }: DeclaredRoute) => method === 'POST' && url.includes('logout');

async function findWrong(
  role: RoleName,
  client: Client,
  routes: readonly DeclaredRoute[],
  bits = BITS[role],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const route of routes) {
    const answered = await knock(client, route);
    if (answered !== expected(route, bits, role))
      wrong.push(`${route.method} ${route.url} answered ${answered}`);
  }
  return wrong;
}

/** One route of each declared access, for sockets and for other routes. */
function oneOfEach(): DeclaredRoute[] {
  const first = new Map<string, DeclaredRoute>();
  for (const route of everyRoute().filter((one) => !endsSignIn(one)))
    first.set(`${route.access} ${route.socket === true}`, route);
  return [...first.values()];
}

const isPart = (bits: number, of: number) => (of & bits) === bits;

/**
 * Returns the roles that decide about a route: the caller without a sign-in, the admitted roles
 * with the fewest bits, and the rejected roles with the most. Roles between them get the answer of
 * one of these, by a comparison of bits that every role proves on one route of each access.
 */
function decidingRoles(route: DeclaredRoute): readonly RoleName[] {
  const signedIn = ROLES.flatMap((role) => {
    const bits = BITS[role];
    const isFirst = ROLES.findIndex((other) => BITS[other] === bits) === ROLES.indexOf(role);
    return bits === undefined || !isFirst || DUTY_ROLES.includes(role)
      ? []
      : [{ role, bits, isAdmitted: expected(route, bits, role) === 200 }];
  });
  const deciding = signedIn.filter(
    (one) =>
      !signedIn.some(
        (other) =>
          other !== one &&
          other.isAdmitted === one.isAdmitted &&
          (one.isAdmitted ? isPart(other.bits, one.bits) : isPart(one.bits, other.bits)),
      ),
  );
  return ['nobody', ...deciding.map(({ role }) => role), ...DUTY_ROLES];
}

describe('in another organization a route and a socket of each access', () => {
  it.each(CALLER_KIND_NAMES)('admits %s exactly where the declaration allows it', async (name) => {
    const { clients, otherOrganization } = cast;
    const client = clients[name].inOrganization(otherOrganization);
    expect(oneOfEach().length).toBeGreaterThan(6);
    expect(await findWrong(name, client, oneOfEach(), BITS_ELSEWHERE[name])).toEqual([]);
  });
});

describe('docs/authorization.md', () => {
  it.each(CALLER_KIND_NAMES)('calculates for %s with the permission bits of the test', (name) => {
    expect([CALLER_KINDS[name].own, CALLER_KINDS[name].other]).toEqual([
      BITS[name],
      BITS_ELSEWHERE[name],
    ]);
  });

  it('matches the routes that the server registers', () => {
    const written = readFileSync(
      resolve(import.meta.dirname, '../../../docs/authorization.md'),
      'utf8',
    );
    expect(written.split('\n')).toEqual(
      `${authorizationDocument(test.program.app.routes)}${sshAuthorization()}`.split('\n'),
    );
  });
});

describe('every declared route and socket', () => {
  it.each(ROLES)('admits %s exactly where the declaration allows it', async (role) => {
    const every = everyRoute().filter((route) => !endsSignIn(route));
    expect(every.length).toBeGreaterThan(100);
    const decided = every.filter((route) => decidingRoles(route).includes(role));
    const routes = [...new Set([...decided, ...oneOfEach()])];
    expect(await findWrong(role, cast.clients[role], routes)).toEqual([]);
  });

  it('decides about each route by an admitted role, and by a rejected one unless it is open', () => {
    for (const route of everyRoute()) {
      const statuses = decidingRoles(route).map((role) => expected(route, BITS[role], role));
      const isOpen = typeof route.access !== 'number';
      expect([route.url, statuses.includes(200), isOpen || statuses.includes(403)]).toEqual([
        route.url,
        true,
        true,
      ]);
    }
  });

  it('admits every caller to sign-out routes exactly where the declaration allows it', async () => {
    const routes = everyRoute().filter(endsSignIn);
    expect(routes.length).toBeGreaterThan(0);
    // Use another server: the other tests have used up this address's sign-in rate limit.
    const other = await startTestProgram();
    try {
      for (const route of routes) {
        const { clients } = await buildCast(other);
        for (const role of ROLES)
          expect([role, await findWrong(role, clients[role], [route])]).toEqual([role, []]);
      }
    } finally {
      await other.stop();
    }
  });

  it('requires at least one bit where a route declares bits', () => {
    expect(
      test.program.app.routes.filter(({ access }) => typeof access === 'number' && access <= 0),
    ).toEqual([]);
  });
});

it('refuses to build the server when a route declares no access', async () => {
  const app = await createApp({
    log: test.program.app.http.log as never,
    authenticator: { authenticate: async () => undefined },
    trustedProxies: [],
  });
  expect(() => app.http.get('/forgotten/', () => 'open to all')).toThrow(/declares no access/);
  await app.http.close();
});
