import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** Inserts a session with one command, which refer to objects by id. */
async function record(
  names: { readonly user: string; readonly asset: string },
  organization = '',
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id)
    values (${organization}, 'Someone', 'web-01', 'root', ${names.user}, ${names.asset}, 'gone')
    returning id`.execute(test.db);
  const id = rows[0]?.id ?? '';
  await sql`insert into command (org_id, session, sequence, "user", asset, "system_user", input) values (${organization}, ${id}, 1, 'Someone', 'web-01', 'root', 'uptime')`.execute(
    test.db,
  );
  return id;
}

/** Reads the links of a whole list, which must be those of its page. */
const linksOf = async (client: Client, path: string) => {
  const { body } = await client.get<Json[]>(path);
  const paged = `${path}${path.includes('?') ? '&' : '?'}limit=100`;
  const page = (await client.get<{ results: Json[] }>(paged)).body.results;
  const links = body.map((row) => row.links);
  expect(page.map((row) => row.links)).toEqual(links);
  return links;
};
const newAsset = async (client = admin) =>
  String(
    (
      await client.post('assets/assets/', {
        hostname: unique('web'),
        ip: '192.0.2.1',
        platform: 'Linux',
      })
    ).body.id,
  );

it('names existing objects in a log by id, and omits deleted ones', async () => {
  const user = await buildUser(test.db);
  const asset = await newAsset();
  const session = await record({ user: user.id, asset });
  const both = { user: { resource: 'user', id: user.id }, asset: { resource: 'asset', id: asset } };
  expect(await linksOf(admin, `terminal/sessions/?id=${session}`)).toEqual([both]);
  expect(await linksOf(admin, `terminal/commands/?session=${session}`)).toEqual([
    { ...both, session: { resource: 'session', id: session } },
  ]);
  expect(await linksOf(admin, `audits/operate-logs/?resource_id=${asset}`)).toEqual([
    {
      user: { resource: 'user', id: expect.any(String) },
      resource: { resource: 'asset', id: asset },
    },
  ]);

  expect((await admin.delete(`assets/assets/${asset}/`)).status).toBe(204);
  expect(await linksOf(admin, `terminal/sessions/?id=${session}`)).toEqual([{ user: both.user }]);
  for (const links of await linksOf(admin, `audits/operate-logs/?resource_id=${asset}`))
    expect(links).not.toHaveProperty('resource');
});

it('names only readable objects: sessions to an auditor, nothing of other organizations', async () => {
  const user = await buildUser(test.db);
  const session = await record({ user: user.id, asset: await newAsset() });
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  expect(await linksOf(auditor, `terminal/sessions/?id=${session}`)).toEqual([{}]);
  expect(await linksOf(auditor, `terminal/commands/?session=${session}`)).toEqual([
    { session: { resource: 'session', id: session } },
  ]);

  const elsewhere = await buildOrganization(test.db);
  const foreign = await record({ user: user.id, asset: await newAsset() }, elsewhere);
  expect(
    await linksOf(admin.inOrganization(elsewhere), `terminal/sessions/?id=${foreign}`),
  ).toEqual([{}]);
});

it('names the account of a sign-in, but none for a text that looks like a user', async () => {
  const user = await buildUser(test.db);
  await sql`insert into login_log (username, user_id, type, ip, user_agent, status) values (${user.username}, ${user.id}, 'W', '192.0.2.1', '', true)`.execute(
    test.db,
  );
  expect(await linksOf(admin, `audits/login-logs/?username=${user.username}`)).toEqual([
    { username: { resource: 'user', id: user.id } },
  ]);
  await sql`insert into operate_log ("user", action, resource_type, resource, remote_addr) values (${`Another(${user.username})`}, 'update', 'setting', 'x', '192.0.2.1')`.execute(
    test.db,
  );
  expect(
    await linksOf(
      admin,
      `audits/operate-logs/?user=${encodeURIComponent(`Another(${user.username})`)}`,
    ),
  ).toEqual([{}]);
});
