import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowanceOfAll } from '../../features/identity/sign-in/rate-limit.ts';
import { createVault, directKey } from '../../platform/crypto/vault.ts';
import { sql } from '../../platform/db/sql.ts';
import { createPeerChannel } from '../../platform/peers/channel.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { loggedFiles } from '../../testing/files/file-log.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import type { SshCalls } from '../../testing/ssh/ssh-calls.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let one: TestProgram;
let other: TestProgram;
let sshd: SshTarget;
let ssh: SshCalls;
let here: string;
let asset: string;
let systemUser: string;
let member: BuiltUser;
/** An administrator of this organization, at the other server. */
let reader: Client;
const secretKey = randomBytes(32).toString('hex');

beforeAll(async () => {
  [one, sshd] = await Promise.all([startTestProgram({ secretKey }), startSshServer()]);
  const sshPort = await freePort();
  other = await startTestProgram({ secretKey, databaseUrl: one.databaseUrl, sshPort });
  ssh = sshClient(sshPort);
  here = await buildOrganization(one.db);
  member = await buildUser(one.db, { memberOf: [{ organization: here, role: 'User' }] });
  const administrator = (await bearer(one)).inOrganization(here);
  reader = (await bearer(other)).inOrganization(here);
  asset = await buildAsset(one.db, { organization: here, port: sshd.port });
  const account = {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
    sftp_root: 'home',
  };
  systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  });
});
afterAll(async () => {
  await other.stop();
  await one.stop();
  await sshd.stop();
  await ssh.stop();
});

const base = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');
const open = async (server: TestProgram, person: Client) => {
  const terminal = await TerminalClient.connect(
    base(server),
    { asset, system_user: systemUser },
    person.headers,
  );
  return { terminal, session: (await terminal.message('open')).session };
};
const person = async () => (await bearer(one, member)).inOrganization(here);
const auditor = async () =>
  (
    await bearer(
      other,
      await buildUser(one.db, { memberOf: [{ organization: here, role: 'Auditor' }] }),
    )
  ).inOrganization(here);
const rowOf = async (session: string) =>
  (await reader.get<Json>(`terminal/sessions/${session}/`)).body;
const finished = (session: string) =>
  until(async () => (await rowOf(session)).is_finished === true, `the end of ${session}`);

describe('two servers with one database', () => {
  it('runs the self-test of each server in its own session', async () => {
    const administrator = await bearer(one);
    await administrator.patch('settings/setting/', { TERMINAL_CANARY_MINUTES: 1440 });
    const results = async () =>
      (
        await administrator.get<{ canary_date: string | null; canary_problem: string }[]>(
          'terminal/terminals/',
        )
      ).body;
    await until(
      async () => (await results()).every(({ canary_date: date }) => date !== null),
      'the results of both',
    );
    expect((await results()).map(({ canary_problem: problem }) => problem)).toEqual(['', '']);
    const { body } = await administrator.get<Json[]>('terminal/sessions/?is_canary=1');
    expect(new Set(body.map(({ terminal }) => terminal)).size).toBe(2);
    await administrator.patch('settings/setting/', { TERMINAL_CANARY_MINUTES: 0 });
    await until(
      async () => (await results()).every(({ canary_date: date }) => date === null),
      'the results are cleared',
    );
  });

  it('watches, ends and replays the sessions of the other server', async () => {
    const { terminal, session } = await open(one, await person());
    const watcher = new TerminalClient(
      `${base(other)}/ws/watch/?session=${session}`,
      (await auditor()).headers,
    );
    await watcher.message('resize');
    terminal.type('echo seen from th"ere"\r');
    await watcher.waitFor('seen from there');
    watcher.type('x');
    await watcher.until('the end of a watcher that types', () => watcher.closeCode);
    expect(watcher.closeCode).toBe(1008);

    const administrator = (await bearer(other)).inOrganization(here);
    expect(
      (await administrator.post<Json>('terminal/tasks/kill-session/', [session])).body,
    ).toEqual({ ok: [session] });
    expect(await terminal.message('closed')).toMatchObject({ code: 'session_terminated' });
    await finished(session);
    expect(
      (await administrator.get<Json>(`terminal/sessions/${session}/replay/`)).body,
    ).toMatchObject({ state: 'finished' });
    const { text } = await administrator.get(`terminal/sessions/${session}/replay/download/`);
    expect(text).toContain('seen from there');

    // Verification on one server reads recordings of the other server, and reports missing ones.
    const verify = async () =>
      (await (await bearer(other)).post<{ sessions: Json }>('audits/verify/', {})).body.sessions;
    expect(await verify()).toMatchObject({ wrong: 0 });
    // Keep the journal: it belongs to open sessions.
    const recordings = join(one.dataDirectory, 'recordings');
    for (const name of await readdir(recordings))
      if (name !== '.journal') await rm(join(recordings, name), { recursive: true });
    expect(await verify()).toMatchObject({
      wrong: 1,
      broken: [{ session, problem: 'recording_missing' }],
    });
    expect((await administrator.get(`terminal/sessions/${session}/replay/`)).status).toBe(404);
  });

  it('locks and unlocks a session of the other server, and writes to its user', async () => {
    const { terminal, session } = await open(one, await person());
    const intervene = (body: object) =>
      reader.post<Json>(`terminal/sessions/${session}/interventions/`, body);
    expect((await intervene({ action: 'lock', text: 'From there.' })).status).toBe(200);
    await terminal.waitFor('From there.');
    expect((await intervene({ action: 'message', text: 'Hello from there.' })).status).toBe(200);
    await terminal.waitFor('Hello from there.');
    terminal.type('echo lo"st"\r');
    terminal.send({ type: 'ping' });
    await terminal.message('pong');
    expect((await intervene({ action: 'unlock' })).status).toBe(200);
    await terminal.waitFor('unlocked this session');
    terminal.type('echo ke"pt"\r');
    await terminal.waitFor('kept');
    expect(terminal.output).not.toContain('lo"st"');
    terminal.type('exit\r');
    await finished(session);
  });

  it('shows auditors a session of the other server in the SSH menu, in its size', async () => {
    const { terminal, session } = await open(one, await person());
    terminal.type("PS1='rea''dy> '\r");
    await terminal.waitFor('ready> ');
    const viewer = new MenuClient(
      ssh,
      await buildUser(one.db, { memberOf: [{ organization: here, role: 'Auditor' }] }),
    );
    const stranger = new MenuClient(ssh, member);
    await stranger.sees('Opt> ');
    stranger.type(`join ${session}\r`);
    await stranger.sees('No live session');
    await viewer.sees('Opt> ');
    viewer.type(`join ${session}\r`);
    await viewer.sees('read-only');
    await viewer.sees('ready> ');
    terminal.send({ type: 'resize', cols: 101, rows: 33 });
    await viewer.sees('\x1b[8;33;101t');
    await viewer.sees('ready> ');
    terminal.type('exit\r');
    await viewer.sees('The session has ended.');
    viewer.type('x');
    await finished(session);

    const files = crypto.randomUUID();
    await sql`
      insert into session (id, org_id, "user", asset, "system_user", holder)
      values (${files}, ${here}, 'somebody', 'box', 'root', (select min(id) from server))`.execute(
      one.db,
    );
    viewer.type(`join ${files}\r`);
    await viewer.sees('This session has no terminal to watch.');
    await sql`update session set is_finished = true where id = ${files}`.execute(one.db);
    viewer.type(`join ${files}\r`);
    await viewer.sees('No live session');
    for (const client of [viewer, stranger]) client.type('q\r');
    expect([await viewer.ends(), await stranger.ends()]).toEqual([0, 0]);
  });

  it('resumes a terminal of the other server', async () => {
    const signedIn = await person();
    const { terminal, session } = await open(one, signedIn);
    terminal.type('echo before the l"oss"\r');
    await terminal.waitFor('before the loss');
    terminal.socket.terminate();
    await terminal.until('the end of the socket', () => terminal.closeCode);
    const resumed = await TerminalClient.resume(
      base(other),
      { session, received: terminal.received },
      signedIn.headers,
    );
    await resumed.message('resumed');
    resumed.type('echo after the l"oss"\r');
    await resumed.waitFor('after the loss');
    resumed.type('head -c 3000000 /dev/zero | tr "\\0" x; echo d"on"e\r');
    await resumed.waitFor('done');

    const stranger = await TerminalClient.resume(
      base(other),
      { session },
      (await bearer(other)).inOrganization(here).headers,
    );
    expect(await stranger.message('closed')).toMatchObject({ code: 'session_gone' });
    resumed.type('exit\r');
    await resumed.message('closed');
    await finished(session);
  });

  it('runs a held line after an approval at the other server, and denies it after a rejection', async () => {
    const administrator = (await bearer(one)).inOrganization(here);
    const filter = await administrator.post<Json>('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [systemUser],
    });
    await administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
      content: 'held',
      action: 2,
      message: 'This needs a second person.',
    });
    const { terminal, session } = await open(one, await person());
    const decided = async (action: string, outcome: string) => {
      await terminal.waitFor('\x1b[?2004h');
      terminal.type('echo he"ld"\r');
      let ticket: string | undefined;
      await until(async () => {
        const { body } = await reader.get<Json[]>('tickets/tickets/?assign=1&status=open');
        ticket = body.find(({ type }) => type === 'held_command')?.id as string | undefined;
        return ticket !== undefined;
      }, 'the ticket at the other server');
      expect((await reader.patch(`tickets/tickets/${ticket}/`, { action })).status).toBe(200);
      await terminal.waitFor(outcome);
    };
    await decided('reject', 'Rejected by a reviewer');
    await decided('approve', '\rheld\r\n');
    await terminal.close();
    await finished(String(session));
    const { body } = await reader.get<Json[]>(
      `terminal/commands/?session_id=${session}&order=sequence`,
    );
    expect(body.map(({ verdict }) => verdict)).toEqual(['rejected', 'approved']);
    await administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
  });

  it('takes the pieces of an upload in turn, and logs it once', async () => {
    const [near, far] = [await person(), (await bearer(other, member)).inOrganization(here)];
    const bytes = randomBytes(400_000);
    const name = unique('pieces');
    const put = async (client: Client, at: number) => {
      const path = `files/${asset}/${systemUser}/uploads/upload-of-two/?path=/${name}&size=${bytes.length}&offset=${at}`;
      return (
        await client.send(
          'PUT',
          path,
          new Uint8Array(bytes.subarray(at, at + 100_000)),
          'application/octet-stream',
        )
      ).body;
    };
    expect(await put(near, 0)).toEqual({ offset: 100_000, complete: false });
    expect(await put(far, 100_000)).toEqual({ offset: 200_000, complete: false });
    expect(await put(near, 200_000)).toEqual({ offset: 300_000, complete: false });
    expect(await put(far, 300_000)).toEqual({
      offset: bytes.length,
      complete: true,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    for (const client of [near, far]) await client.post('/core/auth/logout/', {});
    const open = () =>
      sql`select from session where user_id = ${member.id} and not is_finished and not takes_guests`.execute(
        one.db,
      );
    await until(
      async () => (await open()).rows.length === 0,
      'the connections for files are closed',
    );
    expect((await loggedFiles(one.db, name, 1)).map((entry) => entry.is_success)).toEqual([true]);
  });

  it('counts the sessions of a user on both servers', async () => {
    const administrators = [await bearer(one), await bearer(other)] as const;
    await changeSettings(administrators, 'security', { SECURITY_MAX_SESSIONS: 1 });
    const { terminal, session } = await open(one, await person());
    const second = await TerminalClient.connect(
      base(other),
      { asset, system_user: systemUser },
      (await person()).headers,
    );
    expect(await second.message('closed')).toMatchObject({ code: 'session_limit' });
    terminal.type('exit\r');
    await finished(session);
    await changeSettings(administrators, 'security', { SECURITY_MAX_SESSIONS: 100 });
  });

  it('keeps the sessions of a live server, and marks those of a dead server as interrupted', async () => {
    const { terminal, session } = await open(one, await person());
    const dead = crypto.randomUUID();
    await sql`
      insert into session (id, org_id, "user", asset, "system_user", holder, replay_state)
      values (${dead}, ${here}, 'somebody', 'box', 'root', 'a server that is gone',
        'recording')`.execute(one.db);
    await sql`
      insert into web_session (token_digest, user_id, kind, remote_addr, date_expired, holder)
      select sha256(held::bytea), ${member.id}, 'ssh', '192.0.2.1', now() + interval '1 day', held
        from unnest(array[${'a server that is gone'}, (select min(id) from server)]) held`.execute(
      one.db,
    );
    await finished(dead);
    const held = async () =>
      (
        await sql<{
          holder: string;
        }>`select holder from web_session where holder is not null`.execute(one.db)
      ).rows.map(({ holder }) => holder);
    // Sign-ins of SSH clients end shortly after their clients.
    await until(async () => (await held()).length <= 1, 'sign-ins of the dead server are ended');
    expect(await held()).toEqual([expect.not.stringContaining('a server that is gone')]);
    expect(await rowOf(dead)).toMatchObject({
      is_finished: true,
      end_reason: 'interrupted',
      can_replay: false,
    });
    const answer = await (await bearer(one))
      .inOrganization(here)
      .get<Json>(`terminal/sessions/${dead}/replay/`);
    expect([answer.status, answer.body.detail]).toEqual([
      404,
      expect.stringContaining('a server that stopped unexpectedly'),
    ]);
    expect((await rowOf(session)).is_finished).toBe(false);

    // A server that missed its heartbeat for a minute finds its sessions finished by others.
    await sql`update session set is_finished = true, end_reason = 'interrupted', date_end = now() where id = ${session}`.execute(
      one.db,
    );
    await sql`update server set date_seen = now() - interval '1 minute' where id = (select holder from session where id = ${session})`.execute(
      one.db,
    );
    expect(await terminal.message('closed')).toMatchObject({ code: 'session_interrupted' });
    await until(
      async () => (await rowOf(session)).can_replay === true,
      'the recording is finished',
    );
  });
});

it('counts sign-ins of one address on both servers', async () => {
  const [here, there] = [allowanceOfAll(one.db, 3, 0.001), allowanceOfAll(other.db, 3, 0.001)];
  expect([await here('192.0.2.7'), await there('192.0.2.7'), await here('192.0.2.7')]).toEqual([
    0, 0, 0,
  ]);
  expect(await there('192.0.2.7')).toBeGreaterThan(0);
  expect(await there('192.0.2.8')).toBe(0);
});

it('rejects a server without the secret key', async () => {
  const { rows } = await sql<{ host: string; port: number }>`select host, port from server`.execute(
    one.db,
  );
  expect(rows).toHaveLength(2);
  const channel = createPeerChannel(
    createVault(directKey(randomBytes(32))).keysFor('sallyport peers'),
  );
  for (const address of rows) {
    await expect(
      channel.ask(address, 'recording', { id: crypto.randomUUID(), startedAt: new Date() }),
    ).rejects.toThrow();
    const socket = channel.connect(address, 'watch', { session: crypto.randomUUID(), who: {} });
    await expect(
      new Promise((opened, failed) => socket.once('open', opened).once('error', failed)),
    ).rejects.toThrow();
    expect(
      await fetch(`http://${address.host}:${address.port}/recording`).catch(() => 'refused'),
    ).toBe('refused');
  }
});
