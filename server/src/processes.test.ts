import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from './platform/process/alive.ts';
import { Client, type Json } from './testing/client.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { cancelByRequest, type ProcessGroup, startProcessGroup } from './testing/process-group.ts';
import { processIdsBelow } from './testing/process-ids.ts';
import { TerminalClient } from './testing/terminals/terminal-client.ts';

const TOKEN = 'a token of the processes';
/** Connections that both processes nearly always share, where a test cannot see who took one. */
const SEVERAL = [1, 2, 3, 4, 5];

let group: ProcessGroup;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await freePort();
  group = await startProcessGroup({
    SALLYPORT_METRICS_PORT: String(metricsPort),
    SALLYPORT_METRICS_TOKEN: TOKEN,
  });
});
afterAll(() => group?.stop());

const holderOf = async (session: string) =>
  (await group.db.query<{ holder: string }>('select holder from session where id = $1', [session]))
    .rows[0]?.holder;
const open = async () => {
  const terminal = await TerminalClient.connect(group.sockets, group.grant, group.admin.headers);
  const { session } = await terminal.message('open');
  return { terminal, session, holder: await holderOf(session) };
};
type Opened = Awaited<ReturnType<typeof open>>;
/** Opens a terminal in each process, that of the first one first. */
async function openInEach(): Promise<readonly [Opened, Opened]> {
  const byProcess = new Map<boolean, Opened>();
  await until(async () => {
    const opened = await open();
    const isSecond = opened.holder?.endsWith('//2') === true;
    if (byProcess.has(isSecond)) {
      opened.terminal.type('exit\r');
      await opened.terminal.message('closed');
    } else byProcess.set(isSecond, opened);
    return byProcess.size === 2;
  }, 'a terminal in each process');
  return [byProcess.get(false), byProcess.get(true)] as [Opened, Opened];
}
/** The process that answered a request: ids of requests begin with its random word. */
const processOf = ({ headers }: { readonly headers: Headers }) =>
  headers.get('x-request-id')?.split('-')[0];
/** Repeats a request until each process has answered it, and returns an answer of each. */
async function fromEach<T extends { readonly headers: Headers }>(
  request: () => Promise<T>,
): Promise<readonly T[]> {
  const answers = new Map<string | undefined, T>();
  await until(async () => {
    const answer = await request();
    answers.set(processOf(answer), answer);
    return answers.size === 2;
  }, 'an answer of each process');
  return [...answers.values()];
}
const rowOf = async (session: string) =>
  (await group.admin.get<Json>(`terminal/sessions/${session}/`)).body;
const finished = (session: string) =>
  until(async () => (await rowOf(session)).is_finished === true, `the end of ${session}`);
const health = async () => (await group.admin.get<Json>('/api/health/')).body;

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, connection: 'close' };
  const { text } = await new Client(`http://127.0.0.1:${metricsPort}`, headers).get('/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const processIds = () => processIdsBelow(group.command.child.pid);

describe('a server of two processes', () => {
  it('serves its port from both, and reports the health and the metrics of both', async () => {
    for (const { body } of await fromEach(() => group.admin.get('/api/health/')))
      expect(body).toMatchObject({
        status: 1,
        dependencies: {
          postgresql: { status: 'up' },
          process_1: { status: 'up' },
          process_2: { status: 'up' },
        },
      });
    expect(await metric('sallyport_processes{state="running"}')).toBe(2);
    const { body: servers } = await group.admin.get<Json[]>('terminal/terminals/');
    expect(servers).toHaveLength(1);
  });

  it('watches, resumes, ends and replays the sessions of each from both', async () => {
    const opened = await openInEach();
    expect(await metric('sallyport_sessions{')).toBe(2);
    for (const { terminal, session } of opened) {
      const watchers = SEVERAL.map(
        () =>
          new TerminalClient(`${group.sockets}/ws/watch/?session=${session}`, group.admin.headers),
      );
      for (const watcher of watchers) await watcher.message('resize');
      terminal.type('echo seen by b"oth"\r');
      for (const watcher of watchers) await watcher.waitFor('seen by both');
      for (const watcher of watchers) watcher.socket.terminate();
      for (const word of ['on"c"e', 'aga"i"n', 'twi"c"e']) {
        terminal.socket.terminate();
        const resumed = await TerminalClient.resume(
          group.sockets,
          { session },
          group.admin.headers,
        );
        await resumed.message('resumed');
        resumed.type(`echo ${word}\r`);
        await resumed.waitFor(word.replaceAll('"', ''));
        // The next loss is that of this socket.
        Object.assign(terminal, { socket: resumed.socket });
      }
      expect(
        (await group.admin.post<Json>('terminal/tasks/kill-session/', [session])).body,
      ).toEqual({
        ok: [session],
      });
      await finished(session);
      for (const { text } of await fromEach(() =>
        group.admin.get(`terminal/sessions/${session}/replay/download/`),
      ))
        expect(text).toContain('twice');
    }
    expect(
      (await group.admin.post<{ sessions: Json }>('audits/verify/', {})).body.sessions,
    ).toMatchObject({ wrong: 0 });
  });

  it('keeps the files of a sign-in in one connection', async () => {
    const bytes = randomBytes(400_000);
    const name = `pieces-${randomBytes(4).toString('hex')}`;
    const base = `files/${group.grant.asset}/${group.grant.system_user}`;
    for (let at = 0; at < bytes.length; at += 100_000)
      expect(
        (
          await group.admin.send(
            'PUT',
            `${base}/uploads/upload-in-turn/?path=/${name}&size=${bytes.length}&offset=${at}`,
            new Uint8Array(bytes.subarray(at, at + 100_000)),
            'application/octet-stream',
          )
        ).body,
      ).toEqual(
        at + 100_000 < bytes.length
          ? { offset: at + 100_000, complete: false }
          : {
              offset: bytes.length,
              complete: true,
              sha256: createHash('sha256').update(bytes).digest('hex'),
            },
      );
    for (const _each of SEVERAL) {
      const { headers } = await group.admin.get(`${base}/content/?path=/${name}`);
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect((await group.admin.get(`${base}/entry/?path=/missing-${name}`)).status).toBe(404);
    }
    const { rows } = await group.db.query(
      `select remote_addr from session where kind = 'transfer' and not is_finished`,
    );
    expect(rows).toEqual([{ remote_addr: '127.0.0.1' }]);
    for (const _each of SEVERAL)
      expect((await group.admin.delete(`${base}/connect/`)).status).toBe(204);
    await until(
      async () =>
        (await group.db.query(`select from session where kind = 'transfer' and not is_finished`))
          .rowCount === 0,
      'the connection is closed',
    );
  });

  it('cancels a statement by a connection to the other process', async () => {
    const clients = await group.openDatabases(SEVERAL.length);
    const running = clients.map((client) =>
      client.query('select pg_sleep(600)').catch((error: Error) => error.message),
    );
    const sleeping = `select from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%'
      and pid <> pg_backend_pid()`;
    await until(
      async () => (await group.target.admin(sleeping)).length === SEVERAL.length,
      'all statements run at the server',
    );
    for (const client of clients) await cancelByRequest(client);
    expect(await Promise.all(running)).toEqual(
      SEVERAL.map(() => 'canceling statement due to user request'),
    );
    for (const client of clients) await client.end();
  });

  it('opens secrets in each process after the data keys were rotated', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [resolve(import.meta.dirname, '../dist/cli.mjs'), 'key', 'rotate'],
      { env: { PATH: process.env.PATH ?? '', SALLYPORT_DATA_DIR: group.folder } },
    );
    expect(stdout).not.toContain('waiting:');
    const { rows } = await group.db.query('select server from data_key_server order by server');
    expect(rows.map(({ server }) => String(server).endsWith('//2'))).toEqual([false, true]);
    for (const { terminal } of await openInEach()) {
      terminal.type('exit\r');
      await terminal.message('closed');
    }
  });

  it('loses only the sessions of a process that is killed, and replaces it', async () => {
    const [kept, lost] = await openInEach();
    const begun = await metric('sallyport_sessions_started_total');
    const before = await processIds();
    process.kill(before.get(2) ?? 0, 'SIGKILL');
    await until(
      async () => JSON.stringify(await health()).includes('"process_2":{"status":"down"}'),
      'the health names the missing process',
    );
    kept.terminal.type('echo still h"ere"\r');
    await kept.terminal.waitFor('still here');
    await until(async () => (await processIds()).has(2), 'another process');
    await finished(lost.session);
    expect(await rowOf(lost.session)).toMatchObject({ end_reason: 'interrupted' });
    expect((await rowOf(kept.session)).is_finished).toBe(false);
    await until(
      async () => group.command.output().includes('the process of the server is replaced'),
      'the replacement is ready',
    );
    expect(group.command.output()).toContain('"reason":"signal SIGKILL"');
    for (const { body } of await fromEach(() => group.admin.get('/api/health/')))
      expect(body).toMatchObject({
        dependencies: { process_2: { status: 'up' } },
        previous_end: { reason: 'process 2: signal SIGKILL', restarts: 1 },
      });
    expect(await metric('sallyport_sessions_started_total')).toBe(begun);
    expect((await group.admin.get(`terminal/sessions/${lost.session}/replay/`)).body).toMatchObject(
      {
        state: 'recovered',
      },
    );

    const [first, second] = await openInEach();
    for (const { terminal } of [first, second, kept]) {
      terminal.type('exit\r');
      await terminal.message('closed');
    }
  });

  it('ends all processes and their sessions on a signal', async () => {
    const opened = await openInEach();
    const running = [...(await processIds()).values()];
    await group.db.end();
    group.command.child.kill('SIGTERM');
    for (const { terminal } of opened)
      expect(await terminal.message('closed')).toMatchObject({ code: 'session_server_stopping' });
    expect(await group.command.ended).toBe(0);
    expect(running.filter(isAlive)).toEqual([]);
    expect(await readdir(join(group.folder, 'peers'))).toEqual([]);
  });
});
