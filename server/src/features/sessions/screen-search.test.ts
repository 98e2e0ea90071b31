import type { ScreenMatches } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let admin: Client;
let auditor: Client;
beforeAll(async () => {
  world = await startSshWorld();
  admin = await bearer(world.test);
  auditor = (
    await bearer(world.test, await buildUser(world.test.db, { role: 'Auditor' }))
  ).inOrganization(world.organization);
});
afterAll(() => world.stop());

const set = (values: Json) => changeSettings([admin], 'terminal', values);
const encrypt = (isOn: boolean) =>
  changeSettings([admin], 'security', { SECURITY_ENCRYPT_RECORDINGS: isOn });
const index = () => runHousekeeping(world.test, 'index-screens');
const search = (q: string, client = auditor) =>
  client.get<ScreenMatches>(`terminal/screen-search/?q=${encodeURIComponent(q)}`);
const linesOf = async (q: string, client = auditor) =>
  (await search(q, client)).body.matches.map(({ text }) => text);

/** Runs a command in a recorded terminal; returns the id of the session. */
async function record(command: string): Promise<string> {
  const { login, member } = world;
  await world.ssh.run({
    login,
    password: member.password,
    options: ['-tt'],
    input: `${command}\nexit\n`,
  });
  await until(
    async () => (await world.lastSession()).replay_state === 'finished',
    'the recording is finished',
  );
  return String((await world.lastSession()).id);
}

it('indexes nothing while the setting is off', async () => {
  await record('echo "before $((40+2))"');
  await index();
  expect((await search('before 42')).body).toEqual({
    matches: [],
    is_more: false,
    older: null,
    indexing: 'off',
  });
});

it('finds what a session showed, not what was typed, with the moment', async () => {
  await set({ TERMINAL_RECORDING_INDEX: 'plain' });
  const id = await record('echo "needle $((40+2))"; echo "错误：权限不足"');
  await index();
  expect((await search('NEEDLE 42')).body).toMatchObject({
    matches: [{ session: id, text: 'needle 42', at: expect.any(Number) }],
    is_more: false,
    indexing: 'plain',
  });
  expect(await linesOf('权限')).toContain('错误：权限不足');
  expect(await linesOf('限权')).toEqual([]);
  // Sessions from before the setting are indexed too.
  expect(await linesOf('before 42')).toEqual(['before 42']);
  // Letters of patterns are plain letters.
  expect(await linesOf('needle%42')).toEqual([]);
});

it('shows sessions only to auditors of their organization', async () => {
  const { db } = world.test;
  const user = await bearer(world.test, await buildUser(db));
  expect((await search('needle 42', user.inOrganization(world.organization))).status).toBe(403);
  expect((await search('needle 42', world.test.visitor)).status).toBe(401);
  const other = await buildOrganization(db);
  expect(await linesOf('needle 42', auditor.inOrganization(other))).toEqual([]);
  expect(await linesOf('needle 42', auditor.inOrganization(''))).toEqual([]);
});

it.each([
  ['', 'q'],
  ['ab', 'q'],
  ['a-b-c', 'q'],
  ['权', 'q'],
  ['x'.repeat(201), 'q'],
])('rejects the phrase %j', async (phrase, field) => {
  const { status, text } = await search(phrase);
  expect([status, text]).toEqual([400, expect.stringContaining(`"${field}"`)]);
});

/** Copies the last session with another text; all copies begin at the same moment. */
async function addCopies(amount: number, date: string, text: string): Promise<void> {
  const { id } = await world.lastSession();
  await sql`with copy as (
      insert into session ("user", asset, "system_user", org_id, protocol, is_finished,
        has_replay, replay_state, date_start)
      select s."user", s.asset, s."system_user", s.org_id, s.protocol, true, true, 'finished',
        ${date}::timestamptz
      from session s, generate_series(1, ${amount}::integer) where s.id = ${id}
      returning id, date_start),
    indexed as (insert into screen_index (session, lines) select id, 1 from copy)
    insert into screen_text (session, number, date_start, text, moments)
    select id, 0, date_start, ${text}, '{0}' from copy`.execute(world.test.db);
}

it('finds a line behind thousands of sessions with the same words, page by page', async () => {
  await addCopies(5_200, '2026-01-05 08:00:00.123456+00', 'quorum lost, replica behind');
  await addCopies(1, '2026-01-04 08:00:00.654321+00', 'replica behind, quorum lost');
  const pages: ScreenMatches[] = [];
  for (let older: string | null = ''; older !== null; ) {
    const of: string = older === '' ? '' : `&older=${older}`;
    const { body } = await auditor.get<ScreenMatches>(
      `terminal/screen-search/?q=behind%2C%20quorum%20lost${of}`,
    );
    pages.push(body);
    ({ older } = body);
  }
  expect(pages.flatMap(({ matches }) => matches.map(({ text }) => text))).toEqual([
    'replica behind, quorum lost',
  ]);
  expect(pages[0]).toMatchObject({ matches: [], is_more: true, older: expect.any(String) });
});

it('returns each session once over all pages of a frequent phrase', async () => {
  const sessions: string[] = [];
  let older: string | null = '';
  while (older !== null && sessions.length < 6_000) {
    const of: string = older === '' ? '' : `&older=${older}`;
    const { body }: { body: ScreenMatches } = await auditor.get<ScreenMatches>(
      `terminal/screen-search/?q=replica%20behind${of}`,
    );
    sessions.push(...body.matches.map(({ session }) => session));
    older = sessions.length > 600 ? null : body.older;
  }
  expect(new Set(sessions).size).toBe(sessions.length);
  expect(sessions.length).toBeGreaterThan(600);
});

it.each(['x', '1_2', '99999999999999999_00000000-0000-4000-8000-000000000000'])(
  'rejects the place %j',
  async (older) => {
    const { status, text } = await auditor.get(`terminal/screen-search/?q=needle&older=${older}`);
    expect([status, text]).toEqual([400, expect.stringContaining('"older"')]);
  },
);

it('leaves encrypted recordings out unless the setting includes them, and deletes their text again', async () => {
  await encrypt(true);
  try {
    await record('echo "sealed $((50+5))"');
  } finally {
    await encrypt(false);
  }
  await index();
  expect(await linesOf('sealed 55')).toEqual([]);
  await set({ TERMINAL_RECORDING_INDEX: 'all' });
  await index();
  expect(await linesOf('sealed 55')).toEqual(['sealed 55']);
  await set({ TERMINAL_RECORDING_INDEX: 'plain' });
  await index();
  expect(await linesOf('sealed 55')).toEqual([]);
  expect(await linesOf('needle 42')).toEqual(['needle 42']);
});

it('deletes the text with its session, and all text when the setting is off', async () => {
  const { db } = world.test;
  const count = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from screen_text`.execute(db)).rows[0]?.n;
  const id = await record('echo "gone $((60+6))"');
  await index();
  expect(await linesOf('gone 66')).toEqual(['gone 66']);
  await sql`delete from session where id = ${id}`.execute(db);
  expect(await linesOf('gone 66')).toEqual([]);
  expect(await count()).toBeGreaterThan(0);
  await set({ TERMINAL_RECORDING_INDEX: 'off' });
  await index();
  expect(await count()).toBe(0);
});
