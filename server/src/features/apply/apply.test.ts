import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { Applied, FileObject } from './objects.ts';

let test: TestProgram;
let organization: string;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  const user = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  admin = (await bearer(test, user)).inOrganization(organization);
});

const present = (kind: string, fields: FileObject['fields']): FileObject => ({
  kind,
  state: 'present',
  fields,
});
const send = <T = Applied>(objects: readonly FileObject[], isApplied: boolean, client = admin) =>
  client.post<T>('common/resources/apply/', { objects, apply: isApplied });

/** Sends objects that the server must accept. Returns the action of each. */
async function accepted(objects: readonly FileObject[], isApplied: boolean) {
  const { status, body, text } = await send(objects, isApplied);
  expect(status, text).toBe(200);
  expect(body.applied).toBe(isApplied);
  return body.objects;
}
const actionsOf = (objects: Applied['objects']) => objects.map(({ action }) => action);
const logged = async () => {
  const { rows } = await sql<{ action: string; type: string }>`
    select action, resource_type as type from operate_log where org_id = ${organization}
    order by id`.execute(test.db);
  return rows.map(({ action, type }) => `${action} ${type}`);
};

/** An organization with a user, and the objects that a file wants in it. */
async function scene() {
  const { username } = await buildUser(test.db, {
    memberOf: [{ organization, role: 'User' }],
  });
  await buildSystemUser(test.db, { organization, name: 'deploy' });
  const { rows } = await sql<{ name: string }>`
    select name from organization where id = ${organization}::uuid`.execute(test.db);
  const root = rows[0]?.name;
  const node = `/${root}/Production/Web`;
  const objects = [
    present('asset_permission', {
      name: 'Operators on web',
      user_groups: ['Operators'],
      nodes: [node],
      system_users: ['deploy'],
      actions: ['connect'],
    }),
    present('node', { path: node }),
    present('user_group', { name: 'Operators', users: [username] }),
    present('asset', {
      hostname: 'web-1',
      ip: '10.20.30.41',
      platform: 'Linux',
      nodes: [node],
    }),
    present('command_filter', {
      name: 'No reboot',
      system_users: ['deploy'],
      rules: [
        { content: 'reboot', action: 'deny', priority: 90 },
        { content: '^sudo ', type: 'regex' },
      ],
    }),
  ];
  return { username, node, objects };
}

describe('a file of wanted objects', () => {
  it('shows the plan without a change, applies it, and finds no difference afterwards', async () => {
    const { objects, username } = await scene();
    const before = await logged();
    const planned = await accepted(objects, false);
    expect(actionsOf(planned)).toEqual(['create', 'create', 'create', 'create', 'create']);
    expect(await logged()).toEqual(before);
    // The plan knows objects that the same file creates.
    expect(planned[0]?.access).toMatchObject([
      {
        kind: 'gained',
        people: { count: 1, names: [expect.stringContaining(`(${username})`)] },
        assets: { count: 1, names: ['web-1'] },
        accesses: 1,
      },
    ]);

    expect(actionsOf(await accepted(objects, true))).toEqual(actionsOf(planned));
    const after = await logged();
    expect(after.slice(before.length)).toEqual(
      expect.arrayContaining(['create node', 'create asset', 'create asset_permission']),
    );
    const again = await accepted(objects, true);
    expect(actionsOf(again)).toEqual(Array.from({ length: 5 }, () => 'unchanged'));
    expect(await logged()).toEqual(after);
  });

  it('shows what a colleague has changed, and who loses access', async () => {
    const { objects, username } = await scene();
    await accepted(objects, true);
    const { body: groups } = await admin.get<Json[]>('users/groups/?search=Operators');
    await admin.patch(`users/groups/${groups[0]?.id}/`, { users: [], comment: 'emptied' });
    const [, , group] = await accepted(objects, false);
    expect(group).toMatchObject({
      action: 'update',
      // Fields that the file does not name stay as they are.
      changes: [{ field: 'users', before: [], after: [username] }],
      access: [{ kind: 'gained', accesses: 1 }],
    });
    await accepted(objects, true);
    const removal = [
      { kind: 'asset_permission', state: 'absent', fields: { name: 'Operators on web' } },
    ] as const;
    const [gone] = await accepted(removal, true);
    expect(gone).toMatchObject({ action: 'delete', access: [{ kind: 'lost', accesses: 1 }] });
    expect(actionsOf(await accepted(removal, true))).toEqual(['unchanged']);
  });

  it('replaces the rules of a command filter, and keeps those that stay', async () => {
    const { objects } = await scene();
    await accepted(objects, true);
    const filter = present('command_filter', {
      name: 'No reboot',
      rules: [{ content: 'reboot', action: 'deny', priority: 10 }, { content: 'halt' }],
    });
    expect((await accepted([filter], true))[0]?.changes).toEqual([
      {
        field: 'rules',
        before: ['deny command "reboot", priority 90', 'deny regex "^sudo ", priority 50'],
        after: ['deny command "halt", priority 50', 'deny command "reboot", priority 10'],
      },
    ]);
    expect(actionsOf(await accepted([filter], true))).toEqual(['unchanged']);
  });

  it('changes nothing if one object has a problem, and names the field of each problem', async () => {
    const { objects } = await scene();
    const before = await logged();
    const wrong = [
      present('user', { username: 'wang.fang', password: 'Secret of the file 1' }),
      present('user_group', { name: 'Operators', colour: 'red', users: ['unknown.user'] }),
      present('asset', { hostname: 'web-9' }),
      present('command_filter', { name: 'F', rules: [{ content: 'x', priority: 900 }] }),
      present('asset_permission', { name: 'P', system_users: ['no such account'] }),
      present('node', { path: '/Elsewhere/Web' }),
      present('session', { id: 'x' }),
      present('user_group', { comment: 'without a name' }),
    ];
    const {
      status,
      body: problems,
      text,
    } = await send<Record<string, string[]>[]>([...objects, ...wrong], true);
    expect(status).toBe(400);
    expect(text).not.toContain('Secret of the file 1');
    expect(problems.slice(0, objects.length)).toEqual(objects.map(() => ({})));
    expect(problems.slice(objects.length).map((found) => Object.keys(found).sort())).toEqual([
      ['password'],
      ['colour'],
      ['ip', 'platform'],
      ['rules.0.priority'],
      ['system_users'],
      ['path'],
      ['kind'],
      ['name'],
    ]);
    expect(await logged()).toEqual(before);
  });

  it('has the rights of its caller', async () => {
    const { objects } = await scene();
    for (const role of ['User', 'Auditor'] as const) {
      const member = await signInMember(test, organization, role);
      expect((await send(objects, false, member)).status, role).toBe(403);
    }
    const elsewhere = await buildAsset(test.db, {
      organization: await buildOrganization(test.db),
      hostname: 'of-others',
    });
    const removal = [
      { kind: 'asset', state: 'absent', fields: { hostname: 'of-others' } },
    ] as const;
    expect(actionsOf(await accepted(removal, true))).toEqual(['unchanged']);
    const { rows } = await sql`select 1 from asset where id = ${elsewhere}::uuid`.execute(test.db);
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['no list', { objects: {} }],
    ['no objects', { objects: [null] }],
    ['an unknown state', { objects: [{ kind: 'node', state: 'maybe', fields: {} }] }],
    ['too many objects', { objects: Array.from({ length: 2_001 }, () => ({})) }],
  ])('rejects a body with %s', async (_what, body) => {
    expect((await admin.post('common/resources/apply/', body)).status).toBe(400);
  });
});
