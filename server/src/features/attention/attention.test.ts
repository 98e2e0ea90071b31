import { ATTENTION_KINDS, type AttentionItem, type AttentionKind } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildSystemUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { countRoundTrips } from '../../testing/measures/round-trips.ts';
import { until } from '../../testing/poll.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { ADMIN, bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createAuditChains, createVerifier } from '../audits/index.ts';

const PATH = 'common/attention/';

let test: TestProgram;
let cast: Cast;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
});
afterAll(() => test.stop());

const items = async (client: Client) => (await client.get<AttentionItem[]>(PATH)).body;
const itemOf = async (client: Client, kind: AttentionKind) =>
  (await items(client)).find((item) => item.kind === kind);

it('knows each kind from one feature', () => {
  expect([...test.program.attention.kinds.keys()].toSorted()).toEqual(ATTENTION_KINDS.toSorted());
});

it('allows auditors and administrators of the organization only', async () => {
  for (const role of ['auditor', 'orgAdmin', 'orgAuditor', 'superAdmin'] as const)
    expect((await cast.clients[role].get(PATH)).status, role).toBe(200);
  for (const role of ['user', 'otherOrgAdmin', 'expired'] as const)
    expect((await cast.clients[role].get(PATH)).status, role).toBe(403);
  for (const role of ['nobody', 'disabled'] as const)
    expect((await cast.clients[role].get(PATH)).status, role).toBe(401);
});

it('lists permissions that end within a week, the next one first, to callers who may read permissions', async () => {
  const { organization, otherOrganization } = cast;
  const ends = async (days: number, { org = organization, active = true } = {}) => {
    const name = unique('permission');
    await sql`insert into asset_permission (org_id, name, is_active, date_start, date_expired)
      values (${org}, ${name}, ${active}, now() - interval '1 day',
        now() + make_interval(days => ${days}))`.execute(test.db);
    return name;
  };
  const [inSix, inTwo] = [await ends(6), await ends(2)];
  await ends(8);
  await ends(-1);
  await ends(3, { active: false });
  await ends(1, { org: otherOrganization });
  const item = await itemOf(cast.clients.orgAdmin, 'permissions_ending');
  expect(item).toMatchObject({ count: 2, examples: [{ name: inTwo }, { name: inSix }] });
  expect(await itemOf(cast.clients.orgAuditor, 'permissions_ending')).toBeUndefined();
});

it('lists sessions of the last week by users that have no recording', async () => {
  const worked = (
    state: string,
    { org = cast.organization, days = 1, success = true, kind = 'terminal' } = {},
  ) =>
    sql`insert into session (org_id, user_id, "user", asset, "system_user", kind, is_finished,
      is_success, replay_state, date_start)
      values (${org}, 'u', 'li.wei', 'web-1', 'root', ${kind}, true, ${success}, ${state},
        now() - make_interval(days => ${days}))`.execute(test.db);
  await worked('failed');
  await worked('finished');
  await worked('none', { success: false });
  await worked('none', { days: 8 });
  await worked('none', { org: cast.otherOrganization });
  // File transfers are not recorded.
  await worked('none', { kind: 'transfer' });
  expect(await itemOf(cast.clients.orgAuditor, 'unrecorded_sessions')).toMatchObject({
    count: 1,
    examples: [{ name: 'li.wei → web-1' }],
  });
});

it('lists usernames with repeated failures, and locked accounts until they are unlocked', async () => {
  const { orgAdmin, orgAuditor } = cast.clients;
  const user = await buildUser(test.db, {
    memberOf: [{ organization: cast.organization, role: 'User' }],
  });
  const stranger = await buildUser(test.db, {
    memberOf: [{ organization: cast.otherOrganization, role: 'User' }],
  });
  for (const { username } of [user, stranger])
    for (let attempt = 0; attempt < 8; attempt++)
      await test.visitor.post('authentication/auth/', { username, password: 'wrong' });
  const failed = await itemOf(orgAuditor, 'failed_sign_ins');
  // The count equals the linked list, which shows every attempt.
  const attempts = (
    await orgAuditor.get<{ count: number }>('audits/login-logs/?attention=failed_sign_ins&limit=1')
  ).body.count;
  expect([failed?.count, failed?.examples.length]).toEqual([attempts, 1]);
  expect(failed?.examples[0]).toMatchObject({ id: null, name: user.username });
  expect(failed?.examples[0]?.amount).toBeGreaterThanOrEqual(3);
  const locked = await itemOf(orgAdmin, 'locked_users');
  expect(locked).toMatchObject({ count: 1, examples: [{ id: user.id }] });
  expect(await itemOf(orgAuditor, 'locked_users')).toBeUndefined();
  await orgAdmin.patch(`users/users/${user.id}/unblock/`);
  expect(await itemOf(orgAdmin, 'locked_users')).toBeUndefined();
});

it('lists administrators without a second factor to administrators of the installation, unless all users need one', async () => {
  const { superAdmin, orgAdmin } = cast.clients;
  const before = (await itemOf(superAdmin, 'administrators_without_mfa'))?.count ?? 0;
  await buildUser(test.db, {
    role: 'Admin',
    memberOf: [{ organization: cast.organization, role: 'User' }],
  });
  expect(await itemOf(superAdmin, 'administrators_without_mfa')).toMatchObject({
    count: before + 1,
  });
  expect(await itemOf(orgAdmin, 'administrators_without_mfa')).toBeUndefined();
});

it('lists assets that presented another host key', async () => {
  const hostname = unique('asset');
  const id = await buildAsset(test.db, { organization: cast.organization, hostname });
  await sql`
    insert into host_key (org_id, asset_id, host, port, key_type, public_key, fingerprint,
      offered_key_type, offered_public_key, offered_fingerprint, date_offered)
    values (${cast.organization}, ${id}, '127.0.0.1', 22, 'ssh-ed25519', 'a', 'SHA256:a',
      'ssh-ed25519', 'b', 'SHA256:b', now())`.execute(test.db);
  expect(await itemOf(cast.clients.orgAdmin, 'changed_host_keys')).toMatchObject({
    count: 1,
    examples: [{ id, name: hostname }],
  });
});

it('reports audit logs that failed verification or were not verified for days, to administrators and auditors of the installation', async () => {
  const { auditor, superAdmin, orgAuditor } = cast.clients;
  const chains = createAuditChains({
    db: test.db,
    vault: test.program.vault,
    directory: test.dataDirectory,
  });
  // The verifications succeed, fail, succeed again, and are finally too old.
  let [intact, days] = [true, 0];
  const verify = async () => {
    const verifier = createVerifier({
      db: test.db,
      vault: test.program.vault,
      chains: {
        ...chains,
        verify: async () => [
          {
            log: 'login_log',
            rows: 7,
            removed: 0,
            first_break: intact ? null : 3,
            last_break: intact ? null : 3,
            sequence: 7,
            digest: '',
            sm3: null,
          },
        ],
      },
      now: () => new Date(Date.now() - days * 86_400_000),
    });
    await verifier.verify('');
  };
  const kinds = async (client: Client) =>
    (await items(client)).map(({ kind }) => kind).filter((kind) => kind.startsWith('audit'));
  expect(await kinds(superAdmin)).toEqual([]);
  await verify();
  expect(await kinds(superAdmin)).toEqual([]);
  intact = false;
  await verify();
  for (const client of [superAdmin, auditor])
    expect(await kinds(client)).toEqual(['audit_logs_broken']);
  expect(await kinds(orgAuditor)).toEqual([]);
  [intact, days] = [true, 4];
  await verify();
  expect(await kinds(auditor)).toEqual(['audit_logs_unverified']);
});

it('counts settings that are weaker than the compliance preset, for administrators and auditors of the installation', async () => {
  const admin = (await bearer(test)).inOrganization('');
  const countOf = async (client: Client) => (await itemOf(client, 'preset_drift'))?.count;
  expect(await countOf(admin)).toBeUndefined();
  await admin.post('settings/presets/', { preset: 'team' });
  expect(await countOf(admin)).toBeUndefined();
  await admin.patch('settings/setting/', { SECURITY_PASSWORD_MIN_LENGTH: 7 });
  for (const client of [admin, cast.clients.auditor]) expect(await countOf(client)).toBe(1);
  expect(await countOf(cast.clients.orgAdmin)).toBeUndefined();
  await admin.post('settings/presets/undo/', {});
  expect(await countOf(admin)).toBeUndefined();
  await admin.patch('settings/setting/', { SECURITY_PASSWORD_MIN_LENGTH: 6 });
});

it('asks only the first administrator to replace the generated password', async () => {
  const admin = (await bearer(test)).inOrganization('');
  const hasIt = async (client: Client) => (await itemOf(client, 'first_password')) !== undefined;
  expect(await hasIt(admin)).toBe(false);
  await sql`update account set password_generated = true where username = 'admin'`.execute(test.db);
  expect(await hasIt(admin)).toBe(true);
  const colleague = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
  expect(await hasIt(colleague)).toBe(false);
  const changed = await colleague.patch(
    `users/users/${(await admin.get<{ id: string }>('users/profile/')).body.id}/password/`,
    { password: ADMIN.password },
  );
  expect(changed.status).toBe(200);
  expect(await hasIt((await bearer(test)).inOrganization(''))).toBe(false);
});

it('names unreachable assets, failed pushes, users about to expire, storages that fail and failed jobs; each item is the count of its list, for those who may read it', async () => {
  const { organization, otherOrganization } = cast;
  // The administrator has changed the password in the previous test.
  const clients = {
    ...cast.clients,
    superAdmin: (await bearer(test)).inOrganization(organization),
  };
  const lists = [
    ['unreachable_assets', 'assets/assets'],
    ['changed_host_keys', 'assets/assets'],
    ['sites_away', 'assets/domains'],
    ['failed_pushes', 'assets/system-users'],
    ['failing_storages', 'terminal/terminals'],
    ['waiting_sessions', 'terminal/sessions'],
    ['unrecorded_sessions', 'terminal/sessions'],
    ['unrestored_recordings', 'terminal/sessions'],
    ['locked_users', 'users/users'],
    ['administrators_without_mfa', 'users/users'],
    ['users_expiring', 'users/users'],
    ['permissions_ending', 'perms/asset-permissions'],
    ['remote_app_permissions_ending', 'perms/remote-app-permissions'],
    ['database_app_permissions_ending', 'perms/database-app-permissions'],
    ['permissions_without_reviewers', 'perms/asset-permissions'],
    ['remote_app_permissions_without_reviewers', 'perms/remote-app-permissions'],
    ['database_app_permissions_without_reviewers', 'perms/database-app-permissions'],
    ['unused_permissions', 'perms/asset-permissions'],
    ['failed_jobs', 'common/jobs'],
  ] as const satisfies readonly (readonly [AttentionKind, string])[];
  for (const org of [organization, otherOrganization]) {
    const [down, off, up] = [
      await buildAsset(test.db, { organization: org }),
      await buildAsset(test.db, { organization: org, isActive: false }),
      await buildAsset(test.db, { organization: org }),
    ];
    await sql`update asset set connectivity_status = 0, connectivity_date = now()
      where id = any (${[down, off]}::uuid[])`.execute(test.db);
    const account = await buildSystemUser(test.db, { organization: org });
    // Two assets of one system user are one item.
    for (const asset of [down, up])
      await sql`insert into system_user_push (org_id, system_user_id, asset_id, username, state,
        date_pushed) values (${org}, ${account}, ${asset}, 'web', 'failed', now())`.execute(
        test.db,
      );
    for (const days of [3, 9, -1])
      await buildUser(test.db, {
        memberOf: [{ organization: org, role: 'User' }],
        dateExpired: new Date(Date.now() + days * 86_400_000),
      });
    // Two keys of one asset are one item.
    for (const port of [22, 2222])
      await sql`insert into host_key (org_id, asset_id, host, port, key_type, public_key,
        fingerprint, offered_key_type, offered_public_key, offered_fingerprint, date_offered)
        values (${org}, ${up}, '127.0.0.1', ${port}, 'ssh-ed25519', 'a', 'SHA256:a', 'ssh-ed25519',
          'b', 'SHA256:b', now())`.execute(test.db);
    for (const rules of ['remote_app_permission', 'database_app_permission'])
      await sql`insert into ${sql.table(rules)} (org_id, name, date_expired)
        values (${org}, 'ends soon', now() + interval '3 days'),
        (${org}, 'ends later', now() + interval '9 days')`.execute(test.db);
    await sql`insert into job (id, org_id, name, state, date_finished)
      values (gen_random_uuid(), ${org}, 'retention', 'failed', now())`.execute(test.db);
  }
  await sql`update terminal set storage_problem = 'ECONNREFUSED'`.execute(test.db);

  expect(await itemOf(clients.orgAdmin, 'unreachable_assets')).toMatchObject({ count: 1 });
  expect(await itemOf(clients.orgAdmin, 'failed_pushes')).toMatchObject({ count: 1 });
  expect(await itemOf(clients.orgAdmin, 'users_expiring')).toMatchObject({ count: 1 });
  expect(await itemOf(clients.orgAdmin, 'failing_storages')).toBeUndefined();
  expect(await itemOf(clients.superAdmin, 'failing_storages')).toMatchObject({ count: 1 });
  for (const kind of ['unreachable_assets', 'failed_pushes', 'users_expiring'] as const)
    expect(await itemOf(clients.orgAuditor, kind), kind).toBeUndefined();

  for (const client of [clients.superAdmin, clients.orgAdmin, clients.orgAuditor]) {
    const counts = new Map((await items(client)).map(({ kind, count }) => [kind, count]));
    for (const [kind, path] of lists) {
      const list = await client.get<{ count: number }>(`${path}/?attention=${kind}&limit=1`);
      if (list.status === 403) expect(counts.has(kind), kind).toBe(false);
      else expect(list.body.count, kind).toBe(counts.get(kind) ?? 0);
    }
  }
  for (const [kind, path] of [
    ['locked_users', 'assets/assets'],
    ['constructor', 'users/users'],
    ['', 'users/users'],
  ] as const)
    expect((await clients.superAdmin.get(`${path}/?attention=${kind}`)).status, kind).toBe(
      kind === '' ? 200 : 400,
    );
});

it('says that the newest backup is old, to those above organizations, and gives a new installation a week', async () => {
  const superAdmin = (await bearer(test)).inOrganization(cast.organization);
  const created = async (days: number) =>
    sql`insert into backup (date_started, date_finished, folder, bytes, has_recordings,
      recordings, has_keys)
      values (now() - make_interval(days => ${days}), now() - make_interval(days => ${days}),
        '/backup', 1, true, 0, false)`.execute(test.db);
  expect(await itemOf(superAdmin, 'backup_old')).toBeUndefined();
  await sql`update account set date_joined = now() - interval '8 days'
    where username = 'admin'`.execute(test.db);
  expect(await itemOf(superAdmin, 'backup_old')).toMatchObject({ examples: [{ date: null }] });
  await created(9);
  expect((await itemOf(superAdmin, 'backup_old'))?.examples[0]?.date).toEqual(expect.any(String));
  expect(await itemOf(cast.clients.orgAdmin, 'backup_old')).toBeUndefined();
  await created(1);
  expect(await itemOf(superAdmin, 'backup_old')).toBeUndefined();
});

it('says that schedules have stopped, in the past or in the future, to those above organizations', async () => {
  const { orgAdmin, auditor } = cast.clients;
  const superAdmin = (await bearer(test)).inOrganization('');
  // The queue of the program looks at its schedules meanwhile.
  await sql`create function stopped() returns trigger language plpgsql as $$ begin
    new.cron_on := old.cron_on; return new; end $$`.execute(test.db);
  for (const [hours, isStopped] of [
    [-1, true],
    [0, false],
    [1, true],
  ] as const) {
    await sql`drop trigger if exists stopped on jobs.version`.execute(test.db);
    await sql`update jobs.version set cron_on = now() + make_interval(hours => ${hours})`.execute(
      test.db,
    );
    await sql`create trigger stopped before update on jobs.version
      for each row execute function stopped()`.execute(test.db);
    for (const client of [superAdmin, auditor])
      expect((await itemOf(client, 'schedules_stopped')) !== undefined).toBe(isStopped);
    expect(await itemOf(orgAdmin, 'schedules_stopped')).toBeUndefined();
  }
  await until(async () => {
    const { body } = await test.visitor.get<Json>('/api/health/');
    const { schedules } = body.dependencies as Record<string, Json>;
    return body.status === 1 && schedules?.status === 'down';
  }, 'the health says so');
  await sql`drop trigger stopped on jobs.version`.execute(test.db);
});

it('says that several servers keep recordings on their own disks, until a place is chosen for all', async () => {
  const superAdmin = (await bearer(test)).inOrganization('');
  const examples = async () => (await itemOf(superAdmin, 'recordings_on_disks'))?.examples;
  expect(await examples()).toBeUndefined();
  await sql`insert into server (id, host, port, date_seen)
    select 'second', host, port, now() from server limit 1`.execute(test.db);
  const { rows } = await sql<{ name: string }>`insert into terminal (name, holder)
    values ('second', 'second') returning name`.execute(test.db);
  const names = (await examples())?.map(({ name }) => name);
  expect(names).toContain(rows[0]?.name);
  expect(await itemOf(cast.clients.orgAdmin, 'recordings_on_disks')).toBeUndefined();
  const storages = await superAdmin.get<Json[]>('terminal/replay-storages/?name=default');
  const path = `terminal/replay-storages/${storages.body[0]?.id}/`;
  expect((await superAdmin.patch(path, { is_for_all: true })).status).toBe(200);
  expect(await examples()).toBeUndefined();
  await sql`delete from server where id = 'second'`.execute(test.db);
  await sql`delete from terminal where holder = 'second'`.execute(test.db);
});

it('names the recordings of dead servers that could not be restored', async () => {
  const id = crypto.randomUUID();
  await sql`insert into session (id, "user", asset, "system_user", is_finished, awaits_holder,
      org_id, date_start, date_end)
    values (${id}, 'Li', 'web', 'deploy', true, true, ${cast.organization}, now(),
      now())`.execute(test.db);
  await sql`insert into recording_copy (session, storage, parts, size)
    select ${id}, id, 1, 1 from replay_storage where name = 'default'`.execute(test.db);
  const { orgAuditor } = cast.clients;
  expect(await itemOf(orgAuditor, 'unrestored_recordings')).toBeUndefined();
  await sql`update recording_copy set problem = 'missing' where session = ${id}`.execute(test.db);
  expect(await itemOf(orgAuditor, 'unrestored_recordings')).toMatchObject({
    count: 1,
    examples: [{ id }],
  });
  const list = 'terminal/sessions/?attention=unrestored_recordings&limit=9';
  expect((await orgAuditor.get<{ count: number }>(list)).body.count).toBe(1);
  await sql`delete from session where id = ${id}`.execute(test.db);
});

it('asks the database at most six times, wherever it is', async () => {
  expect(await countRoundTrips(() => cast.clients.superAdmin.get(PATH))).toBeLessThanOrEqual(6);
});
