import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { createScimToken, sendScim } from '../../testing/scim.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
let test: TestProgram;
let admin: Client;
let token: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  token = (await createScimToken(admin)).token;
});
afterAll(() => test.stop());

const ask = (method: string, path: string, body?: unknown) =>
  sendScim(test, { method, path, body, headers: { authorization: `Bearer ${token}` } });
const patch = (path: string, ...Operations: Json[]) =>
  ask('PATCH', path, { schemas: [PATCH], Operations });
const person = (more: Json = {}): Json => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: unique('scim'),
  displayName: 'Zhang San',
  active: true,
  ...more,
});
const createUser = async () => {
  const { status, body } = await ask('POST', 'Users', person());
  expect([status, body.detail]).toEqual([201, undefined]);
  return body as Json & { id: string; userName: string };
};
const accountOf = async (id: string) => (await admin.get<Json>(`users/users/${id}/`)).body;
const signedIn = async (id: string) => {
  const secret = 'x'.repeat(43);
  await sql`insert into web_session (token_digest, user_id, kind, remote_addr, date_expired)
    values (sha256(${Buffer.from(`${secret}${id}`)}), ${id}, 'bearer', '127.0.0.1',
    now() + interval '1 hour')`.execute(test.db);
  return test.visitor.with({ authorization: `Bearer ${secret}${id}` });
};

describe('a provider', () => {
  it.each([
    [
      'disables',
      (id: string) => patch(`Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ],
    [
      'replaces',
      (id: string, userName: string) =>
        ask('PUT', `Users/${id}`, person({ userName, active: false })),
    ],
    ['deletes', (id: string) => ask('DELETE', `Users/${id}`)],
  ])(
    'ends sign-ins of every kind, pending ones and access keys when a provider %s the user',
    async (_, leave) => {
      const { id, userName } = await createUser();
      const own = await signedIn(id);
      const key = await own.post<Json>('authentication/access-keys/', { name: 'script' });
      expect([key.status, key.text]).toEqual([201, expect.any(String)]);
      await sql`
      insert into web_session (token_digest, user_id, kind, remote_addr, date_expired)
      select sha256(convert_to(kind || ${id}, 'UTF8')), ${id}, kind, '127.0.0.1',
        now() + interval '1 day'
      from unnest(array['browser', 'ssh']) as k (kind)`.execute(test.db);
      await sql`
      insert into pending_sign_in (token_digest, user_id, kind, first_factor, password_digest,
        date_expired)
      values (sha256(${Buffer.from(`pending ${id}`)}), ${id}, 'browser', 'external', '',
        now() + interval '1 hour')`.execute(test.db);
      const left = async () =>
        (
          await sql<{ sign_ins: number; pending: number; keys: number }>`
          select (select count(*)::int from web_session where user_id = ${id}) as sign_ins,
            (select count(*)::int from pending_sign_in where user_id = ${id}) as pending,
            (select count(*)::int from access_key where user_id = ${id}) as keys`.execute(test.db)
        ).rows[0];
      expect(await left()).toEqual({ sign_ins: 3, pending: 1, keys: 1 });
      expect([200, 204]).toContain((await leave(id, userName)).status);
      expect(await left()).toEqual({ sign_ins: 0, pending: 0, keys: 0 });
      expect(await accountOf(id)).toMatchObject({ is_active: false, source_state: 'disabled' });
    },
  );

  it('enables its own disabled users, and no user that an administrator disabled', async () => {
    const [own, ours, both] = [await createUser(), await createUser(), await createUser()];
    const active = (id: string, value: boolean) =>
      patch(`Users/${id}`, { op: 'replace', path: 'active', value });
    await active(own.id, false);
    const opened = await admin.patch<Json>(`users/users/${own.id}/`, { is_active: true });
    expect([opened.status, Object.keys(opened.body)]).toEqual([400, ['is_active']]);
    expect((await active(own.id, true)).body.active).toBe(true);
    expect(await accountOf(own.id)).toMatchObject({ is_active: true, source_state: 'listed' });

    await admin.patch(`users/users/${ours.id}/`, { is_active: false });
    // Providers send the whole user with each change.
    expect(
      (await ask('PUT', `Users/${ours.id}`, person({ userName: ours.userName }))).body,
    ).toMatchObject({ userName: ours.userName, active: false });
    expect((await active(ours.id, true)).body.active).toBe(false);
    expect((await ask('DELETE', `Users/${ours.id}`)).status).toBe(204);
    const back = await ask('POST', 'Users', person({ userName: ours.userName }));
    expect([back.status, back.body.id, back.body.active]).toEqual([201, ours.id, false]);

    await active(both.id, false);
    await admin.patch(`users/users/${both.id}/`, { is_active: false });
    expect((await active(both.id, true)).body.active).toBe(false);
    expect(await accountOf(both.id)).toMatchObject({ is_active: false });
  });
});
