import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { type SshServerOptions, startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';

type Runs = NonNullable<SshServerOptions['runs']>;
let world: SshWorld;
let runs: Runs;
beforeAll(async () => {
  const target = startSshServer({
    refuses: (request) => request === 'sftp',
    runs: (request, program) => runs(request, program),
  });
  world = await startWorld({}, target, sshClient);
});
afterAll(() => world.stop());

/** The way in which a device ends a command. */
type End =
  | { readonly status: number }
  /** Closes the channel without a status. */
  | 'channel'
  /** Closes the TCP connection without closing the channel. */
  | 'connection'
  /** Disconnects with a message. */
  | 'disconnect'
  /** Waits for input. */
  | 'never';

const answers =
  (text: string, end: End): Runs =>
  (_request, { accept, connection }) => {
    const channel = accept();
    channel.stdin.on('data', () => undefined);
    channel.write(text, () => {
      if (end === 'channel') channel.end();
      else if (end === 'connection') socketOf(connection).end();
      else if (end === 'disconnect') connection.end();
      else if (end !== 'never') {
        channel.exit(end.status);
        channel.end();
      }
    });
    return true;
  };

const socketOf = (connection: object): { end(): void; resetAndDestroy(): void } =>
  Reflect.get(connection, '_sock');

/**
 * Answers in the form that these systems have for a command that they do not know. No device was
 * here to be recorded: texts are those that their users quote, and each kind of end is tried.
 */
const DEVICES: Readonly<Record<string, readonly [text: string, end: End]>> = {
  'Cisco IOS': [`Line has invalid autocommand "exec /bin/sh -c 'echo`, 'connection'],
  'Cisco IOS-XE': [`\r\nLine has invalid autocommand "exec /bin/sh"\r\n`, 'channel'],
  'Cisco NX-OS': ["Syntax error while parsing 'exec /bin/sh'\r\n\r\n", { status: 16 }],
  Junos: ['error: unknown command: exec\n', { status: 1 }],
  'Huawei VRP': ["\r\n  ^\r\nError: Unrecognized command found at '^' position.\r\n", 'channel'],
  'H3C Comware': ["\r\n ^\r\n % Unrecognized command found at '^' position.\r\n", 'connection'],
  FortiOS: ['Unknown action 0\r\nCommand fail. Return code -1\r\n', { status: 0 }],
  'PAN-OS with its command line': ['\r\nLast login: Mon\r\nadmin@fw01> ', 'never'],
  'PAN-OS': ['Unknown command: exec\r\nInvalid syntax.\r\n', 'disconnect'],
  RouterOS: ['bad command name exec (line 1 column 1)\r\n', { status: 0 }],
  iDRAC: ['ERROR: Invalid subcommand specified.\r\n', 'channel'],
  'Windows, cmd': [
    "'exec' is not recognized as an internal or external command,\r\n",
    { status: 1 },
  ],
  'Windows, PowerShell': [
    "exec : The term 'exec' is not recognized as the name\r\n",
    { status: 1 },
  ],
};

/** Devices that are also tried as assets of the platform Windows: one for each kind of end. */
const ON_WINDOWS = new Set(['Cisco IOS', 'iDRAC', 'Windows, cmd']);

/** Tests the system user, and returns its connectivity and the log. */
async function test() {
  const path = `assets/system-users/${world.systemUser}/tasks/`;
  const started = await world.administrator.post<Json>(path, { action: 'test' });
  const job = `common/jobs/${started.body.task ?? started.body.job}/`;
  await until(async () => {
    const { state } = (await world.administrator.get<Json>(job)).body;
    return !['queued', 'running'].includes(String(state));
  }, 'the test is over');
  const accounts = `assets/asset-users/?asset_id=${world.asset}`;
  const [account] = (await world.administrator.get<Json[]>(accounts)).body;
  return {
    log: (await world.administrator.get(`${job}log/`)).text,
    connectivity: account?.connectivity,
  };
}

it('counts an account as accepted at devices that answer commands with their error text', async () => {
  for (const platform of ['Linux', 'Windows']) {
    const path = `assets/assets/${world.asset}/`;
    const { status, text: body } = await world.administrator.patch(path, { platform });
    expect(status, body).toBe(200);
    for (const [name, [text, end]] of Object.entries(DEVICES)) {
      if (platform === 'Windows' && !ON_WINDOWS.has(name)) continue;
      runs = answers(text, end);
      const { log, connectivity } = await test();
      expect([platform, name, log, connectivity]).toEqual([
        platform,
        name,
        expect.stringContaining('account accepted, runs no commands'),
        expect.objectContaining({ status: 1, signed_in: true, runs_commands: false }),
      ]);
    }
  }
});
