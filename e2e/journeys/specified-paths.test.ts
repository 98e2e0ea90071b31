import { resourceNamed } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Client } from '../../server/src/testing/client.ts';
import { until } from '../../server/src/testing/poll.ts';
import { words as tasks } from '../../web/src/console/features/ops/tasks/words.ts';
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

interface Objects {
  /** Ids by resource. */
  readonly ids: ReadonlyMap<string, string>;
  /** Texts of rows that lists show, by the paths of the lists. */
  readonly rows: ReadonlyMap<string, string>;
}

/** Creates the objects that `makeObjects` does not. */
async function objectsFor(admin: Client): Promise<Objects> {
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
  const rows = new Map(
    ['/applications/remote-apps', '/perms/remote-app-permissions', '/terminal/storages'].map(
      (path) => [path, name],
    ),
  );
  return { ids, rows };
}

/** Runs a batch command to its end. Returns the command. */
async function runCommand(user: Client, asset: string, account: string): Promise<string> {
  const command = `echo ${unique('batch')}`;
  const id = await create(user, 'ops/command-executions/', {
    hosts: [asset],
    run_as: account,
    command,
  });
  await until(
    async () =>
      (await user.get<{ is_finished: boolean }>(`ops/command-executions/${id}/`)).body.is_finished,
    'the batch command has ended',
  );
  return command;
}

/** The beginning of the log of a background task, in every language: the name of an asset. */
async function logOf(admin: Client, job: string): Promise<string> {
  let line = '';
  await until(async () => {
    const { body } = await admin.get<{ data: string; end: boolean }>(`ops/celery/task/${job}/log/`);
    line = body.data.split(/[:\s]/)[0] ?? '';
    return body.end && line !== '';
  }, 'the log of the task is written');
  return line;
}

/** Opens a path. Returns the problem if it shows /404 or an object that does not exist. */
async function wrongWith(
  page: Page,
  view: ConsolePage,
  { path, leadsTo }: SpecifiedPath,
  { address, row }: { readonly address: string; readonly row?: string | undefined },
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
  // The list begins with tasks that have a schedule.
  if (path === '/ops/tasks')
    await page
      .getByRole('radiogroup', { name: view.say(tasks.which) })
      .getByText(view.say(tasks.allTasks), { exact: true })
      .click();
  if (row) await view.row(row).or(page.getByRole('log').getByText(row)).first().waitFor();
  return (await page.getByText(view.say(detail.resourceLost)).count()) > 0
    ? `${path} shows an object that does not exist`
    : undefined;
}

async function walk(
  page: Page,
  view: ConsolePage,
  paths: readonly SpecifiedPath[],
  { ids, rows }: Objects,
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
    const problem = await wrongWith(page, view, specified, {
      address,
      row: rows.get(specified.path),
    });
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
    const { person, asset, account } = await buildGranted(admin, sshd);
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
    const objects = await objectsFor(admin);
    const { body } = await admin.get<{ results: { name: string }[] }>('ops/tasks/?limit=1');
    const rows = new Map([
      ...objects.rows,
      // The page says the action in its own language.
      ['/ops/tasks', body.results[0]?.name.split(': ').at(-1) ?? ''],
      [
        '/audits/command-execution-log',
        await runCommand(await server.signIn(person), asset.id, account.id),
      ],
    ]);
    const job = objects.ids.get('job') ?? '';
    rows.set('/ops/celery/task/{job}/log/', await logOf(admin, job));
    const own = SPECIFIED_PATHS.filter(({ area }) => area === 'user');
    expect(await walk(visitor.page, view, own, { ...objects, rows: new Map() })).toEqual([]);

    const desk = await open({ language });
    const deskView = new ConsolePage(desk);
    await signIn(desk, ADMIN, '/ui/dashboard');
    expect(
      await walk(
        desk.page,
        deskView,
        SPECIFIED_PATHS.filter(({ area }) => area !== 'user'),
        { ...objects, rows },
      ),
    ).toEqual([]);
  },
  600_000,
);
