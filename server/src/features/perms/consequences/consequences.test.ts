import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  asset = await buildAsset(test.db);
  systemUser = await buildSystemUser(test.db);
});

interface Answer {
  readonly objects: { readonly count: number; readonly names: readonly string[] };
  readonly consequences: readonly {
    readonly kind: string;
    readonly count: number;
    readonly names: readonly string[];
    readonly blocks: boolean;
  }[];
  readonly access: readonly {
    readonly kind: string;
    readonly people: { readonly count: number; readonly names: readonly string[] };
  }[];
  readonly type_to_confirm: string | null;
}

const ask = (body: Json, client = admin) => client.post<Answer & Json>('perms/consequences/', body);
/** Counts of the consequences, by kind. */
const counts = async (body: Json) =>
  Object.fromEntries((await ask(body)).body.consequences.map(({ kind, count }) => [kind, count]));

/** Inserts an open session, without a gateway. */
async function openSession(onAsset = asset, organization = '', by = user): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id)
    values (${organization}, ${by.username}, 'web', 'root', ${by.id}, ${onAsset}, ${systemUser})
    returning id`.execute(test.db);
  return rows[0]?.id ?? '';
}

async function nodeBelow(parent: string, value: string): Promise<string> {
  return String((await admin.post<Json>(`assets/nodes/${parent}/children/`, { value })).body.id);
}

describe('users', () => {
  it('counts sign-ins, sessions and keys that end when a user is disabled', async () => {
    await bearer(test, user);
    await sql`insert into access_key (user_id, secret)
      values (${user.id}, 'x'), (${user.id}, 'y')`.execute(test.db);
    await sql`insert into access_key (user_id, secret, is_active)
      values (${user.id}, 'z', false)`.execute(test.db);
    await openSession();
    const { body } = await ask({ action: 'disable', resource: 'user', ids: [user.id] });
    expect(body.objects).toEqual({
      count: 1,
      names: [`Name of ${user.username}(${user.username})`],
    });
    expect(body.consequences.map(({ kind, count }) => [kind, count])).toEqual([
      ['sign_ins_ended', 1],
      ['sessions_cut', 1],
      ['keys_refused', 2],
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body.type_to_confirm).toBeNull();
    // The preview changes nothing.
    expect((await admin.get<Json>(`users/users/${user.id}/`)).body.is_active).toBe(true);
  });

  it('counts groups and permissions of a deleted user, and permissions of an enabled user', async () => {
    await buildGroup(test.db, [user.id]);
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect(await counts({ action: 'delete', resource: 'user', ids: [user.id] })).toEqual({
      permissions_naming: 1,
      groups: 1,
    });
    expect(await counts({ action: 'enable', resource: 'user', ids: [user.id] })).toEqual({
      permissions_naming: 1,
    });
  });

  it('rejects users that the policy protects', async () => {
    const { body } = await admin.get<{ results: { id: string }[] } & Json>(
      'users/users/?username=admin&limit=1',
    );
    expect(
      (await ask({ action: 'disable', resource: 'user', ids: [body.results[0]?.id] })).status,
    ).toBe(403);
  });

  it('hides sign-ins and keys of a user with another home organization', async () => {
    const organization = await buildOrganization(test.db);
    const guest = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    await sql`update account set home_organization_id = null where id = ${guest.id}`.execute(
      test.db,
    );
    await bearer(test, guest);
    await openSession(asset, organization, guest);
    const boss = await signInMember(test, organization);
    expect((await ask({ action: 'disable', resource: 'user', ids: [guest.id] }, boss)).status).toBe(
      403,
    );
    const { body } = await ask({ action: 'delete', resource: 'user', ids: [guest.id] }, boss);
    expect(body.consequences.map(({ kind }) => kind)).toEqual(['sessions_cut']);
  });
});

describe('permissions', () => {
  const one = (kind: string, more: Json = {}) => ({
    kind,
    people: { count: 1 },
    assets: { count: 1 },
    accounts: { count: 1 },
    accesses: 1,
    ...more,
  });
  const terms = () => ({
    users: [user.id],
    assets: [asset],
    system_users: [systemUser],
    actions: ['connect'],
  });
  const save = (body: Json, ids: readonly string[] = []) =>
    ask({ action: 'save', resource: 'asset_permission', ids, ...body });

  it('counts sessions and access that no other permission grants when a permission ends', async () => {
    const rule = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await openSession();
    const { body } = await ask({ action: 'delete', resource: 'asset_permission', ids: [rule] });
    expect(body).toMatchObject({
      consequences: [{ kind: 'sessions_cut', count: 1 }],
      access: [one('lost')],
      access_from: null,
    });
    expect(body.access[0]?.people.names).toEqual([`Name of ${user.username}(${user.username})`]);
    await buildPermission(test.db, {
      groups: [await buildGroup(test.db, [user.id])],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect(
      (await ask({ action: 'disable', resource: 'asset_permission', ids: [rule] })).body,
    ).toMatchObject({ consequences: [], access: [] });
  });

  it('counts no loss for a disabled permission, and a gain when it is enabled', async () => {
    const rule = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await sql`update asset_permission set is_active = false where id = ${rule}`.execute(test.db);
    expect(
      (await ask({ action: 'delete', resource: 'asset_permission', ids: [rule] })).body,
    ).toMatchObject({ consequences: [], access: [] });
    expect(
      (await ask({ action: 'enable', resource: 'asset_permission', ids: [rule] })).body.access,
    ).toMatchObject([one('gained')]);
  });

  it('returns the gained access of a new permission, and its start, before it is saved', async () => {
    expect((await save(terms())).body).toMatchObject({
      objects: { count: 0 },
      access: [one('gained')],
      access_from: null,
      type_to_confirm: null,
    });
    expect((await save({ ...terms(), is_active: false })).body.access).toEqual([]);
    const later = await save({
      ...terms(),
      date_start: '2090-01-01 00:00:00 +0000',
      date_expired: '2091-01-01 00:00:00 +0000',
    });
    expect(later.body).toMatchObject({
      access: [one('gained')],
      access_from: expect.stringContaining('2090'),
    });
    // The preview stores nothing.
    expect(
      (
        await admin.get<{ count: number } & Json>(
          `perms/asset-permissions/?user_id=${user.id}&limit=1`,
        )
      ).body.count,
    ).toBe(0);
  });

  it('returns gained, lost, reduced and extended access of a changed permission before it is saved', async () => {
    const other = await buildAsset(test.db);
    const rule = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
      actions: 7,
    });
    const { date_start, date_expired } = (await admin.get<Json>(`perms/asset-permissions/${rule}/`))
      .body;
    const kept = {
      ...terms(),
      actions: ['connect', 'upload_file', 'download_file'],
      date_start,
      date_expired,
    };
    expect((await save(kept, [rule])).body).toMatchObject({ consequences: [], access: [] });
    expect((await save({ ...kept, assets: [other] }, [rule])).body.access).toMatchObject([
      one('gained'),
      one('lost'),
    ]);
    expect((await save({ ...kept, actions: ['connect'] }, [rule])).body.access).toMatchObject([
      one('fewer_actions', { actions: ['upload_file', 'download_file', 'updownload'] }),
    ]);
    expect(
      (await save({ ...kept, date_expired: '2090-01-01 00:00:00 +0000' }, [rule])).body.access,
    ).toMatchObject([one('longer')]);
    // A session continues while the changed permission allows it.
    await openSession();
    expect((await save({ ...kept, assets: [asset, other] }, [rule])).body.consequences).toEqual([]);
    expect((await save({ ...kept, assets: [other] }, [rule])).body.consequences).toMatchObject([
      { kind: 'sessions_cut', count: 1 },
    ]);
  });

  it('counts and names each asset of a granted tree once, without those that are granted already', async () => {
    const top = await nodeBelow(await rootNode(test.db), unique('top'));
    const low = await nodeBelow(top, unique('low'));
    const aside = await nodeBelow(await rootNode(test.db), unique('aside'));
    const asset = (hostname: string, nodes: readonly string[], more = {}) =>
      buildAsset(test.db, { hostname: unique(hostname), nodes, ...more });
    const [, second, third, named] = await Promise.all([
      asset('a-once', [low]),
      asset('b-twice', [low, top]),
      asset('c-aside', [low, aside]),
      asset('d-named', [low]),
      asset('e-disabled', [low, top], { isActive: false }),
      asset('f-windows', [low], { protocols: ['rdp/3389'] }),
      asset('g-outside', [aside]),
    ]);
    const names = async () => {
      const { access } = (await save({ ...terms(), assets: [], nodes: [top, low] })).body;
      const [{ kind = '', assets = { count: 0, names: [] } } = {}] = access as readonly {
        readonly kind?: string;
        readonly assets?: { readonly count: number; readonly names: readonly string[] };
      }[];
      return [kind, assets.count, ...assets.names.map((name) => name.slice(0, 1))];
    };
    expect(await names()).toEqual(['gained', 4, 'a', 'b', 'c', 'd']);
    const granted = { users: [user.id], systemUsers: [systemUser], start: new Date(0) };
    const end = new Date('2200-01-01');
    await buildPermission(test.db, { ...granted, end, assets: [named ?? ''] });
    expect(await names()).toEqual(['gained', 3, 'a', 'b', 'c']);
    await buildPermission(test.db, { ...granted, end, nodes: [aside] });
    expect(await names()).toEqual(['gained', 2, 'a', 'b']);
    await buildPermission(test.db, { ...granted, end, assets: [second ?? '', third ?? ''] });
    expect(await names()).toEqual(['gained', 1, 'a']);
  });

  it('ignores objects of other organizations, and rejects an invalid date', async () => {
    const organization = await buildOrganization(test.db);
    const boss = await signInMember(test, organization);
    const own = await buildSystemUser(test.db, { organization });
    const foreign = await ask(
      { action: 'save', resource: 'asset_permission', ...terms(), system_users: [own] },
      boss,
    );
    expect(foreign.body.access).toEqual([]);
    const rule = await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect(
      (await ask({ action: 'save', resource: 'asset_permission', ids: [rule], ...terms() }, boss))
        .status,
    ).toBe(404);
    const { status, body } = await save({ ...terms(), date_start: 'some day' });
    expect([status, Object.keys(body)]).toEqual([400, ['date_start']]);
  });

  it('requires typing the name when many users lose access, not when they gain it', async () => {
    const people: string[] = [];
    while (people.length < 51) people.push((await buildUser(test.db)).id);
    const rule = await buildPermission(test.db, {
      users: people,
      assets: [asset],
      systemUsers: [systemUser],
    });
    const { body } = await save({ ...terms(), users: [] }, [rule]);
    expect(body.access).toMatchObject([{ kind: 'lost', people: { count: 51 }, accesses: 51 }]);
    expect(body.type_to_confirm).toBe(body.objects.names[0]);
    expect((await save({ ...terms(), users: people })).body.type_to_confirm).toBeNull();
  });
});

it('returns users who gain and lose access before a group is saved', async () => {
  const [group, next] = [await buildGroup(test.db, [user.id]), await buildUser(test.db)];
  await buildPermission(test.db, { groups: [group], assets: [asset], systemUsers: [systemUser] });
  const { body } = await ask({
    action: 'save',
    resource: 'user_group',
    ids: [group],
    users: [next.id],
  });
  expect(body.access).toMatchObject([
    { kind: 'gained', people: { names: [`Name of ${next.username}(${next.username})`] } },
    { kind: 'lost', people: { names: [`Name of ${user.username}(${user.username})`] } },
  ]);
  expect(
    (await ask({ action: 'save', resource: 'user_group', users: [next.id] })).body.access,
  ).toEqual([]);
});

describe('assets, nodes and what belongs to them', () => {
  it('counts sessions, permissions and users that lose a deleted asset', async () => {
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await openSession();
    const { body } = await ask({ action: 'delete', resource: 'asset', ids: [asset] });
    expect(body.consequences.map(({ kind, count }) => [kind, count])).toEqual([
      ['sessions_cut', 1],
      ['permissions_naming', 1],
      ['people_losing', 1],
    ]);
    expect(body.consequences[2]?.names).toEqual([`Name of ${user.username}(${user.username})`]);
  });

  it('returns child nodes and assets that block the deletion of a node', async () => {
    const parent = await nodeBelow(await rootNode(test.db), `up ${asset.slice(0, 8)}`);
    await nodeBelow(parent, 'child');
    await buildAsset(test.db, { nodes: [parent] });
    const { body } = await ask({ action: 'delete', resource: 'node', ids: [parent] });
    expect(body.consequences.map(({ kind, count, blocks }) => [kind, count, blocks])).toEqual([
      ['nodes_blocking', 1, true],
      ['assets_blocking', 1, true],
    ]);
  });

  it('counts permissions lost and gained when assets move to a node, and gained when they are added', async () => {
    const root = await rootNode(test.db);
    const [from, to] = [
      await nodeBelow(root, `leaves ${asset}`),
      await nodeBelow(root, `comes ${asset}`),
    ];
    const placed = await buildAsset(test.db, { nodes: [from] });
    await buildPermission(test.db, { users: [user.id], nodes: [from], systemUsers: [systemUser] });
    await openSession(placed);
    const question = { action: 'move', resource: 'asset', ids: [placed], target: to };
    expect(await counts(question)).toEqual({ sessions_cut: 1, permissions_lost: 1 });
    await buildPermission(test.db, { users: [user.id], nodes: [to], systemUsers: [systemUser] });
    expect(await counts(question)).toEqual({ permissions_lost: 1, permissions_gained: 1 });
    expect(await counts({ ...question, action: 'add' })).toEqual({ permissions_gained: 1 });
    // Moving to the current node has no consequences.
    expect(await counts({ ...question, target: from })).toEqual({});
    const stranger = await buildUser(test.db, {
      memberOf: [{ organization: await buildOrganization(test.db), role: 'Admin' }],
    });
    const elsewhere = (await bearer(test, stranger)).inOrganization(stranger.id);
    expect((await ask(question, elsewhere)).status).toBe(403);
    expect((await ask({ ...question, target: crypto.randomUUID() })).status).toBe(404);
  });

  it('counts permissions lost and gained when a node moves', async () => {
    const root = await rootNode(test.db);
    const [from, to] = [
      await nodeBelow(root, `from ${asset.slice(0, 8)}`),
      await nodeBelow(root, `to ${asset.slice(0, 8)}`),
    ];
    const moved = await nodeBelow(from, 'moved');
    const placed = await buildAsset(test.db, { nodes: [moved] });
    await buildPermission(test.db, { users: [user.id], nodes: [from], systemUsers: [systemUser] });
    await openSession(placed);
    const question = { action: 'move', resource: 'node', ids: [moved], target: to };
    expect(await counts(question)).toEqual({
      sessions_cut: 1,
      assets_moved: 1,
      permissions_lost: 1,
    });
    await buildPermission(test.db, { users: [user.id], nodes: [to], systemUsers: [systemUser] });
    expect(await counts(question)).toEqual({
      assets_moved: 1,
      permissions_lost: 1,
      permissions_gained: 1,
    });
  });

  it('counts sessions and permissions lost when a user leaves a group', async () => {
    const group = await buildGroup(test.db, [user.id]);
    await buildPermission(test.db, { groups: [group], assets: [asset], systemUsers: [systemUser] });
    await openSession();
    const question = { resource: 'user_group', ids: [group], users: [user.id] };
    expect(await counts({ ...question, action: 'remove_members' })).toEqual({
      sessions_cut: 1,
      permissions_lost: 1,
    });
    expect(await counts({ ...question, action: 'add_members' })).toEqual({ permissions_gained: 1 });
    expect(await counts({ ...question, action: 'delete' })).toEqual({
      sessions_cut: 1,
      permissions_naming: 1,
      members: 1,
    });
  });

  it('counts the consequences for system users, domains, gateways, labels and admin users', async () => {
    await buildPermission(test.db, {
      users: [user.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    await openSession();
    expect(await counts({ action: 'delete', resource: 'system_user', ids: [systemUser] })).toEqual({
      sessions_cut: 1,
      permissions_naming: 1,
      people_concerned: 1,
    });
    const name = `made-${asset.slice(0, 8)}`;
    const make = async (path: string, body: Json) =>
      String((await admin.post<Json>(path, { name, ...body })).body.id);
    const domain = await make('assets/domains/', {});
    const gateway = await make('assets/gateways/', { ip: '10.0.0.9', username: 'gw', domain });
    const adminUser = await make('assets/admin-users/', { username: 'root' });
    await admin.patch(`assets/assets/${asset}/`, { domain, admin_user: adminUser });
    const label = await make('assets/labels/', { value: 'v', assets: [asset] });
    expect(await counts({ action: 'delete', resource: 'domain', ids: [domain] })).toEqual({
      assets_direct: 1,
      gateways_deleted: 1,
    });
    expect(await counts({ action: 'disable', resource: 'gateway', ids: [gateway] })).toEqual({
      assets_unreachable: 1,
    });
    expect(await counts({ action: 'delete', resource: 'gateway', ids: [gateway] })).toEqual({
      assets_direct: 1,
    });
    expect(await counts({ action: 'delete', resource: 'label', ids: [label] })).toEqual({
      assets_labelled: 1,
    });
    expect(await counts({ action: 'delete', resource: 'admin_user', ids: [adminUser] })).toEqual({
      assets_blocking: 1,
    });
  });
});

describe('many objects', () => {
  it('accepts a stored set of objects, and requires typing their number', async () => {
    const ids: string[] = [];
    while (ids.length < 51) ids.push(await buildAsset(test.db));
    const { spm } = (await admin.post<Json>('common/resources/cache/', { resources: ids })).body;
    const { body } = await ask({ action: 'delete', resource: 'asset', spm });
    expect(body).toMatchObject({ objects: { count: 51 }, type_to_confirm: '51' });
    expect(body.objects.names).toHaveLength(5);
    expect(
      (await ask({ action: 'enable', resource: 'asset', spm })).body.type_to_confirm,
    ).toBeNull();
    expect(
      (await ask({ action: 'delete', resource: 'asset', spm: crypto.randomUUID() })).status,
    ).toBe(400);
  });

  it('requires typing the name of a single object that affects many users', async () => {
    const people: string[] = [];
    while (people.length < 51) people.push((await buildUser(test.db)).id);
    const rule = await buildPermission(test.db, {
      users: people,
      assets: [asset],
      systemUsers: [systemUser],
    });
    const { body } = await ask({ action: 'delete', resource: 'asset_permission', ids: [rule] });
    expect(body.type_to_confirm).toBe(body.objects.names[0]);
  });
});

describe('is refused', () => {
  it('rejects users and auditors', async () => {
    const organization = await buildOrganization(test.db);
    for (const role of ['User', 'Auditor'] as const) {
      const client = await signInMember(test, organization, role);
      expect(
        (await ask({ action: 'delete', resource: 'asset', ids: [asset] }, client)).status,
      ).toBe(403);
    }
  });

  it('rejects organization administrators for objects of the installation', async () => {
    const boss = await signInMember(test, await buildOrganization(test.db));
    const { body } = await admin.get<{ results: { id: string }[] } & Json>(
      'assets/platforms/?limit=1',
    );
    expect(
      (await ask({ action: 'delete', resource: 'platform', ids: [body.results[0]?.id] }, boss))
        .status,
    ).toBe(403);
    expect(
      (await ask({ action: 'delete', resource: 'organization', ids: [asset] }, boss)).status,
    ).toBe(403);
  });

  it('ignores objects of another organization, and responds with 404 when none remain', async () => {
    const organization = await buildOrganization(test.db);
    const boss = await signInMember(test, organization);
    const session = await openSession();
    const own = await buildAsset(test.db, { organization });
    for (const [resource, action, id] of [
      ['asset', 'delete', asset],
      ['user', 'disable', user.id],
      ['session', 'terminate', session],
    ]) {
      expect((await ask({ action, resource, ids: [id] }, boss)).status).toBe(404);
    }
    expect(
      (await ask({ action: 'delete', resource: 'asset', ids: [own, asset] }, boss)).body.objects
        .count,
    ).toBe(1);
    const group = await buildGroup(test.db, [], organization);
    expect(
      (
        await ask(
          { action: 'add_members', resource: 'user_group', ids: [group], users: [user.id] },
          boss,
        )
      ).body.consequences,
    ).toEqual([]);
  });

  it('rejects actions that a resource does not support', async () => {
    expect((await ask({ action: 'terminate', resource: 'asset', ids: [asset] })).status).toBe(400);
    expect(
      (
        await ask({
          action: 'move',
          resource: 'node',
          ids: [await rootNode(test.db)],
          target: crypto.randomUUID(),
        })
      ).status,
    ).toBe(404);
    expect((await ask({ action: 'delete', resource: 'secret', ids: [asset] })).status).toBe(400);
  });
});

it('logs the reason when a session is terminated', async () => {
  const id = await openSession();
  const { body } = await ask({ action: 'terminate', resource: 'session', ids: [id] });
  expect(body).toMatchObject({
    objects: { count: 1, names: [`${user.username} → web`] },
    consequences: [{ kind: 'people_concerned', count: 1 }],
  });
  const ended = await admin.post<Json>('terminal/tasks/kill-session/', {
    sessions: [id],
    reason: 'Maintenance',
  });
  expect(ended.body).toEqual({ ok: [id] });
  const { rows } =
    await sql<Json>`select action, changes from operate_log where resource_id = ${id}`.execute(
      test.db,
    );
  expect(rows).toEqual([{ action: 'terminate', changes: { reason: [null, 'Maintenance'] } }]);
  expect(
    (await admin.post('terminal/tasks/kill-session/', { sessions: [id], reason: 'two\nlines' }))
      .status,
  ).toBe(400);
  expect(
    (await admin.post('terminal/tasks/kill-session/', { sessions: [id], reason: 'x'.repeat(201) }))
      .status,
  ).toBe(400);
});
