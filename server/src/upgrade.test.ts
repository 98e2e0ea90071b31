import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedUrl } from './platform/db/embedded.ts';
import { Client, type Json } from './testing/client.ts';
import { ADMIN_PASSWORD, type Command, MAIN, runCommand } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import { until } from './testing/poll.ts';
import { prepareFolder } from './testing/prepared-folder.ts';
import { processIdsBelow } from './testing/process-ids.ts';
import type { SshCalls, SshShell } from './testing/ssh/ssh-calls.ts';
import { sshClient } from './testing/ssh/ssh-client.ts';
import { startSshServer } from './testing/ssh/ssh-server.ts';
import type { SshTarget } from './testing/ssh/ssh-target.ts';

let folder: string;
let programs: string;
let command: Command;
let url: string;
let admin: Client;
let sshd: SshTarget;
let clients: SshCalls;
let db: pg.Client;

const make = async (path: string, body: Json) =>
  String((await admin.post<Json>(path, body)).body.id);

/** Makes the folder of a program whose main module is `text`. */
async function program(name: string, text: string): Promise<string> {
  const path = join(programs, name);
  await mkdir(join(path, 'server/dist'), { recursive: true });
  await writeFile(join(path, 'server/package.json'), '{"type":"module"}');
  await writeFile(join(path, 'server/dist/main.mjs'), text);
  return path;
}

const upgrade = async (...words: string[]) => {
  const { code, stdout, stderr } = await runOperatorCommandIn(folder, ['upgrade', ...words]);
  return { code, text: `${stdout}${stderr}` };
};

/** Opens a shell on the target, and returns a function that proves that it lives. */
async function openShell(): Promise<{ shell: SshShell; echo: (word: string) => Promise<void> }> {
  const shell = clients.shell({ login: 'admin@shell@box', password: ADMIN_PASSWORD });
  let output = '';
  shell.onOutput((chunk) => {
    output += chunk.toString('latin1');
  });
  const echo = async (word: string) => {
    shell.type(`echo ${word.slice(0, 1)}""${word.slice(1)}\r`);
    await until(() => output.includes(`${word}\r\n`), `the shell answers ${word}`, 10_000);
  };
  await echo('opened');
  return { shell, echo };
}

/** Numbers of the processes that hold live sessions, oldest session first. */
async function holders(): Promise<number[]> {
  const { rows } = await db.query<{ holder: string }>(
    "select holder from session where not is_finished and kind = 'terminal' order by date_start",
  );
  return rows.map(({ holder }) => Number(/\/\/(\d+)$/.exec(holder)?.[1] ?? 1));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-upgrade-'));
  programs = await mkdtemp(join(tmpdir(), 'sallyport-programs-'));
  await chmod(folder, 0o711);
  prepareFolder(folder);
  const sshPort = await freePort();
  command = runCommand({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: String(sshPort),
    SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    SALLYPORT_PROCESSES: '2',
  });
  [url, sshd] = await Promise.all([command.ready(), startSshServer()]);
  clients = sshClient(sshPort);
  db = new pg.Client({ connectionString: embeddedUrl(folder), query_timeout: 60_000 });
  await db.connect();
  const visitor = new Client(url, { connection: 'close', 'accept-language': 'en' });
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  admin = visitor.with({ authorization: `Bearer ${body.token}` });
  const { body: me } = await admin.get<Json>('users/profile/');
  const asset = await make('assets/assets/', {
    hostname: 'box',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  });
  const account = await make('assets/system-users/', {
    name: 'shell',
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  });
  await make('perms/asset-permissions/', {
    name: 'shells',
    users: [me.id],
    assets: [asset],
    system_users: [account],
  });
});
afterAll(async () => {
  await clients?.stop();
  await db?.end();
  command?.child.kill('SIGTERM');
  await command?.ended;
  await sshd?.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(programs, { recursive: true, force: true });
});

describe('an upgrade of a running server', () => {
  it('refuses folders that hold no program, and programs that others may write', async () => {
    const refused = async (to: string, reason: string | RegExp) => {
      const { code, text } = await upgrade(`--to=${to}`);
      expect(text).toMatch(reason);
      expect(code).toBe(1);
    };
    await refused('relative/path', 'relative/path is not an absolute path.');
    await refused(programs, 'does not hold a built Sallyport');
    const open = await program('open', '');
    await chmod(join(open, 'server'), 0o777);
    await refused(open, /server can be written by other accounts/);
    await chmod(join(open, 'server'), 0o755);
    await chmod(join(open, 'server/dist/main.mjs'), 0o666);
    await refused(open, /main\.mjs can be written by other accounts/);
    expect(await admin.get('users/profile/')).toMatchObject({ status: 200 });
  });

  it('says why a program did not start, and keeps the old one', async () => {
    const { shell, echo } = await openShell();
    const broken = await program(
      'broken',
      "process.send({ kind: 'ending', reason: 'it lacks a part' }); process.exit(1);",
    );
    const { code, text } = await upgrade(`--to=${broken}`);
    expect(text).toContain(
      'The new program did not start, and the old one continues: it lacks a part',
    );
    expect(code).toBe(1);
    await echo('continued');
    const other = await openShell();
    for (const number of await holders()) expect([1, 2]).toContain(number);
    for (const one of [shell, other.shell]) one.type('exit\r');
    expect(await Promise.all([shell.ended, other.shell.ended])).toEqual([0, 0]);
  });

  it('keeps sessions in the old processes, and opens new ones in the new processes', async () => {
    const old = await openShell();
    expect(await upgrade()).toMatchObject({ code: 0, text: expect.stringMatching(/accepts all/) });
    await old.echo('survived');
    const newer = await openShell();
    const [first = 0, second = 0] = await holders();
    expect([1, 2]).toContain(first);
    expect([3, 4]).toContain(second);
    // A further upgrade, to another folder.
    const next = await program(
      'next',
      `process.argv[1] = ${JSON.stringify(MAIN)};\nawait import(process.argv[1]);`,
    );
    expect(await upgrade(`--to=${next}`)).toMatchObject({ code: 0 });
    const newest = await openShell();
    expect((await holders()).map((number) => Math.ceil(number / 2))).toEqual([1, 2, 3]);
    expect(await upgrade()).toMatchObject({
      code: 1,
      text: expect.stringContaining('2 earlier versions still have sessions'),
    });
    for (const { echo } of [old, newer, newest]) await echo('lives');
    expect((await admin.get<Json>('/api/health/')).body).toMatchObject({ status: 1 });

    // An administrator ends a session of an old process from a new one.
    const { rows } = await db.query(
      "select id from session where not is_finished and holder ~ '//[34]$'",
    );
    expect((await admin.post<Json>('terminal/tasks/kill-session/', [rows[0].id])).body).toEqual({
      ok: [rows[0].id],
    });
    await newer.shell.ended;
    old.shell.type('exit\r');
    expect(await old.shell.ended).toBe(0);
    await until(
      () =>
        command.output().split('the processes that an upgrade replaced have ended').length === 3,
      'the old processes have ended',
    );
    await newest.echo('last');
    newest.shell.type('exit\r');
    expect(await newest.shell.ended).toBe(0);
    expect(await readFile(join(folder, 'sallyport.lock'), 'utf8')).toContain(
      String(command.child.pid),
    );
  });

  it('recovers what a killed process left after an upgrade, and replaces it by none', async () => {
    const old = await openShell();
    const [number = 0] = await holders();
    const { rows } = await db.query('select id from session where not is_finished');
    expect(await upgrade()).toMatchObject({ code: 0 });
    const pids = await processIdsBelow(command.child.pid);
    process.kill(pids.get(number) ?? 0, 'SIGKILL');
    await old.shell.ended;
    await until(
      async () => (await holders()).length === 0,
      'the session of the killed process is interrupted',
    );
    await until(
      async () => ![...(await processIdsBelow(command.child.pid)).keys()].includes(number),
      'the process ends',
    );
    const { body } = await admin.get<Json>(`terminal/sessions/${rows[0].id}/`);
    expect(body).toMatchObject({ is_finished: true, end_reason: 'interrupted' });
    expect((await admin.get<Json>(`terminal/sessions/${rows[0].id}/replay/`)).body).toMatchObject({
      state: 'recovered',
    });
  });
});
