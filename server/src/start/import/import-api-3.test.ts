import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { API_KEY, type ApiServer, startApiServer } from '../../testing/jumpserver/api-server.ts';
import { API_SECRETS, fillApi3 } from '../../testing/jumpserver/fill-api-3.ts';
import { LICENSE_PUBLIC_KEY } from '../../testing/license.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let server: ApiServer;
let admin: Client;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
  await writeFile(join(folder, 'key'), `${API_KEY.id}:${API_KEY.secret}\n`, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  [test, server] = await Promise.all([startTestProgram(), startApiServer(undefined, 100)]);
  admin = await bearer(test);
});
afterEach(async () => {
  await test.stop();
  await server.stop();
});

async function runImport(...words: string[]) {
  const from = [`--url=${server.url}`, `--access-key-file=${join(folder, 'key')}`];
  const result = await runOperatorCommand(test, ['import', 'jumpserver', ...from, ...words], {
    SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
  });
  expect(result.stderr).toBe('');
  for (const secret of API_SECRETS) expect(result.stdout).not.toContain(secret);
  return { ...result, lines: result.stdout.trim().split('\n') };
}

it.each([
  ['3.x', 'domains'],
  ['4.x', 'zones'],
] as const)(
  'imports the API of version %s with its organizations, and proves equality',
  async (_version, zones) => {
    const ids = fillApi3(server, zones);
    const applied = await runImport('--apply');
    expect([applied.code, applied.lines.filter((line) => line.includes('refused '))]).toEqual([
      0,
      [],
    ]);
    const proof = await runImport('--prove');
    expect([proof.lines, proof.code]).toEqual([
      ['3 users, 5 accesses of users to accounts: equal'],
      0,
    ]);
    const shanghai = admin.inOrganization(ids.org);
    const { body: assets } = await shanghai.get<Json[]>('assets/assets/');
    expect(assets.map(({ hostname, protocols }) => [hostname, protocols])).toEqual([
      ['web-1', ['ssh/22']],
      ['web-2', ['ssh/2222']],
    ]);
    expect((await shanghai.get<Json[]>('assets/gateways/')).body).toMatchObject([
      { name: 'gate', port: 2200, username: 'jump', domain_display: 'Office' },
    ]);
    const { body: rules } = await shanghai.get<Json[]>(`assets/cmd-filters/${ids.filter}/rules/`);
    expect(rules).toMatchObject([{ content: 'reboot', action: 0, priority: 91 }]);
    const { body: permission } = await shanghai.get<Json>(`perms/asset-permissions/${ids.some}/`);
    expect(permission.actions).toEqual(['connect']);
    const { rows: members } = await sql<{ username: string; role: string }>`
    select a.username, a.role from account a order by 1`.execute(test.db);
    expect(members).toEqual([
      { username: 'admin', role: 'Admin' },
      { username: 'boss', role: 'Admin' },
      { username: 'chief', role: 'User' },
      { username: 'li.wei', role: 'User' },
    ]);
    const { vault } = test.program;
    const { rows } = await sql<Record<'id' | 'hostname' | 'password', string>>`
    select s.id, a.hostname, s.password from asset_user s
    join asset a on a.id = s.asset_id order by 2`.execute(test.db);
    expect(
      rows.map(({ id, password }) => vault.open(password, `asset_user.password.${id}`)),
    ).toEqual(['root of web-1', 'root of web-2']);
    const again = await runImport('--apply');
    expect(again.lines.filter((line) => /[1-9]\d* (new|changed|refused)/.test(line))).toEqual([]);
  },
);

it.each([403, 404, 412])(
  'imports accounts without secrets when these answer %i',
  async (status) => {
    fillApi3(server, 'zones');
    server.refused.set('accounts/account-secrets/', status);
    const { lines } = await runImport('--apply');
    expect(lines).toContainEqual(
      expect.stringMatching(/^note accounts\/account-secrets\/: is not/),
    );
    const { rows } = await sql<{ name: string; login_mode: string }>`
    select distinct name, login_mode from system_account order by 1`.execute(test.db);
    expect(rows.map(({ name, login_mode }) => `${name} ${login_mode}`)).toEqual([
      'deploy (ssh, manual) manual',
      'root (ssh, manual) manual',
      'same name (ssh) manual',
    ]);
    expect((await runImport('--prove')).code).toBe(0);
  },
);

it('reads the default organization only, if the key may not list the others', async () => {
  const ids = fillApi3(server, 'zones');
  server.refused.set('orgs/orgs/', 403);
  const { lines } = await runImport('--plan');
  expect(lines).toContainEqual(expect.stringMatching(/^note orgs\/orgs\/: .*default organization/));
  expect(server.requests.filter((request) => request.startsWith(ids.org))).toEqual([]);
});
