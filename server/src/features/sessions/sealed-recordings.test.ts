import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import type { Verdicts } from '../audits/verification.ts';

const MAGIC = 'SPSEAL1';

let world: SshWorld;
let admin: Client;
let s3: S3Server;
beforeAll(async () => {
  [world, s3] = await Promise.all([startSshWorld(), startS3()]);
  admin = await bearer(world.test);
  await encrypt(true);
});
afterAll(async () => {
  await world.stop();
  await s3.stop();
});

const encrypt = (isOn: boolean) =>
  changeSettings([admin], 'security', { SECURITY_ENCRYPT_RECORDINGS: isOn });
const folder = () => join(world.test.dataDirectory, 'recordings');
const replay = (id: string, path: string, client = world.administrator) =>
  client.get<Json>(`terminal/sessions/${id}/replay/${path}`);
const verify = async () => (await admin.post<Verdicts>('audits/verify/')).body.sessions;

interface Recorded {
  readonly id: string;
  /** Text that only the output of the session has. */
  readonly marker: string;
  readonly file: string;
}

/** Runs a session of an ssh client that prints a marker after many lines, and ends. */
async function record(lines = 10): Promise<Recorded> {
  const number = 1_000_000 + Math.floor(Math.random() * 1_000_000);
  const done = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    options: ['-tt'],
    input: `seq ${lines}; echo "marker $((${number}+1))"\nexit\n`,
  });
  const marker = `marker ${number + 1}`;
  expect(done.stdout.toString()).toContain(marker);
  await until(
    async () => (await world.lastSession()).replay_state === 'finished',
    'the recording is finished',
  );
  const { id, date_start: startedAt } = await world.lastSession();
  const session = { id: String(id), startedAt: startedAt as Date };
  return { id: session.id, marker, file: recordingFiles(folder(), session).finished };
}

/** Returns the files below a folder that contain a text. */
async function filesWith(text: string, below: string): Promise<string[]> {
  const entries = await readdir(below, { recursive: true, withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path).catch(() => Buffer.alloc(0))).includes(text)) paths.push(path);
  }
  return paths;
}

it('encrypts the recording of a session, and replays, downloads and verifies it', async () => {
  // Longer than a chunk after compression.
  const { id, marker, file } = await record(60_000);
  expect((await readFile(file)).subarray(0, 7).toString()).toBe(MAGIC);
  expect((await readFile(file)).length).toBeGreaterThan(100_000);
  expect((await replay(id, '')).status).toBe(200);
  const played = await replay(id, 'file/');
  const saved = await replay(id, 'download/');
  expect([played.status, played.text.includes(marker), saved.text === played.text]).toEqual([
    200,
    true,
    true,
  ]);
  expect(await verify()).toMatchObject({ wrong: 0 });
});

it('writes no output of a running session in plain', async () => {
  const web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const terminal = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );
  const { session } = await terminal.message('open');
  // The log of commands keeps the beginning of each output, so the marker comes late.
  terminal.type('seq 20000; echo "running $((700+1))"\r');
  await terminal.waitFor('running 701');
  const { date_start: startedAt } = await world.lastSession();
  const { running } = recordingFiles(folder(), { id: session, startedAt: startedAt as Date });
  await until(
    async () => (await readFile(running)).length > 40_000,
    'the output is in the file of the recording',
  );
  const during = await filesWith('running 701', world.test.dataDirectory);
  await terminal.close();
  await until(
    async () => (await world.lastSession()).replay_state === 'finished',
    'the recording is finished',
  );
  expect([during, await filesWith('running 701', world.test.dataDirectory)]).toEqual([[], []]);
  expect((await replay(session, 'download/')).text).toContain('running 701');
});

it('refuses changed, cut and exchanged recordings with the reason, and verification names them', async () => {
  const [changed, cut, exchanged, other] = [
    await record(),
    await record(),
    await record(),
    await record(),
  ];
  const bytes = await readFile(changed.file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(changed.file, bytes);
  await writeFile(cut.file, (await readFile(cut.file)).subarray(0, -1));
  await copyFile(other.file, exchanged.file);
  for (const { id } of [changed, cut, exchanged]) {
    for (const path of ['', 'file/', 'download/'])
      expect(await replay(id, path)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('the file was changed after it was written') },
      });
    const chinese = await replay(
      id,
      'file/',
      world.administrator.with({ 'accept-language': 'zh' }),
    );
    expect(chinese.body.detail).toContain('文件写入后被改动');
  }
  expect((await replay(other.id, 'file/')).text).toContain(other.marker);
  const { broken } = await verify();
  expect(broken).toEqual(
    [exchanged, cut, changed].map(({ id }) => ({ session: id, problem: 'recording_changed' })),
  );
});

it('replays encrypted and plain recordings next to each other', async () => {
  const sealed = await record();
  await encrypt(false);
  const plain = await record();
  await encrypt(true);
  const again = await record();
  const beginnings = await Promise.all(
    [sealed, plain, again].map(async ({ file }) => (await readFile(file)).subarray(0, 2)),
  );
  expect(beginnings.map((two) => two.toString('latin1'))).toEqual(['SP', '\u001f\u008b', 'SP']);
  for (const { id, marker } of [sealed, plain, again])
    expect((await replay(id, 'download/')).text).toContain(marker);
});

it('reads recordings of earlier keys after a rotation, and counts them', async () => {
  const before = await record();
  expect(await runOperatorCommand(world.test, ['key', 'rotate'])).toMatchObject({ code: 0 });
  const after = await record();
  for (const { id, marker } of [before, after])
    expect((await replay(id, 'download/')).text).toContain(marker);
  const { stdout } = await runOperatorCommand(world.test, ['key', 'status']);
  expect(stdout).toMatch(/recordings [0-9a-f]{12}: retired, .*, [1-9]\d* recordings in this/);
  expect(stdout).toMatch(/recordings [0-9a-f]{12}: active, .*, 1 recordings in this/);
});

it('exports the recording for a proof without the server', async () => {
  const { id } = await record();
  const target = join(world.test.dataDirectory, `${id}.tar`);
  const exported = await runOperatorCommand(world.test, [
    'evidence',
    'export',
    target,
    `--session=${id}`,
  ]);
  expect(exported).toMatchObject({ code: 0 });
  const archive = await readFile(target);
  expect([archive.includes(MAGIC), archive.includes(Buffer.from([0x1f, 0x8b, 8]))]).toEqual([
    false,
    true,
  ]);
});

it('moves the encrypted file to a bucket, and replays it from there', async () => {
  const recorded = await record();
  const { id, marker, file } = recorded;
  const bytes = await readFile(file);
  const name = unique('bucket');
  await admin.post('terminal/replay-storages/', {
    name,
    type: 's3',
    bucket: s3.bucket,
    endpoint: s3.endpoint,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
  });
  const [terminal] = (await admin.get<Json[]>('terminal/terminals/')).body;
  const chosen = await admin.patch(`terminal/terminals/${terminal?.id}/`, { replay_storage: name });
  expect(chosen.status).toBe(200);
  await until(async () => {
    await sql`select pg_notify('upload_recordings', '')`.execute(world.test.db);
    return !existsSync(file);
  }, 'the recording has left the disk');
  const remote = createS3Storage({ ...s3, pathStyle: true });
  const object = await remote.open(file.slice(folder().length + 1));
  const parts: Buffer[] = [];
  for await (const part of object.stream) parts.push(part as Buffer);
  remote.close();
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  expect((await replay(id, 'download/')).text).toContain(marker);
});
