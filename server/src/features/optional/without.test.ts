import { join } from 'node:path';
import { FEATURE_NAMES, type FeatureName, type FeatureRow, featureOf } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartError } from '../../config.ts';
import { MODULES } from '../../modules.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Json } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type CanaryWorld, startCanaryWorld } from '../../testing/terminals/canary-world.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { buildScene, type Scene } from '../change-control/testing/scene.ts';

const NO_ID = '00000000-0000-4000-8000-000000000000';

/** The declared routes with their access, by method and address. */
const routesOf = ({ program }: TestProgram): ReadonlyMap<string, unknown> =>
  new Map(
    program.app.routes
      .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
      .map(({ method, url, access }) => [`${method} ${url}`, access]),
  );
const addressOf = (route: string): readonly [string, string] => {
  const [method = '', url = ''] = route.split(' ');
  return [method, url.replace(/:\w+|\*/g, NO_ID)];
};

/** The program with every feature. The others share its database. */
let whole: TestProgram;
let scene: Scene;
let everything: ReadonlyMap<string, unknown>;
beforeAll(async () => {
  whole = await startTestProgram();
  everything = routesOf(whole);
  scene = await buildScene(whole);
});
afterAll(() => whole.stop());

const secretKeyFile = () => join(whole.dataDirectory, 'secret.key');
const startWithout = (...without: readonly string[]) =>
  startTestProgram({ databaseUrl: whole.databaseUrl, secretKeyFile: secretKeyFile(), without });

it('names a module of the program for each feature', () => {
  const modules = MODULES.map(({ name }) => name);
  expect(FEATURE_NAMES.filter((name) => !modules.includes(name))).toEqual([]);
});

it('refuses to start without a required feature, and names those that can be off', async () => {
  const failure = await startWithout('saml', 'identity').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartError);
  for (const part of ['identity cannot be switched off', ...FEATURE_NAMES])
    expect(String(failure)).toContain(part);
});

/** Features without routes of the console's port. */
const SILENT: readonly FeatureName[] = ['metrics', 'traces'];

it.each(FEATURE_NAMES)('starts, signs in and answers without %s', async (name) => {
  const test = await startWithout(name);
  try {
    const admin = await bearer(test);
    const off = [...everything.keys()].filter((route) => !routesOf(test).has(route));
    expect(off.length === 0, off.join()).toBe(SILENT.includes(name));
    for (const route of off.slice(0, 5)) {
      const [method, path] = addressOf(route);
      const { status } = await admin.request(method, path, undefined);
      expect([route, status]).toEqual([route, 404]);
    }
    const settings = await admin.get<Json>('settings/setting/');
    expect(Object.keys(settings.body)).not.toEqual(
      expect.arrayContaining(featureOf(name).settings?.slice(0, 1) ?? ['no category']),
    );
    const features = await admin.get<readonly FeatureRow[]>('common/features/');
    expect(features.body.filter(({ on }) => !on).map((row) => row.name)).toEqual([name]);
  } finally {
    await test.stop();
  }
});

describe('without all of them', () => {
  let world: CanaryWorld;
  let cast: Cast;
  beforeAll(async () => {
    world = await startCanaryWorld(whole.databaseUrl, {
      secretKeyFile: secretKeyFile(),
      without: FEATURE_NAMES,
    });
    cast = await buildCast(world.test);
  });
  afterAll(() => world.stop());

  it('opens a terminal', async () => {
    const terminal = await world.open();
    await terminal.type('without');
    await terminal.exit();
  });

  it('answers 404 at each of their routes, to the first administrator', async () => {
    const left = routesOf(world.test);
    const off = [...everything.keys()].filter((route) => !left.has(route));
    expect(off.length).toBeGreaterThan(60);
    const answers = await Promise.all(
      off.map(async (route) => {
        const [method, path] = addressOf(route);
        return [route, (await cast.clients.superAdmin.request(method, path, undefined)).status];
      }),
    );
    // The pages of the console answer any address below theirs.
    expect(answers.filter(([, status]) => status !== 404 && status !== 405)).toEqual([]);
  });

  it('keeps the access of each other route, and asks visitors to sign in', async () => {
    const left = [...routesOf(world.test)];
    expect(left).toEqual(left.map(([route]) => [route, everything.get(route)]));
    const closed = left.filter(([, access]) => access !== 'public');
    const answers = await Promise.all(
      closed.map(async ([route]) => {
        const [method, path] = addressOf(route);
        const { status } = await world.test.visitor.request(method, path, undefined);
        return [route, status];
      }),
    );
    expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
  });

  it('shows defaults for their settings, keeps the stored ones, and refuses new ones', async () => {
    const stored = { AUTH_CAS_NAME: 'Campus', AUTH_CAS_SERVER_URL: 'https://cas.example.com' };
    const admin = await bearer(whole);
    expect((await admin.patch('settings/setting/', { cas: stored })).status).toBe(200);
    const refused = await world.admin.patch('settings/setting/', { cas: { AUTH_CAS: false } });
    expect([refused.status, Object.keys(refused.body as Json)]).toEqual([400, ['cas']]);
    const single = await world.admin.patch('settings/setting/', { AUTH_CAS_NAME: 'Other' });
    expect(single.status).toBe(400);
    expect((await admin.get<Json>('settings/setting/')).body.cas).toMatchObject(stored);
  });

  it('tells signed-in users only which features are off', async () => {
    const flags = async (client: TestProgram['visitor']) =>
      (await client.get<{ data: Json }>('settings/public/')).body.data.FEATURES_OFF;
    expect(await flags(cast.clients.user)).toEqual(FEATURE_NAMES);
    expect(await flags(world.test.visitor)).toBeUndefined();
  });

  it('refuses controlled changes, and shows it to those above organizations only', async () => {
    const rule = `perms/asset-permissions/${scene.permission}/`;
    const headers = world.admin.inOrganization(scene.organization);
    const { status, body } = await headers.patch<Json>(rule, { comment: 'direct' });
    expect([status, body.code]).toEqual([409, 'change_must_be_proposed']);
    const itemsOf = async (role: 'superAdmin' | 'auditor' | 'orgAdmin') =>
      (await cast.clients[role].get<Json[]>('common/attention/')).body.filter(
        ({ kind }) => kind === 'protection_off',
      );
    for (const role of ['superAdmin', 'auditor'] as const)
      expect(await itemsOf(role)).toMatchObject([
        { count: 1, examples: [{ name: 'change-control' }] },
      ]);
    expect(await itemsOf('orgAdmin')).toEqual([]);
  });

  it('writes an entry of the chained log when features are switched off and on', async () => {
    const newest = async () => {
      const { rows } = await sql<{ off: readonly unknown[] }>`
        select changes -> 'features_off' as off from operate_log
        where resource = 'FEATURES_OFF' order by sequence desc limit 1`.execute(whole.db);
      return rows[0]?.off;
    };
    expect((await newest())?.[1]).toEqual(FEATURE_NAMES.toSorted());
    const again = await startWithout();
    await again.stop();
    expect(await newest()).toEqual([FEATURE_NAMES.toSorted(), []]);
  });
});
