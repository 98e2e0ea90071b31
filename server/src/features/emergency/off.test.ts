import { join } from 'node:path';
import type { EmergencyFacts, EmergencyOpened } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { startTestProgram } from '../../testing/test-program.ts';

let world: SshWorld;
let li: BuiltUser;
let boss: BuiltUser;
let reviewer: Client;
beforeAll(async () => {
  world = await startSshWorld();
  const member = (role: 'User' | 'Admin') =>
    buildUser(world.test.db, { memberOf: [{ organization: world.organization, role }] });
  [li, boss] = [await member('User'), await member('Admin')];
  reviewer = (await bearer(world.test, boss)).inOrganization(world.organization);
});
afterAll(() => world.stop());

/** Starts a second server of the installation, without the feature. */
const startWithout = () =>
  startTestProgram({
    databaseUrl: world.test.databaseUrl,
    secretKeyFile: join(world.test.dataDirectory, 'secret.key'),
    without: ['emergency'],
  });

async function openAccess(): Promise<string> {
  const rule = await world.administrator.post<Json>('perms/emergency-access/', {
    name: unique('emergency'),
    users: [li.id],
    assets: [world.asset],
    system_users: [world.systemUser],
    reviewers: [boss.id],
    max_minutes: 60,
  });
  const user = await bearer(world.test, li);
  const request = { rule: rule.body.id, asset: world.asset, minutes: 30, reason: 'Disk full' };
  const opened = await user.post<EmergencyOpened>('perms/users/emergency-access/', request);
  expect([opened.status, opened.text]).toEqual([201, expect.any(String)]);
  return opened.body.ticket;
}

const factsOf = async (ticket: string) =>
  (await reviewer.get<EmergencyFacts>(`tickets/emergency/${ticket}/`)).body;

it('ends open access at a start without the feature, refuses its review, and keeps it for later', async () => {
  const ticket = await openAccess();
  const login = `${li.username}@${world.accountName}@${world.hostname}`;
  const running = world.ssh.run({
    login,
    password: li.password,
    options: ['-tt'],
    until: /never printed/,
    input: 'echo ready\n',
  });
  await until(async () => (await factsOf(ticket)).sessions.length === 1, 'the session begins');
  const other = await startWithout();
  try {
    // The session of the first server ends with its permission.
    expect((await running).code).not.toBe(0);
    await until(async () => (await factsOf(ticket)).review !== 'active', 'the session has ended');
    const { permission } = await factsOf(ticket);
    const { rows } = await sql<{ user: string }>`
      select l."user" from operate_log l
      where l.resource_id = ${permission} and l.action = 'update'`.execute(world.test.db);
    expect(rows).toEqual([{ user: expect.stringContaining('System') }]);

    const admin = await bearer(other);
    const items = (await admin.get<Json[]>('common/attention/')).body;
    expect(items.filter(({ kind }) => kind === 'protection_off')).toMatchObject([
      { count: 1, examples: [{ name: 'emergency' }] },
    ]);
    const there = (await bearer(other, boss)).inOrganization(world.organization);
    for (const answer of [{ action: 'approve' }, { action: 'reject' }, { status: 'closed' }]) {
      const refused = await there.patch<Json>(`tickets/tickets/${ticket}/`, answer);
      expect([refused.status, refused.body.code]).toEqual([409, 'ticket_feature_off']);
    }
    expect((await there.get<Json>(`tickets/tickets/${ticket}/`)).body.status).toBe('open');
  } finally {
    await other.stop();
  }
  // The server with the feature still demands that the reviewer opens the recording.
  const early = await reviewer.patch<Json>(`tickets/tickets/${ticket}/`, { action: 'approve' });
  expect([early.status, early.body.code]).toEqual([409, 'emergency_unopened']);
  for (const { id } of (await factsOf(ticket)).sessions)
    await reviewer.get(`terminal/sessions/${id}/replay/download/`);
  expect((await reviewer.patch(`tickets/tickets/${ticket}/`, { action: 'approve' })).status).toBe(
    200,
  );
});

it('starts again without the feature when nothing is open', async () => {
  const other = await startWithout();
  try {
    const features = await (await bearer(other)).get<Json[]>('common/features/');
    expect(features.body.find(({ name }) => name === 'emergency')).toMatchObject({
      on: false,
      rules: 0,
    });
  } finally {
    await other.stop();
  }
});
