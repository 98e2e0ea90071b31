import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { fillVersion2, SECRETS } from '../../testing/jumpserver/fill-version-2.ts';
import { buildSource, type Source } from '../../testing/jumpserver/source.ts';
import { LICENSE_PUBLIC_KEY } from '../../testing/license.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { ADMIN, bearer, type Credentials } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

/** An installation that answers the API of version 2.1. */
let origin: TestProgram;
let originAdmin: Client;
let ids: Awaited<ReturnType<typeof fillVersion2>>;
let source: Source;
let folder: string;
/** The installation that imports. */
let test: TestProgram;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
  [origin, source] = await Promise.all([startTestProgram(), buildSource(2)]);
  originAdmin = await bearer(origin);
  ids = await fillVersion2(source);
  await writeFile(join(folder, 'config.txt'), source.config);
  const filled = await runOperatorCommand(origin, [
    ...['import', 'jumpserver', `--config=${join(folder, 'config.txt')}`, '--apply'],
  ]);
  expect(filled.stderr).toBe('');
});
afterAll(async () => {
  await origin.stop();
  await source.drop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  test = await startTestProgram();
  await writeKey();
});
afterEach(() => test.stop());

const keyFile = () => join(folder, 'key');

async function writeKey(owner: Credentials = ADMIN): Promise<string> {
  const { body } = await (await bearer(origin, owner)).post<{ id: string; secret: string }>(
    'authentication/access-keys/',
    { password: owner.password },
  );
  await writeFile(keyFile(), `${body.id}:${body.secret}\n`, { mode: 0o600 });
  return body.secret;
}

async function runImport(words: readonly string[], run = runOperatorCommand) {
  const from = [`--url=${origin.visitor.url}`, `--access-key-file=${keyFile()}`];
  const result = await run(test, ['import', 'jumpserver', ...from, ...words], {
    SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
  });
  for (const secret of SECRETS) expect(`${result.stdout}${result.stderr}`).not.toContain(secret);
  return { ...result, lines: result.stdout.trim().split('\n') };
}

it('imports from the API of a running server, finds nothing to do afterwards, and proves equality', async () => {
  await changeSettings([originAdmin], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
  const plan = await runImport(['--plan']);
  expect(plan.stderr).toBe('');
  expect(plan.lines).toEqual([
    expect.stringMatching(/^note users\/users\/: has neither passwords nor keys nor OTP secrets/),
    expect.stringMatching(/^note assets\/gateways\/: has no secrets/),
    expect.stringMatching(/^platforms +1 new, \d same, 0 changed, 0 refused$/),
    expect.stringMatching(/^users +2 new, 1 same/),
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
  const applied = await runImport(['--apply'], executeOperatorCommand);
  expect([applied.stderr, applied.code]).toEqual(['', 0]);
  const again = await runImport(['--apply']);
  expect(again.lines.filter((line) => /[1-9]\d* (new|changed|refused)/.test(line))).toEqual([]);
  const proof = await runImport(['--prove']);
  expect([proof.lines, proof.code]).toEqual([
    ['3 users, 3 accesses of users to accounts: equal'],
    0,
  ]);
  const admin = await bearer(test);
  const { body: web1 } = await admin.get<Json>(`assets/assets/${ids.web1}/`);
  expect(web1).toMatchObject({
    ...{ hostname: 'web-1', protocols: ['ssh/22', 'rdp/3389'], platform: 'Linux' },
    ...{ domain_display: 'Shanghai', admin_user_display: 'root key' },
  });
  const { vault, db } = { vault: test.program.vault, db: test.db };
  const { rows } = await sql<{ id: string; password: string }>`
    select id, password from system_account where id = ${ids.deploy}::uuid`.execute(db);
  expect(vault.open(rows[0]?.password ?? '', `system_account.password.${ids.deploy}`)).toBe(
    'of deploy 1',
  );
  const keys = await sql`select 1 from admin_user where private_key is not null`.execute(db);
  expect(keys.rows).toHaveLength(1);
});

it('says which secrets the source keeps from the key', async () => {
  await changeSettings([originAdmin], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: true });
  const { lines } = await runImport(['--apply']);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^note assets\/asset-user-auth-infos\/: is not given/),
      expect.stringMatching(/^note assets\/system-users\/…\/auth-info\/: is not given/),
    ]),
  );
  const { body } = await (await bearer(test)).get<Json>(`assets/system-users/${ids.deploy}/`);
  expect(body.login_mode).toBe('manual');
  expect((await runImport(['--prove'])).code).toBe(0);
});

it('lists each difference between the access there and here', async () => {
  await runImport(['--apply']);
  const admin = await bearer(test);
  await admin.patch(`perms/asset-permissions/${ids.byNode}/`, { is_active: false });
  const { lines, code } = await runImport(['--prove']);
  expect([lines[0], code]).toEqual([expect.stringContaining('li.wei: DEFAULT / '), 2]);
});

it('rejects a wrong key, a user without rights, and a key file that others can read', async () => {
  const secret = await writeKey();
  await writeFile(keyFile(), `${crypto.randomUUID()}:${secret}\n`);
  expect((await runImport(['--plan'])).stderr).toContain('rejects the access key (users/users/)');
  await writeKey(await buildUser(origin.db, {}));
  const { stderr, code } = await runImport(['--plan']);
  expect([stderr, code]).toEqual([
    expect.stringContaining('The owner of the access key may not read users/users/'),
    1,
  ]);
  await chmod(keyFile(), 0o640);
  expect((await runImport(['--plan'])).stderr).toContain(`Run: chmod 600 ${keyFile()}`);
  await writeFile(keyFile(), 'no key', { mode: 0o600 });
  await chmod(keyFile(), 0o600);
  expect((await runImport(['--plan'])).stderr).toContain('ID:SECRET');
  expect((await (await bearer(test)).get<Json[]>('assets/assets/')).body).toEqual([]);
});

it('imports each organization with its members and its objects', async () => {
  const organization = await buildOrganization(origin.db);
  const member = await buildUser(origin.db, { memberOf: [{ organization, role: 'Auditor' }] });
  await originAdmin.inOrganization(organization).post('assets/domains/', { name: 'North' });
  const { stderr, code } = await runImport(['--apply']);
  expect([stderr, code]).toEqual(['', 0]);
  const beijing = (await bearer(test)).inOrganization(organization);
  const { body: domains } = await beijing.get<Json[]>('assets/domains/');
  expect(domains.map(({ name }) => name)).toEqual(['North']);
  const { rows } = await sql`
    select a.username, m.role from organization_member m
    join account a on a.id = m.user_id`.execute(test.db);
  expect(rows).toEqual([{ username: member.username, role: 'Auditor' }]);
});
