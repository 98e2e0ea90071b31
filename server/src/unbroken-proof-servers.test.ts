import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverIdOf } from './features/servers/index.ts';
import { createSessionRows } from './features/sessions/store.ts';
import { openDatabase } from './platform/db/database.ts';
import type { Page } from './testing/client.ts';
import { type Command, runCommand } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import {
  openDatabasesAt,
  type ProcessGroup,
  signInAt,
  startProcessGroup,
} from './testing/process-group.ts';
import { type UsedSessions, useSessions } from './testing/sessions-of-all-kinds.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';
import {
  allWith,
  attentionOf,
  changeRecordings,
  changeRows,
  expectUnbroken,
  expectVisible,
  killServer,
  problemsOf,
  replayOf,
} from './testing/unbroken-proof.ts';

let parent: string;
let database: TestDatabase;
let group: ProcessGroup;
/** The sessions of each server. */
let [first, second]: UsedSessions[] = [];
const commands: Command[] = [];
const shared = () => ({
  SALLYPORT_DATABASE_URL: database.url,
  SALLYPORT_SECRET_KEY: 'a'.repeat(64),
  SALLYPORT_PROCESSES: '2',
});

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sallyport-servers-'));
  await chmod(parent, 0o711);
  await mkdir(join(parent, 'backups'), { mode: 0o700 });
  database = await createTestDatabase();
  const ports = [await freePort(), await freePort()] as const;
  group = await startProcessGroup({ ...shared(), SALLYPORT_SSH_PORT: String(ports[0]) });
  first = await useSessions(group, ports[0]);
  const command = begin('second', {
    SALLYPORT_SSH_PORT: String(ports[1]),
    SALLYPORT_POSTGRESQL_PORT: String(await freePort()),
  });
  const url = await command.ready();
  const admin = await signInAt(url);
  const other = {
    ...group,
    url,
    admin,
    sockets: url.replace(/^http/, 'ws').replace(/\/$/, ''),
    signIn: () => signInAt(url),
    openDatabases: (count: number) => openDatabasesAt(admin, group.database, count),
  };
  second = await useSessions(other, ports[1]);
  await Promise.all([first.end(), second.end()]);
  await killServer(group);
  await killServer({ folder: at('second'), command });
  await Promise.all([first.stop(), second.stop()]);
});
afterAll(async () => {
  for (const command of commands) await stop(command);
  await group.stop();
  await database.drop();
  await rm(parent, { recursive: true, force: true });
});

const at = (name: string) => join(parent, name);
/** Starts a server of the installation. */
function begin(folder: string, environment: Readonly<Record<string, string>> = {}): Command {
  const command = runCommand({
    SALLYPORT_DATA_DIR: folder.startsWith('/') ? folder : at(folder),
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    ...shared(),
    ...environment,
  });
  commands.push(command);
  return command;
}
async function stop({ child, ended }: Command): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** Ends the sessions of dead servers, as the server of a folder does after minutes. */
async function interruptOrphans(dataDirectory: string): Promise<void> {
  const opened = openDatabase(database.url, 1);
  try {
    await createSessionRows(opened.db, serverIdOf({ dataDirectory })).interruptOrphans(0);
  } finally {
    await opened.close();
  }
}

it('accuses no session while a server is away, when it returns elsewhere, next to a clone, and after a restore as one server', async () => {
  const [own, others] = [first?.sessions ?? [], second?.sessions ?? []];
  const all = [...own, ...others];
  const ids = new Set(others.map(({ id }) => id));

  // The second server is away.
  const server = begin(group.folder);
  const admin = await signInAt(await server.ready());
  await interruptOrphans(group.folder);
  await expectVisible(admin, own);
  const away = await problemsOf(admin);
  expect(away.logs).toEqual([]);
  for (const [session, problem] of Object.entries(away.sessions))
    expect([ids.has(session), problem]).toEqual([true, 'recording_unreadable']);
  for (const kind of ['unrecorded_sessions', 'audit_logs_broken'] as const)
    expect(await attentionOf(admin)).not.toContain(kind);
  const { body: list } = await admin.get<Page>('terminal/sessions/?is_finished=1&limit=100');
  for (const { id, name, isRecorded } of others) {
    expect(
      list.results.some((row) => row.id === id),
      name,
    ).toBe(true);
    if (isRecorded)
      expect(await replayOf(admin, id), name).toEqual({
        status: 404,
        text: expect.stringMatching(/a server that stopped unexpectedly|which does not answer/),
      });
  }

  // It returns with another path.
  await rename(at('second'), at('moved'));
  const moved = begin('moved');
  const movedAdmin = await signInAt(await moved.ready());
  for (const client of [admin, movedAdmin]) await expectUnbroken(client, all);

  // A clone of its folder joins, is used, and leaves.
  await promisify(execFile)('cp', ['-a', at('moved'), at('clone')]);
  await rm(join(at('clone'), 'sallyport.lock'), { force: true });
  expect(
    await runOperatorCommandIn(at('clone'), ['server', 'new-identity'], shared()),
  ).toMatchObject({ code: 0 });
  const clone = begin('clone');
  await expectUnbroken(await signInAt(await clone.ready()), all);
  await stop(clone);
  await expectUnbroken(admin, all);

  // A server restored from the backup of two gets the recordings of the other one.
  const [backup, keys] = [at('backups/one'), at('backups/keys.json')];
  const words = ['backup', backup, '--recordings', `--keys=${keys}`];
  expect(await runOperatorCommandIn(group.folder, words, shared())).toMatchObject({ code: 0 });
  const alone = { SALLYPORT_DATABASE_URL: '', SALLYPORT_SECRET_KEY: '' };
  expect(
    await runOperatorCommandIn(at('alone'), ['restore', backup, `--keys=${keys}`]),
  ).toMatchObject({ code: 0 });
  const copy = 'cp -a "$0"/recordings/[0-9]* "$1"/recordings/';
  await promisify(execFile)('sh', ['-c', copy, at('moved'), at('alone')]);
  const restored = begin('alone', alone);
  await expectUnbroken(await signInAt(await restored.ready()), all);
  await stop(restored);

  // Changes are still found, on each server.
  await changeRecordings(group.folder, all);
  await changeRecordings(at('moved'), all);
  const recorded = all.filter(({ isRecorded }) => isRecorded);
  for (const client of [admin, movedAdmin])
    expect((await problemsOf(client)).sessions).toEqual(allWith(recorded, 'recording_changed'));
  await changeRows(group.db, all);
  expect((await problemsOf(admin)).sessions).toEqual(allWith(all, 'session_changed'));
  expect(await attentionOf(admin)).toContain('audit_logs_broken');
});
