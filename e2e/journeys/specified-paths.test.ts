import { resourceNamed } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { SPECIFIED_PATHS, type SpecifiedPath } from '../../web/src/testing/specified-paths.ts';
import { buildGranted, create, unique } from '../harness/build.ts';
import { makeObjects } from '../harness/every-screen.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { TerminalPage } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useOwnServer();

const PLACE = /\{(\w+)\}/;

/** Creates the objects that `makeObjects` does not. Returns the ids of all objects by resource. */
async function objectsFor(admin: Client): Promise<ReadonlyMap<string, string>> {
  const me = (await admin.get<{ id: string }>('users/profile/')).body.id;
  const ids = new Map(await makeObjects(admin, me));
  const name = unique('path');
  const storage = {
    name,
    type: 's3',
    bucket: 'b',
    endpoint: 'http://127.0.0.1:9',
    access_key: 'k',
    secret_key: 's',
  };
  ids.set('replay_storage', await create(admin, 'terminal/replay-storages/', storage));
  ids.set(
    'command_storage',
    await create(admin, 'terminal/command-storages/', {
      name,
      type: 'es',
      hosts: 'http://127.0.0.1:9',
      index: 'i',
    }),
  );
  const remote = {
    name,
    asset: ids.get('asset'),
    type: 'chrome',
    params: { chrome_target: 'http://127.0.0.1', chrome_username: 'u', chrome_password: 'p' },
  };
  ids.set('remote_app', await create(admin, 'applications/remote-apps/', remote));
  ids.set(
    'database_app',
    await create(admin, 'applications/database-apps/', {
      name,
      type: 'mysql',
      host: '127.0.0.1',
      port: 9,
      database: 'd',
    }),
  );
  for (const kind of ['remote_app', 'database_app'] as const)
    ids.set(
      `${kind}_permission`,
      await create(admin, `perms/${kind.replace('_', '-')}-permissions/`, {
        name,
        users: [me],
        [`${kind}s`]: [ids.get(kind)],
        system_users: [
          await create(admin, 'assets/system-users/', {
            name: `${name}-${kind}`,
            username: 'root',
            login_mode: 'manual',
            protocol: kind === 'remote_app' ? 'rdp' : 'mysql',
          }),
        ],
      }),
    );
  ids.set(
    'ticket',
    await create(admin, 'tickets/tickets/', { title: name, body: name, assignees: [me] }),
  );
  for (const { path } of SPECIFIED_PATHS) {
    const resource = PLACE.exec(path)?.[1];
    if (!resource || ids.has(resource)) continue;
    const object = (
      await admin.get<{ results: { id: string }[] }>(`${resourceNamed(resource).path}/?limit=1`)
    ).body.results[0]?.id;
    if (!object) throw new Error(`there is no ${resource} for ${path}`);
    ids.set(resource, object);
  }
  return ids;
}

/** Opens a path. Returns the problem if it shows /404 or an object that does not exist. */
async function wrongWith(
  page: Page,
  view: ConsolePage,
  { path, leadsTo }: SpecifiedPath,
  address: string,
): Promise<string | undefined> {
  await page.goto(address.startsWith('/core') ? address : `/ui${address}`);
  const expected =
    leadsTo === undefined ? undefined : leadsTo.startsWith('/perms') ? `/ui${leadsTo}` : leadsTo;
  if (expected)
    await page
      .waitForURL((url) => url.pathname === expected, { timeout: 30_000 })
      .catch(() => undefined);
  // The web terminal has no heading.
  await page.getByRole('heading').or(page.getByRole('tree')).first().waitFor();
  const here = new URL(page.url()).pathname;
  if (expected) return here === expected ? undefined : `${path} leads to ${here}`;
  if (here === '/ui/404') return path === '/404' ? undefined : `${path} shows /404`;
  return (await page.getByText(view.say(detail.resourceLost)).count()) > 0
    ? `${path} shows an object that does not exist`
    : undefined;
}

async function walk(
  page: Page,
  view: ConsolePage,
  paths: readonly SpecifiedPath[],
  ids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const specified of paths) {
    const query =
      specified.path === '/assets/gateways/create' ? `?domain=${ids.get('domain')}` : '';
    const filter =
      specified.path === '/assets/command-filter-rules/create'
        ? `?filter=${ids.get('command_filter')}`
        : query;
    const address =
      specified.path.replace(PLACE, (_, resource: string) => ids.get(resource) ?? '') + filter;
    const problem = await wrongWith(page, view, specified, address);
    if (problem) wrong.push(problem);
  }
  return wrong;
}

journey(
  'opens the page of every path in the specification, in both areas',
  async (open, { admin, server, sshd }) => {
    await addLicense(server, admin);
    expect(
      (await admin.patch('settings/setting/', { security: { SECURITY_COMMAND_EXECUTION: true } }))
        .status,
    ).toBe(200);
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/');
    // A session, for its detail.
    await visitor.page.goto(`/luna/?login_to=${asset.id}`);
    await new TerminalPage(visitor.page, language, asset.name).ready();
    await until(
      async () => (await admin.get<{ count: number }>('terminal/sessions/?limit=1')).body.count > 0,
      'the session is listed',
    );
    const ids = await objectsFor(admin);
    const own = SPECIFIED_PATHS.filter(({ area }) => area === 'user');
    expect(await walk(visitor.page, view, own, ids)).toEqual([]);

    const desk = await open({ language });
    const deskView = new ConsolePage(desk);
    await signIn(desk, ADMIN, '/ui/dashboard');
    expect(
      await walk(
        desk.page,
        deskView,
        SPECIFIED_PATHS.filter(({ area }) => area !== 'user'),
        ids,
      ),
    ).toEqual([]);
  },
  600_000,
);
