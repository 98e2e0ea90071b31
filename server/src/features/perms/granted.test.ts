import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
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
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { grantedAccounts } from './grants/accounts.ts';
import { ASSETS } from './grants/kind.ts';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
let own: Client;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  own = await bearer(test, user);
  asset = await buildAsset(test.db);
  systemUser = await buildSystemUser(test.db);
});

const grantedIds = async () =>
  (await own.get<Json[]>('perms/users/assets/')).body.map((row) => row.id);
const validate = (client = own, whose = '') =>
  client.get<Json>(
    `perms/asset-permissions/user/validate/?asset_id=${asset}&system_user_id=${systemUser}${whose}`,
  );
const grant = () =>
  buildPermission(test.db, {
    users: [user.id],
    assets: [asset],
    systemUsers: [systemUser],
    actions: 1,
  });

describe('a user with a rule', () => {
  it('lists the granted asset, its system users and the permission that grants them', async () => {
    const rule = await grant();
    expect(await grantedIds()).toEqual([asset]);
    const { body: accounts } = await own.get<Json[]>(`perms/users/assets/${asset}/system-users/`);
    expect(accounts).toEqual([
      expect.objectContaining({ id: systemUser, protocol: 'ssh', actions: ['connect'] }),
    ]);
    expect(JSON.stringify(accounts)).not.toMatch(/password|private_key/);
    const { status, body } = await validate();
    expect([status, body]).toEqual([200, { msg: true, rules: [rule] }]);
    expect(
      (
        await own.get(
          `perms/asset-permissions/user/actions/?asset_id=${asset}&system_user_id=${systemUser}`,
        )
      ).body,
    ).toEqual({ actions: ['connect'] });
  });

  it('reuses the plan of the check of an account, and sees that the permission ends', async () => {
    const rule = await grant();
    const check = { userId: user.id, organizationId: undefined };
    await test.db.together(async (db) => {
      const read = () =>
        grantedAccounts(ASSETS, check, { targets: [asset], systemUserId: systemUser }, db);
      // PostgreSQL plans a prepared statement for its values five times.
      for (let turn = 0; turn < 8; turn++) expect(await read()).toMatchObject([{ rules: [rule] }]);
      const { rows } = await sql<{ generic: number }>`
        select max(generic_plans)::int as generic from pg_prepared_statements
        where statement like '%covering%target_id as target%'`.execute(db);
      expect(rows[0]?.generic).toBeGreaterThanOrEqual(3);
      await sql`update asset_permission set date_expired = now() where id = ${rule}`.execute(db);
      expect(await read()).toEqual([]);
    });
  });

  it('allows the actions of the permission only', async () => {
    await grant();
    expect((await validate(own, '&action_name=upload_file')).status).toBe(403);
    expect((await validate(own, '&action_name=connect')).status).toBe(200);
    expect((await validate(own, '&action_name=constructor')).status).toBe(403);
  });

  it('lists nothing from a cached page after the permission is deleted or disabled', async () => {
    const list = async () => (await own.get<Page>('perms/users/assets/?limit=15')).body;
    const change = [
      (rule: string) => sql`delete from asset_permission where id = ${rule}`,
      (rule: string) => sql`update asset_permission set is_active = false where id = ${rule}`,
    ];
    for (const withdraw of change) {
      const rule = await grant();
      for (let turn = 0; turn < 2; turn++) expect(await list()).toMatchObject({ count: 1 });
      await withdraw(rule).execute(test.db);
      expect(await list()).toMatchObject({ count: 0, results: [] });
    }
  });

  it('follows links from page to page, and filters by ids and by a stored set', async () => {
    const assets = [];
    for (let index = 0; index < 5; index++)
      assets.push(await buildAsset(test.db, { hostname: `led-${user.username}-${index}` }));
    const rule = await buildPermission(test.db, {
      users: [user.id, (await buildUser(test.db)).id],
      assets,
      systemUsers: [systemUser],
    });
    const walk = async (client: Client, first: string) => {
      const seen: unknown[] = [];
      for (let path: string | null = `/api/v1/${first}`; path; ) {
        const { body }: { body: Page } = await client.get<Page>(path);
        seen.push(...body.results.map((row) => row.id ?? row.user ?? row.asset));
        path = body.next && new URL(body.next).pathname + new URL(body.next).search;
      }
      return seen;
    };
    expect(await walk(own, 'perms/users/assets/?limit=2')).toEqual(assets);
    expect(await walk(own, `perms/users/assets/?limit=2&search=led-${user.username}`)).toEqual(
      assets,
    );
    expect(await walk(admin, `perms/users/${user.id}/assets/?limit=2`)).toEqual(assets);
    expect((await walk(admin, `perms/asset-permissions/${rule}/users/all/?limit=1`)).length).toBe(
      2,
    );
    expect(
      (await walk(admin, `perms/asset-permissions/${rule}/assets/all/?limit=2`)).sort(),
    ).toEqual([...assets].sort());
    const listed = async (query: string) =>
      (await own.get<Json[]>(`perms/users/assets/?${query}`)).body.map((row) => row.id);
    expect(await listed(`ids=${assets[1]},${asset}`)).toEqual([assets[1]]);
    const { spm } = (
      await own.post<{ spm: string }>('common/resources/cache/', { resources: [assets[2], asset] })
    ).body;
    expect(await listed(`spm=${spm}`)).toEqual([assets[2]]);
    expect((await own.get<Page>(`perms/users/assets/?spm=${spm}&limit=1`)).body.count).toBe(1);
    for (const query of [`spm=${crypto.randomUUID()}`, 'spm=x', 'ids=x'])
      expect((await own.get(`perms/users/assets/?${query}`)).status).toBe(400);
    expect((await admin.get(`perms/users/${user.id}/assets/?spm=${spm}`)).status).toBe(400);
  });

  it('searches granted assets, pages them, and lists them on their node', async () => {
    await grant();
    const others = [];
    for (let index = 0; index < 4; index++)
      others.push(await buildAsset(test.db, { hostname: `page-${user.username}-${index}` }));
    await buildPermission(test.db, { users: [user.id], assets: others, systemUsers: [systemUser] });
    const { body } = await own.get<Page>('perms/users/assets/?limit=2&offset=2&order=-hostname');
    expect([body.count, body.results.length]).toEqual([5, 2]);
    expect(
      (await own.get<Json[]>(`perms/users/assets/?search=page-${user.username}-3`)).body.map(
        (row) => row.id,
      ),
    ).toEqual([others[3]]);
    expect(
      (await own.get<Json[]>(`perms/users/nodes/${await rootNode(test.db)}/assets/`)).body,
    ).toHaveLength(5);
  });
});

describe('a user without one', () => {
  it('counts the same assets in the tree, on a node and in the explanation of a permission', async () => {
    const root = await rootNode(test.db);
    const below = async (parent: string) =>
      String(
        (await admin.post<Json>(`assets/nodes/${parent}/children/`, { value: unique('node') })).body
          .id,
      );
    const top = await below(root);
    const [low, aside] = [await below(top), await below(root)];
    const [once, twice, outside] = await Promise.all([
      buildAsset(test.db, { hostname: unique('a'), nodes: [low] }),
      buildAsset(test.db, { hostname: unique('b'), nodes: [low, aside] }),
      buildAsset(test.db, { hostname: unique('c'), nodes: [aside] }),
      buildAsset(test.db, { nodes: [low, aside], isActive: false }),
    ]);
    // A permission of another organization names the user and its own assets.
    const organization = await buildOrganization(test.db);
    const foreign = await buildAsset(test.db, { organization });
    await buildPermission(test.db, { organization, users: [user.id], assets: [foreign] });
    const rule = await buildPermission(test.db, {
      users: [user.id],
      nodes: [low],
      assets: [outside],
      systemUsers: [systemUser],
    });
    const listed = async (node: string) => {
      const { body } = await own.get<Page<Json>>(
        `perms/users/assets/?limit=15&all=1&node=${node}&order=hostname`,
      );
      return [body.count, ...body.results.map(({ id }) => id)];
    };
    expect(await listed(low)).toEqual([2, once, twice]);
    expect(await listed(top)).toEqual([2, once, twice]);
    expect(await listed(aside)).toEqual([2, twice, outside]);
    expect(await listed(await below(root))).toEqual([0]);
    const { body: tree } = await own.get<
      { meta: { node: { id: string; assets_amount: number } } }[]
    >('perms/users/nodes/children/tree/');
    const amounts = new Map(tree.map(({ meta }) => [meta.node.id, meta.node.assets_amount]));
    expect([root, top, aside].map((id) => amounts.get(id))).toEqual([3, 2, 2]);
    const { body: branches } = await admin.get<Json>(
      `perms/access/users/${user.id}/assets/tree/?limit=100`,
    );
    expect(JSON.stringify(branches)).toContain(rule);
    const { body: leaves } = await admin.get<Page<Json>>(
      `perms/access/permissions/${rule}/assets/?node=${low}`,
    );
    expect(leaves.count).toBe(2);
    // The permission does not name the node above.
    expect(
      (await admin.get<Page<Json>>(`perms/access/permissions/${rule}/assets/?node=${top}`)).body
        .count,
    ).toBe(0);
  });

  it('returns nothing to a user without permissions', async () => {
    expect(await grantedIds()).toEqual([]);
    for (const path of [
      `assets/${asset}/system-users/`,
      `nodes/${await rootNode(test.db)}/assets/`,
      'nodes/',
      'nodes/children/tree/',
      `assets/tree/?id=${asset}`,
      'assets/tree/?search=asset',
    ])
      expect([
        path,
        JSON.stringify((await own.get<Json[]>(`perms/users/${path}`)).body).includes(asset),
      ]).toEqual([path, false]);
    expect((await validate()).status).toBe(403);
    expect((await own.post('assets/favorite-assets/', { asset })).status).toBe(400);
  });

  it('rejects questions about other users, except from administrators', async () => {
    const other = await buildUser(test.db);
    await buildPermission(test.db, {
      users: [other.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    expect((await validate(own, `&user_id=${other.id}`)).status).toBe(403);
    expect((await validate(admin, `&user_id=${other.id}`)).status).toBe(200);
    expect((await own.get(`perms/users/${other.id}/assets/`)).status).toBe(403);
    expect(
      (await admin.get<Json[]>(`perms/users/${other.id}/assets/`)).body.map((row) => row.id),
    ).toEqual([asset]);
  });
});

describe('the tree of what is granted', () => {
  it('finds granted nodes by words of their path, with their ancestors', async () => {
    const place = async (parent: string, value: string) =>
      String((await admin.post(`assets/nodes/${parent}/children/`, { value })).body.id);
    const name = user.username;
    const eu = await place(await rootNode(test.db), `eu-${name}`);
    const [prod, other, empty] = [
      await place(eu, 'prod'),
      await place(eu, 'other prod'),
      await place(eu, 'prod empty'),
    ];
    const deep = await place(prod, 'prod deep');
    await admin.put(`assets/nodes/${deep}/assets/replace/`, { assets: [asset] });
    await admin.put(`assets/nodes/${other}/assets/replace/`, {
      assets: [await buildAsset(test.db)],
    });
    const namesOf = async (search: string, client = own) =>
      (
        await client.get<{ name: string }[]>(
          `perms/users/nodes/children/tree/?search=${encodeURIComponent(search)}`,
        )
      ).body.map((row) => row.name.replace(/ \(\d+\)$/, ''));
    expect(await namesOf('prod')).toEqual([]);
    await buildPermission(test.db, {
      users: [user.id],
      nodes: [prod, empty],
      systemUsers: [systemUser],
    });
    await until(async () => (await grantedIds()).length === 1, 'the rule is known');
    expect((await namesOf(`${name} prod`)).toSorted()).toEqual(
      [expect.anything(), `eu-${name}`, 'prod', 'prod deep'].toSorted(),
    );
    expect((await namesOf(`DEEP eu-${name}`)).length).toBe(4);
    expect(await namesOf('no such node')).toEqual([]);
    // A directly granted asset makes its nodes visible.
    const direct = await buildUser(test.db);
    await buildPermission(test.db, {
      users: [direct.id],
      assets: [asset],
      systemUsers: [systemUser],
    });
    const theirs = await bearer(test, direct);
    expect((await namesOf('deep', theirs)).filter((value) => value.startsWith('prod'))).toEqual([
      'prod',
      'prod deep',
    ]);
    expect(await namesOf('other', theirs)).toEqual([]);
  });

  it('searches the tree by label, among granted assets only', async () => {
    await grant();
    const value = `Fleet-${user.username}`;
    const label = async (name: string, text: string) =>
      (
        await admin.post<Json>('assets/labels/', {
          name,
          value: text,
          assets: [asset, await buildAsset(test.db)],
        })
      ).body.id;
    const id = await label('Env', value);
    await label('zone', 'elsewhere');
    const assetsFor = async (search: string) =>
      (
        await own.get<{ id: string }[]>(
          `perms/users/assets/tree/?search=${encodeURIComponent(search)}`,
        )
      ).body.map((row) => row.id);
    await until(async () => (await grantedIds()).length === 1, 'the rule is known');
    expect(await assetsFor(`env:${value.toLowerCase()}`)).toEqual([asset]);
    expect(await assetsFor(`env:${value} zone:elsewhere`)).toEqual([asset]);
    expect(await assetsFor(`env:${value} zone:here`)).toEqual([]);
    expect(await assetsFor(`env:${value.slice(0, -1)}`)).toEqual([]);
    await admin.patch(`assets/labels/${id}/`, { is_active: false });
    expect(await assetsFor(`env:${value}`)).toEqual([]);
  });
});

describe('a grant ends at once', () => {
  it.each([
    'the rule is deleted',
    'the rule is switched off',
    'the group is left',
    'the asset is switched off',
    'the asset leaves the node',
    'the system user goes',
  ])('ends access at once when %s', async (what) => {
    const group = await buildGroup(test.db, [user.id]);
    const { body: node } = await admin.post('assets/nodes/children/', {});
    await admin.put(`assets/nodes/${node.id}/assets/replace/`, { assets: [asset] });
    const rule = await buildPermission(test.db, {
      groups: [group],
      nodes: [String(node.id)],
      systemUsers: [systemUser],
    });
    expect([await grantedIds(), (await validate()).status]).toEqual([[asset], 200]);
    const end: Record<string, () => Promise<{ status: number }>> = {
      'the rule is deleted': () => admin.delete(`perms/asset-permissions/${rule}/`),
      'the rule is switched off': () =>
        admin.patch(`perms/asset-permissions/${rule}/`, { is_active: false }),
      'the group is left': () => admin.patch(`users/groups/${group}/`, { users: [] }),
      'the asset is switched off': () =>
        admin.patch(`assets/assets/${asset}/`, { is_active: false }),
      'the asset leaves the node': () =>
        admin.put(`assets/nodes/${node.id}/assets/remove/`, { assets: [asset] }),
      'the system user goes': () => admin.delete(`assets/system-users/${systemUser}/`),
    };
    expect((await end[what]?.())?.status).toBeLessThan(300);
    expect((await validate()).status).toBe(403);
    // Without a system user the asset may still be listed, but cannot be connected to.
    if (what !== 'the system user goes') expect(await grantedIds()).toEqual([]);
    expect((await own.get(`perms/users/assets/${asset}/system-users/`)).body).toEqual([]);
  });

  it('starts and ends access at the dates of the permission', async () => {
    const rule = await grant();
    /**
     * Sets a date to one second from now and returns the assets that are granted before it. Repeats
     * if the machine was too slow.
     */
    const before = async (date: 'date_start' | 'date_expired') => {
      let granted: unknown[] = [];
      await until(async () => {
        await sql`update asset_permission set ${sql.ref(date)} = now() + interval '1 second'
          where id = ${rule}`.execute(test.db);
        granted = await grantedIds();
        const { rows } = await sql<{
          is_early: boolean;
        }>`select ${sql.ref(date)} > now() as is_early from asset_permission
          where id = ${rule}`.execute(test.db);
        return rows[0]?.is_early === true;
      }, `the assets were read before ${date}`);
      return granted;
    };
    expect(await before('date_start')).toEqual([]);
    await until(async () => (await grantedIds()).length === 1, 'the rule begins');
    expect(await before('date_expired')).toEqual([asset]);
    await until(async () => (await grantedIds()).length === 0, 'the rule ends');
    expect((await validate()).status).toBe(403);
  });
});

describe('favorites', () => {
  it('keeps favorites per user, and shows them in the tree', async () => {
    await grant();
    expect((await own.post('assets/favorite-assets/', { asset })).status).toBe(201);
    expect((await own.post('assets/favorite-assets/', { asset })).status).toBe(201);
    expect((await own.get('assets/favorite-assets/')).body).toEqual([{ asset }]);
    const { body: tree } = await own.get<Json[]>('perms/users/nodes/children-with-assets/tree/');
    expect(tree[0]).toMatchObject({ id: '-12', name: 'Favorite (1)' });
    expect((await admin.get('assets/favorite-assets/')).body).toEqual([]);
    expect((await own.delete(`assets/favorite-assets/?asset=${asset}`)).status).toBe(204);
    expect((await own.get('assets/favorite-assets/')).body).toEqual([]);
  });
});

describe('ungrouped assets', () => {
  const SETTING = 'PERM_SINGLE_ASSET_TO_UNGROUP_NODE';
  const put = async (value: boolean) =>
    expect(
      (await admin.patch('settings/setting/?category=terminal', { [SETTING]: value })).status,
    ).toBe(200);
  const tree = async (query = '') =>
    (await own.get<Json[]>(`perms/users/nodes/children-with-assets/tree/${query}`)).body;
  const idsIn = async (path: string) =>
    (await own.get<Json[]>(path)).body.map(({ id }) => id).toSorted();
  const UNGROUPED = '00000000-0000-4000-8000-000000000010';

  it('shows directly granted assets under a separate node when the setting is on', async () => {
    const root = await rootNode(test.db);
    const child = async () =>
      String(
        (
          await admin.post<Json>(`assets/nodes/${root}/children/`, {
            value: `group ${user.username} ${Math.random()}`,
          })
        ).body.id,
      );
    const [granted, other] = [await child(), await child()];
    const single = await buildAsset(test.db, {
      hostname: `single-${user.username}`,
      nodes: [other],
    });
    const inNode = await buildAsset(test.db, {
      hostname: `below-${user.username}`,
      nodes: [granted],
    });
    // Granted directly and through its node: it appears below its node.
    const both = await buildAsset(test.db, {
      hostname: `both-${user.username}`,
      nodes: [granted, other],
    });
    const off = await buildAsset(test.db, { nodes: [other], isActive: false });
    await buildPermission(test.db, {
      users: [user.id],
      assets: [single, both, off],
      systemUsers: [systemUser],
    });
    await buildPermission(test.db, {
      users: [user.id],
      nodes: [granted],
      systemUsers: [systemUser],
    });

    const keyOf = async (id: string) =>
      String((await admin.get<Json>(`assets/nodes/${id}/`)).body.key);
    const [grantedKey, otherKey] = [await keyOf(granted), await keyOf(other)];
    const all = [single, inNode, both].toSorted();
    expect((await tree()).map(({ id }) => id)).not.toContain('-10');
    expect((await tree()).map(({ id }) => id)).toContain(otherKey);
    expect(await idsIn(`perms/users/nodes/${UNGROUPED}/assets/`)).toEqual([]);
    try {
      await put(true);
      const [favorites, ungrouped, top] = await tree();
      expect([favorites?.id, ungrouped, top?.name]).toMatchObject([
        '-12',
        { id: '-10', name: 'Ungrouped (1)', isParent: true, pId: '' },
        expect.stringMatching(/\(2\)$/),
      ]);
      expect((await tree()).map(({ id }) => id)).toContain(grantedKey);
      expect((await tree('?key=-10')).map(({ id, pId }) => [id, pId])).toEqual([[single, '-10']]);
      expect((await tree(`?key=${grantedKey}`)).map(({ id }) => id).toSorted()).toEqual(
        [inNode, both].toSorted(),
      );
      // The same assets are granted; only their places differ.
      expect(await idsIn('perms/users/assets/')).toEqual(all);
      expect(await idsIn(`perms/users/nodes/${UNGROUPED}/assets/`)).toEqual([single]);
      expect(await idsIn(`perms/users/assets/?node=${UNGROUPED}`)).toEqual([single]);
      expect(await idsIn(`perms/users/nodes/${root}/assets/?all=1`)).toEqual(
        [inNode, both].toSorted(),
      );
      for (const path of ['nodes/', 'nodes/children/'])
        expect((await own.get<Json[]>(`perms/users/${path}`)).body[0]).toMatchObject({
          key: '-10',
          assets_amount: 1,
        });
      expect((await own.get<Json[]>('perms/users/nodes/tree/')).body[0]).toMatchObject({
        id: '-10',
        name: 'Ungrouped (1)',
      });
      const chinese = await own.with({ 'accept-language': 'zh' }).get<Json[]>('perms/users/nodes/');
      expect(chinese.body[0]?.name).toBe('未分组');
      // An administrator sees the same tree of the user.
      expect(
        (await admin.get<Json[]>(`perms/users/${user.id}/nodes/children-with-assets/tree/`))
          .body[0],
      ).toMatchObject({ id: '-10', name: 'Ungrouped (1)' });
      // The node search omits nodes with ungrouped assets only.
      const matches = (
        await own.get<Json[]>(
          `perms/users/nodes/children/tree/?search=${encodeURIComponent(`group ${user.username}`)}`,
        )
      ).body;
      expect(matches.map(({ id }) => id)).not.toContain(otherKey);
      expect(matches.map(({ id }) => id)).toContain(grantedKey);
    } finally {
      await put(false);
    }
    expect((await tree()).map(({ id }) => id)).not.toContain('-10');
  });
});
