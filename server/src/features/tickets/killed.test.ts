import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildSystemUser, buildUser } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { type Command, useCommands } from '../../testing/command.ts';
import { importLicense } from '../../testing/license.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

const { startOn } = useCommands();
let database: TestDatabase;
let open: ReturnType<typeof openDatabase>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.url, 3);
  ({ db } = open);
});
afterAll(async () => {
  await open?.close();
  await database?.drop();
});

/**
 * Kills a server while its requests wait to write permissions, after they wrote everything before.
 */
async function killBeforePermissions(
  command: Command,
  requests: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const waiting = async () =>
    (
      await sql`select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`.execute(db)
    ).rows.length;
  await db.transaction(async (tx) => {
    await sql`lock table asset_permission in share row exclusive mode`.execute(tx);
    const early: unknown[] = [];
    const answers = requests.map((request) =>
      request().then(
        (answer) => early.push(answer),
        () => undefined,
      ),
    );
    await until(
      async () => early.length > 0 || (await waiting()) === requests.length,
      'the requests are about to write their permissions',
    );
    expect(early).toEqual([]);
    process.kill(command.child.pid ?? 0, 'SIGKILL');
    await command.ended;
    await Promise.all(answers);
  });
  // The database notices the lost connection when it sends the answer.
  await until(async () => (await waiting()) === 0, 'the database has given the lost requests up');
}

const count = async (query: ReturnType<typeof sql<{ count: number }>>) =>
  (await query.execute(db)).rows[0]?.count;

it('rolls back an approval and an emergency access when the server is killed, and both can be repeated once', async () => {
  const first = await startOn(database);
  let administrator = await first.signIn();
  expect((await importLicense(administrator)).status).toBe(200);
  const li = await buildUser(db);
  const asset = await buildAsset(db, { hostname: 'killed' });
  const account = await buildSystemUser(db);
  let user = await first.signIn(li.username, li.password);
  const { rows } = await sql<{
    id: string;
  }>`select id from account where username = 'admin'`.execute(db);
  const admin = rows[0]?.id ?? '';

  const request = await user.post<Json>('tickets/request-asset-perm/', {
    org_id: '',
    hostname: 'killed',
    body: 'An import failed',
  });
  expect([request.status, request.text]).toEqual([201, expect.any(String)]);
  const ticket = String(request.body.id);
  const approve = () =>
    administrator.post<Json>(`tickets/request-asset-perm/${ticket}/approve/`, {
      confirmed_assets: [asset],
      confirmed_system_user: [account],
    });
  const rule = await administrator.post<Json>('perms/emergency-access/', {
    name: 'Night shift',
    users: [li.id],
    assets: [asset],
    system_users: [account],
    reviewers: [admin],
  });
  expect([rule.status, rule.text]).toEqual([201, expect.any(String)]);
  const openAccess = () =>
    user.post<Json>('perms/users/emergency-access/', {
      rule: rule.body.id,
      asset,
      minutes: 30,
      reason: 'It is down',
    });

  const permissions = () => count(sql`select count(*)::int as count from asset_permission`);
  const emergencies = () =>
    count(sql`select count(*)::int as count from ticket where type = 'emergency'`);
  const entries = () =>
    count(
      sql`select count(*)::int as count from operate_log where resource_type = 'asset_permission'`,
    );

  await killBeforePermissions(first.command, [approve, openAccess]);
  const { signIn } = await startOn(database);
  administrator = await signIn();
  user = await signIn(li.username, li.password);
  // Everything was rolled back: the ticket is open, and the user has no access.
  expect((await user.get<Json>(`tickets/tickets/${ticket}/`)).body).toMatchObject({
    status: 'open',
    action: '',
    assignee: null,
  });
  expect([await emergencies(), await permissions(), await entries()]).toEqual([0, 0, 0]);
  expect((await user.get<Json[]>('perms/users/assets/')).body).toEqual([]);
  expect((await approve()).status).toBe(200);
  expect((await approve()).status).toBe(409);
  expect([await permissions(), await entries()]).toEqual([1, 1]);
  expect((await openAccess()).status).toBe(201);
  expect((await openAccess()).status).toBe(409);
  expect([await emergencies(), await permissions(), await entries()]).toEqual([1, 2, 2]);
});
