import { RESOURCES, type RestoredObject } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { resealAll } from '../../start/keys/sealed-columns.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const DELETED = 'common/deleted-objects/';

let test: TestProgram;
let super_: Client;
let organization: string;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  super_ = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  admin = await signInMember(test, organization);
});

const create = async (path: string, body: Json, client = admin) => {
  const { status, text, body: made } = await client.post<Json>(path, body);
  expect(status, text).toBe(201);
  return String(made.id);
};
const remove = async (path: string, client = admin) => {
  const { status, text } = await client.delete(path);
  expect(status, text).toBe(204);
};
const restore = (id: string, body: Json = {}, client = admin) =>
  client.post<RestoredObject & Json>(`${DELETED}${id}/restore/`, body);
const restored = async (id: string, client = admin) => {
  const answer = await restore(id, {}, client);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const listed = async (client = admin) =>
  (await client.get<Json[]>(DELETED)).body.map(({ id }) => String(id));
/** Returns rows of a table as they are stored, without the columns that every write sets. */
const rowsOf = async (table: string, column: string, id: string) =>
  (
    await sql<{ row: Json }>`
      select to_jsonb(t) - array['date_updated', 'id', 'pinyin', 'date_added', 'password',
        'private_key', 'public_key', 'secret'] as row
      from ${sql.table(table)} t where ${sql.ref(`t.${column}`)} = ${id} order by 1`.execute(
      test.db,
    )
  ).rows.map(({ row }) => row);

describe('a deleted object', () => {
  it('answers 404, frees its name, and stays in the list with its author and its term', async () => {
    const hostname = unique('web');
    const id = await create('assets/assets/', { hostname, ip: '10.0.0.1', platform: 'Linux' });
    await remove(`assets/assets/${id}/`);
    expect((await admin.get(`assets/assets/${id}/`)).status).toBe(404);
    const { body } = await admin.get<Json>(`${DELETED}${id}/`);
    expect(body).toMatchObject({
      id,
      name: hostname,
      resource: 'asset',
      resource_display: 'Asset',
    });
    expect(body.deleted_by).toContain('Name of');
    const days =
      (Date.parse(String(body.date_expires).replace(' +', '+')) -
        Date.parse(String(body.date_deleted).replace(' +', '+'))) /
      86_400_000;
    expect(Math.round(days)).toBe(30);
    await create('assets/assets/', { hostname, ip: '10.0.0.2', platform: 'Linux' });
    expect((await admin.get<Json[]>(`assets/assets/?search=${hostname}`)).body).toHaveLength(1);
  });

  it('keeps its secrets sealed: neither the table nor an answer has them', async () => {
    const secret = unique('secret');
    const id = await create('assets/system-users/', {
      name: unique('ops'),
      username: 'ops',
      protocol: 'ssh',
      login_mode: 'auto',
      password: secret,
    });
    await remove(`assets/system-users/${id}/`);
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from deleted_object t where id = ${id}`.execute(test.db);
    expect(rows).toHaveLength(1);
    for (const text of [rows[0]?.row, (await admin.get(`${DELETED}${id}/`)).text]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('"ops"');
    }
    await restored(id);
    const stored = await sql<{ password: string }>`
      select password from system_account where id = ${id}`.execute(test.db);
    expect(
      test.program.vault.open(stored.rows[0]?.password ?? '', `system_account.password.${id}`),
    ).toBe(secret);
  });
});

it('seals all documents again when the keys rotate', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 12; count++)
    ids.push(await create('users/groups/', { name: unique('team') }));
  for (const id of ids) await remove(`users/groups/${id}/`);
  const documents = async () =>
    (
      await sql<{ document: string }>`select document from deleted_object
        where id = any (${ids}::uuid[]) order by id`.execute(test.db)
    ).rows.map(({ document }) => document);
  const before = await documents();
  await resealAll(test.db, test.program.vault, 'another key');
  const after = await documents();
  expect(after).toHaveLength(12);
  expect(after.filter((document) => before.includes(document))).toEqual([]);
  expect((await restored(ids[11] ?? '')).id).toBe(ids[11]);
});

describe('a restored object', () => {
  it('has its id, fields, nodes, labels, accounts, host keys and grants again', async () => {
    const { db } = test;
    const root = await rootNode(db, organization);
    const node = String(
      (await admin.post<Json>(`assets/nodes/${root}/children/`, { value: unique('node') })).body.id,
    );
    const id = await create('assets/assets/', {
      hostname: unique('web'),
      ip: '10.0.0.1',
      platform: 'Linux',
      nodes: [root, node],
      comment: 'kept',
    });
    const label = await create('assets/labels/', { name: unique('l'), value: 'x', assets: [id] });
    await sql`insert into host_key (org_id, asset_id, host, port, key_type, public_key, fingerprint)
      values (${organization}, ${id}, '10.0.0.1', 22, 'ssh-ed25519', '\\x0102', 'SHA256:x')`.execute(
      db,
    );
    const secret = unique('secret');
    await create('assets/asset-users/', { asset: id, username: 'root', password: secret });
    const account = await buildSystemUser(db, { organization });
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const rule = await buildPermission(db, {
      organization,
      users: [user.id],
      assets: [id],
      systemUsers: [account],
    });
    const read = async () => ({
      wire: { ...(await admin.get<Json>(`assets/assets/${id}/`)).body, last_session: null },
      stored: await rowsOf('asset', 'id', id),
      keys: await rowsOf('host_key', 'asset_id', id),
      accounts: await rowsOf('asset_user', 'asset_id', id),
      rules: await rowsOf('asset_permission_assets', 'asset_id', id),
      labels: await rowsOf('label_assets', 'asset_id', id),
    });
    const before = await read();
    expect(before.keys).toHaveLength(1);
    expect(before.accounts).toHaveLength(1);
    await remove(`assets/assets/${id}/`);
    expect((await admin.get<Json>(`perms/asset-permissions/${rule}/`)).body.assets).toEqual([]);
    expect(await restored(id)).toMatchObject({ id, resource: 'asset', missing: [] });
    expect(await read()).toEqual(before);
    expect((await admin.get<Json>(`assets/labels/${label}/`)).body.assets).toEqual([id]);
    const [sealed] = (
      await sql<{ id: string; password: string }>`
        select id, password from asset_user where asset_id = ${id}`.execute(db)
    ).rows;
    expect(
      test.program.vault.open(sealed?.password ?? '', `asset_user.password.${sealed?.id}`),
    ).toBe(secret);
    expect(await listed()).not.toContain(id);
    expect((await restore(id)).status).toBe(404);
  });

  it('appears in the operate log as restored', async () => {
    const id = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${id}/`);
    await restored(id);
    const { rows } = await sql<{ action: string }>`
      select action from operate_log where resource_id = ${id} order by sequence`.execute(test.db);
    expect(rows.map(({ action }) => action)).toEqual(['create', 'delete', 'restore']);
  });

  it('changes each object that names it again, which appears in the operate log', async () => {
    const { db } = test;
    const account = await buildSystemUser(db, { organization });
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const group = await buildGroup(db, [user.id], organization);
    const rules = [];
    for (let count = 0; count < 2; count++) {
      const body = { name: unique('rule'), system_users: [account], user_groups: [group] };
      rules.push(await create('perms/asset-permissions/', body));
    }
    await remove(`users/groups/${group}/`);
    await restored(group);
    for (const rule of rules) {
      const { body } = await admin.get<Json[]>(`audits/operate-logs/?resource_id=${rule}`);
      expect(body.map(({ action }) => action).toSorted()).toEqual(['create', 'update']);
      const { rows } = await sql<{ changes: Json }>`select changes from operate_log
        where resource_id = ${rule} and action = 'update'`.execute(db);
      expect(JSON.stringify(rows[0]?.changes)).toContain(group);
    }
  });

  it('appears in the operate log of each organization whose objects name an account again', async () => {
    const { db } = test;
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const group = await buildGroup(db, [user.id], organization);
    await remove(`users/users/${user.id}/`, super_);
    await restored(user.id, super_);
    const { body } = await admin.get<Json[]>(`audits/operate-logs/?resource_id=${group}`);
    expect(body.map(({ action }) => action)).toEqual(['update']);
    const elsewhere = await super_.get<Json[]>(`audits/operate-logs/?resource_id=${group}`);
    expect(elsewhere.body).toEqual([]);
  });

  it.each(RESOURCES.filter(({ restorable }) => restorable).map(({ name }) => name))(
    'keeps each column of %s',
    async (name) => {
      const { db } = test;
      const resource = RESOURCES.find((one) => one.name === name);
      const { path = '', table = '' } = resource ?? {};
      const account = await buildSystemUser(db, { organization });
      const cluster = await buildSystemUser(db, { organization, protocol: 'kubernetes' });
      const bodies: Record<string, Json> = {
        asset: { hostname: unique('a'), ip: '10.0.0.1', platform: 'Linux', number: '7' },
        user: {
          name: 'Li',
          username: unique('u'),
          email: `${unique('u')}@example.com`,
          phone: '1',
          date_expired: '2090-01-01 00:00:00 +0800',
        },
        user_group: { name: unique('g'), comment: 'c' },
        system_user: { name: unique('s'), username: 'a', protocol: 'ssh', login_mode: 'manual' },
        command_filter: { name: unique('f'), system_users: [account] },
        asset_permission: { name: unique('p'), system_users: [account], actions: ['connect'] },
        remote_app_permission: { name: unique('p'), system_users: [account] },
        cluster_permission: {
          name: unique('p'),
          system_users: [cluster],
          namespaces: 'team-*',
          verbs: ['read'],
        },
        database_app_permission: { name: unique('p'), system_users: [account] },
      };
      const client = name === 'user' ? super_ : admin;
      const body = bodies[name] ?? {};
      if (name.endsWith('_permission')) body.date_expired = '2020-01-01 00:00:00 +0800';
      if (name.endsWith('_permission')) body.date_start = '2019-01-01 00:00:00 +0800';
      const id = await create(`${path}/`, body, client);
      await sql`update ${sql.table(table)} set created_by = 'somebody else' where id = ${id}`.execute(
        db,
      );
      const before = await rowsOf(table, 'id', id);
      expect(before).toHaveLength(1);
      await remove(`${path}/${id}/`, client);
      expect(await rowsOf(table, 'id', id)).toEqual([]);
      await restored(id, client);
      expect(await rowsOf(table, 'id', id)).toEqual(before);
    },
  );

  it('names the links whose other end no longer exists', async () => {
    const { db } = test;
    const [account, other] = [
      await buildSystemUser(db, { organization }),
      await buildSystemUser(db, { organization }),
    ];
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const group = await buildGroup(db, [user.id], organization);
    const rule = await create('perms/asset-permissions/', {
      name: unique('rule'),
      users: [user.id],
      user_groups: [group],
      system_users: [account, other],
    });
    await remove(`perms/asset-permissions/${rule}/`);
    await remove(`users/groups/${group}/`);
    await remove(`assets/system-users/${other}/`);
    const { missing } = await restored(rule);
    expect(missing).toHaveLength(2);
    expect(missing.join()).toMatch(/User groups: group-/);
    const { body } = await admin.get<Json>(`perms/asset-permissions/${rule}/`);
    expect([body.users, body.user_groups, body.system_users]).toEqual([[user.id], [], [account]]);
    // The group named the rule when it was deleted after it, so only its members come back.
    await restored(group);
    expect((await admin.get<Json>(`users/groups/${group}/`)).body.users).toEqual([user.id]);
  });

  it('leaves out links that the rules refuse now', async () => {
    const [user, auditor] = [await buildUser(test.db), await buildUser(test.db)];
    const group = await buildGroup(test.db, [user.id, auditor.id]);
    await remove(`users/groups/${group}/`, super_);
    await sql`update account set role = 'Auditor' where id = ${auditor.id}`.execute(test.db);
    const { missing } = await restored(group, super_);
    expect(missing).toEqual([expect.stringContaining(auditor.username)]);
    expect((await super_.get<Json>(`users/groups/${group}/`)).body.users).toEqual([user.id]);
  });

  it('keeps the memberships that a directory or provider gave, so that it can take them back', async () => {
    const { db } = test;
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const group = await buildGroup(db, [user.id], organization);
    await sql`insert into provider_membership (user_id, user_group_id)
      values (${user.id}, ${group})`.execute(db);
    await sql`insert into scim_group (group_id, source, external_id)
      values (${group}, 'openid', 'x')`.execute(db);
    const read = () =>
      Promise.all([
        rowsOf('provider_membership', 'user_group_id', group),
        rowsOf('scim_group', 'group_id', group),
      ]);
    const before = await read();
    expect(before.map((rows) => rows.length)).toEqual([1, 1]);
    await remove(`users/groups/${group}/`);
    expect(await read()).toEqual([[], []]);
    expect(await restored(group)).toMatchObject({ missing: [] });
    expect(await read()).toEqual(before);
  });

  it('stays deleted without a condition or a rule that limits it', async () => {
    const condition = await create('perms/conditions/', { name: unique('hours') });
    const account = await buildSystemUser(test.db, { organization });
    const rule = await create('perms/asset-permissions/', {
      name: unique('rule'),
      system_users: [account],
      condition,
    });
    const filter = await create('assets/cmd-filters/', { name: unique('filter') });
    await create(`assets/cmd-filters/${filter}/rules/`, {
      type: 'command',
      content: 'rm',
      condition,
    });
    await create(`assets/cmd-filters/${filter}/rules/`, { type: 'command', content: 'dd' });
    await remove(`perms/asset-permissions/${rule}/`);
    await remove(`assets/cmd-filters/${filter}/`);
    await remove(`perms/conditions/${condition}/`);
    const answer = await restore(rule);
    expect([answer.status, answer.body.code]).toEqual([409, 'restore_needs']);
    const second = await restore(filter);
    expect([second.status, second.body.code]).toEqual([409, 'restore_incomplete']);
    expect((await admin.get(`assets/cmd-filters/${filter}/`)).status).toBe(404);
    expect(await listed()).toEqual(expect.arrayContaining([rule, filter]));
  });

  it('comes back after an upgrade that drops and adds columns', async () => {
    const { db } = test;
    const id = await create('assets/cmd-filters/', { name: unique('filter') });
    await create(`assets/cmd-filters/${id}/rules/`, { type: 'command', content: 'rm' });
    const tables = ['command_filter', 'command_filter_rule'];
    for (const table of tables)
      await sql`alter table ${sql.table(table)} add column earlier text default 'x'`.execute(db);
    await remove(`assets/cmd-filters/${id}/`);
    for (const table of tables)
      await sql`alter table ${sql.table(table)} drop column earlier,
        add column later text not null default 'y'`.execute(db);
    expect(await restored(id)).toMatchObject({ missing: [] });
    expect(await rowsOf('command_filter_rule', 'filter_id', id)).toMatchObject([{ later: 'y' }]);
    for (const table of tables)
      await sql`alter table ${sql.table(table)} drop column later`.execute(db);
  });

  it('stays deleted with a reason if its document does not open', async () => {
    const id = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${id}/`);
    await sql`update deleted_object set document = 'v2$x$y' where id = ${id}`.execute(test.db);
    const answer = await restore(id);
    expect([answer.status, answer.body.code]).toEqual([409, 'restore_unreadable']);
  });

  it('stays deleted if its document was moved to another kind or organization', async () => {
    const { db } = test;
    const other = await buildOrganization(db);
    const id = await create('users/groups/', { name: unique('team') });
    const rule = await create('assets/cmd-filters/', { name: unique('filter') });
    await remove(`users/groups/${id}/`);
    await remove(`assets/cmd-filters/${rule}/`);
    await sql`update deleted_object set org_id = ${other} where id = ${id}`.execute(db);
    await sql`update deleted_object set resource = 'user_group' where id = ${rule}`.execute(db);
    for (const [client, moved] of [
      [await signInMember(test, other), id],
      [admin, rule],
    ] as const) {
      const answer = await restore(moved, {}, client);
      expect([answer.status, answer.body.code]).toEqual([409, 'restore_unreadable']);
    }
  });

  it('comes back from a document of an earlier release, which names no owner', async () => {
    const { db } = test;
    const { vault } = test.program;
    const id = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${id}/`);
    const { rows } = await sql<{ document: string }>`
      select document from deleted_object where id = ${id}`.execute(db);
    const context = `deleted_object.document.${id}`;
    const { of: owner, ...earlier } = JSON.parse(vault.open(rows[0]?.document ?? '', context));
    expect(owner).toEqual({ organization, resource: 'user_group' });
    const document = vault.seal(JSON.stringify(earlier), context);
    await sql`update deleted_object set document = ${document} where id = ${id}`.execute(db);
    expect(await restored(id)).toMatchObject({ id });
  });

  it('loses the way back if one of its secrets does not open', async () => {
    const account = { name: unique('root'), username: 'root', password: 'vault secret 1' };
    const id = await create('assets/system-users/', account);
    await sql`update system_account set password = 'sealed with a lost key' where id = ${id}`.execute(
      test.db,
    );
    await remove(`assets/system-users/${id}/`);
    expect(await listed()).not.toContain(id);
    expect((await restore(id)).status).toBe(404);
  });

  it('takes another name where its own is taken', async () => {
    const hostname = unique('web');
    const body = { ip: '10.0.0.1', platform: 'Linux' };
    const id = await create('assets/assets/', { ...body, hostname });
    await remove(`assets/assets/${id}/`);
    await create('assets/assets/', { ...body, hostname });
    const taken = await restore(id);
    expect([taken.status, Object.keys(taken.body)]).toEqual([400, ['hostname']]);
    const other = unique('other');
    for (const values of ['x', [], { hostname: 7 }, { hostname: 'x'.repeat(300) }])
      expect((await restore(id, { values })).status).toBe(400);
    // Only unique names can be chosen.
    const answer = await restore(id, { values: { hostname: other, ip: '10.9.9.9' } });
    expect([answer.status, answer.body.name]).toEqual([200, other]);
    expect((await admin.get<Json>(`assets/assets/${id}/`)).body.ip).toBe('10.0.0.1');
  });
});

describe('a restored user', () => {
  it('has factors, keys, memberships and grants again, and neither sessions nor access keys', async () => {
    const { db } = test;
    const account = await buildSystemUser(db, { organization });
    const user = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const { id } = user;
    const group = await buildGroup(db, [id], organization);
    const rule = await buildPermission(db, {
      organization,
      users: [id],
      assets: [],
      systemUsers: [account],
    });
    const own = await bearer(test, user);
    expect((await own.post('authentication/access-keys/', {})).status).toBe(201);
    const sealed = test.program.vault.seal('ABCDEFGH', `totp.secret.${id}`);
    await sql`insert into totp (user_id, secret, last_step) values (${id}, ${sealed}, 1)`.execute(
      db,
    );
    await sql`insert into ssh_key (user_id, name, public_key, date_expired)
      values (${id}, 'laptop', 'ssh-ed25519 AAAA', '2020-01-01')`.execute(db);
    const tables = [
      'organization_member',
      'user_group_users',
      'asset_permission_users',
      'ssh_key',
      'totp',
    ];
    const read = () =>
      Promise.all([
        rowsOf('account', 'id', id),
        ...tables.map((table) => rowsOf(table, 'user_id', id)),
      ]);
    const before = await read();
    expect(before.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1, 1]);
    await remove(`users/users/${id}/`, super_);
    expect((await own.get('users/profile/')).status).toBe(401);
    expect(await restored(id, super_)).toMatchObject({ missing: [] });
    const after = await read();
    expect(after).toEqual(before);
    expect((await own.get('users/profile/')).status).toBe(401);
    expect(await rowsOf('access_key', 'user_id', id)).toEqual([]);
    expect(await rowsOf('web_session', 'user_id', id)).toEqual([]);
    const { rows } = await sql<{ secret: string }>`
      select secret from totp where user_id = ${id}`.execute(db);
    expect(test.program.vault.open(rows[0]?.secret ?? '', `totp.secret.${id}`)).toBe('ABCDEFGH');
    expect((await admin.get<Json>(`users/groups/${group}/`)).body.users).toEqual([id]);
    expect((await admin.get<Json>(`perms/asset-permissions/${rule}/`)).body.users).toEqual([id]);
  });

  it('comes back disabled if a directory knows it, and stays expired', async () => {
    const { id } = await buildUser(test.db, { dateExpired: new Date('2020-01-01') });
    await remove(`users/users/${id}/`, super_);
    await restored(id, super_);
    const account = (await super_.get<Json>(`users/users/${id}/`)).body;
    expect([account.is_active, account.is_valid]).toEqual([true, false]);
    for (const change of [
      sql`update account set source = 'ldap' where id = ${id}`,
      sql`insert into scim_user (user_id) values (${id})`,
    ]) {
      await change.execute(test.db);
      await remove(`users/users/${id}/`, super_);
      await restored(id, super_);
      expect((await super_.get<Json>(`users/users/${id}/`)).body.is_active).toBe(false);
      await sql`update account set source = 'local', is_active = true where id = ${id}`.execute(
        test.db,
      );
    }
  });

  it('gets no membership in an organization that was deleted', async () => {
    const { id } = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    await remove(`users/users/${id}/`, super_);
    await sql`delete from organization_member where organization_id = ${organization}`.execute(
      test.db,
    );
    await remove(`orgs/orgs/${organization}/`, super_);
    await restored(id, super_);
    expect(await rowsOf('organization_member', 'user_id', id)).toEqual([]);
  });

  it('needs the password of the caller again if it is an administrator', async () => {
    const { id } = await buildUser(test.db, { role: 'Admin' });
    await remove(`users/users/${id}/`, super_);
    await sql`update web_session set date_created = now() - interval '2 days'`.execute(test.db);
    const answer = await restore(id, {}, super_);
    expect([answer.status, answer.body.code], answer.text).toEqual([403, 'sign_in_again']);
    expect((await super_.get(`users/users/${id}/`)).status).toBe(404);
    super_ = await bearer(test);
    expect((await restored(id, super_)).id).toBe(id);
  });
});

describe('a user who restores', () => {
  it('sees deleted objects of the own organization only', async () => {
    const other = await buildOrganization(test.db);
    const stranger = await signInMember(test, other);
    const id = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${id}/`);
    for (const client of [stranger, super_, super_.inOrganization(other)]) {
      expect(await listed(client)).not.toContain(id);
      expect((await restore(id, {}, client)).status).toBe(404);
      expect((await client.delete(`${DELETED}${id}/`)).status).toBe(404);
    }
    for (const role of ['User', 'Auditor'] as const) {
      const member = await signInMember(test, organization, role);
      expect((await member.get(DELETED)).status).toBe(403);
      expect((await restore(id, {}, member)).status).toBe(403);
      expect((await member.delete(`${DELETED}${id}/`)).status).toBe(403);
    }
    expect(await listed()).toContain(id);
  });

  it('needs a duty that may create such objects, and gives back no other grants', async () => {
    const { db } = test;
    const [system, security] = [
      await bearer(test, await buildUser(db, { duty: 'system' })),
      await bearer(test, await buildUser(db, { duty: 'security' })),
    ];
    const asset = await buildAsset(db);
    const account = await buildSystemUser(db);
    const user = await buildUser(db);
    const rule = await buildPermission(db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [account],
    });
    await remove(`assets/assets/${asset}/`, system);
    expect((await restore(asset, {}, security)).status).toBe(404);
    expect(await listed(security)).not.toContain(asset);
    // The system administrator gives no access: the grant does not come back.
    const { missing } = await restored(asset, system);
    expect(missing).toEqual(['Asset permission: 1']);
    await remove(`perms/asset-permissions/${rule}/`, security);
    expect((await restore(rule, {}, system)).status).toBe(404);
    expect((await restored(rule, security)).id).toBe(rule);
  });

  it('appoints no administrator of an organization without the right to change it', async () => {
    const { db } = test;
    const system = await bearer(test, await buildUser(db, { duty: 'system' }));
    const other = await buildOrganization(db);
    const { id } = await buildUser(db, {
      memberOf: [
        { organization, role: 'Admin' },
        { organization: other, role: 'User' },
      ],
    });
    await remove(`users/users/${id}/`, super_);
    const { missing } = await restored(id, system);
    expect(missing).toEqual([expect.stringContaining('Organization: ')]);
    expect(await rowsOf('organization_member', 'user_id', id)).toMatchObject([
      { organization_id: other, role: 'User' },
    ]);
  });

  it('finds no object that was deleted permanently, or whose period has ended', async () => {
    const id = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${id}/`);
    await remove(`${DELETED}${id}/`);
    expect((await restore(id)).status).toBe(404);
    const old = await create('users/groups/', { name: unique('team') });
    await remove(`users/groups/${old}/`);
    await sql`update deleted_object set date_deleted = now() - interval '31 days'
      where id = ${old}`.execute(test.db);
    expect(await listed()).not.toContain(old);
    expect((await restore(old)).status).toBe(404);
    const expiry = test.program.expiries.find(({ rows }) => rows === 'deleted objects');
    expect(await expiry?.remove(9_999)).toBeGreaterThan(0);
    expect(await rowsOf('deleted_object', 'id', old)).toEqual([]);
  });
});
