import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { forgetPreviousSecrets } from './previous-secrets.ts';

let test: TestProgram;
let cast: Cast;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
  admin = cast.clients.orgAdmin;
});
afterAll(() => test.stop());

const TABLES = {
  'assets/system-users/': 'system_account',
  'assets/admin-users/': 'admin_user',
} as const;
/** Accounts without a stored password are those whose users type it. */
const EXTRA = {
  'assets/system-users/': { login_mode: 'manual' },
  'assets/admin-users/': {},
} as const;
const PATHS = ['assets/system-users/', 'assets/admin-users/'] as const;

describe.each(PATHS)('the password of one of %s', (path) => {
  const table = TABLES[path];
  const create = async (password?: string) =>
    (
      await admin.post<Json & { id: string }>(path, {
        name: unique('account'),
        username: 'deploy',
        ...(password && { password }),
        ...EXTRA[path],
      })
    ).body.id;
  const change = (id: string, password: string) => admin.patch(`${path}${id}/`, { password });
  const restore = (id: string, client = admin) =>
    client.post<Json>(`${path}${id}/previous-secret/`);
  const read = async (id: string) => (await admin.get<Json>(`${path}${id}/`)).body;
  const stored = async (id: string) => {
    const { rows } = await sql<{
      password: string;
    }>`select password from ${sql.table(table)} where id = ${id}`.execute(test.db);
    return test.program.vault.open(rows[0]?.password ?? '', `${table}.password.${id}`);
  };

  it('restores the previous password, and swaps again', async () => {
    const id = await create('first');
    expect(await read(id)).toMatchObject({
      has_previous_secret: false,
      date_secret_changed: expect.stringMatching(/^\d{4}-/),
    });
    expect((await restore(id)).status).toBe(409);
    await change(id, 'second');
    expect(await read(id)).toMatchObject({ has_previous_secret: true });
    expect((await restore(id)).status).toBe(204);
    expect(await stored(id)).toBe('first');
    expect((await restore(id)).status).toBe(204);
    expect(await stored(id)).toBe('second');
    const { body: logged } = await admin.get<Json[]>(
      `audits/operate-logs/?resource_id=${id}&limit=0`,
    );
    expect(JSON.stringify(logged)).not.toContain('first');
  });

  it('keeps no previous password after other changes, or without one', async () => {
    const id = await create();
    expect(await read(id)).toMatchObject({
      has_previous_secret: false,
      date_secret_changed: null,
    });
    await change(id, 'first');
    await admin.patch(`${path}${id}/`, { comment: 'changed' });
    expect(await read(id)).toMatchObject({ has_previous_secret: false });
    expect((await restore(id)).status).toBe(409);
  });

  it('deletes the previous password after a week', async () => {
    const [old, young] = [await create('first'), await create('first')];
    for (const id of [old, young]) await change(id, 'second');
    await sql`update ${sql.table(table)} set date_secret_changed = now() - interval '8 days'
      where id = ${old}`.execute(test.db);
    expect(await read(old)).toMatchObject({ has_previous_secret: false });
    expect((await restore(old)).status).toBe(409);
    await forgetPreviousSecrets(test.db);
    const { rows } = await sql<{
      id: string;
    }>`select id::text from ${sql.table(table)}
      where previous_secrets is not null and id in (${old}, ${young})`.execute(test.db);
    expect(rows).toEqual([{ id: young }]);
    expect(await stored(old)).toBe('second');
  });

  it('restores for administrators of the organization only', async () => {
    const id = await create('first');
    await change(id, 'second');
    for (const role of ['user', 'auditor', 'orgAuditor', 'expired'] as const)
      expect((await restore(id, cast.clients[role])).status, role).toBe(403);
    for (const role of ['nobody', 'disabled'] as const)
      expect((await restore(id, cast.clients[role])).status, role).toBe(401);
    expect(
      (await restore(id, cast.clients.otherOrgAdmin.inOrganization(cast.otherOrganization))).status,
    ).toBe(404);
    expect(await stored(id)).toBe('second');
  });
});
