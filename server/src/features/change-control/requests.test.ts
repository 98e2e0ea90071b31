import type { AttentionItem, ChangeSetDetail, TicketRequest } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, type Scene } from './testing/scene.ts';

const URL = 'tickets/request-asset-perm/';

let test: TestProgram;
let scene: Scene;
let user: Client;
let third: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, { allows_break_glass: true });
  user = await bearer(test, scene.member);
  third = await signInMember(test, scene.organization);
});

const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.code];
const ask = async (client = user) => {
  const created = await client.post<Json>(URL, {
    org_id: scene.organization,
    hostname: 'web-1',
    system_user: 'root',
    body: 'The import failed',
  });
  expect(created.status, created.text).toBe(201);
  return String(created.body.id);
};
const confirmed = (more: Json = {}) => ({
  confirmed_assets: [scene.asset],
  confirmed_system_user: [scene.account],
  ...more,
});
const approve = (id: string, client = scene.proposer, body: Json = confirmed()) =>
  client.post<Json>(`${URL}${id}/approve/`, body);
/** Approves a request as the first administrator. Returns the id of the change set. */
const approveFirst = async (id: string, more: Json = {}) => {
  const { status, body, text } = await approve(id, scene.proposer, confirmed(more));
  expect([status, body], text).toEqual([
    200,
    { detail: 'Succeed', change_set: expect.any(String) },
  ]);
  return { id: String(body.change_set) };
};
const requestOf = async (id: string, client = user) =>
  (await client.get<TicketRequest>(`tickets/tickets/${id}/request/`)).body;
const setOf = async ({ id }: { id: string }, client = scene.decider) =>
  (await client.get<ChangeSetDetail>(`change-sets/${id}/`)).body;
const permissionsFrom = async (id: string) =>
  (
    await sql<{ id: string }>`select id from asset_permission
      where comment like ${`%${id}`}`.execute(test.db)
  ).rows;
const commentsOf = async (id: string) =>
  (await user.get<Json[]>(`tickets/tickets/${id}/comments/`)).body.map(({ body }) => String(body));
const waitingFor = async (client: Client) =>
  (await client.get<AttentionItem[]>('common/attention/')).body
    .filter(({ kind }) => kind === 'waiting_change_sets')
    .map(({ count }) => count);

describe('an approved request', () => {
  it('waits for a second administrator, whose approval creates the permission and closes the request', async () => {
    const asset = await buildAsset(test.db, { organization: scene.organization });
    const id = await ask();
    const set = await approveFirst(id, { confirmed_assets: [asset] });
    expect(await permissionsFrom(id)).toEqual([]);
    const { request, granted, waits } = await requestOf(id);
    expect([request?.status, granted]).toEqual(['open', null]);
    expect(waits).toMatchObject({ by: expect.any(String), change_set: null });
    expect((await requestOf(id, scene.proposer)).waits?.change_set).toBe(set.id);
    expect((await commentsOf(id)).join()).toContain('Another administrator decides');
    const detail = await setOf(set);
    expect(detail).toMatchObject({ state: 'proposed', ticket: id, is_requester: false, count: 1 });
    expect(detail.changes[0]?.access).not.toEqual([]);
    expect(await waitingFor(scene.decider)).toEqual([1]);

    const applied = await answer(scene.decider, set, 'approve', 'Until the import is repaired.');
    expect([applied.status, applied.body.state], applied.text).toEqual([200, 'applied']);
    const [permission, ...more] = await permissionsFrom(id);
    expect(more).toEqual([]);
    const after = await requestOf(id);
    expect(after.request).toMatchObject({
      status: 'closed',
      action: 'approve',
      permission: permission?.id,
    });
    expect([after.waits, after.granted?.is_active]).toEqual([null, true]);
    expect(await commentsOf(id)).toContain('Until the import is repaired.');
    const { body: news } = await user.get<Json[]>('users/notifications/?kind=ticket_approved');
    expect(news.map(({ resource_id: ticket }) => ticket)).toEqual([id]);
    // The requester can give the access up as usual.
    expect((await user.post(`${URL}${id}/end/`)).status).toBe(200);
    expect((await requestOf(id)).granted?.is_active).toBe(false);
  });

  it('leaves the tickets that wait for its first approver, until the change set is withdrawn', async () => {
    const id = await ask();
    const waits = async (client: Client) =>
      (await client.get<Json[]>('tickets/tickets/?assign=1&status=open')).body.some(
        (ticket) => ticket.id === id,
      );
    expect(await waits(scene.proposer)).toBe(true);
    const set = await approveFirst(id);
    expect([await waits(scene.proposer), await waits(scene.decider)]).toEqual([false, true]);
    expect((await answer(scene.proposer, set, 'withdraw')).status).toBe(200);
    expect(await waits(scene.proposer)).toBe(true);
  });

  it('ends as rejected with its change set', async () => {
    const id = await ask();
    const set = await approveFirst(id);
    const rejected = await answer(scene.decider, set, 'reject', 'Use the replica.');
    expect([rejected.status, rejected.body.state], rejected.text).toEqual([200, 'rejected']);
    expect((await requestOf(id)).request).toMatchObject({
      status: 'closed',
      action: 'reject',
      permission: null,
    });
    expect(await commentsOf(id)).toContain('Use the replica.');
    expect(await permissionsFrom(id)).toEqual([]);
    expect(codeOf(await approve(id))).toEqual([409, 'ticket_closed']);
  });

  it('accepts another approval after its proposer withdraws the change set, and one at a time', async () => {
    const id = await ask();
    const first = await approveFirst(id);
    expect(codeOf(await approve(id, third))).toEqual([409, 'request_waits']);
    expect((await answer(scene.proposer, first, 'withdraw')).status).toBe(200);
    expect((await requestOf(id)).waits).toBeNull();
    const answers = await Promise.all([
      approve(id),
      approve(id, third),
      approve(id, scene.decider),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await permissionsFrom(id)).toEqual([]);
  });

  it.each(['close', 'reject'] as const)('withdraws its change set on %s', async (way) => {
    const id = await ask();
    const set = await approveFirst(id);
    const client = way === 'close' ? user : scene.decider;
    const ended = await client.post<Json>(`${URL}${id}/${way}/`);
    expect(ended.status, ended.text).toBe(200);
    expect((await setOf(set)).state).toBe('withdrawn');
    expect(codeOf(await answer(scene.decider, set, 'approve'))).toEqual([
      409,
      'change_set_decided',
    ]);
    expect(await permissionsFrom(id)).toEqual([]);
  });
});

describe('no permission without two administrators other than the requester', () => {
  it('refuses the first administrator, an emergency, and a change of the ticket itself', async () => {
    const id = await ask();
    await scene.proposer.patch(`${URL}${id}/`, confirmed());
    const direct = await scene.proposer.patch<Json>(`tickets/tickets/${id}/`, {
      action: 'approve',
    });
    expect(codeOf(direct)).toEqual([409, 'request_needs_second']);
    const set = await approveFirst(id);
    expect(codeOf(await answer(scene.proposer, set, 'approve'))).toEqual([403, 'change_set_own']);
    expect((await setOf(set, scene.proposer)).can_break_glass).toBe(false);
    expect(codeOf(await answer(scene.proposer, set, 'break-glass', 'Now.'))).toEqual([
      409,
      'change_set_no_break_glass',
    ]);
    expect(await permissionsFrom(id)).toEqual([]);
  });

  it('refuses a requester who is an administrator, in both decisions', async () => {
    const built = await buildUser(test.db, {
      memberOf: [{ organization: scene.organization, role: 'Admin' }],
    });
    const admin = (await bearer(test, built)).inOrganization(scene.organization);
    const id = await ask(admin);
    expect((await approve(id, admin)).status).toBe(403);
    const set = await approveFirst(id);
    expect(await waitingFor(admin)).toEqual([]);
    expect((await setOf(set, admin)).is_requester).toBe(true);
    expect(codeOf(await answer(admin, set, 'approve'))).toEqual([403, 'change_set_requester']);
    expect(codeOf(await answer(admin, set, 'reject'))).toEqual([403, 'change_set_requester']);
    const statements = [
      sql`update change_set set requester_id = null, ticket_id = null where id = ${set.id}`,
      sql`update change_set set state = 'applying', decider_id = ${built.id} where id = ${set.id}`,
    ];
    for (const statement of statements) await expect(statement.execute(test.db)).rejects.toThrow();
    expect((await answer(scene.decider, set, 'approve')).status).toBe(200);
    expect(await permissionsFrom(id)).toHaveLength(1);
  });

  it('needs another administrator than the first one and the requester', async () => {
    const { organization, proposerId } = scene;
    const { rows } = await sql<{ id: string }>`
      update account a set is_active = false where a.id <> ${proposerId} and (a.role = 'Admin'
        or exists (select 1 from organization_member m where m.user_id = a.id and m.role = 'Admin'
          and m.organization_id::text = ${organization})) and a.is_active returning id`.execute(
      test.db,
    );
    const id = await ask();
    const refused = await approve(id);
    await sql`update account set is_active = true
      where id = any (${rows.map(({ id: userId }) => userId)}::uuid[])`.execute(test.db);
    expect(codeOf(refused)).toEqual([409, 'request_no_second']);
    expect((await requestOf(id)).waits).toBeNull();
  });

  it('creates one permission when the decision, the withdrawal and the end of the request race', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const id = await ask();
      const set = await approveFirst(id);
      const answers = await Promise.all([
        answer(scene.decider, set, 'approve'),
        answer(third, set, 'approve'),
        user.post<Json>(`${URL}${id}/close/`),
        answer(scene.proposer, set, 'withdraw'),
      ]);
      const { request } = await requestOf(id);
      const isApproved = request?.action === 'approve';
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await permissionsFrom(id)).toHaveLength(isApproved ? 1 : 0);
      expect((await setOf(set)).state).toBe(isApproved ? 'applied' : 'withdrawn');
    }
  });

  it('refuses the second decision when the access would have ended', async () => {
    const id = await ask();
    const set = await approveFirst(id);
    await sql`update ticket_asset_request set date_start = now() - interval '2 hours',
      date_expired = now() - interval '1 hour' where ticket_id = ${id}`.execute(test.db);
    expect(codeOf(await answer(scene.decider, set, 'approve'))).toEqual([400, 'request_over']);
    expect(await permissionsFrom(id)).toEqual([]);
    expect((await answer(scene.decider, set, 'reject')).status).toBe(200);
  });

  it('refuses bad decisions, and keeps nothing of them', async () => {
    const id = await ask();
    const nothing = await approve(id, scene.proposer, {});
    expect(codeOf(nothing)).toEqual([400, 'request_no_assets']);
    const elsewhere = await approve(id, scene.proposer, confirmed({ confirmed_assets: [id] }));
    expect([elsewhere.status, Object.keys(elsewhere.body)]).toEqual([400, ['confirmed_assets']]);
    const { request, waits } = await requestOf(id);
    expect([request?.confirmed_system_user, waits]).toEqual([[], null]);
    expect((await scene.decider.get<Json[]>('change-sets/')).body).toEqual([]);
  });
});
