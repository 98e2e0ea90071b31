import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemOf } from '../../gateway/refusal.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildPermission, buildSystemUser, buildUser } from '../../testing/builders.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createAccess } from './access.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('refuses a granted asset while its user holds a duty', async () => {
  const { db } = test;
  const { id: userId } = await buildUser(db, { role: 'Admin' });
  const [asset, systemUser] = [await buildAsset(db), await buildSystemUser(db)];
  await buildPermission(db, { users: [userId], assets: [asset], systemUsers: [systemUser] });
  const nobody = {
    permissions: async () => 0,
    isValid: async () => true,
    isAdmitted: async () => true,
  };
  const access = createAccess(db, { ...nobody, actor: async () => undefined });
  const check = () =>
    access.check({ userId, remoteAddr: null, loginFrom: 'ST' }, asset, systemUser).then(
      (grant) => grant.asset.id,
      (error) => problemOf(error).code,
    );
  expect(await check()).toBe(asset);
  for (const duty of ['system', 'security']) {
    await sql`update account set duty = ${duty}, mfa_level = 2 where id = ${userId}`.execute(db);
    expect(await check()).toBe('connect_denied');
  }
});
