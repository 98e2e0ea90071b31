import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { DesktopClient } from '../../testing/desktops/desktop-client.ts';
import {
  type GrantedDesktop,
  grantDesktop,
  openDesktop,
  recordedPicture,
  socketsOf,
} from '../../testing/desktops/desktop-world.ts';
import { startXvnc, type TestXvnc } from '../../testing/desktops/xvnc.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let one: TestProgram;
let other: TestProgram;
let xvnc: TestXvnc;
let organization: string;
let person: Client;
let desktop: GrantedDesktop;

beforeAll(async () => {
  const secretKey = randomBytes(32).toString('hex');
  [one, xvnc] = await Promise.all([startTestProgram({ secretKey }), startXvnc()]);
  other = await startTestProgram({ secretKey, databaseUrl: one.databaseUrl });
  organization = await buildOrganization(one.db);
  const member = await buildUser(one.db, { memberOf: [{ organization, role: 'User' }] });
  person = (await bearer(one, member)).inOrganization(organization);
  desktop = await grantDesktop((await bearer(one)).inOrganization(organization), member.id, xvnc);
});
afterAll(async () => {
  await other?.stop();
  await one?.stop();
  await xvnc?.stop();
});

it('watches, ends and replays a desktop of another server, for authorized users only', async () => {
  await xvnc.fill('#224466');
  const { client, session } = await openDesktop(one.program.url, desktop, person);
  await client.shows('#224466');

  const stranger = DesktopClient.watch(
    socketsOf(other.program.url),
    session,
    (await signInMember(other, await buildOrganization(one.db), 'Auditor')).headers,
  );
  await stranger.wire.until('the stranger is sent away', () => stranger.wire.closeCode);
  expect(stranger.screen.pixels).toHaveLength(0);

  const auditor = await signInMember(other, organization, 'Auditor');
  const watcher = DesktopClient.watch(socketsOf(other.program.url), session, auditor.headers);
  await watcher.shows('#224466');
  await xvnc.fill('#886644');
  await watcher.shows('#886644');
  expect(watcher.screen.pixels.equals(client.screen.pixels)).toBe(true);
  client.send([5, 1, 0, 12, 0, 13]);
  expect(await watcher.wire.message('pointer')).toMatchObject({ x: 12, y: 13 });
  // The other server enforces read-only watching, too.
  watcher.send([4, 1, 0, 0, 0, 0, 0, 0x61]);
  await watcher.wire.until('the end of a watcher that types', () => watcher.wire.closeCode);
  expect(watcher.wire.closeCode).toBe(1008);

  const administrator = (await bearer(other)).inOrganization(organization);
  expect((await administrator.post<Json>('terminal/tasks/kill-session/', [session])).body).toEqual({
    ok: [session],
  });
  expect(await client.wire.message('closed')).toMatchObject({ code: 'session_terminated' });
  await until(
    async () =>
      (await administrator.get<Json>(`terminal/sessions/${session}/`)).body.is_finished === true,
    'the session has ended',
  );
  expect(
    (await administrator.get<Json>(`terminal/sessions/${session}/replay/`)).body,
  ).toMatchObject({ type: 'desktop', state: 'finished' });
  const again = await recordedPicture(administrator, session);
  expect(again.pixels.equals(client.screen.pixels)).toBe(true);
});
