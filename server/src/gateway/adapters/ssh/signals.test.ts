import { once } from 'node:events';
import {
  type ClientChannel,
  catchRequest,
  type ServerChannel,
  type Session,
  sendSignal,
  sendWindowSize,
  ssh2,
} from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payload, send, text, uint32 } from '../../../testing/hostile/ssh.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

const REQUEST = 98;
let world: SshWorld;
/** Further requests that the target received, in order. */
let received: string[] = [];
/** The size of the terminal at the target. */
let size: string | undefined;
beforeAll(async () => {
  const target = startSshServer({
    runs: (_request, { session, terminal, accept }) => {
      note(session, accept());
      size = terminal && `${terminal.cols}x${terminal.rows}`;
      return true;
    },
  });
  world = await startWorld({}, target, sshClient);
});
afterAll(() => world.stop());

/** A program that ends with the signal `TERM`, and at the end of its input only then. */
function note(session: Session, program: ServerChannel): void {
  received = [];
  program.on('data', () => undefined);
  program.on('end', () => {
    // The close of a channel ends its input, too.
    if (received.includes('TERM')) return;
    received.push('end of input');
    program.write('.');
  });
  session.on('window-change', (_accept, _reject, { cols, rows }) => {
    received.push(`${cols}x${rows}`);
    size = `${cols}x${rows}`;
  });
  session.on('signal', (_accept, _reject, { name }) => {
    received.push(name);
    if (name !== 'TERM') return;
    program.exit(0);
    program.close();
  });
  program.write('.');
}

interface Running {
  readonly client: InstanceType<typeof ssh2.Client>;
  readonly channel: ClientChannel;
  /** Resolves with the next output. */
  readonly output: () => Promise<unknown>;
  end(): Promise<readonly string[]>;
}

async function connected(): Promise<Running['client']> {
  const client = new ssh2.Client();
  const { port, login: username, member } = world;
  client.connect({ host: '127.0.0.1', port, username, password: member.password });
  await once(client, 'ready');
  return client;
}

async function start(pty: boolean): Promise<Running> {
  const client = await connected();
  const channel = await new Promise<ClientChannel>((done, failed) =>
    client.exec('wait', { pty }, (error, opened) => (error ? failed(error) : done(opened))),
  );
  const output = () => once(channel, 'data');
  await output();
  return {
    client,
    channel,
    output,
    end: async () => {
      sendSignal(channel, 'TERM');
      channel.resume();
      await once(channel, 'close');
      client.end();
      return received;
    },
  };
}

/** The number of the channel at the gateway. */
function numberOf(channel: object): number {
  const outgoing: { readonly id: number } = Reflect.get(channel, 'outgoing');
  return outgoing.id;
}

const NAMES = ['INT', 'INFO@openssh.com', 'reload@example.org', 'WINCH', 'CONT', 'x'.repeat(64)];

it('passes each signal to the target by its name, also one that RFC 4254 does not list', async () => {
  for (const pty of [false, true]) {
    const { channel, end } = await start(pty);
    for (const name of NAMES) sendSignal(channel, name);
    expect([pty, await end()]).toEqual([pty, [...NAMES, 'TERM']]);
  }
});

it('takes the prefix SIG from a name, which some clients send', async () => {
  const { channel, end } = await start(false);
  for (const name of ['SIGUSR1', 'SIG@example.org', 'SIGX@example.org', 'SIG'])
    sendSignal(channel, name);
  expect(await end()).toEqual(['USR1', 'SIG@example.org', 'SIGX@example.org', 'SIG', 'TERM']);
});

it('passes no signal whose name RFC 4250 refuses, and the program continues', async () => {
  for (const pty of [false, true]) {
    const { client, channel, end } = await start(pty);
    const signal = (name: Buffer) => {
      const id = numberOf(channel);
      send(client, payload(REQUEST, uint32(id), text('signal'), Buffer.from([0]), name));
    };
    for (const name of ['', 'a b', 'a\u0000', 'a\u001b[1m', 'ä', 'x'.repeat(65)])
      signal(text(name));
    signal(Buffer.concat([uint32(2), Buffer.from([0xff, 0xfe])]));
    expect([pty, await end()]).toEqual([pty, ['TERM']]);
  }
});

it('passes signals and sizes after the end of input', async () => {
  for (const pty of [false, true]) {
    const { channel, output, end } = await start(pty);
    const seen = output();
    channel.end();
    await seen;
    sendSignal(channel, 'HUP');
    if (pty) sendWindowSize(channel, 132, 43);
    const sizes = pty ? ['132x43'] : [];
    expect([pty, await end()]).toEqual([pty, ['end of input', 'HUP', ...sizes, 'TERM']]);
  }
});

/** Sends a request that wants an answer, and returns the number of the answer's message. */
async function ask({ client, channel }: Running, type: string, ...fields: readonly Buffer[]) {
  const id = numberOf(channel);
  const callbacks: unknown[] = Reflect.get(channel, '_callbacks');
  const answer = new Promise<string>((done) =>
    callbacks.push((isRefused: boolean) => done(isRefused ? 'refused' : 'accepted')),
  );
  send(client, payload(REQUEST, uint32(id), text(type), Buffer.from([1]), ...fields));
  return answer;
}

// PuTTY 0.78 sends `winadj@putty.projects.tartarus.org` and enlarges its window by the answers.
it('answers each request of a running program, also after the end of input', async () => {
  const size = [uint32(90), uint32(30), uint32(0), uint32(0)];
  const running = await start(true);
  const answers = async () => [
    await ask(running, 'winadj@putty.projects.tartarus.org'),
    await ask(running, 'keepalive@example.org', text('any')),
    await ask(running, 'exec', text('another')),
    await ask(running, 'shell'),
    await ask(running, 'window-change', ...size),
    await ask(running, 'signal', text('HUP')),
  ];
  const expected = ['refused', 'refused', 'refused', 'refused', 'accepted', 'accepted'];
  expect(await answers()).toEqual(expected);
  const seen = running.output();
  running.channel.end();
  await seen;
  expect(await answers()).toEqual(expected);
  await running.end();
});

// Go's x/crypto/ssh and terminal multiplexers send a size directly after the request for a shell.
it('opens the terminal with the size that the client sent while the session opened', async () => {
  for (const command of [undefined, 'wait']) {
    const client = await connected();
    catchRequest(client, command === undefined ? 'shell' : 'exec', (channel) =>
      setImmediate(() => sendWindowSize(channel, 132, 43)),
    );
    const channel = await new Promise<ClientChannel>((done, failed) => {
      const opened = (error: Error | undefined, open: ClientChannel) =>
        error ? failed(error) : done(open);
      if (command === undefined) client.shell({ cols: 80, rows: 24 }, opened);
      else client.exec(command, { pty: { cols: 80, rows: 24 } }, opened);
    });
    await once(channel, 'data');
    sendSignal(channel, 'TERM');
    channel.resume();
    await once(channel, 'close');
    expect([command, size]).toEqual([command, '132x43']);
    client.end();
  }
});
