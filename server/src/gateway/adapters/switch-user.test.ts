import type { ServerChannel } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildAsset, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type HostileServer, startHostileServer } from '../../testing/ssh/hostile-ssh.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const ROOT = 'the password of root 1';
const DEPLOY = 'the password of deploy 1';

let world: SshWorld;
let target: HostileServer;
let web: Client;
let asset: string;
/** The system user that signs in. */
let deploy: string;
/** The program of the target. */
let program: (command: string, ask: Ask) => Promise<void>;
/** The lines that it has read. */
let read: string[];

interface Ask {
  readonly say: (text: string) => void;
  /** Reads a line, which the terminal repeats with `isEchoed`. */
  readonly line: (isEchoed?: boolean) => Promise<string>;
  readonly end: (code: number) => void;
}

beforeAll(async () => {
  world = await startSshWorld();
  const run = (command: string, channel: ServerChannel) => void program(command, asking(channel));
  target = await startHostileServer(
    (channel) => run('', channel),
    run,
    ({ username, method }) => username === 'deploy' && method === 'password',
  );
  const { test, organization, member } = world;
  asset = await buildAsset(test.db, { organization, port: target.port });
  web = (await bearer(test, member)).inOrganization(organization);
  deploy = await account({ username: 'deploy', password: DEPLOY });
});
afterAll(async () => {
  await world.stop();
  await target.stop();
});
beforeEach(() => {
  read = [];
  program = async () => undefined;
});

function asking(channel: ServerChannel): Ask {
  let typed = '';
  let isEchoed = true;
  let wake: () => void = () => undefined;
  channel.on('data', (chunk: Buffer) => {
    typed += chunk.toString();
    if (isEchoed) channel.write(chunk);
    wake();
  });
  return {
    say: (text) => channel.write(text),
    line: async (echoes = true) => {
      isEchoed = echoes;
      while (!typed.includes('\r'))
        await new Promise<void>((done) => {
          wake = done;
        });
      const end = typed.indexOf('\r');
      const line = typed.slice(0, end);
      typed = typed.slice(end + 1);
      read.push(line);
      return line;
    },
    end: (code) => {
      channel.exit(code);
      channel.end();
    },
  };
}

async function account(values: Json): Promise<string> {
  const { status, body, text } = await world.administrator.post<{ id: string }>(
    'assets/system-users/',
    { name: unique('account'), protocol: 'ssh', auto_push: false, ...values },
  );
  expect(status, text).toBe(201);
  return body.id;
}

/** A granted account that is reached from `deploy`. */
async function switched(method: string, values: Json = {}): Promise<string> {
  const id = await account({
    username: 'root',
    password: ROOT,
    su_from: deploy,
    su_method: method,
    ...values,
  });
  const { status, text } = await world.administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [world.member.id],
    assets: [asset],
    system_users: [id],
  });
  expect(status, text).toBe(201);
  return id;
}

const connect = (systemUser: string) =>
  TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset, system_user: systemUser },
    web.headers,
  );

/** A program such as su: asks for a password, then runs a shell that repeats its lines. */
const asksFor =
  (password: string) =>
  async (_command: string, { say, line, end }: Ask): Promise<void> => {
    say('Password: ');
    const typed = await line(false);
    say('\r\n');
    if (typed !== password) {
      say('su: Authentication failure\r\n');
      return end(1);
    }
    for (;;) {
      say('root@target:~# ');
      if ((await line()) === 'exit') return end(0);
      say('\r\n');
    }
  };

const sessionOf = async (systemUser: string): Promise<Json> => {
  const { body } = await world.administrator.get<Json[]>(
    `terminal/sessions/?system_user_id=${systemUser}`,
  );
  return body[0] ?? {};
};

it('switches with su before the first key, under the name and password of the second account', async () => {
  let run = '';
  program = (command, ask) => {
    run = command;
    return asksFor(ROOT)(command, ask);
  };
  const root = await switched('su');
  const client = await connect(root);
  await client.waitFor('root@target:~# ');
  client.type('uptime\r');
  await client.waitFor('uptime\r\r\nroot@target:~# ');
  expect(run).toContain('exec su - root');
  expect(read).toEqual([ROOT, 'uptime']);
  expect(client.output).not.toContain(ROOT);
  client.type('exit\r');
  await client.message('closed');
  await until(async () => (await sessionOf(root)).is_finished === true, 'the end of the session');
  const session = await sessionOf(root);
  expect(session).toMatchObject({ is_success: true, can_replay: true });
  expect(String(session.system_user)).toContain('root');
});

it('switches with sudo by the password of the account that signs in', async () => {
  let run = '';
  program = (command, ask) => {
    run = command;
    return asksFor(DEPLOY)(command, ask);
  };
  const client = await connect(await switched('sudo', { password: '' }));
  await client.waitFor('root@target:~# ');
  expect(run).toBe("sudo -p 'Password: ' -i -u root");
  expect(read).toEqual([DEPLOY]);
  client.type('exit\r');
  await client.message('closed');
});

it('opens a shell that asks for no password', async () => {
  program = async (_command, { say, line, end }) => {
    say('root@target:~# ');
    await line();
    end(0);
  };
  const client = await connect(await switched('su'));
  await client.waitFor('root@target:~# ');
  client.type('exit\r');
  await client.message('closed');
  expect(read).toEqual(['exit']);
});

it.each([
  ['enable', 'router#', ''],
  ['super', '<router>', 'User privilege level is 3.\r\n'],
])('raises the rights on a network device with %s', async (method, prompt, note) => {
  program = async (_command, { say, line, end }) => {
    say('\r\nWelcome.\r\nrouter>');
    await line();
    say('\r\nPassword:');
    await line(false);
    say(`\r\n${note}${prompt}`);
    await line();
    end(0);
  };
  const client = await connect(await switched(method, { username: 'admin' }));
  await client.waitFor(prompt);
  expect(read).toEqual([method, ROOT]);
  expect(client.output).not.toContain(ROOT);
  client.type('exit\r');
  await client.message('closed');
});

it.each([
  ['a wrong password', asksFor('another password')],
  [
    'a second question',
    async (_command: string, { say, line }: Ask) => {
      say('Password: ');
      await line(false);
      say('\r\nSorry, try again.\r\nPassword: ');
    },
  ],
  [
    'a target that repeats the password',
    async (_command: string, { say, line }: Ask) => {
      say('Password: ');
      await line(true);
      say('\r\nroot@target:~# ');
    },
  ],
  [
    'the beginning of the password',
    async (_command: string, { say, line }: Ask) => {
      say('Password: ');
      await line(false);
      say(ROOT.slice(0, 5));
    },
  ],
  [
    'output without end',
    async (_command: string, { say }: Ask) => {
      for (let times = 0; times < 300; times++) say('x'.repeat(1024));
    },
  ],
])('refuses the session after %s, and shows nothing of it', async (_reason, run) => {
  program = run;
  const root = await switched('su');
  const client = await connect(root);
  expect(await client.message('closed')).toMatchObject({ code: 'connect_switch_failed' });
  expect(client.output).not.toContain(ROOT);
  await until(async () => (await sessionOf(root)).is_finished === true, 'the end of the session');
  expect(await sessionOf(root)).toMatchObject({
    is_success: false,
    end_reason: 'connect_switch_failed',
  });
});

it('refuses a device that stays without rights', async () => {
  program = async (_command, { say, line }) => {
    say('router>');
    await line();
    say('\r\nPassword:');
    await line(false);
    say('\r\n% Access denied\r\nrouter>');
  };
  const client = await connect(await switched('enable'));
  expect(await client.message('closed')).toMatchObject({ code: 'connect_switch_failed' });
});

it('refuses files and batch commands, which cannot switch', async () => {
  const root = await switched('su');
  const files = await web.get<Json>(`files/${asset}/${root}/entries/?path=/`);
  expect([files.status, files.body.code]).toEqual([403, 'connect_switch_terminal']);
  const batch = await web.post<Json>('ops/command-executions/', {
    hosts: [asset],
    run_as: root,
    command: 'id',
  });
  if (batch.status < 300)
    await until(async () => {
      const { body } = await web.get<Json>(`ops/command-executions/${batch.body.id}/`);
      return body.is_finished === true;
    }, 'the batch command');
  expect(read).toEqual([]);
});

it('refuses an account without a password to switch or to sign in', async () => {
  const root = await switched('su');
  await world.test.db.query({
    text: 'update system_account set password = null where id = $1',
    values: [root],
  });
  const client = await connect(root);
  expect(await client.message('closed')).toMatchObject({ code: 'connect_switch_secret' });
});

it('accepts only accounts that can sign in and switch, and keeps them so', async () => {
  const { administrator } = world;
  const refused = async (values: Json) => {
    const { status, body } = await administrator.post<Json>('assets/system-users/', {
      name: unique('account'),
      protocol: 'ssh',
      username: 'root',
      password: ROOT,
      su_from: deploy,
      ...values,
    });
    expect(status).toBe(400);
    return body;
  };
  expect(Object.keys(await refused({ protocol: 'telnet' }))).toEqual(['su_from']);
  expect(Object.keys(await refused({ login_mode: 'manual' }))).toEqual(['su_from']);
  expect(Object.keys(await refused({ username: '-c' }))).toEqual(['username']);
  const root = await switched('su');
  expect(Object.keys(await refused({ su_from: root }))).toEqual(['su_from']);
  const manual = await account({ username: 'x', login_mode: 'manual' });
  expect(Object.keys(await refused({ su_from: manual }))).toEqual(['su_from']);

  // The account that signs in stays usable.
  const path = `assets/system-users/${deploy}/`;
  const changed = await administrator.patch<Json>(path, { login_mode: 'manual' });
  expect([changed.status, Object.keys(changed.body)]).toEqual([400, ['non_field_errors']]);
  expect((await administrator.patch(path, { su_from: root })).status).toBe(400);
  expect((await administrator.delete(path)).status).toBe(400);
  const own = await administrator.patch<Json>(`assets/system-users/${root}/`, { su_from: root });
  expect([own.status, Object.keys(own.body)]).toEqual([400, ['su_from']]);
  expect((await administrator.patch(path, { comment: 'kept' })).status).toBe(200);
});
