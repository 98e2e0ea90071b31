import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildPermission, rootNode, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { type SshServerOptions, startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';

const GATHERING = 'xpack/gathered-user';
const PLANS = 'xpack/change-auth-plan';

let world: SshWorld;
let member: Client;
let pushed: string;
let gathering: string;
let plan: string;
let refused: ReadonlySet<string> = new Set();
let refusesSessions = false;
let accepts = true;
let runs: NonNullable<SshServerOptions['runs']> = () => false;

const created = async (path: string, body: Json) => {
  const answer = await world.administrator.post(path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 201, expect.any(String)]);
  return String(answer.body.id);
};

beforeAll(async () => {
  const target = startSshServer({
    refuses: (request) => refused.has(request),
    refusesSessions: () => refusesSessions,
    accepts: () => accepts,
    runs: (request, program) => runs(request, program),
  });
  world = await startWorld({}, target, sshClient);
  const { test, sshd, administrator, organization, asset } = world;
  member = (await bearer(test, world.member)).inOrganization(organization);
  const admin = await created('assets/admin-users/', {
    name: unique('admin'),
    username: sshd.username,
    private_key: sshd.privateKey,
  });
  await administrator.patch(`assets/assets/${asset}/`, { admin_user: admin });
  pushed = await created('assets/system-users/', {
    name: unique('pushed'),
    username: unique('web').slice(0, 20),
    protocol: 'ssh',
    password: 'S3cret-of-web',
  });
  await buildPermission(test.db, { organization, assets: [asset], systemUsers: [pushed] });
  const node = await rootNode(test.db, organization);
  gathering = await created(`${GATHERING}/tasks/`, { name: unique('gather'), nodes: [node] });
  plan = await created(`${PLANS}/plan/`, {
    name: unique('plan'),
    username: 'operator',
    assets: [asset],
    password_strategy: 'custom',
    password: 'good enough 1',
  });
});
afterAll(() => world.stop());
beforeEach(() => {
  refused = new Set();
  refusesSessions = false;
  accepts = true;
  runs = () => false;
});

/** Waits for a job, and returns its log. */
async function logOf(started: Json, client = world.administrator): Promise<string> {
  const job = `common/jobs/${String(started.task ?? started.id)}/`;
  await until(async () => {
    const { state } = (await client.get<Json>(job)).body;
    return !['queued', 'running'].includes(String(state));
  }, 'the job is over');
  return (await client.get(`${job}log/`)).text;
}

const task = async (path: string, body: Json) =>
  logOf((await world.administrator.post(path, body)).body);

const ACTIONS = {
  command: async () => {
    const body = { hosts: [world.asset], run_as: world.systemUser, command: 'uptime' };
    const { body: started } = await member.post('ops/command-executions/', body);
    await logOf(started, member);
    const { body: row } = await member.get(`ops/command-executions/${String(started.id)}/`);
    return JSON.stringify(row.result);
  },
  test: () => task(`assets/assets/${world.asset}/tasks/`, { action: 'test' }),
  refresh: () => task(`assets/assets/${world.asset}/tasks/`, { action: 'refresh' }),
  push: () => task(`assets/system-users/${pushed}/tasks/`, { action: 'push', asset: world.asset }),
  gather: () => task(`${GATHERING}/task-executions/`, { task: gathering }),
  change: () => task(`${PLANS}/plan-execution/`, { plan }),
};

/** Runs its own program in place of the command, or none, and closes the channel. */
const ends =
  (text: string, status?: number): typeof runs =>
  (_request, { accept }) => {
    const channel = accept();
    channel.write(text);
    if (status !== undefined) channel.exit(status);
    channel.end();
    return true;
  };

const CASES: readonly (readonly [name: string, set: () => void, sentence: string])[] = [
  [
    // ProFTPD 1.3.8 mod_sftp, Apache MINA sshd 2.15.0 without factories.
    'refuses commands',
    () => {
      refused = new Set(['exec', 'shell', 'pty']);
    },
    'and runs no commands for it. A terminal or the file manager may work.',
  ],
  [
    'opens no session',
    () => {
      refusesSessions = true;
    },
    'and opens no session for it.',
  ],
  [
    // OpenSSH 9.2 with `ForceCommand internal-sftp`.
    'runs its own program',
    () => {
      runs = ends('This service allows sftp connections only.\n', 1);
    },
    'The account has no shell that can run commands.',
  ],
  [
    // MySecureShell 2.0 as the account's shell.
    'runs its own program, with a status that means a missing program',
    () => {
      runs = ends('Shell access is disabled !', 127);
    },
    'The account has no shell that can run commands.',
  ],
  [
    // Cisco IOS 15, as its users publish it.
    'prints its own words and closes the connection',
    () => {
      runs = (_request, { accept, connection }) => {
        const socket: { end(): void } = Reflect.get(connection, '_sock');
        accept().write('Line has invalid autocommand "exec', () => socket.end());
        return true;
      };
    },
    'The account has no shell that can run commands.',
  ],
  [
    'closes the channel without a status',
    () => {
      runs = ends('');
    },
    'The task was interrupted before it finished.',
  ],
  [
    'refuses the account',
    () => {
      accepts = false;
    },
    'did not accept the credentials of',
  ],
];

it.each(CASES)(
  'names the reason in commands, tests, facts, pushes, gathered users and changed passwords when the server %s',
  async (_name, set, sentence) => {
    set();
    for (const [action, start] of Object.entries(ACTIONS))
      expect([action, await start()]).toEqual([action, expect.stringContaining(sentence)]);
  },
);

it('names sudo when the account has a shell and cannot become root', async () => {
  runs = (_request, { command, accept }) => {
    const channel = accept();
    channel.stdin.on('data', () => undefined);
    // The shell runs the line up to sudo, which fails.
    channel.write(`${/^echo (\S+);/.exec(command)?.[1]}\n`);
    channel.stderr.write('sudo: web is not in the sudoers file.\n');
    channel.exit(1);
    channel.end();
    return true;
  };
  for (const start of [ACTIONS.refresh, ACTIONS.push, ACTIONS.change])
    expect(await start()).toContain('The account cannot become root with sudo.');
});
