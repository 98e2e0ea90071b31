import { RELATIONS } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAppPermission,
  buildDatabaseApp,
  buildRemoteApp,
} from '../../testing/app-builders.ts';
import {
  buildAsset,
  buildGroup,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { buildTwoOrganizations, type TwoOrganizations } from '../../testing/two-organizations.ts';

interface Case {
  readonly path: string;
  readonly owner: string;
  readonly other: string;
  readonly field: string;
}
const CASES: Case[] = RELATIONS.map(({ path, owner, other, field }) => ({
  path,
  owner: owner.key,
  other: other.key,
  field,
}));
/** Keys of {@link TwoOrganizations.foreign} by kind. */
const KINDS: Readonly<Record<string, string>> = {
  user: 'users/users',
  usergroup: 'users/groups',
  asset: 'assets/assets',
  node: 'assets/nodes',
  systemuser: 'assets/system-users',
  assetpermission: 'perms/asset-permissions',
  remoteapp: 'applications/remote-apps',
  databaseapp: 'applications/database-apps',
  remoteapppermission: 'perms/remote-app-permissions',
  databaseapppermission: 'perms/database-app-permissions',
};

let test: TestProgram;
let world: TwoOrganizations;
let insider: Client;
/** Creates an object in the caller's organization. */
let make: Readonly<Record<string, () => Promise<string>>>;

beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
  insider = world.insider;
  const { db } = test;
  const organization = world.here;
  const root = await rootNode(db, organization);
  make = {
    user: async () => (await buildUser(db, { memberOf: [{ organization, role: 'User' }] })).id,
    usergroup: () => buildGroup(db, [], organization),
    asset: () => buildAsset(db, { organization }),
    node: async () => String((await insider.post(`assets/nodes/${root}/children/`, {})).body.id),
    systemuser: () => buildSystemUser(db, { organization }),
    assetpermission: async () =>
      buildPermission(db, {
        organization,
        systemUsers: [await buildSystemUser(db, { organization })],
      }),
    remoteapp: async () =>
      buildRemoteApp(db, { organization, asset: await buildAsset(db, { organization }) }),
    databaseapp: () => buildDatabaseApp(db, { organization }),
    remoteapppermission: async () =>
      buildAppPermission(db, 'remote_app', {
        organization,
        systemUsers: [await buildSystemUser(db, { organization })],
      }),
    databaseapppermission: async () =>
      buildAppPermission(db, 'database_app', {
        organization,
        systemUsers: [await buildSystemUser(db, { organization })],
      }),
  };
});
afterAll(() => test.stop());

const create = (key: string): Promise<string> => make[key]?.() ?? Promise.reject(new Error(key));

describe.each(CASES)('$path', ({ path, owner, other, field }) => {
  it('adds one pair or several, lists, filters, searches and removes them', async () => {
    const [whose, first, second] = [await create(owner), await create(other), await create(other)];
    const one = await insider.post(`${path}/`, { [owner]: whose, [other]: first });
    expect([one.status, one.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        [owner]: whose,
        [other]: first,
        [`${owner}_display`]: expect.any(String),
        [`${other}_display`]: expect.any(String),
      },
    ]);
    const many = await insider.post<Json[]>(`${path}/`, [{ [owner]: whose, [other]: second }]);
    expect([many.status, many.body.length]).toEqual([201, 1]);
    const listed = await insider.get<Page>(
      `${path}/?${owner}=${whose}&limit=1&search=${encodeURIComponent(String(one.body[`${owner}_display`]))}`,
    );
    expect([listed.body.results.length, listed.body.next !== null]).toEqual([1, true]);
    expect(
      (await insider.get<Json[]>(`${path}/?${owner}=${whose}&${other}=${first}`)).body,
    ).toEqual([one.body]);
    expect((await insider.get(`${path}/${one.body.id}/`)).body).toEqual(one.body);
    expect(
      (await insider.get<Json[]>(`${path}/?${owner}=${whose}&search=there-is-no-such-thing`)).body,
    ).toEqual([]);
    const entries =
      await sql<Json>`select resource_id, action, changes from operate_log order by sequence desc limit 1`.execute(
        test.db,
      );
    expect(entries.rows[0]).toEqual({
      resource_id: whose,
      action: 'update',
      changes: { [field]: [[], [second]] },
    });

    expect((await insider.delete(`${path}/?${owner}=${whose}&${other}=${first}`)).status).toBe(204);
    expect((await insider.get(`${path}/${one.body.id}/`)).status).toBe(404);
    expect((await insider.delete(`${path}/?${owner}=${whose}&${other}=${first}`)).status).toBe(404);
    const removed =
      await sql<Json>`select changes from operate_log order by sequence desc limit 1`.execute(
        test.db,
      );
    expect(removed.rows[0]?.changes).toEqual({ [field]: [[first], []] });
    expect((await insider.delete(`${path}/${many.body[0]?.id}/`)).status).toBe(204);
  });

  it('supports the list grammar: order, sets of numbers, fields and files, but no sets of ids', async () => {
    const [whose, first, second] = [await create(owner), await create(other), await create(other)];
    const { body } = await insider.post<(Json & { id: number })[]>(`${path}/`, [
      { [owner]: whose, [other]: first },
      { [owner]: whose, [other]: second },
    ]);
    const [one, two] = body.map(({ id }) => id);
    const ids = async (query: string) =>
      (await insider.get<Json[]>(`${path}/?${owner}=${whose}&${query}`)).body.map(({ id }) => id);
    expect((await ids('order=-id')).slice(0, 2)).toEqual([two, one]);
    expect(await ids(`id__in=${one},${two}&order=id`)).toEqual([one, two]);
    expect(await ids(`ids=${two}`)).toEqual([two]);
    expect(await ids(`${other}__in=${second},${crypto.randomUUID()}`)).toEqual([two]);
    const lines = (
      await insider.get(`${path}/?${owner}=${whose}&ids=${one},${two}&format=csv`)
    ).text.split('\r\n');
    expect([lines.length, lines[1]?.split(',')[0], lines[2]?.split(',')[0]]).toEqual([
      4,
      String(one),
      String(two),
    ]);
    for (const [query, field] of [
      ['order=nothing', 'order'],
      ['ids=x', 'ids'],
      ['id__in=x', 'id__in'],
      [`spm=${crypto.randomUUID()}`, 'spm'],
      ['format=xml', 'format'],
    ] as const) {
      const refused = await insider.get(`${path}/?${query}`);
      expect([query, refused.status, Object.keys(refused.body)]).toEqual([query, 400, [field]]);
    }
  });

  it('rejects an existing pair, a list with one invalid pair, and a pair with one end', async () => {
    const [whose, first, second] = [await create(owner), await create(other), await create(other)];
    await insider.post(`${path}/`, { [owner]: whose, [other]: first });
    expect((await insider.post(`${path}/`, { [owner]: whose, [other]: first })).body).toEqual({
      non_field_errors: [expect.any(String)],
    });
    const batch = await insider.post(`${path}/`, [
      { [owner]: whose, [other]: second },
      { [owner]: whose, [other]: second },
      { [owner]: whose, [other]: 'x' },
    ]);
    expect([batch.status, batch.body]).toEqual([400, [{}, {}, { [other]: [expect.any(String)] }]]);
    const duplicates = await insider.post(`${path}/`, [
      { [owner]: whose, [other]: second },
      { [owner]: whose, [other]: second },
    ]);
    expect([duplicates.status, duplicates.body]).toEqual([
      400,
      [{}, { non_field_errors: [expect.any(String)] }],
    ]);
    expect(
      (await insider.get<Json[]>(`${path}/?${owner}=${whose}&${other}=${second}`)).body,
    ).toEqual([]);
    for (const query of [
      '',
      `?${owner}=${whose}`,
      `?${other}=${first}`,
      '?id=',
      '?id=1 or 1',
      `?${owner}=${whose}&${other}=x`,
    ])
      expect([query, (await insider.delete(`${path}/${query}`)).status]).toEqual([query, 400]);
    for (const id of ['x', '0', '999999999999999', '-1', crypto.randomUUID()])
      expect((await insider.delete(`${path}/${id}/`)).status).toBe(404);
    expect(
      (await insider.get<Json[]>(`${path}/?${owner}=${whose}&${other}=${first}`)).body,
    ).toHaveLength(1);
  });

  it('gives one pair or several other ends with PUT and PATCH, and keeps their numbers', async () => {
    const [mine, yours] = [await create(owner), await create(owner)];
    const [first, second, third] = [await create(other), await create(other), await create(other)];
    const { body: pairs } = await insider.post<(Json & { id: number })[]>(`${path}/`, [
      { [owner]: mine, [other]: first },
      { [owner]: mine, [other]: second },
    ]);
    const [one = 0, two = 0] = pairs.map(({ id }) => id);
    const ends = async () =>
      (await insider.get<Json[]>(`${path}/?ids=${one},${two}&order=id`)).body.map((pair) => [
        pair.id,
        pair[owner],
        pair[other],
      ]);
    const changed = await insider.patch(`${path}/${one}/`, { [other]: third });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        id: one,
        [owner]: mine,
        [other]: third,
        [`${owner}_display`]: expect.any(String),
        [`${other}_display`]: expect.any(String),
      },
    ]);
    const replaced = await insider.put(`${path}/${one}/`, { [owner]: yours, [other]: first });
    expect([replaced.status, replaced.body[owner]]).toEqual([200, yours]);
    const entries = await sql<Json>`
      select resource_id, changes from operate_log order by sequence desc limit 2`.execute(test.db);
    expect(Object.fromEntries(entries.rows.map((row) => [row.resource_id, row.changes]))).toEqual({
      [mine]: { [field]: [[third], []] },
      [yours]: { [field]: [[], [first]] },
    });
    // Two pairs exchange an end in one request.
    const exchanged = await insider.put<Json[]>(`${path}/`, [
      { id: two, [owner]: yours, [other]: first },
      { pk: one, [owner]: mine, [other]: second },
    ]);
    expect([exchanged.status, exchanged.body.map(({ id }) => id)]).toEqual([200, [two, one]]);
    expect(await ends()).toEqual([
      [one, mine, second],
      [two, yours, first],
    ]);
    // An unchanged pair is no entry of the operate log.
    const count = async () =>
      (await sql<Json>`select max(sequence) as last from operate_log`.execute(test.db)).rows;
    const before = await count();
    expect((await insider.patch(`${path}/${one}/`, {})).status).toBe(200);
    expect((await insider.put(`${path}/${one}/`, { [owner]: mine, [other]: second })).status).toBe(
      200,
    );
    expect(await count()).toEqual(before);
    expect((await insider.patch<Json[]>(`${path}/`, [{ id: one, [other]: third }])).status).toBe(
      200,
    );
    expect(await ends()).toEqual([
      [one, mine, third],
      [two, yours, first],
    ]);
  });

  it('rejects changes that repeat a pair, lack an end or name no pair, and changes nothing', async () => {
    const [whose, first, second] = [await create(owner), await create(other), await create(other)];
    const { body: pairs } = await insider.post<(Json & { id: number })[]>(`${path}/`, [
      { [owner]: whose, [other]: first },
      { [owner]: whose, [other]: second },
    ]);
    const [one = 0, two = 0] = pairs.map(({ id }) => id);
    const text = [expect.any(String)];
    const foreign = world.foreign[KINDS[other] ?? ''] ?? '';
    const refusals: [() => Promise<{ status: number; body: unknown }>, number, unknown][] = [
      [
        () => insider.patch(`${path}/${one}/`, { [other]: second }),
        400,
        { non_field_errors: text },
      ],
      [() => insider.put(`${path}/${one}/`, { [owner]: whose }), 400, { [other]: text }],
      [() => insider.patch(`${path}/${one}/`, { [other]: 'x' }), 400, { [other]: text }],
      [() => insider.patch(`${path}/${one}/`, { [other]: foreign }), 400, { [other]: text }],
      [() => insider.patch(`${path}/${one}/`, { nothing: 1 }), 400, { nothing: text }],
      [() => insider.patch(`${path}/`, { id: one }), 400, { non_field_errors: text }],
      [() => insider.put(`${path}/`, [{ id: one, [other]: first }]), 400, [{ [owner]: text }]],
      [
        () =>
          insider.patch(`${path}/`, [
            { id: one, [other]: second },
            { id: 999_999_999_999, [other]: first },
            { id: 'x' },
            { [other]: first },
            { id: one },
            null,
          ]),
        400,
        [{}, {}, { id: text }, { id: text }, { id: text }, { non_field_errors: text, id: text }],
      ],
      [
        () => insider.patch(`${path}/`, [{ id: two }, { id: 999_999_999_999 }]),
        400,
        [{}, { id: text }],
      ],
    ];
    for (const [send, status, body] of refusals) {
      const answer = await send();
      expect([answer.status, answer.body]).toEqual([status, body]);
    }
    for (const id of ['x', '0', '999999999999999', '-1', crypto.randomUUID()]) {
      const pair = { [owner]: whose, [other]: second };
      expect([id, (await insider.put(`${path}/${id}/`, pair)).status]).toEqual([id, 404]);
    }
    const listed = await insider.get<Json[]>(`${path}/?ids=${one},${two}&order=id`);
    expect(listed.body.map((pair) => pair[other])).toEqual([first, second]);
  });

  it('hides and rejects objects of another organization', async () => {
    const [whose, mine] = [await create(owner), await create(other)];
    const theirs = {
      [owner]: world.foreign[KINDS[owner] ?? ''] ?? '',
      [other]: world.foreign[KINDS[other] ?? ''] ?? '',
    };
    const before = await world.fingerprint();
    const unknown = (id: string | undefined) => [`Invalid pk "${id}" - object does not exist.`];
    expect(
      (await insider.post(`${path}/`, { [owner]: whose, [other]: theirs[other] })).body,
    ).toEqual({ [other]: unknown(theirs[other]) });
    expect(
      (await insider.post(`${path}/`, { [owner]: theirs[owner], [other]: mine })).body,
    ).toEqual({ [owner]: unknown(theirs[owner]) });
    expect((await insider.post(`${path}/`, theirs)).status).toBe(400);
    await sql`
      insert into ${sql.table(tableOf(path))} (${sql.ref(columnOf(owner))},
      ${sql.ref(columnOf(other))}) values (${theirs[owner]}, ${theirs[other]})
      on conflict do nothing`.execute(test.db);
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(tableOf(path))}
      where ${sql.ref(columnOf(owner))} = ${theirs[owner]} and ${sql.ref(columnOf(other))} =
      ${theirs[other]}`.execute(test.db);
    const id = rows[0]?.id;
    expect(id).toBeDefined();
    expect(JSON.stringify((await insider.get(`${path}/`)).body)).not.toContain(theirs[owner]);
    for (const query of [
      `?${owner}=${theirs[owner]}`,
      `?${other}=${theirs[other]}`,
      `?search=${world.mark}`,
      `?id=${id}`,
    ])
      expect([query, (await insider.get(`${path}/${query}`)).body]).toEqual([query, []]);
    expect((await insider.get(`${path}/${id}/`)).status).toBe(404);
    expect((await insider.delete(`${path}/${id}/`)).status).toBe(404);
    expect((await insider.patch(`${path}/${id}/`, { [other]: mine })).status).toBe(404);
    expect((await insider.patch(`${path}/`, [{ id, [other]: mine }])).body).toEqual([
      { id: unknown(String(id)) },
    ]);
    expect(
      (await insider.delete(`${path}/?${owner}=${theirs[owner]}&${other}=${theirs[other]}`)).status,
    ).toBe(404);
    await sql`delete from ${sql.table(tableOf(path))} where id = ${id} and not ${before.includes(`"id": ${id}`)}`.execute(
      test.db,
    );
  });
});

it('keeps the last system user of a permission', async () => {
  const rule = await create('assetpermission');
  const path = 'perms/asset-permissions-system-users-relations';
  const { body } = await insider.get<Json[]>(`${path}/?assetpermission=${rule}`);
  const refused = await insider.delete(
    `${path}/?assetpermission=${rule}&systemuser=${body[0]?.systemuser}`,
  );
  expect([refused.status, refused.body]).toEqual([400, { non_field_errors: ['Keep at least 1.'] }]);
  const moved = await insider.patch(`${path}/${body[0]?.id}/`, {
    assetpermission: await create('assetpermission'),
  });
  expect([moved.status, moved.body]).toEqual([400, { non_field_errors: ['Keep at least 1.'] }]);
  await insider.post(`${path}/`, { assetpermission: rule, systemuser: await create('systemuser') });
  expect(
    (await insider.delete(`${path}/?assetpermission=${rule}&systemuser=${body[0]?.systemuser}`))
      .status,
  ).toBe(204);
});

it('applies a membership to grants at once', async () => {
  const { db } = test;
  const [group, asset, systemUser] = [
    await create('usergroup'),
    await create('asset'),
    await create('systemuser'),
  ];
  await buildPermission(db, {
    organization: world.here,
    groups: [group],
    assets: [asset],
    systemUsers: [systemUser],
  });
  const user = await create('user');
  const granted = async () =>
    (await insider.get<Json[]>(`perms/users/${user}/assets/`)).body.map(({ id }) => id);
  expect(await granted()).toEqual([]);
  await insider.post('users/users-groups-relations/', { user, usergroup: group });
  expect(await granted()).toEqual([asset]);
  const [pair] = (
    await insider.get<Json[]>(`users/users-groups-relations/?user=${user}&usergroup=${group}`)
  ).body;
  const moved = `users/users-groups-relations/${pair?.id}/`;
  await insider.patch(moved, { usergroup: await create('usergroup') });
  expect(await granted()).toEqual([]);
  await insider.patch(moved, { usergroup: group });
  expect(await granted()).toEqual([asset]);
  await insider.delete(`users/users-groups-relations/?user=${user}&usergroup=${group}`);
  expect(await granted()).toEqual([]);
});

/** Table of the pairs of a path: `perms/{rules}-{field}-relations`. */
const tableOf = (path: string) => {
  const relation = RELATIONS.find((one) => one.path === path);
  return relation ? `${relation.owner.resource.name}_${relation.field}` : '';
};
const columnOf = (key: string) => {
  const end = RELATIONS.flatMap(({ owner, other }) => [owner, other]).find(
    (one) => one.key === key,
  );
  return `${end?.resource.name}_id`;
};
