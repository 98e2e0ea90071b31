import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGroup, buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const GROUPS = 'users/groups/';
const membersOf = async (group: string, client = admin) =>
  (await client.get<{ users: string[] }>(`${GROUPS}${group}/`)).body.users;

describe('a user group', () => {
  it('creates, counts, finds, changes and deletes a group with members', async () => {
    const [first, second] = [await buildUser(test.db), await buildUser(test.db)];
    const name = unique('group');
    const created = await admin.post(GROUPS, { name, users: [first.id], comment: 'of the shop' });
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({
        name,
        users: [first.id],
        users_amount: 1,
        comment: 'of the shop',
        created_by: 'Administrator',
        org_id: '',
        org_name: 'DEFAULT',
      }),
    ]);
    const path = `${GROUPS}${created.body.id}/`;
    expect((await admin.get<Json[]>(`${GROUPS}?search=${name.toUpperCase()}`)).body).toHaveLength(
      1,
    );
    expect((await admin.patch(path, { users: [first.id, second.id] })).body).toMatchObject({
      users_amount: 2,
    });
    expect((await admin.get(`users/users/${second.id}/`)).body).toMatchObject({
      groups: [created.body.id],
      groups_display: name,
    });
    expect((await admin.post(GROUPS, { name })).body).toEqual({
      name: ['This field must be unique.'],
    });
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(`users/users/${second.id}/`)).body).toMatchObject({
      groups: [],
      groups_display: '',
    });
  });

  it('rejects members of other organizations', async () => {
    const organization = await buildOrganization(test.db);
    const here = admin.inOrganization(organization);
    const [member, stranger] = [
      await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] }),
      await buildUser(test.db),
    ];
    const refused = await here.post(GROUPS, {
      name: unique('group'),
      users: [member.id, stranger.id],
    });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['users']]);
  });
});

describe('auditors', () => {
  it.each<
    [
      string,
      (group: string, auditor: string) => Promise<{ status: number; body: unknown }>,
      unknown,
    ]
  >([
    [
      'a change',
      (group, auditor) => admin.patch(`${GROUPS}${group}/`, { users: [auditor] }),
      { users: ['NAME'] },
    ],
    [
      'a batch',
      (group, auditor) => admin.patch(GROUPS, [{ id: group, users: [auditor] }]),
      [{ users: ['NAME'] }],
    ],
    [
      'a pair',
      (group, auditor) =>
        admin.post('users/users-groups-relations/', { user: auditor, usergroup: group }),
      { user: ['NAME'] },
    ],
    [
      'several pairs',
      (group, auditor) =>
        admin.post('users/users-groups-relations/', [{ user: auditor, usergroup: group }]),
      [{ user: ['NAME'] }],
    ],
    [
      'a new group',
      (_group, auditor) => admin.post(GROUPS, { name: unique('group'), users: [auditor] }),
      { users: ['NAME'] },
    ],
  ])('rejects an auditor in a group by %s', async (_way, send, expected) => {
    const group = await buildGroup(test.db, []);
    const auditor = await buildUser(test.db, { role: 'Auditor' });
    const { status, body } = await send(group, auditor.id);
    const sentence = `Name of ${auditor.username}(${auditor.username}) is an auditor. Auditors cannot be in user groups.`;
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      JSON.stringify(expected).replace('NAME', sentence),
    ]);
    expect(await membersOf(group)).toEqual([]);
  });

  it('removes a user who becomes an auditor from groups of all organizations', async () => {
    const organization = await buildOrganization(test.db);
    const user = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const [here, there] = [
      await buildGroup(test.db, [user.id]),
      await buildGroup(test.db, [user.id], organization),
    ];
    expect((await admin.patch(`users/users/${user.id}/`, { role: 'Auditor' })).status).toBe(200);
    expect([
      await membersOf(here),
      await membersOf(there, admin.inOrganization(organization)),
    ]).toEqual([[], []]);
  });
});
