import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import type { Client } from '../../testing/client.ts';
import { openFilesBelow } from '../../testing/open-files.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let id: string;
let file: string;
let recordings: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

/** A finished session with a recording too large for one read. */
beforeAll(async () => {
  const { rows } = await sql<{ id: string; date_start: Date }>`
    insert into session ("user", asset, "system_user", is_finished, has_replay, replay_state)
    values ('somebody', 'web-01', 'root', true, true, 'finished') returning id, date_start`.execute(
    test.db,
  );
  const [row] = rows;
  if (!row) throw new Error('no session was made');
  id = row.id;
  const recorded = { id, startedAt: row.date_start };
  recordings = join(test.dataDirectory, 'recordings');
  file = recordingFiles(recordings, recorded).finished;
  await test.program.recordings.add(
    recorded,
    `{"version":2,"width":80,"height":24}\n[0.1,"o","${randomBytes(6 * 1024 * 1024).toString('hex')}"]\n`,
  );
});

/** Requests a path and disconnects before the answer or after its first bytes. */
function askAndLeave(path: string, headers: Record<string, string>, early: boolean): Promise<void> {
  return new Promise((settle) => {
    const outgoing = request(new URL(path, test.program.url), {
      headers: { ...admin.headers, ...headers },
      agent: false,
    });
    outgoing.on('response', (response) => {
      response.on('error', () => undefined);
      response.once('data', () => outgoing.destroy());
    });
    outgoing.on('error', () => undefined);
    outgoing.on('close', () => settle());
    outgoing.end();
    if (early) setTimeout(() => outgoing.destroy(), 5);
  });
}

it.each([
  ['download/', {}],
  ['file/', {}],
  ['file/', { 'accept-encoding': 'gzip' }],
] as const)(
  'closes the recording when the client breaks off the download of replay/%s with %j',
  async (end, headers) => {
    const path = `/api/v1/terminal/sessions/${id}/replay/${end}`;
    for (let round = 0; round < 10; round++)
      await Promise.all([0, 1, 2, 3].map((index) => askAndLeave(path, headers, index % 2 === 0)));
    await until(
      async () => (await openFilesBelow(recordings)).length === 0,
      'every recording is closed',
    );
    expect((await admin.get(path)).text).toContain('"width":80');
  },
);

it('answers not found without a recording, ends the answer at a damaged one, and keeps serving', async () => {
  await writeFile(file, 'no gzip at all');
  await admin.get(`terminal/sessions/${id}/replay/download/`).catch(() => undefined);
  await rm(file);
  for (const end of ['', 'file/', 'download/']) {
    const refused = await admin.get(`terminal/sessions/${id}/replay/${end}`);
    expect([end, refused.status, refused.headers.get('x-error-code')]).toEqual([
      end,
      404,
      'replay_missing',
    ]);
  }
  expect((await test.visitor.get('/api/health/')).status).toBe(200);
});
