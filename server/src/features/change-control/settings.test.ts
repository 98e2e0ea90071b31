import { type CompliancePresets, controlledSettings } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene, send } from './testing/scene.ts';

let test: TestProgram;
let first: Client;
let second: Client;
let elsewhere: Scene;
beforeAll(async () => {
  test = await startTestProgram();
  first = await bearer(test);
  second = await bearer(test, await buildUser(test.db, { role: 'Admin' }));
});
afterAll(() => test.stop());

const URL = 'settings/setting/';
const NAME = 'SECURITY_LOGIN_LIMIT_COUNT';
const patch = (value: number) => first.patch<Json>(URL, { security: { [NAME]: value } });
const current = async () =>
  (await first.get<{ security: Json }>(URL)).body.security[NAME] as number;
const change = (body: Json) => ({ resource: 'setting', action: 'change', body }) as const;

it('leaves settings free when another organization controls its changes', async () => {
  elsewhere = await buildScene(test);
  expect((await patch(8)).status).toBe(200);
});

/** Rows that the program writes at its start. */
const OF_THE_PROGRAM = ['FEATURES_OFF', 'vault_check', 'DEMO_DATA', 'DEMO_TARGET_PORT'];

it('guards every declared setting and each one to come, but no row of the program', async () => {
  const settings = [...Object.keys(controlledSettings.fields), 'A_NEW_SETTING'];
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...settings, ...OF_THE_PROGRAM]}::text[]) name
    where is_controlled_setting(name)`.execute(test.db);
  expect(rows.map(({ name }) => name)).toEqual(settings);
  const { rows: stored } = await sql<{ name: string }>`
    select name from setting where not is_controlled_setting(name)`.execute(test.db);
  const known = new Set(OF_THE_PROGRAM);
  expect(stored.filter(({ name }) => !known.has(name))).toEqual([]);
});

it('refuses direct changes, presets and statements once the default organization controls', async () => {
  const on = await first.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  const refused = await patch(9);
  expect([refused.status, refused.body.code]).toEqual([409, 'change_must_be_proposed']);
  const secret = await first.patch<Json>(URL, { radius: { AUTH_RADIUS_SECRET: 'hidden-1' } });
  expect([secret.status, secret.body.code]).toEqual([409, 'change_must_be_proposed']);
  const { rows } = await sql`select from setting where name = 'AUTH_RADIUS_SECRET'`.execute(
    test.db,
  );
  expect(rows).toEqual([]);
  await expect(
    sql`delete from setting where name = ${NAME}`.execute(test.db),
  ).rejects.toMatchObject({ code: 'SP001' });
  const preset = await first.post<Json>('settings/presets/', { preset: 'team' });
  expect([preset.status, preset.body.code]).toEqual([409, 'change_must_be_proposed']);
  expect(await current()).toBe(8);
  for (const body of [
    { basic: { SITE_URL: 'https://elsewhere.example' } },
    { email: { EMAIL_HOST: 'mail.example' } },
    { notices: { SIGN_IN_NOTICE: 'Send your password to us.' } },
    { backup: { BACKUP_KEEP_LAST: 1 } },
  ])
    expect((await first.patch(URL, body)).status, JSON.stringify(body)).toBe(409);
});

it('lists the settings of proposals that wait, for administrators of the installation only', async () => {
  const waiting = async () => {
    const { status, body } = await first.get<readonly Json[]>('change-sets/settings/');
    expect(status).toBe(200);
    return body;
  };
  expect(await waiting()).toEqual([]);
  const set = await proposed(first, [change({ [NAME]: 9, SECURITY_MFA_AUTH: true })]);
  const entry = { change_set: set.id, applies_at: null };
  expect(await waiting()).toEqual([
    { setting: NAME, ...entry },
    { setting: 'SECURITY_MFA_AUTH', ...entry },
  ]);
  const { proposer } = elsewhere;
  expect((await proposer.get('change-sets/settings/')).status).toBe(403);
  expect((await answer(first, set, 'withdraw')).status).toBe(200);
  expect(await waiting()).toEqual([]);
  const planned = await first.post<Json>('change-sets/', {
    reason: 'At night.',
    changes: [change({ [NAME]: 9 })],
    apply_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  expect(planned.status, planned.text).toBe(201);
  const id = String(planned.body.id);
  expect(await waiting()).toEqual([{ setting: NAME, change_set: id, applies_at: null }]);
  const approved = await second.post(`change-sets/${id}/approve/`, { comment: '' });
  expect(approved.status, approved.text).toBe(200);
  expect(await waiting()).toEqual([
    { setting: NAME, change_set: id, applies_at: planned.body.apply_at },
  ]);
  expect((await second.post(`change-sets/${id}/withdraw/`, {})).status).toBe(200);
  expect(await waiting()).toEqual([]);
});

it('shows the values before and after, and applies with a second administrator; undo restores', async () => {
  const set = await proposed(first, [change({ [NAME]: 9 })]);
  expect(set.changes).toMatchObject([{ resource: 'setting', fields: { [NAME]: [8, 9] } }]);
  expect(await current()).toBe(8);
  expect((await answer(first, set, 'approve')).status).toBe(403);
  const stale = await proposed(first, [change({ [NAME]: 10 })]);
  const approved = await answer(second, set, 'approve');
  expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
  await until(async () => (await current()) === 9, 'the setting of the change set');
  const late = await answer(second, stale, 'approve');
  expect([late.status, late.body.code]).toEqual([409, 'change_set_stale']);
  const undo = await first.post<typeof set>(`change-sets/${set.id}/undo/`);
  expect(undo.status, undo.text).toBe(201);
  expect((await answer(second, undo.body, 'approve')).status).toBe(200);
  await until(async () => (await current()) === 8, 'the former setting');
});

it('keeps only what a form changes, so that another setting of the form can change meanwhile', async () => {
  const [other, third] = ['SECURITY_LOGIN_LIMIT_TIME', 'SECURITY_PASSWORD_HISTORY'];
  const { security } = (await first.get<{ security: Json }>(URL)).body;
  const form = { [NAME]: 8, [other]: 45, [third]: security[third] };
  const set = await proposed(first, [change({ ...form, AUTH_RADIUS_SECRET: '' })]);
  expect(set.changes).toMatchObject([
    { name: 'Lockout duration', secrets: [], fields: { [other]: [30, 45] } },
  ]);
  const sooner = await proposed(first, [change({ [third]: 4 })]);
  expect((await answer(second, sooner, 'approve')).status).toBe(200);
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  await until(async () => {
    const { body } = await first.get<{ security: Json }>(URL);
    return body.security[other] === 45 && body.security[third] === 4;
  }, 'both settings');
});

it('seals a proposed secret, and returns it in no answer', async () => {
  const set = await proposed(first, [change({ AUTH_RADIUS_SECRET: 'hidden-2' })]);
  expect(JSON.stringify(set)).not.toContain('hidden-2');
  expect(set.changes).toMatchObject([{ secrets: ['AUTH_RADIUS_SECRET'] }]);
  const { rows } = await sql`select to_jsonb(s) from change_set s`.execute(test.db);
  expect(JSON.stringify(rows)).not.toContain('hidden-2');
  expect((await answer(second, set, 'approve')).status).toBe(200);
  const stored = await sql`select from setting where name = 'AUTH_RADIUS_SECRET'`.execute(test.db);
  expect(stored.rows).toHaveLength(1);
});

it('changes the mail server with its sealed password, and the notices with their dates', async () => {
  const mail = { EMAIL_HOST: 'mail.example', EMAIL_HOST_USER: 'relay', EMAIL_PORT: '587' };
  const from = '2030-01-31 08:30:00 +0000';
  const set = await proposed(first, [
    change({ ...mail, EMAIL_HOST_PASSWORD: 'hidden-3', ANNOUNCEMENT_FROM: from }),
  ]);
  expect(JSON.stringify(set)).not.toContain('hidden-3');
  expect(set.changes).toMatchObject([{ secrets: ['EMAIL_HOST_PASSWORD'] }]);
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  await until(
    async () => (await first.get<{ email: Json }>(URL)).body.email.EMAIL_HOST === 'mail.example',
    'the mail server',
  );
  // Without a mail server before, nothing can take its place: the undo says which field.
  const undo = await first.post<Json>(`change-sets/${set.id}/undo/`);
  expect([undo.status, undo.body]).toMatchObject([400, { email: { EMAIL_HOST: {} } }]);
  const moved = await send(first, [change({ EMAIL_HOST: 'other.example' })]);
  expect([moved.status, moved.body]).toMatchObject([400, { email: { EMAIL_HOST_PASSWORD: {} } }]);
});

it('puts a compliance preset into force as one change set, and takes it back as another', async () => {
  const presets = async () => (await first.get<CompliancePresets>('settings/presets/')).body;
  const team = (await presets()).presets.find(({ name }) => name === 'team');
  expect(Object.keys(team?.values ?? {}).length).toBeGreaterThan(1);
  const set = await proposed(first, [change({ COMPLIANCE_PRESET: 'team', ...team?.values })]);
  expect(set.changes[0]?.fields).toMatchObject({ COMPLIANCE_PRESET: ['', 'team'] });
  expect((await presets()).active).toBe('');
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  await until(async () => (await presets()).active === 'team', 'the preset');
  const { undo, presets: now } = await presets();
  expect(now.find(({ name }) => name === 'team')?.values).toEqual({});
  expect(Object.keys(undo?.values ?? {}).sort()).toEqual(Object.keys(team?.values ?? {}).sort());
  const refused = await first.post<Json>('settings/presets/undo/');
  expect([refused.status, refused.body.code]).toEqual([409, 'change_must_be_proposed']);
  const back = await proposed(first, [
    change({ COMPLIANCE_PRESET: undo?.preset, ...undo?.values }),
  ]);
  expect((await answer(second, back, 'approve')).status).toBe(200);
  await until(async () => (await presets()).active === '', 'the former settings');
  expect((await presets()).presets.find(({ name }) => name === 'team')?.values).toEqual(
    team?.values,
  );
});

it('refuses other settings, categories, bad values, and proposals of another organization', async () => {
  for (const body of [
    { COMPLIANCE_PRESET: 'x' },
    { UNKNOWN: 'http://x' },
    { security: { [NAME]: 9 } },
    { [NAME]: 'many' },
  ])
    expect((await send(first, [change(body)])).status).toBe(400);
  const other = await send(first.inOrganization(elsewhere.organization), [change({ [NAME]: 9 })]);
  expect([other.status, other.body.code]).toEqual([409, 'change_set_settings']);
  expect((await send(elsewhere.proposer, [change({ [NAME]: 9 })])).status).toBe(404);
});
