import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { fillVersion2, OTP, PASSWORD, SECRETS } from '../../testing/jumpserver/fill-version-2.ts';
import { buildSource, type Source, sealGcm } from '../../testing/jumpserver/source.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer, tryToSignIn } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

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

async function runImport(words: readonly string[], run = runOperatorCommand) {
  const config = `--config=${join(folder, 'config.txt')}`;
  const result = await run(test, ['import', 'jumpserver', config, ...words]);
  for (const secret of SECRETS) expect(`${result.stdout}${result.stderr}`).not.toContain(secret);
  return { ...result, lines: result.stdout.trim().split('\n') };
}

it('plans without a change, applies once, finds nothing to do afterwards, and proves equality', async () => {
  const ids = await fillVersion2(source);
  const plan = await runImport(['--plan']);
  expect(plan.stderr).toBe('');
  expect(plan.lines).toEqual([
    expect.stringMatching(/^note users_user .*: is the account of a component/),
    expect.stringMatching(/^platforms +1 new, 1 same, 0 changed, 0 refused$/),
    expect.stringMatching(/^users +2 new/),
    expect.stringMatching(/^user groups +1 new/),
    expect.stringMatching(/^domains +1 new/),
    expect.stringMatching(/^gateways +1 new/),
    expect.stringMatching(/^nodes +2 new, 1 same/),
    expect.stringMatching(/^admin users +1 new/),
    expect.stringMatching(/^system users +2 new/),
    expect.stringMatching(/^assets +2 new/),
    expect.stringMatching(/^accounts on assets +1 new/),
    expect.stringMatching(/^asset permissions +1 new/),
    expect.stringMatching(/^command filters +1 new/),
    'Nothing was changed: --apply makes the changes.',
  ]);
  expect(plan.code).toBe(2);
  expect((await admin.get<Json[]>('assets/assets/')).body).toEqual([]);

  const applied = await runImport(['--apply'], executeOperatorCommand);
  expect([applied.stderr, applied.code]).toEqual(['', 0]);
  const again = await runImport(['--apply']);
  expect(again.code).toBe(0);
  expect(again.lines.filter((line) => /[1-9]\d* (new|changed|refused)/.test(line))).toEqual([]);

  const proof = await runImport(['--prove']);
  expect([proof.lines, proof.code]).toEqual([
    ['2 users, 3 accesses of users to accounts: equal'],
    0,
  ]);

  const { body: web1 } = await admin.get<Json>(`assets/assets/${ids.web1}/`);
  expect(web1).toMatchObject({
    ...{ hostname: 'web-1', protocols: ['ssh/22', 'rdp/3389'], platform: 'Linux' },
    ...{ domain_display: 'Shanghai', admin_user_display: 'root key' },
  });
  const { body: db1 } = await admin.get<Json>(`assets/assets/${ids.db1}/`);
  expect(db1).toMatchObject({ protocols: ['ssh/2222'], platform: 'Old-Unix' });
  const { body: nodes } = await admin.get<Json[]>('assets/nodes/');
  expect(nodes.map((node) => node.full_value)).toContain('Default / Web / Databases');
});

it('lists each difference between the access in the source and in Sallyport', async () => {
  const ids = await fillVersion2(source);
  await runImport(['--apply']);
  await admin.patch(`perms/asset-permissions/${ids.byNode}/`, { actions: ['connect'] });
  await source.add('perms_assetpermission', { id: ids.byAsset, name: 'Later', actions: 1 });
  await source.add('perms_assetpermission_users', {
    ...{ assetpermission_id: ids.byAsset, user_id: ids.wangFang },
  });
  await source.add('perms_assetpermission_assets', {
    ...{ assetpermission_id: ids.byAsset, asset_id: ids.db1 },
  });
  await source.add('perms_assetpermission_system_users', {
    ...{ assetpermission_id: ids.byAsset, systemuser_id: ids.deploy },
  });
  const { lines, code } = await runImport(['--prove']);
  const all = 'source connect, upload_file, download_file, updownload; Sallyport connect';
  expect(lines.toSorted()).toEqual(
    [
      '2 users, 4 accesses of users to accounts: 4 differences',
      `li.wei: DEFAULT / db-1: deploy: ${all}`,
      `li.wei: DEFAULT / web-1: deploy: ${all}`,
      `li.wei: DEFAULT / web-1: operators: ${all}`,
      'wang.fang: DEFAULT / db-1: deploy: source connect; Sallyport nothing',
    ].toSorted(),
  );
  expect(code).toBe(2);
});

it('opens the secrets of the source and seals them here', async () => {
  const ids = await fillVersion2(source);
  await runImport(['--apply']);
  const { vault, database } = test.program;
  const opened = async (table: string, id: string) => {
    const { rows } = await sql<{ id: string; password: string }>`
      select id, password from ${sql.table(table)} where password is not null`.execute(database.db);
    const row = rows.find((one) => id === '' || one.id === id);
    return row && vault.open(row.password, `${table}.password.${row.id}`);
  };
  expect([
    await opened('gateway', ''),
    await opened('system_account', ids.deploy),
    await opened('asset_user', ''),
  ]).toEqual(['of the gateway 1', 'of deploy 1', 'of db-1 only 1']);
  const { rows } = await sql`
    select 1 from admin_user where private_key is not null`.execute(database.db);
  expect(rows).toHaveLength(1);
});

it('signs imported users in with their password and code, and renews the hash', async () => {
  await fillVersion2(source);
  await runImport(['--apply']);
  const { db } = test.program.database;
  const hashOf = async () =>
    (
      await sql<{
        password: string;
      }>`select password from account where username = 'li.wei'`.execute(db)
    ).rows[0]?.password;
  expect((await tryToSignIn(test, { username: 'li.wei', password: 'wrong 1' })).status).toBe(400);
  expect(await hashOf()).toMatch(/^pbkdf2_sha256\$/);
  const answer = await tryToSignIn(test, { username: 'li.wei', password: PASSWORD });
  expect(answer.body).toMatchObject({ error: 'mfa_required' });
  expect(await hashOf()).toMatch(/^\$argon2id\$/);
  const { rows } = await sql<{ secret: string; user_id: string }>`
    select user_id, secret from totp`.execute(db);
  const [totp] = rows;
  expect(totp && test.program.vault.open(totp.secret, `totp.secret.${totp.user_id}`)).toBe(OTP);
  expect((await sql`select 1 from former_password`.execute(db)).rows).toEqual([]);
  // A second import neither asks for the old hash again, nor writes it.
  await runImport(['--apply']);
  expect(await hashOf()).toMatch(/^\$argon2id\$/);
});

it('names row and reason of refused objects, and imports the others on request only', async () => {
  await fillVersion2(source);
  await source.add('users_user', {
    ...{ id: randomUUID(), username: 'zhao lei', name: 'Zhao Lei', email: 'zhao@example.com' },
    password: 'md5$1$2',
  });
  const refused = await runImport(['--apply']);
  expect(refused.code).toBe(1);
  expect(refused.lines).toContainEqual(
    expect.stringMatching(/^refused user "zhao lei" \(users_user [\da-f-]{36}\): Username: /),
  );
  expect(refused.lines).toContainEqual(
    expect.stringContaining('password is no PBKDF2-SHA256 hash'),
  );
  expect((await admin.get<Json[]>('assets/assets/')).body).toEqual([]);
  expect((await runImport(['--apply', '--skip-refused'])).code).toBe(0);
  expect((await admin.get<Json[]>('assets/assets/')).body).toHaveLength(2);
});

it('keeps what the first administrator needs for a sign-in', async () => {
  await source.add('users_user', {
    ...{ id: randomUUID(), username: 'admin', name: 'Root', email: 'admin@localhost' },
    ...{ role: 'User', is_active: false, date_expired: '2020-01-01T00:00:00Z' },
  });
  const { lines, code } = await runImport(['--apply']);
  expect([lines[0], code]).toEqual([
    expect.stringMatching(/^changed user "admin" .*: name: Administrator → Root$/),
    0,
  ]);
});

it('says which secrets it cannot read', async () => {
  await fillVersion2(source);
  await source.run(
    `update assets_systemuser set password = '${sealGcm('of deploy 1', 'another key')}' where name = 'deploy'`,
  );
  const { lines } = await runImport(['--plan']);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^note assets_systemuser .*: password cannot be decrypted/),
      expect.stringMatching(/^note assets_systemuser .*: has no readable secret/),
    ]),
  );
});

it('shows what differs from an object that exists under the same name', async () => {
  await fillVersion2(source);
  await admin.post('assets/domains/', { name: 'shanghai', comment: 'ours' });
  const { lines } = await runImport(['--plan']);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^changed domain "Shanghai" \(assets_domain .*\): name: shanghai → Shanghai; comment: ours → none$/,
    ),
  );
});
