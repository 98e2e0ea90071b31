import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { recordsOf, replayed } from '../../testing/desktops/desktop-client.ts';
import {
  grantDesktop,
  openDesktop,
  recordedPicture,
} from '../../testing/desktops/desktop-world.ts';
import { startXvnc, type TestXvnc } from '../../testing/desktops/xvnc.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

const { folder, startOn } = useCommands();
let database: TestDatabase;
let opened: ReturnType<typeof openDatabase>;
let xvnc: TestXvnc;
beforeAll(async () => {
  [database, xvnc] = await Promise.all([createTestDatabase(), startXvnc()]);
  opened = openDatabase(database.url, 2);
});
afterAll(async () => {
  await opened?.close();
  await database?.drop();
  await xvnc?.stop();
});

it('marks a desktop session as interrupted after its server was killed, replays its recording, and opens the desktop again', async () => {
  const first = await startOn(database);
  const li = await buildUser(opened.db);
  const administrator = await first.signIn();
  const desktop = await grantDesktop(administrator, li.id, xvnc);
  const person = await first.signIn(li.username, li.password);
  await xvnc.fill('#224466');
  const { client, session } = await openDesktop(person.url, desktop, person);
  await client.shows('#224466');
  await xvnc.fill('#886644');
  await client.shows('#886644');
  const { body } = await administrator.get<Json>(`terminal/sessions/${session}/`);
  expect(body).toMatchObject({ is_finished: false, can_replay: false });
  const { running } = recordingFiles(
    join(folder(), 'recordings'),
    { id: session, startedAt: new Date(String(body.date_start)) },
    'desktop',
  );
  // The recorder closes a block every second.
  await until(
    async () => replayed(recordsOf(await readFile(running))).isFilled('#886644'),
    'the disk has what the user saw',
  );
  process.kill(first.command.child.pid ?? 0, 'SIGKILL');
  await first.command.ended;
  await client.wire.until('the socket is closed', () => client.wire.closeCode);

  const { signIn } = await startOn(database);
  const reader = await signIn();
  await until(
    async () => (await reader.get<Json>(`terminal/sessions/${session}/`)).body.is_finished === true,
    'the session has ended',
  );
  expect((await reader.get<Json>(`terminal/sessions/${session}/`)).body).toMatchObject({
    end_reason: 'interrupted',
    can_replay: true,
  });
  expect((await reader.get<Json>(`terminal/sessions/${session}/replay/`)).body).toMatchObject({
    type: 'desktop',
    state: 'recovered',
  });
  const again = await recordedPicture(reader, session);
  expect(again.pixels.equals(client.screen.pixels)).toBe(true);
  expect((await reader.post<{ sessions: Json }>('audits/verify/')).body.sessions).toMatchObject({
    wrong: 0,
  });

  // The desktop itself kept running.
  const returned = await signIn(li.username, li.password);
  const second = await openDesktop(returned.url, desktop, returned);
  await second.client.shows('#886644');
  await second.client.wire.close();
  await until(
    async () =>
      (await reader.get<Json>(`terminal/sessions/${second.session}/`)).body.is_finished === true,
    'the second session has ended',
  );
});
