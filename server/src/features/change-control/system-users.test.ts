import type { ChangeSetDetail, ProposedChange } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Answer, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene, send } from './testing/scene.ts';

const JOB = 'due-change-sets';
const USERS = 'assets/system-users/';
const SECRET = 'Kestrel-71-horizon';

let test: TestProgram;
let scene: Scene;
beforeAll(async () => {
  test = await startTestProgram();
  await withoutSchedule(test, JOB);
  await changeSettings([await bearer(test)], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, { allows_break_glass: true });
});

const stored = async () =>
  (
    await sql`select to_jsonb(t) from system_account t where org_id = ${scene.organization}
      order by id`.execute(test.db)
  ).rows;

async function refuses(work: () => Promise<Answer<Json>>) {
  const before = await stored();
  const { status, body, text } = await work();
  expect([status, body.code], text).toEqual([409, 'change_must_be_proposed']);
  expect(await stored()).toEqual(before);
}

const newAccount = (more: Json = {}) => ({
  name: unique('account'),
  username: 'deploy',
  login_mode: 'manual',
  ...more,
});
const withPassword = (password = SECRET): ProposedChange => ({
  resource: 'system_user',
  action: 'change',
  object: scene.account,
  body: { password, comment: 'turned' },
});
const secretsOf = async ({ id }: { id: string }) =>
  (
    await sql<{ value: string; place: string }>`select place, value from change_set_secret
      where change_set_id = ${id}`.execute(test.db)
  ).rows;
const passwordOf = async (id: string) =>
  (await scene.proposer.get<Json>(`${USERS}${id}/auth-info/`)).body.password;

/** Returns each table that holds a text in the clear. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`.execute(test.db);
  const tables: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await sql`select 1 from ${sql.table(name)} t
      where strpos(to_jsonb(t)::text, ${text}) > 0 limit 1`.execute(test.db);
    if (hits.length > 0) tables.push(name);
  }
  return tables;
}

describe('a system user of a controlled organization', () => {
  it('changes by no direct write', async () => {
    const { proposer, account, others, organization } = scene;
    await refuses(() => proposer.post(USERS, newAccount()));
    await refuses(() => proposer.patch(`${USERS}${account}/`, { comment: 'x' }));
    await refuses(() => proposer.patch(`${USERS}${account}/`, { password: SECRET }));
    await refuses(() => proposer.delete(`${USERS}${others[0]}/`));
    await refuses(() => proposer.post(USERS, [newAccount(), newAccount()]));
    await refuses(() =>
      proposer.patch(
        USERS,
        others.map((id) => ({ id, priority: 7 })),
      ),
    );
    const file = `name,username,login_mode\n${unique('file')},deploy,manual\n`;
    await refuses(() => proposer.send('POST', USERS, file, 'text/csv'));
    await refuses(() =>
      proposer.send(
        'PUT',
        USERS,
        `id,name,username,login_mode\n${account},renamed,deploy,manual\n`,
        'text/csv',
      ),
    );
    const before = await stored();
    const admin = (await bearer(test)).inOrganization(organization);
    await refuses(() => admin.patch(`${USERS}${account}/`, { comment: 'x' }));
    for (const statement of [
      sql`update system_account set password = 'x' where id = ${account}`,
      sql`update system_account set org_id = '' where id = ${account}`,
      sql`delete from system_account where id = ${account}`,
    ])
      await expect(statement.execute(test.db)).rejects.toMatchObject({ code: 'SP001' });
    expect(await stored()).toEqual(before);
  });

  it('keeps its secrets when a person takes them back or clears them, and forgets the previous one by itself', async () => {
    const { proposer, decider, account } = scene;
    for (const password of ['the first one', 'the second one']) {
      const set = await proposed(proposer, [withPassword(password)]);
      expect((await answer(decider, set, 'approve')).status).toBe(200);
    }
    await refuses(() => proposer.post(`${USERS}${account}/previous-secret/`, {}));
    await refuses(() => proposer.delete(`${USERS}${account}/auth-info/`));
    await sql`update system_account set previous_secrets = null, date_updated = now()
      where id = ${account}`.execute(test.db);
    expect(await passwordOf(account)).toBe('the second one');
  });
});

describe('the secret of a proposal', () => {
  it('stays out of answers, tables and the log of the server, which keep it sealed', async () => {
    const { proposer, decider } = scene;
    const set = await proposed(proposer, [withPassword()]);
    expect(set.changes[0]).toMatchObject({
      secrets: ['password'],
      fields: { comment: ['', 'turned'] },
    });
    const [secret] = await secretsOf(set);
    expect(secret).toMatchObject({ place: '0.password', value: expect.stringMatching(/^v2\$/) });
    const read = await decider.get<ChangeSetDetail & Json>(`change-sets/${set.id}/`);
    const list = await decider.get<Json[]>('change-sets/');
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    const log = await proposer.get('audits/operate-logs/');
    expect([read, list, approved, log].map(({ text }) => text).join()).not.toContain(SECRET);
    expect(await tablesWith(SECRET)).toEqual([]);
    expect(test.log()).not.toContain(SECRET);
  });

  it('applies with the approval, for new system users too, and disappears then', async () => {
    const { proposer, decider, account } = scene;
    const name = unique('created');
    const set = await proposed(proposer, [
      withPassword(),
      { resource: 'system_user', action: 'create', body: newAccount({ name, password: 'other' }) },
    ]);
    expect(await passwordOf(account)).toBe('');
    const approved = await answer(decider, set, 'approve');
    expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
    const { body } = await proposer.get<Json[]>(`${USERS}?name=${name}`);
    expect([await passwordOf(account), await passwordOf(String(body[0]?.id))]).toEqual([
      SECRET,
      'other',
    ]);
    expect(await secretsOf(set)).toEqual([]);
  });

  it('needs another administrator than its proposer, except in an emergency', async () => {
    const set = await proposed(scene.proposer, [withPassword()]);
    expect((await answer(scene.proposer, set, 'approve')).status).toBe(403);
    expect(await passwordOf(scene.account)).toBe('');
    const applied = await answer(scene.proposer, set, 'break-glass', 'It is down.');
    expect(applied.status, applied.text).toBe(200);
    expect([await passwordOf(scene.account), await secretsOf(set)]).toEqual([SECRET, []]);
  });

  it('disappears when the proposal is rejected, withdrawn or expires', async () => {
    const { proposer, decider, account } = scene;
    const rejected = await proposed(proposer, [withPassword()]);
    await answer(decider, rejected, 'reject');
    const withdrawn = await proposed(proposer, [withPassword()]);
    await answer(proposer, withdrawn, 'withdraw');
    const expired = await proposed(proposer, [withPassword()]);
    const waiting = await proposed(proposer, [withPassword()]);
    await sql`update change_set set date_expires = now() where id = ${expired.id}`.execute(test.db);
    await runHousekeeping(test, JOB);
    for (const set of [rejected, withdrawn, expired]) expect(await secretsOf(set)).toEqual([]);
    expect(await secretsOf(waiting)).toHaveLength(1);
    expect(await passwordOf(account)).toBe('');
  });

  it('opens only for its change set, and an approval without it changes nothing', async () => {
    const { proposer, decider, account } = scene;
    const [one, other] = [
      await proposed(proposer, [withPassword('first')]),
      await proposed(proposer, [withPassword('second')]),
    ];
    const [first] = await secretsOf(one);
    await sql`update change_set_secret set value = ${first?.value}
      where change_set_id = ${other.id}`.execute(test.db);
    expect((await answer(decider, other, 'approve')).status).toBe(500);
    await sql`delete from change_set_secret where change_set_id = ${one.id}`.execute(test.db);
    const refused = await answer(decider, one, 'approve');
    expect([refused.status, refused.body.code]).toEqual([409, 'change_set_stale']);
    expect(await passwordOf(account)).toBe('');
  });

  it('leaves no trace where the resource rejects it', async () => {
    const { proposer, others } = scene;
    const refused = await send(proposer, [
      {
        resource: 'system_user',
        action: 'change',
        object: others[0] ?? '',
        body: { protocol: 'vnc', login_mode: 'auto', password: 'ключ', comment: SECRET },
      },
    ]);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.text).not.toContain('ключ');
    expect(await tablesWith(SECRET)).toEqual([]);
  });

  it('stays after an undo, which restores the other fields', async () => {
    const { proposer, decider, account } = scene;
    const set = await proposed(proposer, [withPassword()]);
    await answer(decider, set, 'approve');
    const undo = await proposer.post<ChangeSetDetail & Json>(`change-sets/${set.id}/undo/`);
    expect([undo.status, undo.body.changes[0]?.fields, undo.body.changes[0]?.secrets]).toEqual([
      201,
      { comment: ['turned', ''] },
      [],
    ]);
    await answer(decider, undo.body, 'approve');
    expect(await passwordOf(account)).toBe(SECRET);
    const alone = await proposed(proposer, [{ ...withPassword(), body: { password: 'newer' } }]);
    await answer(decider, alone, 'approve');
    const none = await proposer.post<Json>(`change-sets/${alone.id}/undo/`);
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('changes')]);
  });

  it('recreates a deleted system user by an undo', async () => {
    const { proposer, decider, others } = scene;
    const set = await proposed(proposer, [
      { resource: 'system_user', action: 'delete', object: others[1] ?? '' },
    ]);
    const deleted = await answer(decider, set, 'approve');
    expect(deleted.status, deleted.text).toBe(200);
    const undo = await proposer.post<ChangeSetDetail & Json>(`change-sets/${set.id}/undo/`);
    expect(undo.status, undo.text).toBe(201);
    const approved = await answer(decider, undo.body, 'approve');
    expect(approved.status, approved.text).toBe(200);
  });

  it('shows that a password will be generated', async () => {
    const set = await proposed(scene.proposer, [
      {
        resource: 'system_user',
        action: 'create',
        body: newAccount({ login_mode: 'auto', auto_generate_key: true }),
      },
    ]);
    expect(set.changes[0]?.fields.auto_generate_key).toEqual([null, true]);
  });
});

it('lets a rotation of keys seal the secrets of proposals and system users again', async () => {
  const { proposer, decider, account, others } = scene;
  const first = await proposed(proposer, [withPassword()]);
  await answer(decider, first, 'approve');
  const set = await proposed(proposer, [{ ...withPassword('waits'), object: others[2] ?? '' }]);
  const [before] = await secretsOf(set);
  const { code, stderr } = await runOperatorCommand(test, ['key', 'rotate']);
  expect([code, stderr]).toEqual([0, '']);
  const [after] = await secretsOf(set);
  expect(after?.value).toMatch(/^v2\$/);
  expect(after?.value).not.toBe(before?.value);
  expect(await passwordOf(account)).toBe(SECRET);
  const approved = await answer(decider, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  expect(await passwordOf(others[2] ?? '')).toBe('waits');
});
