import type { ScimTokenCreated } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { createScimToken, sendScim } from '../../testing/scim.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let token: ScimTokenCreated;
beforeAll(async () => {
  test = await startTestProgram();
  token = await createScimToken(await bearer(test));
});
afterAll(() => test.stop());

const ask = (method: string, path: string, body?: unknown) =>
  sendScim(test, { method, path, body, headers: { authorization: `Bearer ${token.token}` } });
const patch = (path: string, ...Operations: Json[]) =>
  ask('PATCH', path, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations,
  });
const person = () => {
  const userName = unique('scim');
  return { userName, emails: [{ value: `${userName}@example.com`, primary: true }], active: true };
};
/** Creates an object. Returns its id. */
async function created(path: 'Users' | 'Groups', body: Json): Promise<string> {
  const kind = path === 'Users' ? 'User' : 'Group';
  const schemas = [`urn:ietf:params:scim:schemas:core:2.0:${kind}`];
  const answer = await ask('POST', path, { schemas, ...body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return String(answer.body.id);
}

it('changes no group under change control, says so, and still disables a user', async () => {
  const user = await created('Users', person());
  const other = await created('Users', person());
  const group = await created('Groups', {
    displayName: unique('group'),
    members: [{ value: user }],
  });
  await sql`insert into change_control (org_id, user_id, user_name)
    values ('', ${user}, 'somebody')`.execute(test.db);
  try {
    const add = { op: 'add', path: 'members', value: [{ value: other }] };
    const refused = await patch(`Groups/${group}`, add);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('A second administrator decides'),
    ]);
    expect((await ask('DELETE', `Groups/${group}`)).status).toBe(409);
    const members = (await ask('GET', `Groups/${group}`)).body.members as Json[];
    expect(members.map(({ value }) => value)).toEqual([user]);
    const off = { op: 'replace', path: 'active', value: false };
    expect((await patch(`Users/${user}`, off)).body.active).toBe(false);
  } finally {
    await test.db.transaction(async (tx) => {
      await sql`alter table change_control disable trigger user`.execute(tx);
      await sql`delete from change_control`.execute(tx);
      await sql`alter table change_control enable trigger user`.execute(tx);
    });
  }
});
