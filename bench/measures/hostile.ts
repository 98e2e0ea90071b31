import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { flood, type HostileServer, startHostileServer } from '../../server/src/gateway/testing/hostile-ssh.ts';
import { TerminalClient } from '../../server/src/gateway/testing/terminal-client.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const SHORT_SECONDS = 75;
const LONG_SECONDS = 30 * 60;
const MOST_MEMORY = 400;
const MOST_DELAY = 250;

interface Attack {
  readonly name: string;
  /** Attacks for some seconds, then leaves. */
  readonly run: (stage: Stage, seconds: number) => Promise<void>;
}

interface Stage extends TargetedServer {
  /** What the targets are that do as they like. */
  readonly ignorer: { asset: string; system_user: string };
  readonly banner: { asset: string; system_user: string };
}

/** Everything at once that a target or a client can do wrong, while the memory of the server and its event loop are watched. */
export async function hostile(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const servers = [await windowIgnorer(), await endlessOutput()];
  const [ignorer, banner] = await Promise.all(servers.map((server, index) => addTarget(target, server, `hostile ${index}`)));
  if (!ignorer || !banner) throw new Error('no targets');
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, target.server.memory());
  }, 100);
  const seconds = world.isLong ? LONG_SECONDS : SHORT_SECONDS;
  const stage = { ...target, ignorer, banner };
  const delays: Figure[] = [];
  const delayBefore = target.server.loopDelay();
  try {
    // One after the other first, so that a figure names what caused it; then all at once.
    const each = (seconds * 0.6) / ATTACKS.length;
    let worst = delayBefore;
    for (const attack of ATTACKS) {
      await attack.run(stage, each);
      await sleep(1200);
      const delay = target.server.loopDelay();
      if (delay > worst) delays.push({ name: `Longest delay so far, after ${attack.name}`, value: delay, unit: 'ms' });
      worst = Math.max(worst, delay);
      world.say(`  ${attack.name}: memory ${memory.toFixed(0)} MiB, longest delay ${delay.toFixed(0)} ms`);
    }
    await Promise.all(ATTACKS.map((attack) => attack.run(stage, seconds * 0.4)));
    await sleep(1200);
    const began = performance.now();
    await target.client.get('users/profile/');
    const answer = performance.now() - began;
    const delay = target.server.loopDelay();
    clearInterval(sampling);
    const stopping = performance.now();
    for (const server of servers) await server.stop();
    await target.server.stop();
    return [
      { name: 'Memory of the server, most', value: memory, unit: 'MiB', budget: atMost(MOST_MEMORY), note: `${seconds} s` },
      { name: 'Event loop blocked, longest', value: delay, unit: 'ms', budget: atMost(MOST_DELAY), note: `${seconds} s` },
      { name: 'An answer right afterwards', value: answer, unit: 'ms' },
      { name: 'Stopping right afterwards', value: performance.now() - stopping, unit: 'ms', budget: atMost(10_000) },
      ...delays,
    ];
  } finally {
    clearInterval(sampling);
    for (const server of servers) await server.stop().catch(() => undefined);
    await target.stop();
  }
}

const windowIgnorer = (): Promise<HostileServer> =>
  startHostileServer((_channel, packets) => {
    const packet = Buffer.alloc(30_001, 'a');
    flood(packets, () => packets.data(packet));
  });

const endlessOutput = (): Promise<HostileServer> =>
  startHostileServer((channel) => {
    const line = Buffer.from('\x1b[?25l\x1b[2J\x1b[999999999L\x1b[?25h'.repeat(500));
    const more = () => {
      while (channel.writable && channel.write(line));
      if (channel.writable) channel.once('drain', more);
    };
    more();
  });

async function addTarget({ client }: TargetedServer, server: HostileServer, name: string): Promise<{ asset: string; system_user: string }> {
  const make = async (path: string, body: unknown) => (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', { hostname: name, ip: server.host, platform: 'Linux', protocols: [`ssh/${server.port}`] });
  const account = await make('assets/system-users/', { name, username: 'root', password: 'not a secret', auto_push: false });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', { name, users: [me], assets: [asset], system_users: [account] });
  return { asset, system_user: account };
}

async function open({ server, client }: Stage, ids: { asset: string; system_user: string }): Promise<TerminalClient> {
  const terminal = await TerminalClient.connect(server.url.replace('http', 'ws'), ids, { authorization: `Bearer ${client.token}` });
  terminal.keepsOutput = false;
  await terminal.until('an answer', () => (terminal.messages.some(({ type }) => type === 'open' || type === 'closed') ? true : undefined), 30_000);
  return terminal;
}

/** Opens terminals and does something with each of them again and again until the time is over. */
async function terminals(stage: Stage, seconds: number, count: number, ids: Stage['ids'], act: (terminal: TerminalClient) => void): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const one = async () => {
    while (performance.now() < end) {
      const terminal = await open(stage, ids);
      while (performance.now() < end && terminal.closeCode === undefined) {
        act(terminal);
        await sleep(20);
      }
      await terminal.close();
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}

/** Types a line once in each terminal. */
const once = (line: string, setUp: (terminal: TerminalClient) => void = () => undefined) => {
  const typed = new WeakSet<TerminalClient>();
  return (terminal: TerminalClient) => {
    if (typed.has(terminal)) return;
    typed.add(terminal);
    setUp(terminal);
    terminal.type(line);
  };
};

async function idleUpgrades({ server }: Stage, seconds: number): Promise<void> {
  const { port } = new URL(server.url);
  const sockets = Array.from({ length: 150 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'GET /ws/terminal/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    return socket;
  });
  await sleep(seconds * 1000);
  for (const socket of sockets) socket.destroy();
}

async function manySockets({ server, client }: Stage, seconds: number): Promise<void> {
  const sockets = Array.from({ length: 400 }, () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/terminal/`, { headers: { authorization: `Bearer ${client.token}` } });
    socket.on('error', () => undefined);
    return socket;
  });
  await sleep(seconds * 1000);
  for (const socket of sockets) socket.terminate();
}

/** Downloads recordings and hangs up in the middle. */
async function abortedDownloads({ server, client }: Stage, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const found = await client.get<readonly { id: string; can_replay: boolean }[]>('terminal/sessions/?is_finished=true');
  const [session] = found.filter(({ can_replay: canReplay }) => canReplay);
  while (session && performance.now() < end) {
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${client.token}` };
    const answer = fetch(`${server.url}/api/v1/terminal/sessions/${session.id}/replay/download/`, { headers, signal: controller.signal });
    await answer.then((response) => response.body?.getReader().read()).catch(() => undefined);
    controller.abort();
  }
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'switches of modes',
    run: (stage, seconds) => terminals(stage, seconds, 4, stage.ids, once("yes $'\\e[?1049h\\e[?1049l\\e[?25l\\e[?2004h' | tr -d '\\n'\r")),
  },
  {
    name: 'targets that ignore the window',
    run: (stage, seconds) =>
      terminals(stage, seconds, 2, stage.ignorer, (terminal) => {
        terminal.acknowledges = false;
      }),
  },
  { name: 'endless sequences', run: (stage, seconds) => terminals(stage, seconds, 4, stage.banner, () => undefined) },
  {
    name: 'a reader that draws nothing',
    run: (stage, seconds) =>
      terminals(
        stage,
        seconds,
        8,
        stage.ids,
        once('yes 0123456789\r', (terminal) => {
          terminal.acknowledges = false;
        }),
      ),
  },
  {
    name: 'frames of Enter keys',
    run: (stage, seconds) => terminals(stage, seconds, 4, stage.ids, (terminal) => terminal.socket.send(Buffer.alloc(64 * 1024, '\r'))),
  },
  {
    name: 'new sizes',
    run: (stage, seconds) =>
      terminals(stage, seconds, 4, stage.ids, (terminal) => terminal.send({ type: 'resize', cols: 2 + Math.floor(Math.random() * 990), rows: 250 })),
  },
  { name: 'downloads that are broken off', run: abortedDownloads },
  { name: 'upgrades that nobody answers', run: idleUpgrades },
  { name: 'many sockets', run: manySockets },
];
