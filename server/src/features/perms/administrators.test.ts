import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const readAdministrators = (client: Client) =>
  client.get<{ names: string[]; count: number } & Json>('perms/users/administrators/');

describe('whom to ask for access', () => {
  it("returns only the names of the organization's active administrators", async () => {
    const organization = await buildOrganization(test.db);
    const user = await signInMember(test, organization, 'User');
    const boss = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    await buildUser(test.db, { isActive: false, memberOf: [{ organization, role: 'Admin' }] });
    await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] });
    const { status, body } = await readAdministrators(user);
    expect([status, body]).toEqual([
      200,
      { names: [`Name of ${boss.username}`], count: 1, requests: true },
    ]);
  });

  it('returns super administrators when the organization has no administrators', async () => {
    const user = await signInMember(test, await buildOrganization(test.db), 'User');
    const { rows } = await sql<{
      name: string;
    }>`select name from account where role = 'Admin' and is_active order by name`.execute(test.db);
    expect((await readAdministrators(user)).body).toEqual({
      names: rows.map(({ name }) => name),
      count: rows.length,
      requests: true,
    });
    expect(JSON.stringify((await readAdministrators(user)).body)).not.toContain('@');
    expect(
      (await readAdministrators(await bearer(test, await buildUser(test.db)))).body.count,
    ).toBe(rows.length);
  });

  it('leaves out the caller, who needs no advice to ask themselves', async () => {
    const organization = await buildOrganization(test.db);
    const first = await signInMember(test, organization, 'Admin');
    const other = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    expect((await readAdministrators(first)).body).toMatchObject({
      names: [`Name of ${other.username}`],
      count: 1,
    });
  });

  it('returns at most five names, and the total', async () => {
    const organization = await buildOrganization(test.db);
    const user = await signInMember(test, organization, 'User');
    for (let number = 0; number < 6; number++)
      await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
    const { names, count } = (await readAdministrators(user)).body;
    expect([names.length, count]).toEqual([5, 6]);
  });

  it('rejects visitors who are not signed in', async () => {
    expect((await test.visitor.get('perms/users/administrators/')).status).toBe(401);
  });
});
