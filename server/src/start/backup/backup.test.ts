import { execFileSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig, StartError } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { runningRecordings } from '../../platform/storage/testing/running-recordings.ts';
import { Client, type Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { ADMIN_PASSWORD } from '../../testing/test-program.ts';
import { makeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

let world: SshWorld;
let parent: string;
let ended: string;
let running: string;
let terminal: TerminalClient;
let backup: string;
let keys: string;
const { folder, start } = useCommands();

beforeAll(async () => {
  world = await startSshWorld();
  parent = await mkdtemp(join(tmpdir(), 'sallyport-backup-'));
  await chmod(parent, 0o700);
  backup = join(parent, 'first');
  keys = join(parent, 'keys.json');
  const { login, member } = world;
  const done = await world.ssh.run({
    login,
    password: member.password,
    options: ['-tt'],
    input: 'echo "kept $((40+2))"\nexit\n',
  });
  expect(done.stdout.toString()).toContain('kept 42');
  await until(
    async () => (await world.lastSession()).is_finished === true,
    'the first session is ended',
  );
  ended = String((await world.lastSession()).id);
  const web = (await bearer(world.test, member)).inOrganization(world.organization);
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  terminal = await TerminalClient.connect(
    base,
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );
  running = (await terminal.message('open')).session;
  terminal.type('echo "still $((50+5))"\r');
  await terminal.waitFor('still 55');
  const recorded = () => runningRecordings(join(world.test.dataDirectory, 'recordings'));
  await until(
    async () => (await recorded()).some((text) => text.includes('still 55')),
    'it is on the disk',
  );
  // A queued job survives too: this one would run tomorrow.
  const { db } = world.test;
  await sql`insert into jobs.job (name, data, start_after) values ('audit-verify', '{"caller": {"name": "", "organization": "", "language": "en", "zone": "UTC"}, "subject": "", "history": "all", "input": null}', now() + interval '1 day')`.execute(
    db,
  );
});
afterAll(async () => {
  await terminal.close();
  await world.stop();
  await rm(parent, { recursive: true, force: true });
});

/** Runs a command in this process; returns its output and result. */
async function outcome(run: (say: (line: string) => void) => Promise<void>) {
  const lines: string[] = [];
  try {
    await run((line) => void lines.push(line));
    return { code: 0, stdout: lines.join('\n'), stderr: '' };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { code: 1, stdout: lines.join('\n'), stderr: error.message };
  }
}
const configuration = (environment: Readonly<Record<string, string>>) =>
  readConfig({ SALLYPORT_DATA_DIR: folder(), ...environment });
const restore = (
  backup: string,
  keysFile?: string,
  environment: Readonly<Record<string, string>> = {},
) =>
  outcome((say) =>
    restoreBackup(configuration(environment), { folder: backup, keys: keysFile, say }),
  );
const make = (name: string, keysFile?: string) => {
  const config = configuration({
    SALLYPORT_DATABASE_URL: world.test.databaseUrl,
    SALLYPORT_DATA_DIR: world.test.dataDirectory,
  });
  return outcome((say) =>
    makeBackup(config, { folder: name, recordings: false, keys: keysFile, say }),
  );
};
const operate = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runOperatorCommand(world.test, words, environment);
/** The same in a separate process. */
const execute = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  executeOperatorCommand(world.test, words, environment);
const here = (): Record<string, string> => ({
  SALLYPORT_DATABASE_URL: '',
  SALLYPORT_DATA_DIR: folder(),
});

/** Signs in as the administrator of a restored server. */
async function administratorAt(url: string): Promise<Client> {
  const visitor = new Client(url);
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  return visitor.with({ authorization: `Bearer ${body.token}` }).inOrganization(world.organization);
}

async function replayOf(administrator: Client, session: string): Promise<string> {
  const answer = await fetch(
    new URL(`/api/v1/terminal/sessions/${session}/replay/file/`, administrator.url),
    { headers: administrator.headers },
  );
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
}

it('restores a backup of a running server with an open session into an empty folder: sign-in, replay and audit logs', async () => {
  await sql`insert into event (kind, date, data) values ('operation', now(), '{}')`.execute(
    world.test.db,
  );
  const result = await execute(['backup', backup, '--recordings', `--keys=${keys}`]);
  expect(result).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('recordings: 2 copied, 0 only listed, 0 elsewhere, 0 missing'),
  });
  expect([(await stat(backup)).mode & 0o777, (await stat(keys)).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
  const files = await readdir(backup, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile()))
    expect((await stat(join(file.parentPath, file.name))).mode & 0o077, file.name).toBe(0);
  // Neither the backup nor the output contains the keys.
  const { secretKey } = JSON.parse(await readFile(keys, 'utf8')) as { secretKey: string };
  expect(await readFile(join(world.test.dataDirectory, 'secret.key'), 'utf8')).toContain(secretKey);
  expect(
    result.stdout + result.stderr + (await readFile(join(backup, 'manifest.json'), 'utf8')),
  ).not.toContain(secretKey);
  const { rows } =
    await sql<Json>`select folder, has_recordings, recordings, has_keys from backup`.execute(
      world.test.db,
    );
  expect(rows).toEqual([{ folder: backup, has_recordings: true, recordings: 2, has_keys: true }]);

  expect(await execute(['restore', backup, `--keys=${keys}`], here())).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('recordings: 2 restored'),
  });
  const administrator = await administratorAt(
    await start({ SALLYPORT_ADMIN_PASSWORD: 'not used, there is one' }).ready(),
  );
  expect(await replayOf(administrator, ended)).toContain('kept 42');
  const sessionOf = async (id: string) =>
    (await administrator.get<Json>(`terminal/sessions/${id}/`)).body;
  expect(await sessionOf(running)).toMatchObject({ is_finished: true, replay_state: 'recovered' });
  expect(await replayOf(administrator, running)).toContain('still 55');
  const { body: jobs } = await administrator
    .inOrganization('')
    .get<Json[]>('common/jobs/?name=audit-verify&state=queued');
  expect(jobs).toHaveLength(1);

  // The step back is declared in the operate log, and nothing is sent again.
  const { body: declared } = await administrator
    .inOrganization('')
    .get<{ changes: Json }[]>('audits/operate-logs/?resource_type=audit_log&search=restore');
  expect(declared).toHaveLength(1);
  expect(Object.keys(declared[0]?.changes ?? {})).toContain('restored_operate_log');
  expect(declared[0]?.changes.dropped_events).toEqual([null, 1]);

  const verified = await execute(['audit', 'verify'], here());
  expect(verified.stdout).toMatch(
    /^restored at \S+Z from the backup of \S+Z, a declared step back: .* operate_log \d+ [0-9a-f]{64}/m,
  );
  expect(verified).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('sessions and recordings: as they were when they ended'),
  });

  // Then from the embedded database into an external one.
  const second = join(parent, 'second');
  expect(await operate(['backup', second, '--recordings'], here())).toMatchObject({ code: 0 });
  const database: TestDatabase = await createTestDatabase('empty');
  try {
    const elsewhere = join(parent, 'elsewhere');
    const other = {
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_DATA_DIR: elsewhere,
      SALLYPORT_SECRET_KEY: secretKey,
    };
    expect(await restore(second, undefined, other)).toMatchObject({ code: 0, stderr: '' });
    const again = start(other);
    expect(await replayOf(await administratorAt(await again.ready()), running)).toContain(
      'still 55',
    );
    expect(
      await restore(second, undefined, { ...other, SALLYPORT_DATA_DIR: join(parent, 'third') }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database is not empty \(it has the table \w+\)/),
    });
    again.child.kill('SIGTERM');
    await again.ended;
  } finally {
    await database.drop();
  }
});

it('rejects existing files as backup, and folders of other accounts for keys', async () => {
  expect(await operate(['backup'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Name the folder for the backup'),
  });
  expect(await make(parent)).toMatchObject({
    code: 1,
    stderr: `${parent} is there already, and a backup is never written over. Name a new folder.`,
  });
  expect(await make(join(parent, 'not', 'there'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('install -d -m 700'),
  });
  // The advised commands are followed literally, in a folder with a name that needs quotes.
  const open = join(parent, "the team's folder");
  await mkdir(open, { mode: 0o755 });
  await chmod(open, 0o755);
  const refused = join(parent, 'refused');
  const own = join(open, 'sallyport-keys');
  const { code, stderr } = await make(refused, join(open, 'keys.json'));
  expect(code).toBe(1);
  const [, command = ''] = / (mkdir -m 700 .*), and name the file in it/.exec(stderr) ?? [];
  // A mode of the open folder could lock PostgreSQL's account out of a data folder below it.
  expect(stderr).not.toContain('chmod');
  execFileSync('sh', ['-c', command]);
  expect(await make(join(parent, 'hinted'), join(own, 'keys.json'))).toMatchObject({ code: 0 });
  await rm(own, { recursive: true });
  await writeFile(join(parent, 'taken.json'), '{}');
  expect(await make(refused, join(parent, 'taken.json'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('keys are never written over'),
  });
  expect(await operate(['backup', refused, '--everything'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no flag --everything.'),
  });
  expect((await readdir(parent)).filter((name) => name.startsWith('refused'))).toEqual([]);
  expect(await readdir(open)).toEqual([]);
});

it('verifies everything before it writes', async () => {
  const backupFolder = join(parent, 'listed');
  const ring = join(parent, 'ring.json');
  // Without --recordings they are only listed, and the restore reports the missing ones.
  expect(await make(backupFolder, ring)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('recordings: 0 copied, 2 only listed'),
  });
  const refusal = async (
    keysFile?: string,
    environment: Readonly<Record<string, string>> = {},
    from = backupFolder,
  ) => {
    const { code, stdout, stderr } = await restore(from, keysFile, environment);
    expect([code, stdout]).toEqual([1, '']);
    expect(await readdir(folder())).toEqual([]);
    return stderr;
  };
  expect(await refusal(undefined, {}, parent)).toContain(
    'holds no complete backup: it has no manifest.json',
  );
  expect(await refusal()).toContain('The keys are missing');
  expect(await refusal(undefined, { SALLYPORT_SECRET_KEY: 'ab'.repeat(32) })).toContain(
    'was not signed with this key',
  );
  await chmod(ring, 0o644);
  expect(await refusal(ring)).toContain(`can be read by other accounts. Run: chmod 600 ${ring}`);
  await chmod(ring, 0o600);

  const manifest = join(backupFolder, 'manifest.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace('"version": 2', '"version": 3'));
  expect(await refusal(ring)).toContain('has the format 3 of a newer Sallyport');
  await writeFile(manifest, text.replace(/"rows": \d+/, '"rows": 7777'));
  expect(await refusal(ring)).toContain('was not signed with this key');
  await writeFile(manifest, text);

  const accounts = join(backupFolder, 'database/account.copy.gz');
  const bytes = await readFile(accounts);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await copyFile(accounts, `${accounts}.kept`);
  await writeFile(accounts, bytes);
  expect(await refusal(ring)).toContain(
    'database/account.copy.gz is not as it was written. Nothing was restored.',
  );
  await rm(accounts);
  expect(await refusal(ring)).toContain(
    'database/account.copy.gz is missing. Nothing was restored.',
  );
  await copyFile(`${accounts}.kept`, accounts);

  await writeFile(join(folder(), 'mine'), '');
  expect((await restore(backupFolder, ring)).stderr).toContain(
    `The data folder ${folder()} is not empty`,
  );
  await rm(join(folder(), 'mine'));
  expect(await restore(backupFolder, ring)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('recordings: 2 are NOT in this backup'),
  });
});
