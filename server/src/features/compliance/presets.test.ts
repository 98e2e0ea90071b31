import type { CompliancePresets, PresetReport } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const URL = 'settings/presets/';
const SETTINGS = 'settings/setting/';

let test: TestProgram;
let cast: Cast;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
  admin = (await bearer(test)).inOrganization('');
});
beforeEach(async () => {
  await sql`delete from setting where name = 'COMPLIANCE_PRESET'
    or name like 'SECURITY_%' or name in ('WATERMARK', 'SIGN_IN_NOTICE')`.execute(test.db);
  await sql`select pg_notify('settings', '')`.execute(test.db);
  await expect.poll(async () => (await admin.get<CompliancePresets>(URL)).body.active).toBe('');
});
afterAll(() => test.stop());

const apply = (preset: string) => admin.post<CompliancePresets>(URL, { preset });
const undo = () => admin.post<CompliancePresets & { detail: string }>(`${URL}undo/`, {});
const presetOf = ({ presets }: CompliancePresets, name: string): PresetReport => {
  const preset = presets.find((each) => each.name === name);
  if (!preset) throw new Error(`no preset ${name}`);
  return preset;
};
const settingsOf = async () => {
  const { body } = await admin.get<Record<string, Json>>(SETTINGS);
  return Object.assign({}, ...Object.values(body)) as Json;
};
const newestEntry = async () =>
  (await admin.get<Page<{ resource: string; changes: Json }>>('audits/operate-logs/?limit=1')).body
    .results[0];

it('shows auditors and administrators of the installation the presets, and lets only administrators apply them', async () => {
  const { clients } = cast;
  for (const role of ['superAdmin', 'auditor'] as const)
    for (const path of [URL, `${URL}report/?preset=team`])
      expect((await clients[role].get(path)).status, `${role} ${path}`).toBe(200);
  for (const role of ['user', 'orgAdmin', 'orgAuditor', 'expired'] as const)
    for (const path of [URL, `${URL}report/?preset=team`])
      expect((await clients[role].get(path)).status, `${role} ${path}`).toBe(403);
  for (const role of ['auditor', 'orgAdmin', 'user'] as const)
    for (const path of [URL, `${URL}undo/`])
      expect((await clients[role].post(path, { preset: 'team' })).status).toBe(403);
  expect((await clients.nobody.get(URL)).status).toBe(401);
});

it('rejects an unknown preset on its field, and changes nothing', async () => {
  for (const body of [{}, { preset: 'bank' }, { preset: null }]) {
    const { status, body: problems } = await admin.post<Json>(URL, body);
    expect([status, Object.keys(problems)]).toEqual([400, ['preset']]);
  }
  expect((await admin.get(`${URL}report/?preset=bank`)).status).toBe(400);
  expect((await admin.get<CompliancePresets>(URL)).body.active).toBe('');
});

it('changes exactly what the plan says, keeps stronger values, and logs one entry', async () => {
  await admin.patch(SETTINGS, {
    SECURITY_PASSWORD_MIN_LENGTH: 16,
    SECURITY_MAX_IDLE_TIME: 5,
    WATERMARK: 'strong',
  });
  const planned = presetOf((await admin.get<CompliancePresets>(URL)).body, 'mlps3').changes;
  const names = planned.map(({ name }) => name);
  expect(names).not.toContain('SECURITY_PASSWORD_MIN_LENGTH');
  expect(names).not.toContain('WATERMARK');
  const before = await settingsOf();
  const { status, body } = await apply('mlps3');
  expect([status, body.active, presetOf(body, 'mlps3').changes]).toEqual([200, 'mlps3', []]);
  const after = await settingsOf();
  const text = (value: unknown) => JSON.stringify(value);
  const changed = Object.keys(after).filter((name) => text(after[name]) !== text(before[name]));
  expect(changed.toSorted()).toEqual(names.toSorted());
  expect(after).toMatchObject({
    SECURITY_PASSWORD_MIN_LENGTH: 16,
    SECURITY_MAX_IDLE_TIME: 5,
    WATERMARK: 'strong',
    SECURITY_MFA_AUTH: true,
    SECURITY_LOGIN_LIMIT_COUNT: 5,
    SIGN_IN_NOTICE_ACCEPT: true,
  });
  expect(after.SIGN_IN_NOTICE).not.toBe('');
  const entry = await newestEntry();
  expect(entry?.resource).toBe('COMPLIANCE_PRESET');
  expect(Object.keys(entry?.changes ?? {}).toSorted()).toEqual(
    [...names, 'COMPLIANCE_PRESET'].toSorted(),
  );
  expect(entry?.changes).toMatchObject({
    COMPLIANCE_PRESET: ['', 'mlps3'],
    SECURITY_MFA_AUTH: [false, true],
  });
  await undo();
});

it('shows settings that no longer meet the active preset as changes and gaps', async () => {
  await apply('team');
  await admin.patch(SETTINGS, { SECURITY_PASSWORD_MIN_LENGTH: 7 });
  const team = presetOf((await admin.get<CompliancePresets>(URL)).body, 'team');
  expect(team.changes).toMatchObject([
    { name: 'SECURITY_PASSWORD_MIN_LENGTH', from: '7', to: '10' },
  ]);
  const clause = team.clauses.find(({ reference }) => reference === '8.1.4.1 a');
  expect(clause?.state).toBe('gap');
  expect(clause?.proofs.filter(({ met }) => !met).map(({ setting }) => setting)).toEqual([
    'SECURITY_PASSWORD_MIN_LENGTH',
  ]);
});

it('undoes the newest preset except for settings that were changed since', async () => {
  const before = await settingsOf();
  await apply('company');
  await admin.patch(SETTINGS, { SECURITY_PASSWORD_MIN_LENGTH: 20 });
  const { body: applied } = await admin.get<CompliancePresets>(URL);
  expect(applied.undo).toMatchObject({ preset: '', user: expect.stringContaining('admin') });
  const { status, body } = await undo();
  expect([status, body.active, body.undo]).toEqual([200, '', null]);
  expect(await settingsOf()).toEqual({ ...before, SECURITY_PASSWORD_MIN_LENGTH: 20 });
  expect((await newestEntry())?.changes).toMatchObject({ COMPLIANCE_PRESET: ['company', ''] });
  const again = await undo();
  expect([again.status, again.body.detail]).toEqual([409, 'No compliance preset can be undone.']);
});

it('rejects a shorter retention than 180 days while a preset wants it', async () => {
  await apply('company');
  for (const [category, name] of [
    ['security', 'LOGIN_LOG_KEEP_DAYS'],
    ['terminal', 'TERMINAL_SESSION_KEEP_DURATION'],
  ] as const) {
    const { status, body } = await admin.patch<Record<string, Json>>(SETTINGS, { [name]: 179 });
    expect([status, Object.keys(body[category] ?? {})]).toEqual([400, [name]]);
    expect((await admin.patch(SETTINGS, { [name]: 180 })).status).toBe(200);
  }
  await undo();
  expect((await admin.patch(SETTINGS, { LOGIN_LOG_KEEP_DAYS: 179 })).status).toBe(200);
  await admin.patch(SETTINGS, { LOGIN_LOG_KEEP_DAYS: 9999, TERMINAL_SESSION_KEEP_DURATION: 9999 });
});

it('names facts of the installation that contradict a clause', async () => {
  const proofs = async () =>
    presetOf((await admin.get<CompliancePresets>(URL)).body, 'mlps3').clauses.flatMap(
      (clause) => clause.proofs,
    );
  const fact = async (label: string) => (await proofs()).find((proof) => proof.label === label);
  const label = 'Administrators and auditors who have set up no second factor';
  const before = Number((await fact(label))?.value.replace(/\D/g, '') || 0);
  const { id } = await buildUser(test.db, { role: 'Admin' });
  expect(await fact(label)).toMatchObject({ met: false, value: String(before + 1) });
  await sql`insert into totp (user_id, secret) values (${id}, 'sealed')`.execute(test.db);
  expect((await fact(label))?.value).toBe(String(before));
  expect(await fact('Outside witness of the audit logs')).toMatchObject({ met: false });
});

it('renders the report as one page without scripts, in the language of the request or of the query', async () => {
  const page = async (query: string) =>
    await admin.send('GET', `/api/v1/settings/presets/report/?${query}`);
  const english = await page('preset=mlps3&language=en');
  expect([english.status, english.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(english.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const text of ['Compliance report', '8.1.4.1 a', 'Part of the organization', 'wanted: On'])
    expect(english.text).toContain(text);
  const head = await sql<{ digest: string }>`select encode(digest, 'hex') as digest
    from audit_chain where log = 'operate_log'`.execute(test.db);
  expect(english.text).toContain(head.rows[0]?.digest);
  const chinese = await page('preset=mlps3&language=zh');
  for (const text of ['合规报告', '组织须落实的部分', '8.1.5.4 d'])
    expect(chinese.text).toContain(text);
  expect(`${english.text}${chinese.text}`).not.toMatch(/<script|undefined|\[object/);
});
