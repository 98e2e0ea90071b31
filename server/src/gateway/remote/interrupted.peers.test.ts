import { once as eventOf } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { as, changed, once } from '../../testing/hosts/remote-run.ts';
import type { RemoteModule } from './module.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { command, script } from './modules/command.ts';
import { facts } from './modules/facts.ts';
import { gatherUsers } from './modules/gather-users.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { ping } from './modules/ping.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import type { RemoteHost } from './run-on-hosts.ts';

/** A proxy that resets the connection after a number of bytes from the server. */
interface Line {
  readonly port: number;
  /** Bytes from the server so far. */
  readonly bytes: () => number;
  stop(): Promise<void>;
}

async function startLine(target: number, mostBytes: number): Promise<Line> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const host = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, host],
      [host, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      one.on('data', (chunk: Buffer) => {
        if (one === host) bytes += chunk.length;
        if (bytes <= mostBytes) other.write(chunk);
        else for (const socket of [client, host]) socket.resetAndDestroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await eventOf(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await eventOf(server, 'close');
    },
  };
}

let debian: PrivateHost;
beforeAll(async () => {
  debian = await startPrivateHost();
});
afterAll(() => debian?.stop());

const root = () => as(debian, 'root');
const over = (port: number): RemoteHost =>
  as(debian, 'root', undefined, {
    open: async () => ({
      target: {
        id: 'box',
        name: 'box',
        host: debian.host,
        port,
        login: { username: 'root', privateKey: debian.privateKey },
      },
      gateways: [],
      become: { method: 'none' },
    }),
  });
/** Waits until the host's programs have ended: they outlive a lost connection shortly. */
const isQuiet = () =>
  expect.poll(() => debian.inside(`ps -e -o ppid=,comm= | awk '$1 == 1'`)).toBe('');

/** A module with its input for a round, and the check of its effect on the host. */
interface Case<Input> {
  readonly module: RemoteModule<Input, unknown>;
  readonly input: (name: string) => Input;
  /** Creates the preconditions. */
  readonly before?: (name: string) => Promise<unknown>;
  readonly effect?: (name: string) => readonly [script: string, output: RegExp];
}

const of = <Input>(one: Case<Input>): Case<never> => one as Case<never>;
const account = (name: string) => debian.inside(`useradd -m -U -s /bin/sh ${name}`);
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVm one';

const CASES: Readonly<Record<string, Case<never>>> = {
  ping: of({ module: ping, input: () => undefined }),
  facts: of({ module: facts, input: () => undefined }),
  'gather users': of({ module: gatherUsers, input: () => undefined }),
  group: of({
    module: group,
    input: (name: string) => ({ name }),
    effect: (name) => [`grep -c '^${name}:' /etc/group`, /^1\n$/],
  }),
  user: of({
    module: user,
    input: (name: string) => ({ name, shell: '/bin/sh', groups: ['sudo'] }),
    effect: (name) => [
      `grep -c '^${name}:' /etc/passwd; id -nG ${name}; stat -c %U:%a /home/${name}`,
      new RegExp(`^1\\n${name} sudo\\n${name}:700\\n$`),
    ],
  }),
  'authorized key': of({
    module: authorizedKey,
    before: account,
    input: (name: string) => ({ name, key: KEY, mode: 'add' as const }),
    effect: (name) => [
      `cat /home/${name}/.ssh/authorized_keys; ls -A /home/${name}/.ssh`,
      /^ssh-ed25519 \S+ one\nauthorized_keys\n$/,
    ],
  }),
  'authorized key, the only one': of({
    module: authorizedKey,
    before: (name) =>
      debian.inside(
        `useradd -m -U -s /bin/sh ${name}; install -d -o ${name} -g ${name} -m 700 /home/${name}/.ssh; echo 'ssh-rsa AAAA old' >/home/${name}/.ssh/authorized_keys; chown ${name}: /home/${name}/.ssh/authorized_keys`,
      ),
    input: (name: string) => ({ name, key: KEY, mode: 'only' as const }),
    effect: (name) => [
      `cat /home/${name}/.ssh/authorized_keys; ls -A /home/${name}/.ssh`,
      /^ssh-ed25519 \S+ one\nauthorized_keys\n$/,
    ],
  }),
  'sudo rule': of({
    module: sudoRule,
    before: account,
    input: (name: string) => ({ name, commands: '/bin/sh' }),
    effect: (name) => [
      `cat /etc/sudoers.d/sallyport-${name}; ls -A /etc/sudoers.d | grep -c '${name}'; visudo -cq && echo right`,
      /^\S+ ALL=\(ALL\) NOPASSWD: \/bin\/sh\n1\nright\n$/,
    ],
  }),
  password: of({
    module: password,
    before: account,
    input: (name: string) => ({ name, password: `secret of ${name}` }),
    effect: (name) => [`grep -c '^${name}:[$]' /etc/shadow`, /^1\n$/],
  }),
  command: of({ module: command, input: () => ({ command: 'echo done' }) }),
  script: of({ module: script, input: () => ({ script: '#!/bin/sh\necho done\n' }) }),
};

/** Interruptions of each kind. */
const ROUNDS = 2;

it.each(Object.keys(CASES))(
  'completes %s in the next run after a kill or cut at any time, and changes nothing in the run after that',
  async (kind) => {
    const { module, input, before, effect } = CASES[kind] as Case<unknown>;
    let rounds = 0;
    const testRound = async (interrupt: (name: string) => Promise<unknown>) => {
      const name = `${kind.replace(/\W/g, '').slice(-12)}${rounds++}`;
      await before?.(name);
      await interrupt(name);
      await isQuiet();
      expect(await once(root(), module, input(name))).toMatchObject({ state: 'done' });
      const state = effect && (await debian.inside(effect(name)[0]));
      if (effect) expect(state).toMatch(effect(name)[1]);
      expect(changed(await once(root(), module, input(name)))).toEqual([]);
      expect(changed(await once(root(), module, input(name), { check: true }))).toEqual([]);
      if (effect) expect(await debian.inside(effect(name)[0])).toBe(state);
    };
    let whole = 0;
    await testRound(async (name) => {
      const line = await startLine(debian.port, Number.POSITIVE_INFINITY);
      expect(await once(over(line.port), module, input(name))).toMatchObject({ state: 'done' });
      whole = line.bytes();
      await line.stop();
    });
    // The work happens at the end of the conversation; its beginning is the sign-in.
    for (let round = 1; round <= ROUNDS; round++)
      await testRound(async (name) => {
        const line = await startLine(debian.port, whole - 60 * round);
        await once(over(line.port), module, input(name));
        await line.stop();
      });
    for (let round = 1; round <= ROUNDS; round++)
      await testRound(async (name) => {
        const work = once(root(), module, input(name));
        for (let turn = 1; turn < round; turn++) await once(root(), ping, undefined);
        await debian.cut();
        await work;
      });
  },
  300_000,
);

it('removes key files left by a killed run, but not those of a running one, and removes none in a dry run', async () => {
  const name = 'leftovers';
  await account(name);
  // Process 1 lives as long as the host; no process has the other id.
  await debian.inside(
    `cd /home/${name}; install -d -o ${name} -g ${name} -m 700 .ssh; touch .ssh/.sallyport.1 .ssh/.sallyport.999999999; chown ${name}: .ssh/.sallyport.*`,
  );
  const left = () => debian.inside(`ls -A /home/${name}/.ssh`);
  const input = { name, key: KEY, mode: 'add' as const };
  await once(root(), authorizedKey, input, { check: true });
  expect(await left()).toBe('.sallyport.1\n.sallyport.999999999\n');
  expect(await once(root(), authorizedKey, input)).toMatchObject({ state: 'done' });
  expect(await left()).toBe('.sallyport.1\nauthorized_keys\n');
});
