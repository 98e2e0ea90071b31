import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeImportedSessions } from '../../../features/sessions/index.ts';
import { sql } from '../../../platform/db/sql.ts';
import { buildOrganization, buildUser } from '../../../testing/builders.ts';
import { changeSettings } from '../../../testing/change-settings.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { openFilesBelow } from '../../../testing/open-files.ts';
import { runOperatorCommand } from '../../../testing/operator-command.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let folder: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const START = new Date('2024-03-05T06:07:08Z');

/** Adds an imported session, and a file with this ending and content as its recording. */
async function add(ending: string, content: string | Buffer, protocol = 'ssh') {
  const id = randomUUID();
  await test.db.transaction((tx) =>
    storeImportedSessions(
      'JumpServer',
      [
        {
          ...{ id, org_id: '', user: 'Li Wei(li.wei)', asset: 'web-1', system_user: 'root' },
          ...{ user_id: randomUUID(), asset_id: randomUUID(), system_user_id: randomUUID() },
          ...{ login_from: 'ST', remote_addr: '203.0.113.9', protocol, is_success: true },
          ...{ kind: protocol === 'rdp' ? 'desktop' : 'terminal', target_kind: 'asset' },
          date_start: START.toISOString(),
          date_end: new Date(START.getTime() + 60_000).toISOString(),
        },
      ],
      tx,
    ),
  );
  const day = join(folder, 'replay', '2024-03-05');
  await mkdir(day, { recursive: true });
  const bytes = ending.endsWith('.gz') ? gzipSync(content) : content;
  await writeFile(join(day, `${id}.${ending}`), bytes);
  return id;
}

/** Runs the import over a new folder that `fill` fills. */
async function importing<Ids>(fill: () => Promise<Ids>) {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-replays-'));
  const ids = await fill();
  const run = async (mode: string) => {
    const { stdout, stderr, code } = await runOperatorCommand(test, [
      ...['import', 'jumpserver', `--replays=${join(folder, 'replay')}`, mode],
    ]);
    expect(stderr).toBe('');
    return { lines: stdout.trim().split('\n').toSorted(), code };
  };
  return { ids, run, drop: () => rm(folder, { recursive: true }) };
}

/** The header, the shown text and the resizes of a recording, as the player gets them. */
async function played(id: string) {
  const { status, text } = await admin.get(`terminal/sessions/${id}/replay/file/`);
  expect(status, text).toBe(200);
  const [header, ...events] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (code: string) => events.filter((event) => event[1] === code);
  return {
    header,
    output: of('o')
      .map(([, , data]) => data)
      .join(''),
    times: [...new Set(of('o').map(([at]) => at))],
    resizes: of('r'),
  };
}

it('copies recordings of both formats once, which then play', async () => {
  const { ids, run, drop } = await importing(async () => ({
    object: await add('replay.gz', '{"0.5":"$ ls\\r\\n","1.25":"a \\"b\\" 桌\\u001b[0m","2":""}'),
    cast: await add(
      'cast.gz',
      `{"version": 2, "width": 100, "height": 30}
[0.1, "o", "one"]
[0.2, "i", "typed"]
[0.3, "r", "90x20"]
[0.2, "o", "two"]
[0.9, "o", "cut by a cr`,
    ),
    plain: await add('replay', '{}'),
  }));
  expect(await run('--plan')).toEqual({
    lines: ['Nothing was changed: --apply makes the changes.', 'recordings  3 to copy'],
    code: 2,
  });
  const shell = `terminal/sessions/${ids.object}/`;
  expect((await admin.get<Json>(shell)).body.can_replay).toBe(false);
  expect(await run('--apply')).toEqual({ lines: ['recordings  3 copied'], code: 0 });
  expect(await run('--apply')).toEqual({
    lines: ['note replay: left out because it is here already: 3', 'recordings  0 copied'],
    code: 0,
  });
  await drop();
  expect(await played(ids.object)).toMatchObject({
    header: { version: 2, width: 132, height: 43, title: 'web-1', timestamp: +START / 1000 },
    output: '$ ls\r\na "b" 桌\u001b[0m',
    times: expect.arrayContaining([0.5, 1.25]),
  });
  expect(await played(ids.cast)).toMatchObject({
    header: { width: 100, height: 30 },
    output: 'onetwo',
    times: [0.1, 0.3],
    resizes: [[0.3, 'r', '90x20']],
  });
  expect(await played(ids.plain)).toMatchObject({ header: { version: 2 }, output: '' });
  expect((await admin.get<Json>(shell)).body).toMatchObject({
    can_replay: true,
    imported_from: 'JumpServer',
  });
  const verified = await runOperatorCommand(test, ['audit', 'verify']);
  expect([verified.stderr, verified.code]).toEqual(['', 0]);
});

it('masks secrets unless the setting says otherwise', async () => {
  const secret = 'AKIAIOSFODNN7EXAMPLE';
  const show = `{"0.1":"key ${secret.slice(0, 6)}","0.11":"${secret.slice(6)} done"}`;
  const masked = await importing(async () => [await add('replay.gz', show)]);
  await masked.run('--apply');
  await masked.drop();
  expect((await played(masked.ids[0] ?? '')).output).toBe(`key AKIA${'*'.repeat(16)} done`);
  await changeSettings([admin], 'security', { SECURITY_MASK_SECRETS: false });
  const plain = await importing(async () => [await add('replay.gz', show)]);
  await plain.run('--apply');
  await plain.drop();
  expect((await played(plain.ids[0] ?? '')).output).toBe(`key ${secret} done`);
  await changeSettings([admin], 'security', { SECURITY_MASK_SECRETS: true });
});

it('leaves out what it cannot read, and stores nothing of it', async () => {
  const { ids, run, drop } = await importing(async () => {
    const damaged = [
      await add('cast', '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "x"]\nxx\n[0.2'),
      await add('cast', '{"version": 2, "width": 80000, "height": 24}\n'),
      await add('replay', '{"0.1":"x","never":"x"}'),
      await add('replay', `{"0.1":"${'x'.repeat(2 * 1024 * 1024)}`),
      await add('replay', gzipSync('{"0.1":"shown"}').subarray(0, 25)),
    ];
    const desktop = await add('replay.gz', '4.size,1.0;', 'rdp');
    const other = await add('replay.gz', '4.size,1.0;');
    await writeFile(join(folder, 'replay', `${randomUUID()}.replay.gz`), '');
    await writeFile(join(folder, 'replay', 'notes.txt'), '');
    return [...damaged, desktop, other];
  });
  expect(await run('--apply')).toEqual({
    lines: [
      'note replay: left out because it belongs to no imported session: 1',
      'note replay: left out because it has no terminal: 1',
      'note replay: left out because it is damaged: 5',
      'note replay: left out because it shows a desktop: 1',
      'recordings  0 copied',
    ],
    code: 0,
  });
  await drop();
  const { rows } = await sql`
    select from session where id = any (${ids}::uuid[]) and (has_replay or holder is not null)`.execute(
    test.db,
  );
  expect(rows).toEqual([]);
  for await (const { sessionId } of test.program.recordings.finished())
    expect(ids).not.toContain(sessionId);
  await until(async () => (await openFilesBelow(folder)).length === 0, 'every file is closed');
});

it('shows an imported recording to auditors of its organization only', async () => {
  const { ids, run, drop } = await importing(async () => [await add('replay', '{"0":"x"}')]);
  await run('--apply');
  await drop();
  const organization = await buildOrganization(test.db);
  const auditor = await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] });
  const stranger = (await bearer(test, auditor)).inOrganization(organization);
  const { status } = await stranger.get(`terminal/sessions/${ids[0]}/replay/file/`);
  expect(status).toBe(404);
});

it('refuses a folder that is not there, and other sources next to it', async () => {
  const missing = await runOperatorCommand(test, [
    ...['import', 'jumpserver', '--replays=/nonexistent', '--plan'],
  ]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining('/nonexistent cannot be read: ENOENT'),
  ]);
  const both = await runOperatorCommand(test, [
    ...['import', 'jumpserver', '--replays=/tmp', '--history', '--plan'],
  ]);
  expect([both.code, both.stderr]).toEqual([
    1,
    expect.stringContaining('Recordings are read from a folder'),
  ]);
});
