import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  ACTIONS,
  type AttentionItem,
  DESKTOP_SOCKET_PATH,
  GUEST_SOCKET_PATH,
  type SessionTimeline,
} from '@sallyport/contract';
import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildPermission,
  buildSystemUser,
  buildUser,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const PROMPT = '\x1b[?2004h';

interface Auditor {
  readonly user: BuiltUser;
  readonly client: Client;
}

let world: SshWorld;
/** The user, who may also watch sessions. */
let web: Client;
let reviewer: Auditor;
let rule: string;
beforeAll(async () => {
  world = await startSshWorld();
  const { test, member, organization, administrator } = world;
  await sql`update organization_member set role = 'Auditor' where user_id = ${member.id}`.execute(
    test.db,
  );
  await sql`insert into organization_member (organization_id, user_id, role)
    values (${organization}, ${member.id}, 'User')`.execute(test.db);
  web = (await bearer(test, member)).inOrganization(organization);
  const { body } = await administrator.get<Json[]>('perms/asset-permissions/');
  rule = `perms/asset-permissions/${body[0]?.id}/`;
});
afterAll(() => world.stop());
beforeEach(async () => {
  reviewer = await auditor();
  await demand({ needs_watcher: true, approvers: [reviewer.user.id, world.member.id] });
});

async function auditor(): Promise<Auditor> {
  const { test, organization } = world;
  const user = await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] });
  return { user, client: (await bearer(test, user)).inOrganization(organization) };
}

async function demand(terms: object): Promise<void> {
  const answer = await world.administrator.patch<Json>(rule, terms);
  expect(answer.status, answer.text).toBe(200);
}

const base = () => world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');

async function connect() {
  const { asset, systemUser } = world;
  const client = await TerminalClient.connect(
    base(),
    { asset, system_user: systemUser },
    web.headers,
  );
  const { session } = await client.message('open');
  return { client, session };
}

async function watch(session: string, { client }: Pick<Auditor, 'client'> = reviewer) {
  const watcher = new TerminalClient(`${base()}/ws/watch/?session=${session}`, client.headers);
  await watcher.message('resize');
  return watcher;
}

const locks = (client: TerminalClient) =>
  client.messages.flatMap((message) => (message.type === 'locked' ? [message.message] : []));

/** Waits until the user has read a sentence, or that input passes (null), as the latest one. */
const reads = (client: TerminalClient, sentence: string | null) =>
  client.until(`the sentence ${sentence}`, () => {
    const latest = locks(client).at(-1);
    const isIt = sentence === null ? latest === null : latest?.includes(sentence);
    return isIt ? true : undefined;
  });
const WAITS = 'waits for a second person';
const LEFT = 'no longer watches';

/** Types a command, and waits until the server has taken it. */
async function attempts(client: TerminalClient, text: string) {
  const before = client.messages.length;
  client.type(`${text}\r`);
  client.send({ type: 'ping' });
  await client.until('pong', () =>
    client.messages.slice(before).find(({ type }) => type === 'pong'),
  );
}

/** The notifications of a reviewer about a session. */
async function newsOf(session: string, { client }: Auditor = reviewer) {
  const { body } = await client.get<Json[]>('users/notifications/?kind=second_person_asked');
  return body.filter(({ resource_id: id }) => id === session);
}

let files = 0;
/** A file that a command of the user would create. */
const newFile = () => {
  files += 1;
  return `${world.sshd.home}/touched-${files}`;
};

async function leave(client: TerminalClient): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
}

const end = async (session: string, client: TerminalClient) => {
  await world.administrator.post('terminal/tasks/kill-session/', [session]);
  await client.message('closed');
};

it('passes the input of a web terminal only while the reviewer watches, and says why', async () => {
  const [first, second] = [newFile(), newFile()];
  const { client, session } = await connect();
  await attempts(client, `touch ${first}`);
  await reads(client, WAITS);
  await client.waitFor(WAITS);
  const row = async () =>
    (await world.administrator.get<Json>(`terminal/sessions/${session}/`)).body;
  await until(async () => (await row()).waits_since !== null, 'the session waits');
  const items = await reviewer.client.get<AttentionItem[]>('common/attention/');
  expect(items.body.find(({ kind }) => kind === 'waiting_sessions')).toMatchObject({
    count: 1,
    examples: [{ id: session }],
  });
  const watcher = await watch(session);
  await reads(client, null);
  await client.waitFor(`${reviewer.user.username}) watches this session`);
  await watcher.waitFor('watches this session');
  client.type('echo th"rough"\r');
  await client.waitFor('through');
  expect(existsSync(first)).toBe(false);
  await until(async () => (await row()).waits_since === null, 'the session waits no longer');
  await watcher.close();
  await reads(client, LEFT);
  await attempts(client, `touch ${second}`);
  await watch(session);
  await reads(client, null);
  client.type('echo ag"ain"\r');
  await client.waitFor('again');
  expect(existsSync(second)).toBe(false);
  await leave(client);
  const name = expect.stringContaining(`(${reviewer.user.username})`);
  await until(async () => (await row()).is_finished === true, 'the end of the session');
  const { body } = await world.administrator.get<SessionTimeline>(
    `terminal/sessions/${session}/timeline/`,
  );
  expect(
    body.entries
      .filter(({ kind }) => kind === 'presence')
      .map(({ operate, text }) => [operate, text]),
  ).toEqual([
    ['waits', ''],
    ['joined', name],
    ['passes', ''],
    ['left', name],
    ['waits', ''],
    ['joined', name],
    ['passes', ''],
  ]);
  const { text } = await world.administrator.get(`terminal/sessions/${session}/replay/download/`);
  for (const part of [WAITS, 'watches this session', LEFT]) expect(text).toContain(part);
});

it('holds an SSH terminal from its first key, and passes input while the reviewer watches', async () => {
  const file = newFile();
  const { ssh, login, member } = world;
  const client = new MenuClient(ssh, { username: login, password: member.password });
  client.type(`touch ${file}\r`);
  await client.sees(WAITS);
  client.type(`touch ${file}\r`);
  const watcher = await watch(String((await world.lastSession()).id));
  await client.sees('watches this session');
  client.type('echo h"er"e\r');
  await client.sees('here\r\n');
  expect(existsSync(file)).toBe(false);
  await watcher.close();
  await client.sees(LEFT);
  await world.administrator.post('terminal/tasks/kill-session/', [(await world.lastSession()).id]);
  await client.ends();
});

it('counts neither the user nor auditors who are not its reviewers', async () => {
  const file = newFile();
  const { client, session } = await connect();
  await reads(client, WAITS);
  const watchers = [
    await watch(session, { client: web }),
    await watch(session, await auditor()),
    await watch(session, { client: world.administrator }),
  ];
  for (const watcher of watchers) await watcher.waitFor(WAITS);
  await attempts(client, `touch ${file}`);
  const seen = await watch(session);
  await reads(client, null);
  await attempts(client, 'echo f"rom here"');
  await client.waitFor('from here');
  expect(existsSync(file)).toBe(false);
  expect(locks(client)).toHaveLength(2);
  await seen.close();
  await reads(client, LEFT);
  await end(session, client);
});

it('notifies the reviewers of a wait, at most once a minute for each session', async () => {
  const { member, test } = world;
  const other = await auditor();
  const { client, session } = await connect();
  await until(async () => (await newsOf(session)).length === 1, 'the notification');
  expect(await newsOf(session)).toMatchObject([
    { resource: 'session', by_name: expect.stringContaining(member.username), is_read: false },
  ]);
  expect(await newsOf(session, { ...other, client: web })).toEqual([]);
  const comeAndGo = async () => {
    const watcher = await watch(session);
    await reads(client, null);
    await watcher.close();
    await reads(client, LEFT);
  };
  await comeAndGo();
  await demand({ approvers: [reviewer.user.id, other.user.id] });
  await comeAndGo();
  await until(async () => (await newsOf(session, other)).length === 1, 'a new reviewer hears');
  expect(await newsOf(session)).toHaveLength(1);
  await sql`update notification set date_created = now() - interval '2 minutes'
    where resource_id = ${session}`.execute(test.db);
  await comeAndGo();
  await until(async () => (await newsOf(session)).length === 2, 'the next notification');
  await end(session, client);
});

it('lets administrators watch when no reviewer is named, but no other auditor', async () => {
  await demand({ approvers: [] });
  const { client, session } = await connect();
  await reads(client, WAITS);
  const watcher = await watch(session);
  await watcher.waitFor(WAITS);
  await watch(session, { client: world.administrator });
  await reads(client, null);
  await end(session, client);
});

const LOSSES: Readonly<Record<string, () => Promise<unknown>>> = {
  'is disabled': () =>
    sql`update account set is_active = false where id = ${reviewer.user.id}`.execute(world.test.db),
  'may no longer watch sessions': () =>
    sql`update organization_member set role = 'User' where user_id = ${reviewer.user.id}`.execute(
      world.test.db,
    ),
  'signs out': () => reviewer.client.post('/core/auth/logout/', {}),
  'is no longer a reviewer of the permission': async () =>
    demand({ approvers: [(await auditor()).user.id] }),
};
it.each(Object.entries(LOSSES))('stops input when the reviewer %s', async (_name, lose) => {
  const { client, session } = await connect();
  await watch(session);
  await reads(client, null);
  await lose();
  await reads(client, LEFT);
  const file = newFile();
  await attempts(client, `touch ${file}`);
  await end(session, client);
  expect(existsSync(file)).toBe(false);
});

it('stops input when the connection of the reviewer is silent', async () => {
  const { client, session } = await connect();
  const watcher = await watch(session);
  await reads(client, null);
  watcher.socket.pause();
  await reads(client, LEFT);
  await end(session, client);
});

it('passes input until the last of two reviewers leaves', async () => {
  const other = await auditor();
  await demand({ approvers: [reviewer.user.id, other.user.id] });
  const { client, session } = await connect();
  const first = await watch(session);
  await reads(client, null);
  const second = await watch(session, other);
  await until(async () => {
    const { body } = await world.administrator.get<SessionTimeline>(
      `terminal/sessions/${session}/timeline/`,
    );
    return body.entries.filter(({ operate }) => operate === 'joined').length === 2;
  }, 'both reviewers are there');
  await attempts(client, 'echo b"ot"h');
  await client.waitFor('both');
  await first.close();
  await attempts(client, 'echo o"n"e');
  await client.waitFor('one');
  await second.close();
  await reads(client, `(${other.user.username}) ${LEFT}`);
  await end(session, client);
});

it('keeps a lock and a missing second person apart', async () => {
  const { client, session } = await connect();
  await reads(client, WAITS);
  const intervene = (action: string) =>
    world.administrator.post(`terminal/sessions/${session}/interventions/`, { action });
  await intervene('lock');
  await reads(client, 'locked this session');
  await intervene('unlock');
  await reads(client, WAITS);
  const file = newFile();
  await attempts(client, `touch ${file}`);
  await intervene('lock');
  await reads(client, 'locked this session');
  const watcher = await watch(session);
  await watcher.waitFor('watches this session');
  await client.waitFor('watches this session');
  await reads(client, 'locked this session');
  await attempts(client, `touch ${file}`);
  await intervene('unlock');
  await reads(client, null);
  client.type('echo op"en"\r');
  await client.waitFor('open');
  expect(existsSync(file)).toBe(false);
  await end(session, client);
});

it('applies a changed permission to open sessions: terminals wait, others end', async () => {
  await demand({ needs_watcher: false });
  const { client, session } = await connect();
  await client.waitFor(PROMPT);
  client.type('echo fr"ee"\r');
  await client.waitFor('free');
  const path = `files/${world.asset}/${world.systemUser}/entries/?path=/`;
  expect((await web.get(path)).status).toBe(200);
  const { id } = await world.lastSession();
  await demand({ needs_watcher: true });
  await reads(client, WAITS);
  await until(
    async () =>
      (await world.administrator.get<Json>(`terminal/sessions/${id}/`)).body.end_reason ===
      'connect_second_person',
    'the end of the session with files',
  );
  await demand({ needs_watcher: false });
  await reads(client, null);
  client.type('echo ag"ain"\r');
  await client.waitFor('again');
  await end(session, client);
});

it('waits even if another permission of the user asks for no second person', async () => {
  const { test, organization, member, asset, systemUser } = world;
  const free = await buildPermission(test.db, {
    organization,
    users: [member.id],
    assets: [asset],
    systemUsers: [systemUser],
  });
  const { client, session } = await connect();
  await reads(client, WAITS);
  await end(session, client);
  await sql`delete from asset_permission where id = ${free}`.execute(test.db);
});

it('explains that a permission asks for a second person', async () => {
  const { asset, member, administrator } = world;
  const { body } = await administrator.get<{ access: { paths: Json[] } }>(
    `perms/access/check/?user=${member.id}&asset=${asset}`,
  );
  expect(body.access.paths).toMatchObject([{ needs_watcher: true }]);
});

it('rejects a terminal that no reviewer can watch, with the reason', async () => {
  const { test, administrator, asset, systemUser, member } = world;
  const { body } = await administrator.get<Json>('users/profile/');
  await demand({ approvers: [] });
  // The user is the only administrator.
  await sql`insert into asset_permission_users (asset_permission_id, user_id)
    values (${rule.split('/').at(-2) ?? ''}, ${String(body.id)})`.execute(test.db);
  const target = { asset, system_user: systemUser };
  const client = await TerminalClient.connect(base(), target, administrator.headers);
  expect(await client.message('closed')).toMatchObject({ code: 'connect_second_person_nobody' });
  await demand({ users: [member.id] });
});

it('rejects the input of a guest who is also the second person, but not of the owner', async () => {
  const { administrator, member } = world;
  const sharing = (isAllowed: boolean) =>
    administrator.patch('settings/setting/', {
      terminal: { TERMINAL_SESSION_INVITATIONS: isAllowed },
    });
  await sharing(true);
  await demand({ users: [member.id, reviewer.user.id] });
  const other = await auditor();
  await demand({ approvers: [reviewer.user.id, other.user.id] });
  const { client, session } = await connect();
  const invited = await web.post<Json>(`terminal/own-sessions/${session}/invitations/`, {
    may_type: true,
    minutes: '0',
  });
  expect(invited.status, invited.text).toBe(201);
  const { id, secret } = invited.body;
  await reviewer.client.post('terminal/invitations/accept/', { secret });
  const path = `${GUEST_SOCKET_PATH}?invitation=${id}`;
  const guest = new TerminalClient(`${base()}${path}`, reviewer.client.headers);
  await guest.message('resize');
  const file = newFile();
  await attempts(guest, `touch ${file}`);
  await reads(client, WAITS);
  await watch(session);
  await reads(client, null);
  await attempts(guest, `touch ${file}`);
  await attempts(client, 'echo ow"ner"');
  await client.waitFor('owner');
  expect(existsSync(file)).toBe(false);
  await watch(session, other);
  await until(async () => {
    await attempts(guest, `touch ${file}`);
    return existsSync(file);
  }, 'the input of the guest passes');
  await end(session, client);
  await demand({ users: [member.id] });
  await sharing(false);
});

it('refuses commands, files, forwarded ports, desktops and batch commands', async () => {
  const { ssh, login, member, asset, systemUser, test, organization, administrator } = world;
  await demand({ actions: ACTIONS.map(({ value }) => value) });
  const file = newFile();
  const password = member.password;
  for (const options of [['-T'], ['-tt']]) {
    const ran = await ssh.run({ login, password, command: `touch ${file}`, options });
    expect(ran.code).not.toBe(0);
    expect(`${ran.stdout}${ran.stderr}`).toContain('A second person must watch this access');
  }
  const scp = await ssh.run({ login, password, command: `scp -t ${file}` });
  expect(scp.code).not.toBe(0);

  const client = new ssh2.Client();
  client.on('error', () => undefined);
  client.on('keyboard-interactive', (_name, _text, _language, prompts, finish) =>
    finish(prompts.map(() => password)),
  );
  client.connect({
    host: '127.0.0.1',
    port: world.port,
    username: login,
    password,
    tryKeyboard: true,
  });
  await once(client, 'ready');
  const sftp = await new Promise<Error | undefined>((done) => {
    client.sftp((error, channel) => {
      if (error) done(error);
      else channel.readdir('/', (failure) => done(failure ?? undefined));
    });
  });
  expect(sftp).toBeInstanceOf(Error);
  const forwarded = await new Promise<Error | undefined>((done) => {
    client.forwardOut('127.0.0.1', 1, '127.0.0.1', world.sshd.port, (error, channel) => {
      if (error) done(error);
      else {
        channel.once('data', () => done(undefined));
        channel.once('close', () => done(new Error('closed')));
      }
    });
  });
  expect(forwarded).toBeInstanceOf(Error);
  client.end();

  const listed = await web.get<Json>(`files/${asset}/${systemUser}/entries/?path=/`);
  expect([listed.status, listed.body.code]).toEqual([403, 'connect_second_person']);
  const batch = await web.post<Json>('ops/command-executions/', {
    hosts: [asset],
    run_as: systemUser,
    command: `touch ${file}`,
  });
  if (batch.status < 300)
    await until(async () => {
      const { body } = await web.get<Json>(`ops/command-executions/${batch.body.id}/`);
      return body.is_finished === true;
    }, 'the batch command');

  const screen = await buildAsset(test.db, { organization, protocols: ['vnc/5900'] });
  const vnc = await buildSystemUser(test.db, { organization, protocol: 'vnc' });
  await demand({ assets: [asset, screen], system_users: [systemUser, vnc] });
  const desktop = new TerminalClient(`${base()}${DESKTOP_SOCKET_PATH}`, web.headers);
  await once(desktop.socket, 'open');
  desktop.socket.send(
    JSON.stringify({ type: 'connect', asset: screen, system_user: vnc, width: 800, height: 600 }),
  );
  expect(await desktop.message('closed')).toMatchObject({ code: 'connect_second_person' });
  expect(existsSync(file)).toBe(false);
  const rows = await administrator.get<Json[]>(`terminal/sessions/?asset_id=${screen}`);
  expect(rows.body).toEqual([]);
});
