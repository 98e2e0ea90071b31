import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverIdOf } from './features/servers/index.ts';
import { createSessionRows } from './features/sessions/store.ts';
import { openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { createS3Storage } from './platform/storage/s3-storage.ts';
import { changeSettings } from './testing/change-settings.ts';
import type { Client, Json } from './testing/client.ts';
import { type Command, runCommand } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { type ProcessGroup, signInAt, startProcessGroup } from './testing/process-group.ts';
import { type S3Server, startS3 } from './testing/services/s3-server.ts';
import {
  type UsedSession,
  type UsedSessions,
  useSessions,
} from './testing/sessions-of-all-kinds.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';
import { expectUnbroken, expectVisible, killServer, problemsOf } from './testing/unbroken-proof.ts';

let parent: string;
let database: TestDatabase;
let opened: ReturnType<typeof openDatabase>;
let s3: S3Server;
/** The server that dies, and its sessions. */
let group: ProcessGroup;
let used: UsedSessions;
/** The administrator at another server. */
let reader: Client;
const commands: Command[] = [];
const bucket = () => createS3Storage({ ...s3, pathStyle: true });

const begin = (folder: string): Command => {
  const command = runCommand({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    ...shared(),
  });
  commands.push(command);
  return command;
};
const shared = () => ({
  SALLYPORT_DATABASE_URL: database.url,
  SALLYPORT_SECRET_KEY: 'a'.repeat(64),
});

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sallyport-homeless-'));
  await chmod(parent, 0o711);
  [database, s3] = await Promise.all([createTestDatabase(), startS3()]);
  opened = openDatabase(database.url, 2);
  const sshPort = await freePort();
  group = await startProcessGroup({ ...shared(), SALLYPORT_SSH_PORT: String(sshPort) });
  reader = await signInAt(await begin(join(parent, 'other')).ready());
  const storage = {
    name: 'bucket',
    type: 's3',
    bucket: s3.bucket,
    endpoint: s3.endpoint,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
    path_style: true,
  };
  expect((await reader.post('terminal/replay-storages/', storage)).status).toBe(201);
  for (const { id } of (await reader.get<Json[]>('terminal/terminals/')).body)
    await reader.patch(`terminal/terminals/${id}/`, { replay_storage: storage.name });
  await changeSettings([reader, group.admin], 'security', { SECURITY_ENCRYPT_RECORDINGS: true });
  used = await useSessions(group, sshPort);
});

afterAll(async () => {
  await used?.stop();
  for (const { child, ended } of commands.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  await group?.stop();
  await opened?.close();
  await database?.drop();
  await s3?.stop();
  await rm(parent, { recursive: true, force: true });
});

interface CopiedRow {
  readonly id: string;
  readonly start: Date;
  readonly protocol: string;
  readonly isFinished: boolean;
  readonly isMoved: boolean;
  readonly size: number | null;
  readonly parts: number | null;
}
const rowOf = async ({ id }: UsedSession): Promise<CopiedRow | undefined> =>
  (
    await sql<CopiedRow>`
      select s.id, s.date_start as start, s.protocol, s.is_finished as "isFinished",
        s.replay_storage is not null as "isMoved", c.size, c.parts
      from session s left join recording_copy c on c.session = s.id where s.id = ${id}`.execute(
      opened.db,
    )
  ).rows[0];
const runningKey = ({ id, start, protocol }: CopiedRow) =>
  `${start.toISOString().slice(0, 10)}/${id}.${protocol === 'vnc' ? 'desktop' : 'cast'}`;

/** Waits until the bucket has what the disk of the server has now. */
async function copied(): Promise<void> {
  for (const session of used.sessions.filter(({ isRecorded }) => isRecorded)) {
    const row = (await rowOf(session)) as CopiedRow;
    const path = join(group.folder, 'recordings', runningKey(row));
    // It is undefined for a session that has ended.
    const size = (await stat(path).catch(() => undefined))?.size;
    await until(async () => {
      const now = await rowOf(session);
      return now?.isFinished ? now.isMoved : size !== undefined && Number(now?.size ?? 0) >= size;
    }, `the bucket has the recording of the ${session.name}`);
  }
}

/** Ends the sessions of the dead server, as the other one does after minutes. */
async function endSessions(): Promise<void> {
  const { db } = opened;
  const id = serverIdOf({ dataDirectory: join(parent, 'other') });
  await createSessionRows(db, id).interruptOrphans(0);
}
/** The recorded sessions that were live when their server died. */
const live = () =>
  used.sessions.filter(({ name, isRecorded }) => isRecorded && name.startsWith('live '));
async function restored(sessions: readonly UsedSession[]): Promise<void> {
  for (const { id, name } of sessions)
    await until(
      async () => (await reader.get<Json>(`terminal/sessions/${id}/`)).body.can_replay === true,
      `the recording of the ${name} is restored`,
    );
}

it('restores the recordings of a dead server at another one, names changed ones, and proves all after its return', async () => {
  await copied();
  await killServer(group);
  const [changed, exchanged, cut, ...whole] = await Promise.all(
    live().map(async (session) => ({ session, row: await rowOf(session) })),
  );
  const keyOf = (one: typeof changed, number = 0) =>
    `${runningKey(one?.row as CopiedRow)}.parts/${String(number).padStart(8, '0')}`;
  const first = await buffer((await bucket().open(keyOf(changed))).stream);
  const flipped = Buffer.from(first);
  flipped[flipped.length - 3] = (flipped.at(-3) ?? 0) ^ 1;
  await bucket().put(keyOf(changed), Readable.from([flipped]));
  await bucket().put(keyOf(exchanged), Readable.from([first]));
  await bucket().delete(keyOf(cut, Number(cut?.row?.parts) - 1));

  await endSessions();
  const ended = used.sessions.filter(
    ({ name, isRecorded }) => isRecorded && !name.startsWith('live '),
  );
  const visible = [...ended, ...whole.map(({ session }) => session)];
  await restored(visible);
  await expectVisible(reader, visible);
  const problems = async () => (await problemsOf(reader)).sessions;
  await until(
    async () => Object.keys(await problems()).length === 3,
    'the problems of three recordings are known',
  );
  const expected = {
    [String(changed?.session.id)]: 'recording_changed',
    [String(exchanged?.session.id)]: 'recording_changed',
    [String(cut?.session.id)]: 'recording_missing',
  };
  expect(await problems()).toEqual(expected);

  // A restored recording is proven as well: in the database, and in the bucket.
  const [one, other] = whole;
  const digestOf = async (sha256: string) =>
    (
      await sql<{ before: string }>`
        with old as (select restored_sha256 as before from recording_copy
          where session = ${one?.session.id})
        update recording_copy set restored_sha256 = ${sha256} from old
          where session = ${one?.session.id} returning old.before`.execute(opened.db)
    ).rows[0]?.before ?? '';
  const before = await digestOf('0'.repeat(64));
  const row = other?.row as CopiedRow;
  const key = `${runningKey(row)}.parts/whole.${row.protocol === 'vnc' ? 'z' : 'gz'}`;
  const content = await buffer((await bucket().open(key)).stream);
  await bucket().put(key, Readable.from([gzipSync('another')]));
  expect(await problems()).toEqual({
    ...expected,
    [String(one?.session.id)]: 'recording_changed',
    [String(other?.session.id)]: 'recording_changed',
  });
  await digestOf(before);
  await bucket().put(key, Readable.from([content]));
  expect(await problems()).toEqual(expected);

  // The server returns with the originals, and with more than the bucket had.
  const back = await signInAt(await begin(group.folder).ready());
  for (const client of [reader, back]) await expectUnbroken(client, used.sessions);
  await until(async () => {
    for await (const key of bucket().list()) if (/\.parts\/\d+$/.test(key)) return false;
    return true;
  }, 'the parts are deleted');
  for (const client of [reader, back]) await expectUnbroken(client, used.sessions);
}, 1_200_000);
