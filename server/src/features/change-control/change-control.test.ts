import type { AttentionItem, ChangeSetDetail, ChangeSetRow } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene, send, switchingOff } from './testing/scene.ts';

let test: TestProgram;
let scene: Scene;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test);
});

const isActive = async (client: Client = scene.proposer) =>
  (await client.get<Json>(`perms/asset-permissions/${scene.permission}/`)).body.is_active;
const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.code];

describe('a change set', () => {
  it('shows who loses access, and applies when a second administrator approves', async () => {
    const set = await proposed(scene.proposer, [switchingOff(scene)]);
    expect(set).toMatchObject({
      state: 'proposed',
      is_own: true,
      changes: [
        {
          resource: 'asset_permission',
          fields: { is_active: [true, false] },
          access: [{ kind: 'lost', people: { count: 1 }, assets: { count: 1 } }],
        },
      ],
    });
    expect(await isActive()).toBe(true);
    const approved = await answer(scene.decider, set, 'approve');
    expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
    expect(await isActive()).toBe(false);
    const { rows } = await sql<{ user: string; type: string }>`
      select "user", resource_type as type from operate_log
      where org_id = ${scene.organization}
        and (resource_id = ${set.id} or resource_id = ${scene.permission}) and action <> 'create'
      order by sequence`.execute(test.db);
    expect(rows.map(({ type }) => type)).toEqual(['asset_permission', 'change_set']);
    expect(new Set(rows.map(({ user }) => user)).size).toBe(2);
  });

  it('waits in the attention of the other administrators, who hear of it, and its proposer of the decision', async () => {
    const { proposer, decider } = scene;
    const set = await proposed(proposer, [switchingOff(scene)]);
    const waitsFor = async (client: Client) => {
      const { body } = await client.get<AttentionItem[]>('common/attention/');
      return body.filter(({ kind }) => kind === 'waiting_change_sets');
    };
    const newsOf = async (client: Client) =>
      (await client.get<Json[]>('users/notifications/')).body
        .filter(({ resource, resource_id: id }) => resource === 'change_set' && id === set.id)
        .map(({ kind }) => kind);
    expect(await waitsFor(decider)).toMatchObject([
      { count: 1, examples: [{ id: set.id, name: set.reason }] },
    ]);
    expect(await waitsFor(proposer)).toEqual([]);
    expect(await newsOf(decider)).toEqual(['change_proposed']);
    expect(await newsOf(proposer)).toEqual([]);
    const outside = await signInMember(test, await buildOrganization(test.db));
    expect([await waitsFor(outside), await newsOf(outside)]).toEqual([[], []]);
    await answer(decider, set, 'approve');
    expect(await waitsFor(decider)).toEqual([]);
    expect(await newsOf(proposer)).toEqual(['change_applied']);
    const second = await proposed(proposer, [{ ...switchingOff(scene), body: { comment: 'x' } }]);
    await answer(decider, second, 'reject');
    const { body } = await proposer.get<Json[]>('users/notifications/?kind=change_rejected');
    expect(body.map(({ resource_id: id }) => id)).toEqual([second.id]);
  });

  it('creates, changes and deletes objects of all kinds together', async () => {
    const { proposer, decider, member, asset, account, condition, filter } = scene;
    const name = unique('proposed');
    const set = await proposed(proposer, [
      {
        resource: 'asset_permission',
        action: 'create',
        body: { name, users: [member.id], assets: [asset], system_users: [account] },
      },
      { resource: 'condition', action: 'delete', object: condition },
      {
        resource: 'command_filter_rule',
        action: 'create',
        parent: filter,
        body: { type: 'command', content: 'reboot' },
      },
    ]);
    expect((await proposer.get<Json[]>(`perms/asset-permissions/?name=${name}`)).body).toEqual([]);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    expect((await proposer.get<Json[]>(`perms/asset-permissions/?name=${name}`)).body).toHaveLength(
      1,
    );
    expect((await proposer.get(`perms/conditions/${condition}/`)).status).toBe(404);
    expect((await proposer.get<Json[]>(`assets/cmd-filters/${filter}/rules/`)).body).toMatchObject([
      { content: 'reboot' },
    ]);
  });

  it('refuses changes that the resource would refuse, and names their fields', async () => {
    const { proposer } = scene;
    const bad = await send(proposer, [
      { resource: 'asset_permission', action: 'create', body: { name: '' } },
    ]);
    expect([bad.status, Object.keys(bad.body)]).toEqual([
      400,
      expect.arrayContaining(['name', 'system_users']),
    ]);
    const unknown = await send(proposer, [
      { resource: 'label' as 'condition', action: 'delete', object: scene.member.id },
    ]);
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([400, ['changes.0.resource']]);
    expect((await send(proposer, [])).status).toBe(400);
    const gone = await send(proposer, [
      { resource: 'condition', action: 'delete', object: scene.permission },
    ]);
    expect(gone.status).toBe(404);
    expect((await proposer.get<ChangeSetRow[]>('change-sets/')).body).toEqual([]);
  });

  it('rejects its approval after another administrator rejected it or its proposer withdrew it', async () => {
    const { proposer, decider } = scene;
    const [first, second] = [
      await proposed(proposer, [switchingOff(scene)]),
      await proposed(proposer, [switchingOff(scene)]),
    ];
    expect(codeOf(await answer(proposer, first, 'reject'))).toEqual([403, 'change_set_own']);
    expect(codeOf(await answer(decider, second, 'withdraw'))).toEqual([403, 'change_set_not_own']);
    expect((await answer(decider, first, 'reject')).body.state).toBe('rejected');
    expect((await answer(proposer, second, 'withdraw')).body.state).toBe('withdrawn');
    for (const set of [first, second])
      expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_decided']);
    expect(await isActive()).toBe(true);
  });
});

describe('an undo', () => {
  it('proposes the values before, and applies when a second administrator approves', async () => {
    const { proposer, decider, permission, filter, condition } = scene;
    const undo = (id: string) => proposer.post<ChangeSetDetail & Json>(`change-sets/${id}/undo/`);
    const before = (await proposer.get<Json>(`perms/asset-permissions/${permission}/`)).body;
    const set = await proposed(proposer, [
      { ...switchingOff(scene), body: { is_active: false, comment: 'Off.' } },
      { resource: 'condition', action: 'delete', object: condition },
      {
        resource: 'command_filter_rule',
        action: 'create',
        parent: filter,
        body: { type: 'command', content: 'reboot' },
      },
      { resource: 'asset_permission', action: 'delete', object: permission },
    ]);
    expect(codeOf(await undo(set.id))).toEqual([409, 'change_set_not_undone']);
    expect((await answer(decider, set, 'approve')).status).toBe(200);
    const undone = await undo(set.id);
    expect([undone.status, undone.body.state], undone.text).toEqual([201, 'proposed']);
    expect(codeOf(await answer(proposer, undone.body, 'approve'))).toEqual([403, 'change_set_own']);
    expect((await answer(decider, undone.body, 'approve')).status).toBe(200);
    expect((await proposer.get<Json[]>(`assets/cmd-filters/${filter}/rules/`)).body).toEqual([]);
    const [after] = (await proposer.get<Json[]>(`perms/asset-permissions/?name=${before.name}`))
      .body;
    for (const name of ['users', 'assets', 'system_users', 'actions', 'date_expired'])
      expect([name, after?.[name]]).toEqual([name, before[name]]);
    await sql`alter table change_set disable trigger fixed`.execute(test.db);
    await sql`update change_set set date_applied = now() - interval '31 days'`.execute(test.db);
    await sql`alter table change_set enable trigger fixed`.execute(test.db);
    expect(codeOf(await undo(undone.body.id))).toEqual([409, 'change_set_not_undone']);
  });
});

describe('an attack on a change set', () => {
  it('fails for its proposer, another organization, and callers without the right', async () => {
    const { db } = test;
    const { organization, proposer } = scene;
    const set = await proposed(proposer, [switchingOff(scene)]);
    expect(codeOf(await answer(proposer, set, 'approve'))).toEqual([403, 'change_set_own']);
    const elsewhere = await signInMember(test, await buildOrganization(db));
    expect((await answer(elsewhere, set, 'approve')).status).toBe(404);
    expect((await elsewhere.get(`change-sets/${set.id}/`)).status).toBe(404);
    for (const role of ['User', 'Auditor'] as const)
      expect(
        (await answer(await signInMember(test, organization, role), set, 'approve')).status,
      ).toBe(403);
    expect(await isActive()).toBe(true);
  });

  it('applies once for two approvals at the same time, and not again', async () => {
    const { organization, proposer, decider, filter } = scene;
    const third = await signInMember(test, organization);
    const set = await proposed(proposer, [
      {
        resource: 'command_filter_rule',
        action: 'create',
        parent: filter,
        body: { type: 'command', content: 'reboot' },
      },
    ]);
    const answers = await Promise.all([
      answer(decider, set, 'approve'),
      answer(third, set, 'approve'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_decided']);
    expect((await proposer.get<Json[]>(`assets/cmd-filters/${filter}/rules/`)).body).toHaveLength(
      1,
    );
  });

  it('fails when the proposer was disabled or lost the role since', async () => {
    const { db } = test;
    const { proposer, decider, proposerId } = scene;
    const set = await proposed(proposer, [switchingOff(scene)]);
    await sql`update organization_member set role = 'User' where user_id = ${proposerId}`.execute(
      db,
    );
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_proposer']);
    await sql`update organization_member set role = 'Admin' where user_id = ${proposerId}`.execute(
      db,
    );
    await sql`update account set is_active = false where id = ${proposerId}`.execute(db);
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_proposer']);
    expect(await isActive(decider)).toBe(true);
  });

  it('fails when the object changed since the proposal', async () => {
    const { proposer, decider, permission } = scene;
    const [renaming, off] = [
      await proposed(proposer, [
        { ...switchingOff(scene), body: { comment: 'Renamed meanwhile.' } },
      ]),
      await proposed(proposer, [switchingOff(scene)]),
    ];
    expect((await answer(decider, renaming, 'approve')).status).toBe(200);
    expect(codeOf(await answer(decider, off, 'approve'))).toEqual([409, 'change_set_stale']);
    const removing = await proposed(proposer, [
      { resource: 'asset_permission', action: 'delete', object: permission },
    ]);
    const again = await proposed(proposer, [switchingOff(scene)]);
    expect((await answer(decider, removing, 'approve')).status).toBe(200);
    expect((await answer(decider, again, 'approve')).status).toBe(409);
  });

  it('asks to read the consequences again when other users would lose access', async () => {
    const { proposer, decider, asset, account, member } = scene;
    const set = await proposed(proposer, [switchingOff(scene)]);
    const other = await proposed(proposer, [
      {
        resource: 'asset_permission',
        action: 'create',
        body: {
          name: unique('second'),
          users: [member.id],
          assets: [asset],
          system_users: [account],
        },
      },
    ]);
    expect((await answer(decider, other, 'approve')).status).toBe(200);
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_consequences']);
    expect((await decider.get<Json>(`change-sets/${set.id}/`)).body).toMatchObject({
      state: 'proposed',
      changes: [{ access: [] }],
    });
    expect((await answer(decider, set, 'approve')).status).toBe(200);
  });

  it('fails after seven days', async () => {
    const { proposer, decider } = scene;
    const set = await proposed(proposer, [switchingOff(scene)]);
    await sql`update change_set set date_expires = now() - interval '1 second'
      where id = ${set.id}`.execute(test.db);
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_expired']);
    expect(await isActive()).toBe(true);
  });

  it('fails in the database, which refuses to edit a proposal, to name its proposer as the decider or to leave it open', async () => {
    const { db } = test;
    const { proposer, proposerId } = scene;
    const { id } = await proposed(proposer, [switchingOff(scene)]);
    const statements = [
      sql`update change_set set changes = '[]' where id = ${id}`,
      sql`update change_set set state = 'applying', decider_id = ${proposerId} where id = ${id}`,
      sql`update change_set set state = 'applied', decider_id = gen_random_uuid() where id = ${id}`,
      sql`update change_set set state = 'applying', decider_id = gen_random_uuid() where id = ${id}`,
    ];
    for (const statement of statements) await expect(statement.execute(db)).rejects.toThrow();
  });
});

describe('the switch', () => {
  it('needs a change set to switch control off', async () => {
    const { proposer, decider } = scene;
    expect(codeOf(await proposer.put<Json>('change-control/', { is_on: false }))).toEqual([
      409,
      'change_must_be_proposed',
    ]);
    const set = await proposed(proposer, [], { turns_off: true });
    expect(codeOf(await answer(proposer, set, 'approve'))).toEqual([403, 'change_set_own']);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    expect((await proposer.get<Json>('change-control/')).body.is_on).toBe(false);
    const direct = await proposer.patch(`perms/asset-permissions/${scene.permission}/`, {
      is_active: false,
    });
    expect(direct.status).toBe(200);
    expect(codeOf(await send(proposer, [switchingOff(scene)]))).toEqual([
      409,
      'change_set_not_controlled',
    ]);
  });

  it('needs a second administrator to switch control on', async () => {
    const { db } = test;
    await sql`update account set is_active = false where role = 'Admin'`.execute(db);
    const organization = await buildOrganization(db);
    const only = await buildUser(db, { memberOf: [{ organization, role: 'Admin' }] });
    const client = (await bearer(test, only)).inOrganization(organization);
    const refused = await client.put<Json>('change-control/', { is_on: true });
    await sql`update account set is_active = true where role = 'Admin'`.execute(db);
    expect(codeOf(refused)).toEqual([409, 'change_control_alone']);
    expect((await client.get<Json>('change-control/')).body.is_on).toBe(false);
  });
});
