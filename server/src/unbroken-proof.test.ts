import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { embeddedUrl, startEmbedded } from './platform/db/embedded.ts';
import type { Client } from './testing/client.ts';
import { type Command, runCommand } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import { type ProcessGroup, signInAt, startProcessGroup } from './testing/process-group.ts';
import {
  type UsedSession,
  type UsedSessions,
  useSessions,
} from './testing/sessions-of-all-kinds.ts';
import {
  allWith,
  changeRecordings,
  changeRows,
  expectUnbroken,
  killServer,
  problemsOf,
} from './testing/unbroken-proof.ts';

let parent: string;
let group: ProcessGroup;
let used: readonly UsedSessions[];
let sessions: readonly UsedSession[];
let backup: string;
let keys: string;
const commands: Command[] = [];

/** A server of two processes carries sessions of all kinds, is upgraded, and is then killed. */
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sallyport-proof-'));
  await chmod(parent, 0o711);
  const aside = join(parent, 'backups');
  await mkdir(aside, { mode: 0o700 });
  [backup, keys] = [join(aside, 'backup'), join(aside, 'keys.json')];
  const sshPort = await freePort();
  group = await startProcessGroup({ SALLYPORT_SSH_PORT: String(sshPort) });
  const before = await useSessions(group, sshPort);
  // The replaced processes carry these sessions, and the new ones the next.
  expect(await runOperatorCommandIn(group.folder, ['upgrade'])).toMatchObject({ code: 0 });
  const after = await useSessions(group, sshPort);
  used = [before, after];
  await Promise.all(used.map(({ end }) => end()));
  expect(
    await runOperatorCommandIn(group.folder, ['backup', backup, '--recordings', `--keys=${keys}`]),
  ).toMatchObject({ code: 0 });
  await group.db.end();
  await killServer(group);
  for (const { stop } of used) await stop();
  sessions = used.flatMap((one) => one.sessions);
});
afterEach(async () => {
  for (const { child, ended } of commands.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});
afterAll(async () => {
  await Promise.all([group.sshd.stop(), group.target.stop()]);
  await rm(group.folder, { recursive: true, force: true });
  await rm(parent, { recursive: true, force: true });
});

const copyOf = async (name: string): Promise<string> => {
  const folder = join(parent, name);
  await promisify(execFile)('cp', ['-a', group.folder, folder]);
  return folder;
};

const begin = (folder: string, environment: Readonly<Record<string, string>> = {}): Command => {
  const command = runCommand({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    ...environment,
  });
  commands.push(command);
  return command;
};

const start = async (folder: string, environment: Readonly<Record<string, string>> = {}) =>
  signInAt(await begin(folder, environment).ready());

const withDatabase = async <T>(folder: string, work: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ connectionString: embeddedUrl(folder) });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
};

/** Changes the database of a stopped server. */
async function changeStopped(folder: string, work: (db: pg.Client) => Promise<unknown>) {
  const database = await startEmbedded(folder);
  try {
    await withDatabase(folder, work);
  } finally {
    await database.stop();
  }
}

/** Leaves what an earlier version knew: a server was its host name and its path. */
async function makeEarlier(folder: string): Promise<void> {
  const former =
    "'former.example.com:/var/lib/former' || coalesce(substring(holder from '//[0-9]+$'), '')";
  await changeStopped(folder, async (db) => {
    await db.query(`update session set holder = ${former}`);
    await db.query(`update terminal set holder = ${former}`);
    await db.query('delete from server');
  });
  await rm(join(folder, 'server.id'));
}

interface Place {
  readonly folder: string;
  readonly admin: Client;
}

/** Starts the installations that an event leaves. */
const EVENTS: Readonly<Record<string, (name: string) => Promise<readonly Place[]>>> = {
  'kill -9': async (name) => {
    const folder = await copyOf(name);
    return [{ folder, admin: await start(folder, { SALLYPORT_PROCESSES: '2' }) }];
  },
  'a copy of the folder that starts next to the original, with one process instead of two': async (
    name,
  ) =>
    Promise.all(
      ['original', 'copy'].map(async (which) => {
        const folder = await copyOf(`${name}-${which}`);
        return { folder, admin: await start(folder) };
      }),
    ),
  'an upgrade from a version without identities, with another host name and path': async (name) => {
    const folder = await copyOf(name);
    await makeEarlier(folder);
    return [{ folder, admin: await start(folder, { SALLYPORT_PROCESSES: '2' }) }];
  },
  'a restore of several servers as one': async (name) => {
    const folder = await copyOf(name);
    await changeStopped(folder, (db) =>
      db.query(`update session set holder = 'other-server' where kind in ('query', 'desktop')`),
    );
    return [{ folder, admin: await start(folder, { SALLYPORT_PROCESSES: '2' }) }];
  },
  'a restore whose server is killed and moved': async (name) => {
    const folder = join(parent, name);
    expect(await runOperatorCommandIn(folder, ['restore', backup, `--keys=${keys}`])).toMatchObject(
      { code: 0, stderr: '' },
    );
    const command = begin(folder, { SALLYPORT_PROCESSES: '2' });
    await command.ready();
    await killServer({ folder, command });
    const moved = join(parent, `${name}-moved`);
    await rename(folder, moved);
    return [{ folder: moved, admin: await start(moved) }];
  },
};

it.each(Object.entries(EVENTS))(
  'accuses no session, shows each recording and still finds changes after %s',
  async (name, prepare) => {
    for (const { admin, folder } of await prepare(name.replaceAll(/\W+/g, '-'))) {
      await expectUnbroken(admin, sessions);
      await changeRecordings(folder, sessions);
      const recorded = sessions.filter(({ isRecorded }) => isRecorded);
      expect((await problemsOf(admin)).sessions).toEqual(allWith(recorded, 'recording_changed'));
      await withDatabase(folder, (db) => changeRows(db, sessions));
      expect((await problemsOf(admin)).sessions).toEqual(allWith(sessions, 'session_changed'));
    }
  },
);
