import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawPackets } from '@sallyport/ssh';
import { WebSocket } from 'ws';
import {
  flood,
  type HostileServer,
  startHostileServer,
} from '../../server/src/testing/ssh/hostile-ssh.ts';
import { TerminalClient } from '../../server/src/testing/terminals/terminal-client.ts';
import type { TargetedServer } from './target.ts';

const ANSWER_MS = 20_000;

/** Something that a target or a client does wrong. */
export interface Attack {
  readonly name: string;
  /** Attacks for some seconds, then leaves. */
  readonly run: (stage: Stage, seconds: number) => Promise<void>;
}

export interface Login {
  readonly asset: string;
  readonly system_user: string;
}

/** A bastion with an honest target and with targets that do as they like. */
export interface Stage extends TargetedServer {
  readonly targets: Readonly<Record<Wrong, Login>>;
  /** Terminals that were refused, or got no answer in time. */
  unanswered: number;
}

/** Misbehavior of the attacking targets. */
const TARGETS = {
  ignoresWindow: () =>
    packetsWithoutEnd((packets, bytes) => packets.data(bytes), Buffer.alloc(30_001, 'a')),
  singleBytes: () => packetsWithoutEnd((packets, bytes) => packets.data(bytes), Buffer.from('a')),
  requests: () => packetsWithoutEnd((packets) => packets.ping(), Buffer.alloc(0)),
  sequences: () =>
    endlessOutput(Buffer.from('\x1b[?25l\x1b[2J\x1b[999999999L\x1b[?25h'.repeat(500))),
} as const satisfies Record<string, () => Promise<HostileServer>>;

type Wrong = keyof typeof TARGETS;

/** Starts the targets and grants them to the administrator. */
export async function prepareStage(
  target: TargetedServer,
): Promise<Stage & { stopTargets(): Promise<void> }> {
  const servers: HostileServer[] = [];
  const logins: [string, Login][] = [];
  for (const [name, start] of Object.entries(TARGETS)) {
    const server = await start();
    servers.push(server);
    logins.push([name, await addTarget(target, server, name)]);
  }
  return {
    ...target,
    unanswered: 0,
    targets: Object.fromEntries(logins) as Record<Wrong, Login>,
    stopTargets: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

const packetsWithoutEnd = (
  send: (packets: RawPackets, bytes: Buffer) => boolean,
  bytes: Buffer,
): Promise<HostileServer> =>
  startHostileServer((_channel, packets) => flood(packets, () => send(packets, bytes)));

const endlessOutput = (bytes: Buffer): Promise<HostileServer> =>
  startHostileServer((channel) => {
    const more = () => {
      while (channel.writable && channel.write(bytes));
      if (channel.writable) channel.once('drain', more);
    };
    more();
  });

/** Grants a target of the bench to the administrator. */
export async function addTarget(
  { client }: TargetedServer,
  { host = '127.0.0.1', port }: { readonly host?: string; readonly port: number },
  name: string,
  protocol: 'ssh' | 'telnet' = 'ssh',
): Promise<Login> {
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', {
    hostname: name,
    ip: host,
    platform: 'Linux',
    protocols: [`${protocol}/${port}`],
  });
  const account = await make('assets/system-users/', {
    name,
    username: 'root',
    protocol,
    password: 'not a secret',
    auto_push: false,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', {
    name,
    users: [me],
    assets: [asset],
    system_users: [account],
  });
  return { asset, system_user: account };
}

/** Opens a terminal; `undefined` when it is refused or gets no answer in time. */
async function open(stage: Stage, ids: Login): Promise<TerminalClient | undefined> {
  const { server, client } = stage;
  try {
    const terminal = await TerminalClient.connect(server.url.replace('http', 'ws'), ids, {
      authorization: `Bearer ${client.token}`,
    });
    terminal.keepsOutput = false;
    const hasAnswer = () =>
      terminal.messages.some(({ type }) => type === 'open' || type === 'closed');
    await terminal
      .until('an answer', () => (hasAnswer() ? true : undefined), ANSWER_MS)
      .catch(() => terminal.socket.terminate());
    return hasAnswer() ? terminal : undefined;
  } catch {
    return undefined;
  }
}

/** Opens terminals and repeats an action with each until the time has passed. */
async function terminals(
  stage: Stage,
  seconds: number,
  count: number,
  ids: Login,
  act: (terminal: TerminalClient) => void,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const one = async () => {
    while (performance.now() < end) {
      const terminal = await open(stage, ids);
      if (!terminal) stage.unanswered++;
      while (terminal && performance.now() < end && terminal.closeCode === undefined) {
        act(terminal);
        await sleep(20);
      }
      terminal?.socket.terminate();
      await sleep(20);
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
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/terminal/`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    socket.on('error', () => undefined);
    return socket;
  });
  await sleep(seconds * 1000);
  for (const socket of sockets) socket.terminate();
}

/** Downloads recordings and hangs up in the middle. */
async function abortedDownloads({ server, client }: Stage, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const sessions = await client.get<readonly { id: string; can_replay: boolean }[]>(
    'terminal/sessions/?is_finished=true',
  );
  const [session] = sessions.filter(({ can_replay: canReplay }) => canReplay);
  while (session && performance.now() < end) {
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${client.token}` };
    const answer = fetch(`${server.url}/api/v1/terminal/sessions/${session.id}/replay/download/`, {
      headers,
      signal: controller.signal,
    });
    await answer.then((response) => response.body?.getReader().read()).catch(() => undefined);
    controller.abort();
  }
}

/** Everything wrong, one after the other. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'switches of modes',
    run: (stage, seconds) =>
      terminals(
        stage,
        seconds,
        4,
        stage.ids,
        once("yes $'\\e[?1049h\\e[?1049l\\e[?25l\\e[?2004h' | tr -d '\\n'\r"),
      ),
  },
  {
    name: 'targets that ignore the window',
    run: (stage, seconds) =>
      terminals(stage, seconds, 2, stage.targets.ignoresWindow, (terminal) => {
        terminal.acknowledges = false;
      }),
  },
  {
    name: 'endless sequences',
    run: (stage, seconds) => terminals(stage, seconds, 4, stage.targets.sequences, () => undefined),
  },
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
    run: (stage, seconds) =>
      terminals(stage, seconds, 4, stage.ids, (terminal) =>
        terminal.socket.send(Buffer.alloc(64 * 1024, '\r')),
      ),
  },
  {
    name: 'frames of one key',
    run: (stage, seconds) =>
      terminals(stage, seconds, 4, stage.ids, (terminal) => {
        for (let key = 0; key < 5000; key++) terminal.type('\r');
      }),
  },
  {
    name: 'packets of one byte',
    run: (stage, seconds) =>
      terminals(stage, seconds, 4, stage.targets.singleBytes, () => undefined),
  },
  {
    name: 'requests of a target',
    run: (stage, seconds) => terminals(stage, seconds, 4, stage.targets.requests, () => undefined),
  },
  {
    name: 'new sizes',
    run: (stage, seconds) =>
      terminals(stage, seconds, 4, stage.ids, (terminal) =>
        terminal.send({ type: 'resize', cols: 2 + Math.floor(Math.random() * 990), rows: 250 }),
      ),
  },
  { name: 'downloads that are broken off', run: abortedDownloads },
  { name: 'upgrades that nobody answers', run: idleUpgrades },
  { name: 'many sockets', run: manySockets },
];
