import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser } from '../../../testing/builders.ts';
import type { Client } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let userId: string;
beforeAll(async () => {
  test = await startTestProgram();
  const rules = {
    UPPER_CASE: true,
    LOWER_CASE: true,
    NUMBER: true,
    SPECIAL_CHAR: true,
    MIN_LENGTH: 8,
  };
  for (const [name, value] of Object.entries(rules))
    await sql`
      insert into setting (name, value)
      values (${`SECURITY_PASSWORD_${name}`}, ${JSON.stringify(value)}::jsonb)`.execute(test.db);
  await sql`notify settings`.execute(test.db);
  admin = await bearer(test);
  userId = (await buildUser(test.db)).id;
  const rule = async () =>
    (
      await test.visitor.get<{ data: { PASSWORD_RULE: { SECURITY_PASSWORD_MIN_LENGTH: number } } }>(
        'settings/public/',
      )
    ).body.data.PASSWORD_RULE;
  await until(
    async () => (await rule()).SECURITY_PASSWORD_MIN_LENGTH === 8,
    'the new rules are in force',
  );
});
afterAll(() => test.stop());

const set = (password: string, language: string) =>
  admin.with({ 'accept-language': language }).put(`users/users/${userId}/password/`, { password });

it.each([
  ['lower-case1', 'Upper case required', '须包含大写字母'],
  ['UPPER-CASE1', 'Lower case required', '须包含小写字母'],
  ['No-Number', 'Number required', '须包含数字'],
  ['NoSpecial1', 'Special character required', '须包含特殊字符'],
  ['Ab-1', 'At least 8 characters', '至少 8 位'],
])('reports the rule that %s breaks in both languages', async (password, english, chinese) => {
  expect((await set(password, 'en')).body).toEqual({
    password: [`The password does not meet the rules: ${english}`],
  });
  expect((await set(password, 'zh')).body).toEqual({ password: [`密码不符合规则：${chinese}`] });
});

it('reports all broken rules at once', async () => {
  expect((await set('一', 'en')).body).toEqual({
    password: [
      'The password does not meet the rules: Upper case required, Lower case required, Number required, Special character required, At least 8 characters',
    ],
  });
});

it('accepts a password that meets the rules', async () =>
  expect((await set('Ab-12345', 'en')).status).toBe(200));
