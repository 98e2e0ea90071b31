import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../testing/builders.ts';
import type { Client, Json, Page } from '../testing/client.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

/** Lists that are no resources. Helpers for version 2.1 send a limit and read `results`. */

let test: TestProgram;
let admin: Client;
let own: Client;
const ids: Record<string, string> = {};
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const add = async (path: string, body: Json) =>
    String((await admin.post<Json>(path, body)).body.id);
  const person = await buildUser(test.db);
  own = await bearer(test, person);
  ids.organization = await buildOrganization(test.db);
  for (const role of ['Admin', 'User'] as const)
    await buildUser(test.db, { memberOf: [{ organization: ids.organization, role }] });
  ids.user = person.id;
  ids.group = await buildGroup(test.db, [person.id]);
  ids.asset = await buildAsset(test.db);
  ids.root = await rootNode(test.db);
  for (const value of ['web', 'db'])
    ids[value] = await add(`assets/nodes/${ids.root}/children/`, { value: unique(value) });
  const filter = await add('assets/cmd-filters/', { name: unique('filter') });
  const accounts = [await buildSystemUser(test.db), await buildSystemUser(test.db)];
  ids.account = accounts[0] ?? '';
  await admin.patch(`assets/cmd-filters/${filter}/`, { system_users: accounts });
  for (const content of ['reboot', 'halt'])
    await add(`assets/cmd-filters/${filter}/rules/`, { filter, content });
  const subjects = { users: [person.id], groups: [ids.group] };
  await buildPermission(test.db, {
    ...subjects,
    assets: [ids.asset],
    nodes: [ids.web ?? '', ids.db ?? ''],
    systemUsers: accounts,
  });
  for (const name of ['web', 'db'])
    await add('assets/assets/', {
      hostname: unique(name),
      ip: '10.4.0.1',
      platform: 'Linux',
      nodes: [ids[name]],
    });
  const readers = [];
  for (const username of ['reader', 'writer'])
    readers.push(
      await add('assets/system-users/', {
        name: unique(username),
        username,
        protocol: 'mysql',
        login_mode: 'manual',
      }),
    );
  ids.database = await add('applications/database-apps/', {
    name: unique('db'),
    host: 'db.example.com',
  });
  await add('perms/database-app-permissions/', {
    name: unique('rule'),
    users: [person.id],
    user_groups: [ids.group],
    database_apps: [ids.database],
    system_users: readers,
  });
  const other = await buildAsset(test.db);
  await buildPermission(test.db, { users: [person.id], assets: [other], systemUsers: accounts });
  for (const asset of [ids.asset, other]) await own.post('assets/favorite-assets/', { asset });
});
afterAll(() => test.stop());

it.each([
  ['perms/users/assets/{asset}/system-users/', () => own],
  ['perms/users/{user}/assets/{asset}/system-users/', () => admin],
  ['perms/user-groups/{group}/assets/{asset}/system-users/', () => admin],
  ['perms/users/database-apps/{database}/system-users/', () => own],
  ['perms/users/{user}/database-apps/{database}/system-users/', () => admin],
  ['perms/user-groups/{group}/database-apps/{database}/system-users/', () => admin],
  ['perms/users/nodes/', () => own],
  ['perms/users/{user}/nodes/', () => admin],
  ['perms/user-groups/{group}/nodes/', () => admin],
  ['perms/users/nodes/children/', () => own],
  ['perms/users/{user}/nodes/children/', () => admin],
  ['perms/user-groups/{group}/nodes/children/', () => admin],
  ['perms/system-users-permission/', () => own],
  ['assets/nodes/children/', () => admin],
  ['assets/nodes/{root}/children/', () => admin],
  ['assets/system-users/{account}/cmd-filter-rules/', () => admin],
  ['assets/favorite-assets/', () => own],
  ['orgs/{organization}/users/all/', () => admin],
] as const)('answers %s as a bare list, and with a limit as a page', async (path, who) => {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const { status, body: rows } = await who().get<Json[]>(url);
  expect([status, Array.isArray(rows), rows.length > 1]).toEqual([200, true, true]);
  const page = async (query: string) => (await who().get<Page>(`${url}?${query}`)).body;
  expect(await page('limit=1')).toEqual({
    count: rows.length,
    next: expect.stringMatching(/\?limit=1&offset=1$/),
    previous: null,
    results: rows.slice(0, 1),
  });
  expect(await page('limit=1&offset=1')).toMatchObject({
    previous: expect.stringMatching(/\?limit=1$/),
    results: rows.slice(1, 2),
  });
  const beyond = await page(`limit=1&offset=${rows.length}`);
  expect([beyond.count, beyond.next, beyond.results]).toEqual([rows.length, null, []]);
  for (const none of ['limit=0', 'limit=all', 'limit=-1', 'offset=1'])
    expect([none, await page(none)]).toEqual([none, rows]);
});
