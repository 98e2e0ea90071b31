import { once } from 'node:events';
import { type Connection, ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client } from '../../../testing/client.ts';
import { payload, send, text, uint32 } from '../../../testing/hostile/ssh.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { type SshServerOptions, startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

type Runs = NonNullable<SshServerOptions['runs']>;

/** Messages of RFC 4254, and the disconnect of RFC 4253. */
const [DISCONNECT, DATA, EXTENDED, EOF, CLOSE, REQUEST, SUCCESS] = [1, 94, 95, 96, 97, 98, 99];
const CHANGED_MIND = 2;
const BY_APPLICATION = 11;

let world: SshWorld;
let member: Client;
let runs: Runs = () => false;
let answersSignIn: (connection: Connection) => boolean = () => false;
beforeAll(async () => {
  const target = startSshServer({
    runs: (request, program) => runs(request, program),
    answersSignIn: (connection) => answersSignIn(connection),
  });
  world = await startWorld({}, target, sshClient);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());
beforeEach(() => {
  runs = () => false;
  answersSignIn = () => false;
});

interface Ended {
  readonly output: string;
  readonly errors: string;
  /** Arguments of ssh2's event: status, or null, signal, core flag and message. */
  readonly exit: readonly unknown[] | undefined;
}

/** Runs a command, or a shell without one, and returns everything that the client learns. */
async function run(command: string | undefined, pty = false): Promise<Ended> {
  const client = new ssh2.Client();
  client.on('error', () => undefined);
  client.on('keyboard-interactive', (...args) =>
    args[4](args[3].map(() => world.member.password ?? '')),
  );
  const { port, login: username, member: user } = world;
  client.connect({ host: '127.0.0.1', port, username, password: user.password, tryKeyboard: true });
  await once(client, 'ready');
  const channel = await new Promise<Parameters<Parameters<typeof client.shell>[0]>[1]>(
    (done, no) => {
      const opened: Parameters<typeof client.shell>[0] = (error, open) =>
        error ? no(error) : done(open);
      if (command === undefined) client.shell(pty ? {} : false, opened);
      else client.exec(command, { pty }, opened);
    },
  );
  let output = '';
  let errors = '';
  let exit: readonly unknown[] | undefined;
  channel.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  channel.on('exit', (...args: unknown[]) => {
    exit = args;
  });
  await once(channel, 'close');
  client.destroy();
  return { output, errors, exit };
}

/** Sends messages to a channel. `parts` follow its number. */
const messages =
  (...all: readonly (readonly [number, ...Buffer[]])[]): Runs =>
  (_request, { channel, connection }) => {
    for (const [type, ...parts] of all) send(connection, payload(type, uint32(channel), ...parts));
    return true;
  };
const status = (code: number) =>
  [REQUEST, text('exit-status'), Buffer.from([0]), uint32(code)] as const;
const signal = (name: string, isDumped: boolean, message: string, language: string) =>
  [
    REQUEST,
    ...[text('exit-signal'), Buffer.from([0]), text(name), Buffer.from([isDumped ? 1 : 0])],
    ...[text(message), text(language)],
  ] as const;

// Twisted Conch 26.10.0 answers a request after its handler, which may have ended the program.
it('passes output, errors and status of a program that ended before its request was answered', async () => {
  const [out, fault] = [text('out\n'), Buffer.concat([uint32(1), text('fault\n')])];
  for (const answer of [[], [[SUCCESS]]] as const)
    for (const end of [[status(7), [EOF], [CLOSE]], [[CLOSE]]] as const) {
      runs = messages([DATA, out], [EXTENDED, fault], ...end, ...answer);
      const expected = end.length === 1 ? undefined : [7];
      expect(await run('report')).toEqual({ output: 'out\n', errors: 'fault\n', exit: expected });
    }
  runs = messages(status(0), [SUCCESS], [DATA, out], [CLOSE]);
  expect(await run('report')).toEqual({ output: 'out\n', errors: '', exit: [0] });
  runs = messages(status(4), [CLOSE]);
  expect((await run('report')).exit).toEqual([4]);
});

it('says that a server runs no commands when it closes the channel without output or status', async () => {
  runs = messages([CLOSE]);
  expect((await run('report')).errors).toContain('runs no commands for it');
});

it('passes name, core flag and message of the signal that ended a program', async () => {
  const cases = [
    ['SEGV', true, 'bus error at 0', 'en'],
    ['SIG@openssh.com', false, '', ''],
    ['INFO@example.org', false, 'a\u001b[31mred\ntext', 'de-AT'],
    ['WINCH', true, '', ''],
  ] as const;
  for (const [name, isDumped, message, language] of cases)
    for (const pty of [false, true]) {
      runs = messages([SUCCESS], signal(name, isDumped, message, language), [CLOSE]);
      const { exit } = await run('crash', pty);
      const clean = message.replace('\u001b', ' ').replace('\n', ' ');
      expect([name, pty, exit]).toEqual([name, pty, [null, `SIG${name}`, isDumped, clean]]);
    }
  runs = messages([SUCCESS], signal('bad\u0007name', false, '', ''), [CLOSE]);
  expect((await run('crash')).exit).toEqual([255]);
  runs = messages([SUCCESS], signal('TERM', false, 'm'.repeat(20_000), 'x'.repeat(99)), [CLOSE]);
  expect((await run('crash')).exit).toEqual([null, 'SIGTERM', false, 'm'.repeat(512)]);
});

it('closes without a status when the server sent none', async () => {
  runs = messages([SUCCESS], [DATA, text('partial')], [EOF], [CLOSE]);
  for (const command of ['report', undefined])
    expect(await run(command)).toEqual({ output: 'partial', errors: '', exit: undefined });
  expect(await run(undefined, true)).toEqual({ output: 'partial', errors: '', exit: undefined });
});

const disconnect = (reason: number, why: string) =>
  payload(DISCONNECT, uint32(reason), text(why), text('en'));

it('shows the text with which a server disconnects, and keeps it in the session', async () => {
  const why = 'Maintenance\u001b[2J\nstarts now';
  const sentence = 'The server ended the connection: Maintenance [2J starts now';
  for (const reason of [CHANGED_MIND, BY_APPLICATION]) {
    runs = (_request, { accept, connection }) => {
      accept().write('working\n');
      send(connection, disconnect(reason, why));
      return true;
    };
    const { output, errors, exit } = await run('work');
    expect([reason, output, errors, exit]).toEqual([
      reason,
      'working\n',
      `sallyport: ${sentence}\n`,
      [255],
    ]);
    await expect
      .poll(async () => (await world.lastSession()).end_reason)
      .toBe('connect_target_disconnected');
    const terminal = await run(undefined, true);
    expect(terminal.output).toContain(sentence);
    const url = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
    const where = { asset: world.asset, system_user: world.systemUser };
    const browser = await TerminalClient.connect(url, where, member.headers);
    expect(await browser.message('closed')).toMatchObject({
      code: 'connect_target_disconnected',
      message: sentence,
    });
  }
});

it('does not show the text of a disconnect that follows the end of the program', async () => {
  runs = (_request, { accept, connection }) => {
    const channel = accept();
    channel.exit(3);
    channel.end();
    send(connection, disconnect(BY_APPLICATION, 'bye'));
    return true;
  };
  expect(await run('work')).toEqual({ output: '', errors: '', exit: [3] });
});

// OpenSSH 9.2 disconnects so after the last attempt of `MaxAuthTries`.
it('names the credentials, or the early end and its words, when a server disconnects during the sign-in', async () => {
  const cases = [
    [2, 'Too many authentication failures', 'did not accept the credentials of'],
    [14, '', 'did not accept the credentials of'],
    [12, '', 'was signed in.'],
    [12, 'maintenance\u001b[2J until ten\nsecond', 'was signed in: “maintenance'],
    [BY_APPLICATION, 'maintenance until ten', 'was signed in: “maintenance until ten”'],
  ] as const;
  for (const [reason, why, expected] of cases) {
    answersSignIn = (connection) => {
      send(connection, disconnect(reason, why));
      return true;
    };
    const { errors } = await run('work');
    expect([reason, errors]).toEqual([reason, expect.stringContaining(expected)]);
    expect(errors).not.toContain('\u001b');
  }
});

// FakeNOS 1.2.1 (Cisco IOS, Junos) ends the connection, and not the channel, after `exit`.
it('reports the end of a connection after a typed line as closed, and other ends as lost', async () => {
  const url = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const endsAfter = async (keys: string, how: 'end' | 'reset') => {
    runs = (_request, { accept, connection }) => {
      const channel = accept();
      let typed = '';
      channel.write('router> ');
      channel.on('data', (chunk: Buffer) => {
        typed += chunk;
        const socket: { end(): void; resetAndDestroy(): void } = Reflect.get(connection, '_sock');
        if (typed !== keys) return;
        if (how === 'end') socket.end();
        else socket.resetAndDestroy();
      });
      return true;
    };
    const where = { asset: world.asset, system_user: world.systemUser };
    const browser = await TerminalClient.connect(url, where, member.headers);
    await browser.waitFor('router> ');
    browser.type(keys);
    return (await browser.message('closed')).code;
  };
  expect([
    await endsAfter('exit\r', 'end'),
    await endsAfter('quit\n', 'end'),
    await endsAfter('exi', 'end'),
    await endsAfter('exit\r', 'reset'),
  ]).toEqual([
    'connect_target_closed',
    'connect_target_closed',
    'connect_target_lost',
    'connect_target_lost',
  ]);
});
