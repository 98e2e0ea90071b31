import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const NATIONAL = { SALLYPORT_NATIONAL_CRYPTOGRAPHY: 'yes' };

let before: TestProgram;
let national: TestProgram;
let admin: Client;
beforeAll(async () => {
  before = await startTestProgram();
  national = await startTestProgram({
    databaseUrl: before.databaseUrl,
    secretKeyFile: `${before.dataDirectory}/secret.key`,
    suite: 'national',
  });
  admin = await bearer(national);
  await changeSettings([await bearer(before), admin], 'security', {
    SECURITY_VIEW_AUTH_NEED_MFA: false,
  });
});
afterAll(async () => {
  await national.stop();
  await before.stop();
});

const create = async (client: Client, password: string) =>
  (
    await client.post<{ id: string }>('assets/system-users/', {
      name: unique('s'),
      username: 'root',
      password,
    })
  ).body.id;
const passwordOf = async (client: Client, id: string) =>
  (await client.get<Json>(`assets/system-users/${id}/auth-info/`)).body.password;
const storedOf = async (id: string) => {
  const { rows } = await sql<{ password: string | null }>`
    select password from system_account where id = ${id}`.execute(national.db);
  return rows[0]?.password;
};

it('seals new secrets with SM4, and shares old and new ones with a server of the other suite', async () => {
  const old = await create(await bearer(before), 'old secret');
  const id = await create(admin, 'new secret');
  expect(await storedOf(old)).not.toContain('sm4.');
  expect(await storedOf(id)).toMatch(/^v2\$[0-9a-f]{12}\$sm4\.[A-Za-z0-9+/=]{24}\$/);
  for (const client of [admin, await bearer(before)]) {
    expect(await passwordOf(client, old)).toBe('old secret');
    expect(await passwordOf(client, id)).toBe('new secret');
  }
});

it('signs verifications of the audit logs with HMAC-SM3, which a server of the other suite accepts', async () => {
  expect((await admin.post('audits/verify/', {})).status).toBe(200);
  const { rows } = await sql<{ seal: string }>`select seal from audit_verification`.execute(
    national.db,
  );
  expect(rows[0]?.seal).toMatch(/^v2\$[0-9a-f]{12}\$sm3\.[0-9a-f]{64}$/);
  const other = await bearer(before);
  expect((await other.get<{ intact: boolean }>('audits/verification/')).body.intact).toBe(true);
  const { code, stderr } = await runOperatorCommand(before, ['audit', 'verify']);
  expect([code, stderr]).toEqual([0, '']);
});

it('moves all secrets to SM4 by a rotation of keys, and wraps the keys with SM4', async () => {
  const old = await create(await bearer(before), 'another secret');
  const { code, stderr } = await runOperatorCommand(before, ['key', 'rotate'], NATIONAL);
  expect([code, stderr]).toEqual([0, '']);
  expect(await storedOf(old)).toContain('$sm4.');
  expect(await passwordOf(admin, old)).toBe('another secret');
  const { rows } = await sql<{ wrapped: string; state: string }>`
    select wrapped, state from data_key`.execute(national.db);
  expect(rows.filter(({ wrapped }) => !wrapped.startsWith('sm4.'))).toEqual([]);
});

it('seals the key of SM2 again by a rotation, and its signatures stay valid', async () => {
  const sealedKeys = async () =>
    (
      await sql<{ sealed: string }>`select private_key as sealed from sm2_key`.execute(national.db)
    ).rows.map(({ sealed }) => sealed);
  const [sealed = '', ...more] = await sealedKeys();
  expect([sealed, more]).toEqual([expect.stringContaining('$sm4.'), []]);
  const { code, stderr } = await runOperatorCommand(before, ['key', 'rotate'], NATIONAL);
  expect([code, stderr]).toEqual([0, '']);
  const [after = ''] = await sealedKeys();
  expect(after.split('$')[1]).not.toBe(sealed.split('$')[1]);
  const verified = await runOperatorCommand(before, ['audit', 'verify']);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('SM3')]);
});
