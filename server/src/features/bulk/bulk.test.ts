import type { JobLog } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let organization: string;
let user: BuiltUser;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  organization = await buildOrganization(test.db);
  user = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  admin = (await bearer(test, user)).inOrganization(organization);
});

/** Labels in the organization whose names start with the prefix. */
async function labels(name: string, count: number, inOrganization = organization): Promise<void> {
  await sql`
    insert into label (org_id, name, value) select ${inOrganization}, ${name} || n, 'old'
      from generate_series(1, ${count}::integer) n`.execute(test.db);
}
const matching = (query: string, resource = 'label', client = admin) =>
  client.post<{ spm: string; count: number } & Json>('common/resources/matching/', {
    resource,
    query,
  });
const start = (body: Json, client = admin) =>
  client.post<{ job: string } & Json>('common/resources/bulk/', body);
const countOf = async (search: string) =>
  (await admin.get<Page>(`assets/labels/?limit=1&search=${search}`)).body.count;

/** Starts a change and waits for its end. */
async function change(body: Json, client = admin) {
  const answer = await start(body, client);
  expect(answer.status, answer.text).toBe(201);
  return over(answer.body.job, client);
}

async function over(id: string, client = admin) {
  const job = async () => (await client.get<Json>(`common/jobs/${id}/`)).body;
  await until(
    async () => !['queued', 'running'].includes(String((await job()).state)),
    'the job is over',
  );
  const { lines } = (await client.get<JobLog>(`common/jobs/${id}/log/`)).body;
  return { ...(await job()), lines: lines.map(({ text }) => text) } as Json & { lines: string[] };
}

describe('a set of all that a list matches', () => {
  it('resolves a set like the list, in one organization, and only for resources that the user may read', async () => {
    const name = unique('set');
    await labels(name, 12_000);
    await labels(name, 5, await buildOrganization(test.db));
    const { status, body } = await matching(`search=${name}`);
    expect([status, body.count]).toEqual([200, 12_000]);
    expect((await matching('search=nothing-is-called-so')).body.count).toBe(0);
    for (const resource of ['no-such', '']) expect((await matching('', resource)).status).toBe(400);
    const member = await signInMember(test, organization, 'User');
    expect((await matching('', 'label', member)).status).toBe(403);
    expect((await matching('order=no-such')).status).toBe(400);
  });
});

describe('a change of a set', () => {
  it('deletes all objects, with one entry per object in the operate log', async () => {
    const name = unique('gone');
    await labels(name, 1_050);
    const { spm } = (await matching(`search=${name}`)).body;
    const job = await change({ resource: 'label', action: 'delete', spm });
    expect([job.state, job.done, job.total, await countOf(name)]).toEqual([
      'succeeded',
      1_050,
      1_050,
      0,
    ]);
    expect(job.lines).toEqual(['1,050 objects were changed.']);
    const { rows } = await sql<{ n: number; by: string }>`
      select count(*)::integer as n, "user" as by from operate_log where action = 'delete'
        and resource like ${`${name}%`} and org_id = ${organization} group by 2`.execute(test.db);
    expect(rows).toEqual([{ n: 1_050, by: `Name of ${user.username}(${user.username})` }]);
    // The set itself stays: the job uses a copy.
    expect((await start({ resource: 'label', action: 'delete', spm })).status).toBe(201);
  });

  it('skips rejected objects and reports the reason', async () => {
    const [node, name] = [await rootNode(test.db, organization), unique('used')];
    const ids = [];
    for (const value of [`${name}-1`, `${name}-2`, `${name}-3`])
      ids.push(
        String((await admin.post<Json>(`assets/nodes/${node}/children/`, { value })).body.id),
      );
    await buildAsset(test.db, { organization, nodes: [ids[1] ?? ''] });
    const { spm } = (await matching(`search=${name}`, 'node')).body;
    const job = await change({ resource: 'node', action: 'delete', spm });
    expect(job.state).toBe('succeeded');
    expect(job.lines).toEqual([
      expect.stringContaining(`${name}-2: `),
      '2 objects were changed. 1 was rejected.',
    ]);
    expect(
      (await admin.get<Json[]>(`assets/nodes/?search=${name}`)).body.map(({ value }) => value),
    ).toEqual([`${name}-2`]);
  });

  it('updates fields, and moves and adds assets', async () => {
    const root = await rootNode(test.db, organization);
    const to = String(
      (await admin.post<Json>(`assets/nodes/${root}/children/`, { value: unique('to') })).body.id,
    );
    const assets = [
      await buildAsset(test.db, { organization }),
      await buildAsset(test.db, { organization }),
    ];
    const { spm, count } = (await matching('', 'asset')).body;
    expect(count).toBe(2);
    await change({
      resource: 'asset',
      action: 'update',
      spm,
      changes: { is_active: false, comment: 'moved' },
    });
    await change({ resource: 'asset', action: 'add', spm, target: to });
    const rows = async () =>
      (await admin.get<Json[]>('assets/assets/')).body.map(({ is_active, comment, nodes }) => [
        is_active,
        comment,
        (nodes as string[]).length,
      ]);
    expect(await rows()).toEqual(assets.map(() => [false, 'moved', 2]));
    await change({ resource: 'asset', action: 'move', spm, target: to });
    expect(await rows()).toEqual(assets.map(() => [false, 'moved', 1]));
  });

  it('restores the objects that a job deleted, and names those whose name is taken', async () => {
    const name = unique('team');
    for (const end of ['a', 'b', 'c'])
      expect((await admin.post('users/groups/', { name: `${name}-${end}` })).status).toBe(201);
    const { spm } = (await matching(`search=${name}`, 'user_group')).body;
    const { id: deleting } = await change({ resource: 'user_group', action: 'delete', spm });
    const groups = async () =>
      (await admin.get<Json[]>(`users/groups/?search=${name}`)).body.map((row) => row.name);
    expect(await groups()).toEqual([]);
    await admin.post('users/groups/', { name: `${name}-b` });
    const deleted = (await matching(`batch=${deleting}`, 'deleted_object')).body;
    expect(deleted.count).toBe(3);
    for (const body of [
      { resource: 'user_group', action: 'restore', spm: deleted.spm },
      { resource: 'deleted_object', action: 'update', spm: deleted.spm, changes: { name: 'x' } },
    ])
      expect((await start(body)).status).toBe(400);
    const job = await change({ resource: 'deleted_object', action: 'restore', spm: deleted.spm });
    expect([job.state, job.lines]).toEqual([
      'succeeded',
      [expect.stringContaining(`${name}-b: `), '2 objects were changed. 1 was rejected.'],
    ]);
    expect((await groups()).toSorted()).toEqual(['a', 'b', 'c'].map((end) => `${name}-${end}`));
  });

  it('restores objects with their links in the reverse order of their deletion', async () => {
    const name = unique('linked');
    const groups: string[] = [];
    for (const end of ['a', 'b', 'c', 'd', 'e']) {
      const { body } = await admin.post<Json>('users/groups/', { name: `${name}-${end}` });
      groups.push(String(body.id));
    }
    const account = await buildSystemUser(test.db, { organization });
    const created = await admin.post<Json>('perms/asset-permissions/', {
      name,
      user_groups: groups,
      system_users: [account],
    });
    expect(created.status, created.text).toBe(201);
    const rule = String(created.body.id);
    // Links to the first groups are in their documents, those to the last ones in that of the rule.
    for (const path of [
      ...groups.slice(0, 3).map((id) => `users/groups/${id}/`),
      `perms/asset-permissions/${rule}/`,
      ...groups.slice(3).map((id) => `users/groups/${id}/`),
    ])
      expect((await admin.delete(path)).status).toBe(204);
    const { spm, count } = (await matching(`search=${name}`, 'deleted_object')).body;
    expect(count).toBe(6);
    const job = await change({ resource: 'deleted_object', action: 'restore', spm });
    expect(job.lines).toEqual(['6 objects were changed.']);
    const { body } = await admin.get<Json>(`perms/asset-permissions/${rule}/`);
    expect((body.user_groups as string[]).toSorted()).toEqual(groups.toSorted());
  });

  it('appoints and restores administrators in a recent sign-in only', async () => {
    const old = await bearer(test);
    const [person, gone] = [await buildUser(test.db), await buildUser(test.db, { role: 'Admin' })];
    expect((await old.delete(`users/users/${gone.id}/`)).status).toBe(204);
    await sql`update web_session set date_created = now() - interval '2 days' where user_id =
      (select id from account where username = 'admin')`.execute(test.db);
    const both = async (client: Client) => {
      const users = (await matching(`search=${person.username}`, 'user', client)).body;
      const deleted = (await matching(`search=${gone.username}`, 'deleted_object', client)).body;
      expect([users.count, deleted.count]).toEqual([1, 1]);
      const changes = { role: 'Admin' };
      const update = { resource: 'user', action: 'update', spm: users.spm, changes };
      const restore = { resource: 'deleted_object', action: 'restore', spm: deleted.spm };
      return [(await change(update, client)).lines, (await change(restore, client)).lines];
    };
    const roles = async () =>
      (
        await sql<{ role: string }>`select role from account
          where id in (${person.id}, ${gone.id}) order by role`.execute(test.db)
      ).rows.map(({ role }) => role);
    for (const lines of await both(old)) expect(lines.join()).toContain('Sign in again');
    expect(await roles()).toEqual(['User']);
    for (const lines of await both(await bearer(test)))
      expect(lines).toEqual(['1 object was changed.']);
    expect(await roles()).toEqual(['Admin', 'Admin']);
  });

  it('rejects an invalid change before it starts', async () => {
    await labels(unique('kept'), 1);
    const { spm } = (await matching('')).body;
    const stranger = await signInMember(test, organization);
    const refusals: readonly (readonly [Json, number, Client?])[] = [
      [{ resource: 'label', action: 'update', spm, changes: { name: 'x'.repeat(500) } }, 400],
      [{ resource: 'label', action: 'update', spm, changes: {} }, 400],
      [{ resource: 'label', action: 'update', spm, changes: 'all' }, 400],
      [{ resource: 'label', action: 'move', spm, target: crypto.randomUUID() }, 400],
      [{ resource: 'asset', action: 'move', spm, target: crypto.randomUUID() }, 404],
      [{ resource: 'session', action: 'delete', spm }, 400],
      [{ resource: 'label', action: 'delete', spm: crypto.randomUUID() }, 400],
      [{ resource: 'label', action: 'delete', spm: 'x' }, 400],
      [{ resource: 'label', action: 'delete', spm }, 400, stranger],
      [
        { resource: 'label', action: 'delete', spm },
        403,
        await signInMember(test, organization, 'User'),
      ],
      [
        { resource: 'label', action: 'delete', spm },
        403,
        await signInMember(test, organization, 'Auditor'),
      ],
    ];
    for (const [body, status, client] of refusals)
      expect([body, (await start(body, client)).status]).toEqual([body, status]);
    expect(await countOf('kept')).toBe(1);
  });

  it('stops when the user loses the right or cancels', async () => {
    const name = unique('half');
    await labels(name, 3_000);
    const { spm } = (await matching(`search=${name}`)).body;
    const superuser = (await bearer(test)).inOrganization(organization);
    const stateOf = async (job: string) =>
      (await superuser.get<Json>(`common/jobs/${job}/`)).body.state;
    /** Runs a function while a change of these labels is stopped at its first batch. */
    const whileItRuns = (asked: () => Promise<string>, act: (job: string) => Promise<unknown>) =>
      test.db.transaction(async (tx) => {
        await sql`select 1 from label where org_id = ${organization} for update`.execute(tx);
        const job = await asked();
        await until(async () => (await stateOf(job)) === 'running', 'the job runs');
        await act(job);
        return job;
      });
    const job = await whileItRuns(
      async () => (await start({ resource: 'label', action: 'delete', spm })).body.job,
      () =>
        sql`update organization_member set role = 'User' where user_id = ${user.id}`.execute(
          test.db,
        ),
    );
    await until(async () => (await stateOf(job)) === 'failed', 'the job failed');
    const left = (await superuser.get<Page>(`assets/labels/?limit=1&search=${name}`)).body.count;
    expect(left).toBeGreaterThan(0);

    const again = (await matching(`search=${name}`, 'label', superuser)).body.spm;
    const second = await whileItRuns(
      async () =>
        (await start({ resource: 'label', action: 'delete', spm: again }, superuser)).body.job,
      async (running) =>
        expect((await superuser.post(`common/jobs/${running}/cancel/`)).status).toBe(200),
    );
    expect(await stateOf(second)).toBe('canceled');
  });
});
