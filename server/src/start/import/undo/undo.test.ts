import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { API_KEY, startApiServer } from '../../../testing/jumpserver/api-server.ts';
import { fillApi3 } from '../../../testing/jumpserver/fill-api-3.ts';
import { fillVersion2, PASSWORD } from '../../../testing/jumpserver/fill-version-2.ts';
import { buildSource, type Source } from '../../../testing/jumpserver/source.ts';
import { LICENSE_PUBLIC_KEY } from '../../../testing/license.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../../testing/operator-command.ts';
import { bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let folder: string;
let source: Source;
let admin: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  [test, source] = await Promise.all([startTestProgram(), buildSource(2)]);
  admin = await bearer(test);
  await writeFile(join(folder, 'config.txt'), source.config);
});
afterEach(async () => {
  await test.stop();
  await source.drop();
});

async function run(words: readonly string[], by = runOperatorCommand) {
  const result = await by(test, ['import', ...words], {
    SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
  });
  return { ...result, lines: result.stdout.trim().split('\n') };
}

async function applyImport(): Promise<void> {
  const applied = await run(['jumpserver', `--config=${join(folder, 'config.txt')}`, '--apply']);
  expect([applied.stderr, applied.code]).toEqual(['', 0]);
}

/** Returns the id of the newest import. */
async function newestImport(): Promise<string> {
  const { lines } = await run(['undo']);
  return lines[0]?.split(' ')[0] ?? '';
}

const PLACES = [
  ...['users/users', 'users/groups', 'assets/assets', 'assets/nodes', 'assets/domains'],
  ...['assets/gateways', 'assets/platforms', 'assets/admin-users', 'assets/system-users'],
  ...['assets/cmd-filters', 'perms/asset-permissions', 'orgs/orgs', 'assets/asset-users'],
];

/** Returns all objects that an import may write, without what each write changes. */
async function everything(client = admin): Promise<unknown> {
  const all: Record<string, unknown> = {};
  for (const place of PLACES) {
    const { body } = await client.get<Json[]>(`${place}/`);
    all[place] = body.map(({ last_login: _, date_updated: __, rules: ___, ...row }) => row);
  }
  return all;
}

it('lists the import, shows what an undo does, and takes everything back once', async () => {
  const ids = await fillVersion2(source);
  const { body: domain } = await admin.post('assets/domains/', {
    name: 'shanghai',
    comment: 'ours',
  });
  const { body: filter } = await admin.post('assets/cmd-filters/', { name: 'No reboot' });
  const rule = { type: 'command', content: 'init 0', action: 0, priority: 3, comment: 'mine' };
  await admin.post(`assets/cmd-filters/${filter.id}/rules/`, rule);
  const before = await everything();
  await applyImport();
  expect(await everything()).not.toEqual(before);

  const list = await run(['undo']);
  expect(list.lines).toEqual([
    expect.stringMatching(/^[\da-f-]{36} {2}2.*Z {2}jumpserver: \d+ created, 2 changed$/),
  ]);
  const id = await newestImport();
  const plan = await run(['undo', id, '--plan']);
  expect(plan.lines).toEqual([
    expect.stringMatching(/^platforms +1 deleted, 0 restored, 0 gone, 0 refused$/),
    expect.stringMatching(/^users +2 deleted/),
    expect.stringMatching(/^user groups +1 deleted/),
    expect.stringMatching(/^domains +0 deleted, 1 restored/),
    expect.stringMatching(/^gateways +1 deleted/),
    expect.stringMatching(/^nodes +2 deleted/),
    expect.stringMatching(/^admin users +1 deleted/),
    expect.stringMatching(/^system users +2 deleted/),
    expect.stringMatching(/^assets +2 deleted/),
    expect.stringMatching(/^accounts on assets +1 deleted/),
    expect.stringMatching(/^asset permissions +1 deleted/),
    expect.stringMatching(/^command filters +0 deleted, 1 restored/),
    'Nothing was changed: --apply undoes the import.',
  ]);
  expect([plan.code, plan.stderr]).toEqual([2, '']);
  expect((await admin.get(`assets/assets/${ids.web1}/`)).status).toBe(200);

  const undone = await run(['undo', id, '--apply'], executeOperatorCommand);
  expect([undone.stderr, undone.code]).toEqual(['', 0]);
  expect(await everything()).toEqual(before);
  const { body: rules } = await admin.get<Json[]>(`assets/cmd-filters/${filter.id}/rules/`);
  expect(rules).toMatchObject([rule]);
  expect((await admin.get<Json>(`assets/domains/${domain.id}/`)).body).toMatchObject({
    ...{ name: 'shanghai', comment: 'ours' },
  });
  expect((await run(['undo'])).lines).toEqual(['No import of the last 24 hours can be undone.']);
  expect((await run(['undo', id, '--apply'])).stderr).toContain(`has the id ${id}`);
});

it('takes an organization back with its members and its tree', async () => {
  const server = await startApiServer();
  try {
    const ids = fillApi3(server, 'zones');
    await writeFile(join(folder, 'key'), `${API_KEY.id}:${API_KEY.secret}`, { mode: 0o600 });
    await admin.post('users/users/', {
      ...{ username: 'li.wei', name: 'li.wei', email: 'li.wei@example.com' },
      ...{ password_strategy: 1, password: 'another password 1' },
    });
    const before = await everything();
    const from = [`--url=${server.url}`, `--access-key-file=${join(folder, 'key')}`];
    expect((await run(['jumpserver', ...from, '--apply'])).code).toBe(0);
    expect((await admin.inOrganization(ids.org).get<Json[]>('assets/assets/')).body).toHaveLength(
      2,
    );
    const undone = await run(['undo', await newestImport(), '--apply']);
    expect([undone.lines.filter((line) => line.startsWith('refused')), undone.code]).toEqual([
      [],
      0,
    ]);
    expect(await everything()).toEqual(before);
  } finally {
    await server.stop();
  }
});

it.each<[string, string, (ids: Awaited<ReturnType<typeof fillVersion2>>) => Promise<unknown>]>([
  [
    'a changed asset',
    'refused asset "web-1"',
    ({ web1 }) => admin.patch(`assets/assets/${web1}/`, { comment: 'changed' }),
  ],
  [
    'a user who signed in',
    'refused user "li.wei"',
    async ({ liWei }) => {
      await admin.delete(`users/users/${liWei}/otp/`);
      return tryToSignIn(test, { username: 'li.wei', password: PASSWORD });
    },
  ],
  [
    'a system user of another permission',
    'refused system_user "deploy"',
    ({ deploy, rdp }) =>
      admin.post('perms/asset-permissions/', { name: 'Mine', system_users: [deploy, rdp] }),
  ],
  [
    'a node with a later asset',
    'refused node "Web"',
    ({ web }) =>
      admin.post('assets/assets/', {
        ...{ hostname: 'later', ip: '10.0.0.9', platform: 'Linux', nodes: [web] },
      }),
  ],
  [
    'an asset with a session',
    'refused asset "db-1"',
    ({ db1 }) =>
      sql`insert into session ("user", asset, "system_user", asset_id)
        values ('li.wei', 'db-1', 'deploy', ${db1})`.execute(test.db),
  ],
  [
    'a newer secret of an account',
    'refused asset_user "deploy@db-1"',
    ({ db1 }) =>
      admin.post('assets/asset-users/', { asset: db1, username: 'deploy', password: 'new 1' }),
  ],
])('takes nothing back because of %s, and names it', async (_what, line, use) => {
  const ids = await fillVersion2(source);
  await applyImport();
  await use(ids);
  const before = await everything();
  const id = await newestImport();
  const refused = await run(['undo', id, '--apply']);
  expect(refused.lines).toContainEqual(
    expect.stringMatching(new RegExp(`^${line}: was changed or used since the import$`)),
  );
  expect([refused.lines.at(-1), refused.code]).toEqual(['Nothing was changed.', 1]);
  expect(await everything()).toEqual(before);
  expect(await newestImport()).toBe(id);
});

it('skips what was deleted since, and refuses a changed object of ours', async () => {
  const ids = await fillVersion2(source);
  const { body: domain } = await admin.post('assets/domains/', { name: 'shanghai' });
  await applyImport();
  await admin.delete(`perms/asset-permissions/${ids.byNode}/`);
  const id = await newestImport();
  expect((await run(['undo', id, '--plan'])).lines).toContainEqual(
    expect.stringMatching(/^asset permissions +0 deleted, 0 restored, 1 gone, 0 refused$/),
  );
  await admin.patch(`assets/domains/${domain.id}/`, { comment: 'later' });
  expect((await run(['undo', id, '--apply'])).lines).toContainEqual(
    'refused domain "Shanghai": was changed or used since the import',
  );
});

it('forgets an import after a day', async () => {
  await fillVersion2(source);
  await applyImport();
  const id = await newestImport();
  await sql`update import_run set date_applied = now() - interval '24 hours 1 second'`.execute(
    test.db,
  );
  expect((await run(['undo'])).lines).toEqual(['No import of the last 24 hours can be undone.']);
  expect((await run(['undo', id, '--apply'])).code).toBe(1);
});

it('asks for one of plan and apply', async () => {
  expect((await run(['undo', crypto.randomUUID()])).stderr).toContain('--plan and --apply');
  expect((await run(['undo', crypto.randomUUID(), '--prove'])).code).toBe(1);
});
