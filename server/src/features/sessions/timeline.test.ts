import {
  COMMAND_VERDICTS,
  type command,
  type Row,
  type SessionTimeline,
} from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { writeFtpLog } from '../audits/index.ts';
import { createSessionRows } from './store.ts';
import { MOST_COMMANDS } from './timeline-store.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const START = new Date('2024-11-20T08:00:00Z');
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);

async function buildSession(seconds: number, organization = ''): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into session (org_id, "user", asset, "system_user", remote_addr, is_finished, has_replay,
      date_start, date_end)
    values (${organization}, 'Someone(someone)', 'web-01', 'root', '10.0.0.9', true, true, ${START},
      ${after(seconds)}) returning id`.execute(test.db);
  return rows[0]?.id ?? '';
}
const timeline = async (id: string, client = admin) =>
  await client.get<SessionTimeline>(`terminal/sessions/${id}/timeline/`);
const report = async (query: string, client = admin) =>
  await client.get<unknown>(`terminal/commands/report/?${query}`);

it('returns commands, files, interruptions and idle time of a session, rejected ones included', async () => {
  const id = await buildSession(900);
  const store = createSessionRows(test.db, 'test');
  await store.addCommands(id, [
    { sequence: 1, input: 'uptime', output: 'up', at: 5_000 },
    { sequence: 2, input: 'reboot', output: 'Not allowed.', at: 300_000, isRefused: true },
  ]);
  await store.addGap(id, { from: after(310), to: after(500), remoteAddr: '10.0.0.10' });
  const entry = {
    organizationId: '',
    user: 'Someone(someone)',
    userId: crypto.randomUUID(),
    remoteAddress: '10.0.0.9',
    asset: 'web-01',
  };
  await writeFtpLog(test.db, [
    {
      ...entry,
      assetId: crypto.randomUUID(),
      systemUser: 'root',
      systemUserId: crypto.randomUUID(),
      account: 'root',
      session: id,
      operate: 'Upload',
      filename: '/tmp/a.txt',
      size: null,
      sha256: null,
      reason: 'connect_denied',
    },
  ]);
  // The log sets its own time. This entry is later than the end of the session.
  const { status, body } = await timeline(id);
  expect(status).toBe(200);
  expect([body.seconds, body.left_out]).toEqual([900, 0]);
  const events = body.entries.map(({ kind, at, seconds, text, risk_level, is_success }) => [
    kind,
    Math.round(at),
    Math.round(seconds),
    text,
    risk_level,
    is_success,
  ]);
  expect(events.slice(0, 5)).toEqual([
    ['command', 5, 0, 'uptime', 0, true],
    ['idle', 5, 295, '', 0, true],
    ['command', 300, 0, 'reboot', 5, false],
    ['interruption', 310, 190, '10.0.0.10', 0, true],
    ['idle', 500, 400, '', 0, true],
  ]);
  await sql`update session set is_finished = false, date_end = null where id = ${id}`.execute(
    test.db,
  );
  // A live session is as long as its timeline. The log entry has the time of this test, much later
  // than the start.
  const live = (await timeline(id)).body;
  expect(live.seconds).toBeCloseTo(live.entries.at(-1)?.at ?? 0, 3);
  expect(body.entries.filter(({ kind }) => kind === 'file')).toMatchObject([
    { operate: 'Upload', text: '/tmp/a.txt', is_success: false },
  ]);
});

it('limits a timeline, counts the omitted entries, and keeps dangerous ones', async () => {
  const id = await buildSession(10_000);
  const store = createSessionRows(test.db, 'test');
  const many = Array.from({ length: MOST_COMMANDS + 5 }, (_, index) => ({
    sequence: index + 1,
    input: `echo ${index}`,
    output: '',
    at: index * 1000,
  }));
  await store.addCommands(id, many);
  await store.addCommands(id, [
    {
      sequence: many.length + 1,
      input: 'reboot',
      output: 'No.',
      at: many.length * 1000,
      isRefused: true,
    },
  ]);
  const { body } = await timeline(id);
  expect(body.left_out).toBe(6);
  expect(body.entries.filter(({ kind }) => kind === 'command').at(-1)).toMatchObject({
    text: 'reboot',
    risk_level: 5,
  });
});

it('renders a report with facts, results and risks, and escapes text of the target', async () => {
  const id = await buildSession(60);
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe';
  await createSessionRows(test.db, 'test').addCommands(id, [
    { sequence: 1, input: hostile, output: '"><svg/onload=alert(1)>\u001b[2J', at: 1_000 },
    { sequence: 2, input: 'reboot', output: 'Not allowed.', at: 2_000, isRefused: true },
  ]);
  const { status, text, headers } = await report(
    `session_id=${id}&tz=UTC`,
    admin.with({ 'accept-language': 'en' }),
  );
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('text/html');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  );
  expect(text).toContain('Content-Security-Policy');
  expect(text).not.toMatch(/<(?:script|img|svg)/i);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).toContain('\\u{202e}gnp.exe');
  expect(text).toContain('\\u{1b}[2J');
  for (const fact of [
    'Someone(someone)',
    'web-01',
    '10.0.0.9',
    id,
    '2024-11-20 08:00:02 +0000',
    'Denied',
    'Dangerous',
  ])
    expect(text).toContain(fact);
  expect(text).toContain('2 commands in total.');

  const filtered = await report(
    'input=reboot&risk_level=5',
    admin.with({ 'accept-language': 'en' }),
  );
  expect(filtered.text).toContain('Risk level “Dangerous”');
  expect(filtered.text).not.toContain('alert(1)');
  expect((await report('order=nothing')).status).toBe(400);
});

it('counts a command as denied and dangerous only if its user did not decline it', async () => {
  const id = await buildSession(60);
  await createSessionRows(test.db, 'test').addCommands(
    id,
    COMMAND_VERDICTS.map(({ value: verdict }, at) => ({
      ...{ sequence: at, input: verdict, output: '', at: at * 1_000 },
      ...{ isRefused: true, verdict },
    })),
  );
  const english = admin.with({ 'accept-language': 'en' });
  const of = (query: string) =>
    english.get<Row<typeof command>[]>(
      `terminal/commands/?session_id=${id}&order=sequence&${query}`,
    );
  const declined = ['declined', 'withdrawn'];
  const others = COMMAND_VERDICTS.map(({ value }) => value as string).filter(
    (verdict) => !declined.includes(verdict),
  );
  const inputs = async (query: string) => (await of(query)).body.map(({ input }) => input);
  expect(await inputs('is_denied=true')).toEqual(others);
  expect(await inputs('risk_level=5')).toEqual(others);
  expect(await inputs('is_denied=false')).toEqual(declined);
  expect(await inputs('verdict=declined')).toEqual(['declined']);
  const { body } = await english.get(`terminal/sessions/${id}/`);
  expect(body).toMatchObject({ commands_denied: others.length, risk_level: 5 });
  const { entries } = (await timeline(id)).body;
  const plain = entries.filter(({ risk_level: risk, is_success: isGood }) => risk === 0 && isGood);
  expect(plain.flatMap(({ kind, text }) => (kind === 'command' ? [text] : []))).toEqual(declined);
  const csv = await english.get(`terminal/commands/?session_id=${id}&verdict=declined&format=csv`);
  expect(csv.text).toContain('Declined by the user');
  expect(csv.text).not.toContain('Dangerous');
  const { text } = await report(`session_id=${id}`, english);
  expect(text.match(/Declined<br>/g)).toHaveLength(2);
  expect(text.match(/<tr class="dangerous">/g)).toHaveLength(others.length);
});

it('starts a report with the first command unless an order is requested', async () => {
  const [one, other] = [await buildSession(60), await buildSession(60)];
  const store = createSessionRows(test.db, 'test');
  const word = `inorder${crypto.randomUUID().slice(0, 8)}`;
  await store.addCommands(one, [
    { sequence: 1, input: `${word} a`, output: '', at: 1_000 },
    { sequence: 2, input: `${word} d`, output: '', at: 9_000 },
  ]);
  await store.addCommands(other, [{ sequence: 1, input: `${word} c`, output: '', at: 5_000 }]);
  const inputs = async (query: string) =>
    [...(await report(query)).text.matchAll(new RegExp(`<pre>${word} (.)</pre>`, 'g'))]
      .map(([, letter]) => letter)
      .join('');
  expect(await inputs(`session_id=${one}`)).toBe('ad');
  expect(await inputs(`input=${word}`)).toBe('acd');
  expect(await inputs(`input=${word}&order=-date,-sequence`)).toBe('dca');
});

it('allows timelines and reports for auditors and administrators of the organization only', async () => {
  const elsewhere = await buildOrganization(test.db);
  const id = await buildSession(60, elsewhere);
  expect((await timeline(id)).status).toBe(404);
  expect((await report(`session_id=${id}`)).status).toBe(404);
  expect((await timeline(id, admin.inOrganization(elsewhere))).status).toBe(200);
  const person = await bearer(test, await buildUser(test.db));
  const here = await buildSession(60);
  for (const [client, refused] of [
    [person, 403],
    [test.visitor, 401],
  ] as const) {
    expect((await timeline(here, client)).status).toBe(refused);
    expect((await report(`session_id=${here}`, client)).status).toBe(refused);
  }
});
