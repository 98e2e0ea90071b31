import { randomUUID as id } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { buildSource, djangoHash, type Source, sealGcm } from '../../testing/jumpserver/source.ts';
import { LICENSE_PUBLIC_KEY } from '../../testing/license.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const DEFAULT_ORG = '00000000-0000-0000-0000-000000000002';
const role = (index: number) => `00000000-0000-0000-0000-00000000000${index}`;
const PASSWORD = 'the password of Li Wei 1';

let test: TestProgram;
let folder: string;
let source: Source;
let admin: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  [test, source] = await Promise.all([startTestProgram(), buildSource(3)]);
  admin = await bearer(test);
  await writeFile(join(folder, 'config.txt'), source.config);
});
afterEach(async () => {
  await test.stop();
  await source.drop();
});

async function runImport(...words: string[]) {
  const config = `--config=${join(folder, 'config.txt')}`;
  const result = await runOperatorCommand(test, ['import', 'jumpserver', config, ...words], {
    SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
  });
  expect(result.stderr).toBe('');
  return { ...result, lines: result.stdout.trim().split('\n') };
}

/** An organization with two users, a tree and assets with accounts. */
async function fillSource() {
  const { add } = source;
  const ids = {
    ...{ org: id(), liWei: id(), chief: id(), group: id(), root: id(), prod: id() },
    ...{ web1: id(), web2: id(), win: id(), db: id(), all: id(), gw: id(), zone: id() },
  };
  const org_id = ids.org;
  await add('orgs_organization', { id: DEFAULT_ORG, name: 'DEFAULT' });
  await add('orgs_organization', { id: ids.org, name: 'Shanghai' });
  await add('users_user', {
    ...{ id: ids.liWei, username: 'li.wei', name: 'Li Wei', email: 'li.wei@example.com' },
    password: djangoHash(PASSWORD),
  });
  await add('users_user', {
    ...{ id: ids.chief, username: 'chief', name: 'Chief', email: 'chief@example.com' },
    password: 'pbkdf2_gm$1$2$3',
  });
  const bind = (scope: string, user: string, index: number) =>
    add('rbac_rolebinding', {
      ...{ id: id(), scope, user_id: user, role_id: role(index) },
      org_id: scope === 'org' ? ids.org : null,
    });
  await bind('system', ids.liWei, 3);
  await bind('system', ids.chief, 1);
  await bind('org', ids.liWei, 7);
  await bind('org', ids.chief, 5);
  await add('users_usergroup', { id: ids.group, org_id, name: 'Operators' });
  await add('users_user_groups', { user_id: ids.liWei, usergroup_id: ids.group });
  await add('assets_node', { id: ids.root, org_id, key: '2', value: 'Shanghai' });
  await add('assets_node', { id: ids.prod, org_id, key: '2:1', value: 'Production / EU' });
  await add('assets_domain', { id: ids.zone, org_id, name: 'Office' });
  for (const [platform, name, type] of [
    [1, 'Linux', 'linux'],
    [5, 'Windows 2019', 'windows'],
    [7, 'Gateway', 'linux'],
    [8, 'MySQL', 'mysql'],
  ] as const)
    await add('assets_platform', { id: platform, name, type, category: 'host' });
  const asset = async (
    [assetId, name, address]: readonly [string, string, string],
    platform_id: number,
    protocols: readonly (readonly [string, number])[],
  ) => {
    await add('assets_asset', { id: assetId, org_id, name, address, platform_id });
    await add('assets_asset_nodes', { asset_id: assetId, node_id: ids.prod });
    for (const [protocol, port] of protocols)
      await add('assets_protocol', { name: protocol, port, asset_id: assetId });
  };
  await asset([ids.web1, 'web-1', '10.0.0.1'], 1, [
    ['ssh', 22],
    ['sftp', 22],
  ]);
  await asset([ids.web2, 'web-2', '10.0.0.2'], 1, [['ssh', 2222]]);
  await asset([ids.win, 'win-1', '10.0.0.3'], 5, [
    ['rdp', 3389],
    ['winrm', 5985],
  ]);
  await asset([ids.db, 'orders', '10.0.0.4'], 8, [['mysql', 3306]]);
  await asset([ids.gw, 'gate', '198.51.100.7'], 7, [['ssh', 2200]]);
  await source.run(
    `update assets_asset set domain_id = '${ids.zone}' where name in ('gate', 'web-1')`,
  );
  const account = (asset_id: string, username: string, secret: string | null) =>
    add('accounts_account', {
      ...{ id: id(), org_id, asset_id, username, name: username },
      _secret: secret === null ? null : sealGcm(secret),
    });
  await account(ids.web1, 'root', 'root of web-1');
  await account(ids.web1, 'deploy', 'deploy of web-1');
  await account(ids.web2, 'root', 'root of web-2');
  await account(ids.win, 'Administrator', null);
  await account(ids.db, 'app', 'app of orders');
  await account(ids.gw, 'jump', 'jump of gate');
  return ids;
}

async function addPermission(
  { org, group, prod }: Readonly<Record<'org' | 'group' | 'prod', string>>,
  name: string,
  accounts: readonly string[],
  actions = 31,
) {
  const permission = await source.add('perms_assetpermission', {
    ...{ id: id(), org_id: org, name, actions, accounts: JSON.stringify(accounts) },
    ...{ date_start: '2020-01-01T00:00:00Z', date_expired: '2090-01-01T00:00:00Z' },
  });
  const link = { assetpermission_id: permission };
  await source.add('perms_assetpermission_user_groups', { ...link, usergroup_id: group });
  await source.add('perms_assetpermission_nodes', { ...link, node_id: prod });
  return permission;
}

it('imports organizations with members, and grants each account where it exists only', async () => {
  const ids = await fillSource();
  await source.run(`delete from assets_asset where name = 'orders'`);
  await addPermission(ids, 'Everything', ['@ALL']);
  await addPermission(ids, 'Root', ['root', '@INPUT'], 1);
  const applied = await runImport('--apply');
  expect([applied.code, applied.lines.filter((line) => line.startsWith('note'))]).toEqual([
    0,
    expect.arrayContaining([
      expect.stringContaining('password is no PBKDF2-SHA256 hash'),
      expect.stringContaining('protocols without winrm'),
      expect.stringContaining('accounts on some of its assets only: 1'),
    ]),
  ]);
  const proof = await runImport('--prove');
  expect(proof.lines).toEqual([
    expect.stringMatching(/^2 users, 7 accesses of users to accounts: equal$/),
  ]);
  const shanghai = admin.inOrganization(ids.org);
  const { body: assets } = await shanghai.get<Json[]>('assets/assets/');
  expect(assets.map(({ hostname }) => hostname)).toEqual(['web-1', 'web-2', 'win-1']);
  const { body: nodes } = await shanghai.get<Json[]>('assets/nodes/');
  expect(nodes.map(({ full_value }) => full_value)).toContain('Shanghai / Production / EU');
  const { body: gateways } = await shanghai.get<Json[]>('assets/gateways/');
  expect(gateways).toMatchObject([{ name: 'gate', port: 2200, username: 'jump' }]);
  const { rows } = await sql<{ username: string; role: string; home: string }>`
    select a.username, m.role, a.role as home from organization_member m
    join account a on a.id = m.user_id order by 1`.execute(test.program.database.db);
  expect(rows).toEqual([
    { username: 'chief', role: 'Admin', home: 'Admin' },
    { username: 'li.wei', role: 'User', home: 'User' },
  ]);
  const again = await runImport('--apply');
  expect(again.lines.filter((line) => /[1-9]\d* (new|changed|refused)/.test(line))).toEqual([]);
});

it('stores the secrets for their assets', async () => {
  await fillSource();
  await runImport('--apply');
  const { vault, database } = test.program;
  const { rows } = await sql<Record<'id' | 'hostname' | 'username' | 'password', string>>`
    select s.id, a.hostname, s.username, s.password from asset_user s
    join asset a on a.id = s.asset_id order by 2, 3`.execute(database.db);
  expect(
    rows.map(({ id: row, hostname, username, password }) => [
      `${username}@${hostname}`,
      vault.open(password, `asset_user.password.${row}`),
    ]),
  ).toEqual([
    ['deploy@web-1', 'deploy of web-1'],
    ['root@web-1', 'root of web-1'],
    ['root@web-2', 'root of web-2'],
  ]);
});

it('says what it leaves out, and the proof lists it', async () => {
  const ids = await fillSource();
  await addPermission(ids, 'Everything', ['@ALL'], 1);
  await source.add('acls_commandfilteracl', {
    ...{ id: id(), org_id: ids.org, name: 'For some', action: 'reject' },
    ...{ users: '{"type":"ids","ids":[]}', assets: '{"type":"all"}', accounts: '["@ALL"]' },
  });
  const { lines } = await runImport('--apply');
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^note assets_asset .*: "orders" offers mysql, which assets here do not/,
      ),
      expect.stringMatching(/^note acls_commandfilteracl .*: is for some users or assets only/),
    ]),
  );
  const proof = await runImport('--prove');
  expect(proof.lines).toEqual([
    'li.wei: Shanghai / orders: app: source connect; Sallyport nothing',
    '2 users, 5 accesses of users to accounts: 1 differences',
  ]);
  expect(proof.code).toBe(2);
});

it('imports command filters for all users and assets', async () => {
  const ids = await fillSource();
  const group = await source.add('acls_commandgroup', {
    ...{ id: id(), org_id: ids.org, name: 'Power', type: 'command', content: 'reboot\nhalt' },
  });
  const filter = await source.add('acls_commandfilteracl', {
    ...{ id: id(), org_id: ids.org, name: 'No reboot', action: 'reject', priority: 10 },
    ...{ users: '{"type":"all"}', assets: '{"type":"all"}', accounts: '["root"]' },
  });
  await source.add('acls_commandfilteracl_command_groups', {
    ...{ commandfilteracl_id: filter, commandgroup_id: group },
  });
  await runImport('--apply');
  const shanghai = admin.inOrganization(ids.org);
  const { body: rules } = await shanghai.get<Json[]>(`assets/cmd-filters/${filter}/rules/`);
  expect(rules).toMatchObject([{ content: 'reboot\nhalt', action: 0, priority: 91 }]);
});
