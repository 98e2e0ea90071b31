import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIVE_SOCKET_PATH } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Json } from './testing/client.ts';
import { ADMIN_PASSWORD, MAIN } from './testing/command.ts';
import { freePort } from './testing/free-port.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import { until } from './testing/poll.ts';
import { cancelByRequest, type ProcessGroup, startProcessGroup } from './testing/process-group.ts';
import { processIdsBelow } from './testing/process-ids.ts';
import type { SshCalls, SshShell } from './testing/ssh/ssh-calls.ts';
import { sshClient } from './testing/ssh/ssh-client.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';

let group: ProcessGroup;
let programs: string;
let clients: SshCalls;

/** Makes the folder of a program whose main module is `text`. */
async function program(name: string, text: string): Promise<string> {
  const path = join(programs, name);
  await mkdir(join(path, 'server/dist'), { recursive: true });
  await writeFile(join(path, 'server/package.json'), '{"type":"module"}');
  await writeFile(join(path, 'server/dist/main.mjs'), text);
  return path;
}

const upgrade = async (...words: string[]) => {
  const { code, stdout, stderr } = await runOperatorCommandIn(group.folder, ['upgrade', ...words]);
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
  const { rows } = await group.db.query<{ holder: string }>(
    "select holder from session where not is_finished and kind = 'terminal' order by date_start",
  );
  return rows.map(({ holder }) => Number(/\/\/(\d+)$/.exec(holder)?.[1] ?? 1));
}

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'sallyport-programs-'));
  const sshPort = await freePort();
  group = await startProcessGroup({ SALLYPORT_SSH_PORT: String(sshPort) });
  clients = sshClient(sshPort);
});
afterAll(async () => {
  await clients?.stop();
  await group?.stop();
  await rm(programs, { recursive: true, force: true });
});

describe('an upgrade of a running server', () => {
  it('reports with its own status that no server can be upgraded', async () => {
    const { code, stderr } = await runOperatorCommandIn(programs, ['upgrade']);
    expect(stderr).toContain('No server that can be upgraded while it runs uses the data folder');
    expect(code).toBe(69);
  });

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
    expect(await group.admin.get('users/profile/')).toMatchObject({ status: 200 });
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

  it('refuses a second upgrade while one starts', async () => {
    const go = join(programs, 'go');
    const slow = await program(
      'slow',
      `import { existsSync } from 'node:fs';
       setInterval(() => {
         if (!existsSync(${JSON.stringify(go)})) return;
         process.send({ kind: 'ending', reason: 'it gave up' });
         process.exit(1);
       }, 20);`,
    );
    const first = upgrade(`--to=${slow}`);
    await until(() => group.command.output().includes(`"program":"${slow}`), 'the upgrade starts');
    expect(await upgrade()).toEqual({
      code: 1,
      text: 'Another upgrade is starting. Wait for its end.\n',
    });
    await writeFile(go, '');
    expect(await first).toMatchObject({ code: 1, text: expect.stringContaining('it gave up') });
  });

  it('refuses a program that is older than the database', async () => {
    await group.db.query("insert into schema_migration (name, digest) values ('9999_future', 'x')");
    const { code, text } = await upgrade();
    expect(text).toMatch(/the old one continues: .*made by a newer Sallyport/);
    expect(code).toBe(1);
    await group.db.query("delete from schema_migration where name = '9999_future'");
    expect((await group.admin.get<Json>('/api/health/')).body).toMatchObject({ status: 1 });
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
      text: expect.stringMatching(
        /^2 earlier versions still have sessions\. .* at [-\d]{10} [:\d]{5} and [-\d]{10} [:\d]{5} UTC\.\nA web terminal whose browser closed stays/,
      ),
    });
    for (const { echo } of [old, newer, newest]) await echo('lives');
    expect((await group.admin.get<Json>('/api/health/')).body).toMatchObject({ status: 1 });

    // An administrator ends a session of an old process from a new one.
    const { rows } = await group.db.query(
      "select id from session where not is_finished and holder ~ '//[34]$'",
    );
    expect(
      (await group.admin.post<Json>('terminal/tasks/kill-session/', [rows[0].id])).body,
    ).toEqual({
      ok: [rows[0].id],
    });
    await newer.shell.ended;
    old.shell.type('exit\r');
    expect(await old.shell.ended).toBe(0);
    await until(
      () =>
        group.command.output().split('the processes that an upgrade replaced have ended').length ===
        3,
      'the old processes have ended',
    );
    await newest.echo('last');
    newest.shell.type('exit\r');
    expect(await newest.shell.ended).toBe(0);
    expect(await readFile(join(group.folder, 'sallyport.lock'), 'utf8')).toContain(
      String(group.command.child.pid),
    );
  });

  it('rotates the keys once the new processes run', async () => {
    const { code, stdout } = await runOperatorCommandIn(group.folder, ['key', 'rotate']);
    expect(stdout).toContain('The rotation is complete');
    expect(code).toBe(0);
  });

  it('keeps web terminals, database clients, uploads and their pages', async () => {
    const terminal = await TerminalClient.connect(group.sockets, group.grant, group.admin.headers);
    const { session } = await terminal.message('open');
    const [queries] = await group.openDatabases(1);
    if (!queries) throw new Error('no client');
    const bytes = randomBytes(300_000);
    const files = `files/${group.grant.asset}/${group.grant.system_user}`;
    const upload = async (at: number) =>
      (
        await group.admin.send(
          'PUT',
          `${files}/uploads/kept-by-upgrade/?path=/kept-by-upgrade&size=${bytes.length}&offset=${at}`,
          new Uint8Array(bytes.subarray(at, at + 100_000)),
          'application/octet-stream',
        )
      ).body;
    expect(await upload(0)).toEqual({ offset: 100_000, complete: false });
    const page = new WebSocket(`${group.sockets}${LIVE_SOCKET_PATH}`, {
      headers: group.admin.headers,
    });
    await once(page, 'open');
    const closed = once(page, 'close');

    expect(await upgrade()).toMatchObject({ code: 0 });
    // The page opens another socket, which a new process accepts.
    expect((await closed)[0]).toBe(1012);
    terminal.type('echo st"i"ll\r');
    await terminal.waitFor('still');
    terminal.socket.terminate();
    const resumed = await TerminalClient.resume(group.sockets, { session }, group.admin.headers);
    await resumed.message('resumed');
    resumed.type('echo ag"ain"\r');
    await resumed.waitFor('again');

    const running = queries.query('select pg_sleep(600)').catch((error: Error) => error.message);
    await until(
      async () =>
        (
          await group.target.admin(
            "select from pg_stat_activity where query = 'select pg_sleep(600)'",
          )
        ).length > 0,
      'the statement runs at the server',
    );
    // The request arrives at a new process.
    await cancelByRequest(queries);
    expect(await running).toBe('canceling statement due to user request');
    expect((await queries.query("select 'complete' as answer")).rows).toEqual([
      { answer: 'complete' },
    ]);

    expect(await upload(100_000)).toEqual({ offset: 200_000, complete: false });
    expect(await upload(200_000)).toMatchObject({
      complete: true,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    // Through the connection that the replaced process had opened.
    expect(
      (await group.db.query("select from session where kind = 'transfer' and not is_finished"))
        .rowCount,
    ).toBe(1);
    expect((await group.admin.get<Json>('/api/health/')).body).toMatchObject({
      status: 1,
      dependencies: { process_1: { status: 'up' }, process_2: { status: 'up' } },
    });
    resumed.type('exit\r');
    await resumed.message('closed');
    await queries.end();
    // The replaced process keeps its connection to the files for a while.
    const { rows: open } = await group.db.query('select id from session where not is_finished');
    await group.admin.post<Json>(
      'terminal/tasks/kill-session/',
      open.map(({ id }) => id),
    );
    await until(
      async () =>
        (await group.db.query('select from session where not is_finished')).rowCount === 0,
      'all sessions have ended',
    );
  });

  it('recovers what a killed process left after an upgrade, and replaces it by none', async () => {
    const old = await openShell();
    const [number = 0] = await holders();
    const { rows } = await group.db.query(
      "select id from session where not is_finished and kind = 'terminal'",
    );
    expect(await upgrade()).toMatchObject({ code: 0 });
    const pids = await processIdsBelow(group.command.child.pid);
    process.kill(pids.get(number) ?? 0, 'SIGKILL');
    await old.shell.ended;
    await until(
      async () => (await holders()).length === 0,
      'the session of the killed process is interrupted',
    );
    await until(
      async () => ![...(await processIdsBelow(group.command.child.pid)).keys()].includes(number),
      'the process ends',
    );
    const { body } = await group.admin.get<Json>(`terminal/sessions/${rows[0].id}/`);
    expect(body).toMatchObject({ is_finished: true, end_reason: 'interrupted' });
    expect(
      (await group.admin.get<Json>(`terminal/sessions/${rows[0].id}/replay/`)).body,
    ).toMatchObject({
      state: 'recovered',
    });
  });

  it('refuses an upgrade while the server is stopping', async () => {
    await group.admin.patch('settings/setting/', { terminal: { TERMINAL_STOP_WAIT: 5 } });
    const { shell, echo } = await openShell();
    await group.db.end();
    group.command.child.kill('SIGTERM');
    await until(
      () => group.command.output().includes('stopping: nobody new is accepted'),
      'the stop',
    );
    expect(await upgrade()).toEqual({ code: 1, text: 'The server is stopping.\n' });
    await echo('waited');
    shell.type('exit\r');
    expect(await shell.ended).toBe(0);
    expect(await group.command.ended).toBe(0);
  });
});
