import { randomUUID as id } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { buildSource, type Source } from '../../../testing/jumpserver/source.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../../testing/operator-command.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let folder: string;
let source: Source;
let admin: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterEach(async () => {
  await test.stop();
  await source.drop();
});

/** Makes a source with a session of four commands, a desktop, and two sessions to leave out. */
async function fill(version: 2 | 3) {
  source = await buildSource(version);
  await writeFile(join(folder, 'config.txt'), source.config);
  const account = version === 2 ? 'system_user' : 'account';
  const ids = { shell: id(), desktop: id(), open: id(), web: id(), user: id(), asset: id() };
  const start = Date.now() - 90 * 86_400_000;
  const row = {
    ...{ user: 'Li Wei(li.wei)', user_id: ids.user, asset: 'web-1(10.0.0.1)', asset_id: ids.asset },
    ...{ [account]: 'deploy(deploy)', remote_addr: '203.0.113.9' },
    date_start: new Date(start).toISOString(),
    date_end: new Date(start + 600_000).toISOString(),
  };
  const { add } = source;
  await add('terminal_session', { ...row, id: ids.shell });
  await add('terminal_session', { ...row, id: ids.desktop, protocol: 'rdp', login_from: 'RT' });
  await add('terminal_session', { ...row, id: ids.open, is_finished: false, date_end: null });
  await add('terminal_session', { ...row, id: ids.web, protocol: 'http' });
  const second = Math.floor(start / 1_000);
  for (const [at, input, risk_level] of [
    [30, 'systemctl restart nginx', 0],
    [10, 'whoami', 0],
    [90, 'reboot', 5],
    [60, 'cat /etc/hosts', 0],
  ] as const)
    await add('terminal_command', {
      ...{ id: id(), session: ids.shell, user: row.user, asset: row.asset, input, risk_level },
      ...{ [account]: 'deploy(deploy)', output: `output of ${input}`, timestamp: second + at },
    });
  return ids;
}

const runHistory = async (words: readonly string[], run = runOperatorCommand) => {
  const config = `--config=${join(folder, 'config.txt')}`;
  const result = await run(test, ['import', 'jumpserver', config, '--history', ...words]);
  expect(result.stderr).toBe('');
  return { ...result, lines: result.stdout.trim().split('\n').toSorted() };
};

it.each([2, 3] as const)(
  'copies finished sessions of version %i with their commands, once',
  async (version) => {
    const ids = await fill(version);
    const notes = [
      'note terminal_session: left out because a session has another protocol: 1',
      'note terminal_session: left out because a session is not finished: 1',
    ];
    const plan = await runHistory(['--plan']);
    expect([plan.lines, plan.code]).toEqual([
      [
        'Nothing was changed: --apply makes the changes.',
        'commands  4 new',
        ...notes,
        'sessions  2 new, 0 same',
      ],
      2,
    ]);
    expect((await admin.get<Json[]>('terminal/sessions/')).body).toEqual([]);
    const applied = await runHistory(['--apply'], executeOperatorCommand);
    expect([applied.lines, applied.code]).toEqual([
      ['commands  4 new', ...notes, 'sessions  2 new, 0 same'],
      0,
    ]);
    expect((await runHistory(['--apply'])).lines).toContain('sessions  0 new, 2 same');

    const { body: session } = await admin.get<Json>(`terminal/sessions/${ids.shell}/`);
    expect(session).toMatchObject({
      ...{ user: 'Li Wei(li.wei)', asset: 'web-1(10.0.0.1)', system_user: 'deploy(deploy)' },
      ...{ user_id: ids.user, asset_id: ids.asset, remote_addr: '203.0.113.9', login_from: 'ST' },
      ...{ is_finished: true, imported_from: 'JumpServer', command_amount: 4, risk_level: 5 },
      ...{ kind: 'terminal', can_replay: false, is_emergency: false },
    });
    expect((await admin.get<Json>(`terminal/sessions/${ids.desktop}/`)).body).toMatchObject({
      ...{ kind: 'desktop', protocol: 'rdp', login_from: 'WT', command_amount: 0 },
    });
    const { body: commands } = await admin.get<Json[]>(
      `terminal/commands/?session_id=${ids.shell}&order=sequence`,
    );
    expect(
      commands.map(({ input, offset_seconds }) => [input, Math.round(Number(offset_seconds))]),
    ).toEqual([
      ['whoami', expect.closeTo(10, -1)],
      ['systemctl restart nginx', expect.closeTo(30, -1)],
      ['cat /etc/hosts', expect.closeTo(60, -1)],
      ['reboot', expect.closeTo(90, -1)],
    ]);
    const { body: found } = await admin.get<Json[]>('terminal/commands/?search=nginx');
    expect(found).toMatchObject([
      { session: ids.shell, output: 'output of systemctl restart nginx' },
    ]);
  },
);

it('keeps imported sessions out of evidence, counts and events', async () => {
  const ids = await fill(2);
  await runHistory(['--apply']);
  const { rows } = await sql<{ digests: number; days: number; uses: number; events: number }>`
    select (select count(*)::integer from session_digest) as digests,
      (select count(*)::integer from session_day) as days,
      (select count(*)::integer from permission_use) as uses,
      (select count(*)::integer from event) as events`.execute(test.db);
  expect(rows).toEqual([{ digests: 0, days: 0, uses: 0, events: 0 }]);
  const evidence = await runOperatorCommand(test, [
    ...['evidence', 'export', join(folder, 'evidence.json'), `--session=${ids.shell}`],
  ]);
  expect([evidence.code, evidence.stderr]).toEqual([1, expect.stringContaining(ids.shell)]);
  const verified = await runOperatorCommand(test, ['audit', 'verify']);
  expect([verified.stderr, verified.code]).toEqual(['', 0]);
  const { body: unrecorded } = await admin.get<Json[]>(
    'terminal/sessions/?attention=unrecorded_sessions',
  );
  expect(unrecorded).toEqual([]);
});

it('does not let a session change its origin', async () => {
  const ids = await fill(2);
  await runHistory(['--apply']);
  await expect(
    sql`update session set imported_from = null where id = ${ids.shell}::uuid`.execute(test.db),
  ).rejects.toThrow('the origin of a session cannot change');
});

it('shows imported sessions to those who may read sessions of their organization only', async () => {
  await fill(2);
  const organization = await buildOrganization(test.db);
  const auditor = await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] });
  await source.add('orgs_organization', { id: organization, name: 'Shanghai' });
  await source.run(`update terminal_session set org_id = '${organization}' where protocol = 'ssh'`);
  await runHistory(['--apply']);
  const theirs = (await bearer(test, auditor)).inOrganization(organization);
  const { body: sessions } = await theirs.get<Json[]>(
    'terminal/sessions/?imported_from=JumpServer',
  );
  expect(sessions.map(({ protocol }) => protocol)).toEqual(['ssh']);
  expect((await theirs.get<Json[]>('terminal/commands/')).body).toHaveLength(4);
  const member = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const refused = (await bearer(test, member)).inOrganization(organization);
  expect((await refused.get('terminal/sessions/')).status).toBe(403);
});

it('leaves out sessions of organizations that were not imported', async () => {
  await fill(2);
  const org = id();
  await source.add('orgs_organization', { id: org, name: 'Elsewhere' });
  await source.run(`update terminal_session set org_id = '${org}'`);
  expect((await runHistory(['--apply'])).lines).toContain(
    'note terminal_session: left out because a session is of an organization that was not imported: 2',
  );
});

it('reads the history from the database only', async () => {
  await fill(2);
  const { stderr } = await runOperatorCommand(test, [
    ...['import', 'jumpserver', '--url=https://jumpserver.example.com', '--history', '--apply'],
  ]);
  expect(stderr).toContain('The history is read from the database');
});
