// Run by hostile-sessions.ts: users who open sessions again and again, each on one target.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DATABASE_SOCKET_PATH,
  DESKTOP_SOCKET_PATH,
  TERMINAL_SOCKET_PATH,
} from '@sallyport/contract';
import { RdpPage } from '@sallyport/rdp';
import { ssh2 } from '@sallyport/ssh';
import { WebSocket } from 'ws';
import type { MeasuredProtocol } from './hostile-targets-process.ts';
import { runPart } from './part-process.ts';

/** A session lasts at most this long, and the next one begins no earlier. */
const HOLD_MS = 10_000;

/** A granted target: the ids of its asset or database and its account, or a login over SSH. */
export interface GrantedTarget {
  readonly ids: Readonly<Record<string, string>>;
  readonly login: string;
}

export interface HostileClientsOptions {
  readonly protocol: MeasuredProtocol;
  readonly url: string;
  readonly token: string;
  readonly sshPort: number;
  readonly privateKey: string;
  readonly targets: readonly GrantedTarget[];
  readonly count: number;
}

/** Opens a session, and settles when it has ended. `close` ends it. */
type Open = (target: GrantedTarget, signal: AbortSignal) => Promise<unknown>;

const throughSocket =
  ({ protocol, url, token }: HostileClientsOptions): Open =>
  ({ ids }, signal) => {
    const isDesktop = protocol === 'vnc' || protocol === 'rdp';
    const isTerminal = protocol.endsWith('handshakes');
    const path = isTerminal
      ? TERMINAL_SOCKET_PATH
      : isDesktop
        ? DESKTOP_SOCKET_PATH
        : DATABASE_SOCKET_PATH;
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${token}` },
    });
    const send = (message: object) => socket.send(JSON.stringify(message));
    const page = new RdpPage((bytes) => socket.send(bytes));
    socket.on('error', () => undefined);
    socket.on('open', () =>
      send({
        type: 'connect',
        ...ids,
        ...(isDesktop && { width: 1024, height: 768 }),
        ...(isTerminal && { cols: 80, rows: 24 }),
      }),
    );
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        if (protocol === 'rdp') page.take(data);
        send({ type: 'ack', bytes: data.length });
        return;
      }
      const { type } = JSON.parse(data.toString());
      if (type === 'desktop' && protocol === 'rdp') page.begin();
      if (type === 'open' && isTerminal) socket.send(Buffer.from('echo still here\r'));
      else if (type === 'open' && !isDesktop)
        send({ type: 'run', run: 1, text: protocol === 'redis' ? 'get a' : 'select 1' });
    });
    signal.addEventListener('abort', () => socket.close());
    return new Promise((done) => socket.once('close', done));
  };

const overSftp =
  ({ sshPort, privateKey }: HostileClientsOptions): Open =>
  ({ login }, signal) => {
    const client = new ssh2.Client();
    client.on('error', () => undefined);
    client.on('ready', () =>
      client.sftp((error, sftp) => {
        if (error) client.end();
        else sftp.readdir('.', () => undefined);
      }),
    );
    client.connect({
      sock: connect({ host: '127.0.0.1', port: sshPort, noDelay: true }),
      username: login,
      privateKey,
    });
    signal.addEventListener('abort', () => client.end());
    return new Promise<void>((done) => client.once('close', () => done()));
  };

runPart(async (options: HostileClientsOptions) => {
  const { protocol, targets, count } = options;
  const open = protocol === 'sftp' ? overSftp(options) : throughSocket(options);
  let next = 0;
  const use = async () => {
    for (;;) {
      const target = targets[next++ % targets.length];
      if (!target) return;
      const controller = new AbortController();
      const held = sleep(HOLD_MS);
      const ended = open(target, controller.signal);
      await Promise.race([held, ended]);
      controller.abort();
      await Promise.all([held, ended]);
    }
  };
  for (let started = 0; started < count; started++) {
    void use();
    await sleep(HOLD_MS / count);
  }
  return {};
});
