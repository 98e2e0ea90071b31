import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { ADMIN, bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let first: { readonly id: string; readonly client: Client };
let second: { readonly id: string; readonly client: Client };
let auditor: { readonly id: string; readonly client: Client };

async function hire(role: 'Admin' | 'Auditor') {
  const user = await buildUser(test.db, { role });
  const client = await bearer(test, user);
  return { id: user.id, client: client.inOrganization('') };
}

const addFactor = ({ id }: { readonly id: string }) =>
  sql`insert into totp (user_id, secret) values (${id}, 'sealed')`.execute(test.db);

beforeAll(async () => {
  test = await startTestProgram();
  second = await hire('Admin');
  auditor = await hire('Auditor');
});
beforeEach(async () => {
  await sql`delete from totp`.execute(test.db);
  await sql`update account set is_active = true, date_expired = null`.execute(test.db);
  // Sealing ended the sign-in of the previous test.
  const client = (await bearer(test)).inOrganization('');
  first = { id: String((await client.get<Json>('users/profile/')).body.id), client };
});
afterAll(() => test.stop());

const REASON = /another administrator and an auditor of the installation/;
const seal = (client = second.client) =>
  client.patch<Record<string, string[]>>(`users/users/${first.id}/`, { is_active: false });

it('refuses to disable the first administrator until an administrator and an auditor have a second factor', async () => {
  const steps = [() => undefined, () => addFactor(second), () => addFactor(auditor)];
  const answers: number[] = [];
  for (const step of steps) {
    await step();
    const { status, body } = await seal();
    answers.push(status);
    if (status === 400) expect(body.is_active?.[0]).toMatch(REASON);
  }
  expect(answers).toEqual([400, 400, 200]);
});

it('does not count holders who cannot sign in, and not the first administrator itself', async () => {
  await addFactor(first);
  await addFactor(auditor);
  expect((await seal()).status).toBe(400);
  await addFactor(second);
  for (const [id, change] of [
    [auditor.id, sql`is_active = false`],
    [auditor.id, sql`date_expired = now() - interval '1 day'`],
    [auditor.id, sql`role = 'User'`],
  ] as const) {
    await sql`update account set ${change} where id = ${id}`.execute(test.db);
    expect((await seal()).status).toBe(400);
    await sql`update account set is_active = true, date_expired = null, role = 'Auditor'
      where id = ${auditor.id}`.execute(test.db);
  }
  expect((await seal()).status).toBe(200);
});

it('refuses it to the first administrator itself, to auditors, and in files', async () => {
  await addFactor(auditor);
  const file = `id,is_active\n${first.id},False\n`;
  expect((await second.client.send('PUT', 'users/users/', file, 'text/csv')).status).toBe(400);
  await addFactor(second);
  expect((await seal(first.client)).status).toBe(400);
  expect((await seal(auditor.client)).status).toBe(403);
  expect((await second.client.patch(`users/users/${first.id}/`, { role: 'User' })).status).toBe(
    400,
  );
  expect((await second.client.delete(`users/users/${first.id}/`)).status).toBe(403);
});

it('ends the sign-ins of a sealed first administrator at once, and logs who sealed it', async () => {
  await addFactor(second);
  await addFactor(auditor);
  expect((await first.client.get('users/profile/')).status).toBe(200);
  expect((await seal()).status).toBe(200);
  expect((await first.client.get('users/profile/')).status).toBe(401);
  expect((await tryToSignIn(test, ADMIN)).status).not.toBe(201);
  const log = await second.client.get<{ results: Json[] }>('audits/operate-logs/?limit=1');
  expect(log.body.results[0]).toMatchObject({
    resource_type: 'User',
    resource_id: first.id,
    changes: { is_active: [true, false] },
  });
});

it('opens a sealed first administrator again by the command on the machine', async () => {
  await addFactor(second);
  await addFactor(auditor);
  expect((await seal()).status).toBe(200);
  const { code, stdout } = await runOperatorCommand(test, ['user', 'reset-password', 'admin']);
  expect(code).toBe(0);
  const password = stdout.match(/\S{12,}/g)?.at(-1) ?? '';
  expect((await tryToSignIn(test, { username: 'admin', password })).status, stdout).toBe(201);
});
