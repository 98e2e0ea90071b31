import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  type AuthContext,
  type Connection,
  generateSshKeyPair,
  type PseudoTtyInfo,
  type ServerChannel,
  type Session,
  ssh2,
} from '@sallyport/ssh';
import { runLine } from './run-line.ts';
import { serveFiles } from './serve-files.ts';
import { newState, Visit } from './visit.ts';

const MAX_CONNECTIONS = 64;
const MAX_ATTEMPTS = 3;

/** An account of the demo target; the caller stores its password in the demo's data. */
export interface DemoAccount {
  readonly username: string;
  readonly password: string;
}

export interface DemoTargetOptions {
  /** An OpenSSH private key, for example of {@link generateHostKey}. */
  readonly hostKey: string;
  readonly accounts: readonly DemoAccount[];
  /** Default: any free port. */
  readonly port?: number;
}

/** A demo target on loopback. */
export interface DemoTarget {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

export function generateHostKey(): string {
  return generateSshKeyPair('sallyport demo target').private;
}

/** Starts an SSH server with a simulated in-memory shell, without access to the host. */
export async function startDemoTarget(options: DemoTargetOptions): Promise<DemoTarget> {
  const connections = new Set<Connection>();
  const server = new ssh2.Server(
    { hostKeys: [options.hostKey], ident: 'DemoTarget' },
    (connection) => {
      if (connections.size >= MAX_CONNECTIONS) {
        connection.end();
        return;
      }
      connections.add(connection);
      let attempts = 0;
      let username = '';
      connection.on('error', () => undefined);
      connection.on('close', () => connections.delete(connection));
      connection.on('authentication', (attempt) => {
        if (isRight(attempt, options.accounts)) {
          username = attempt.username;
          attempt.accept();
        } else {
          if (attempt.method !== 'none' && ++attempts > MAX_ATTEMPTS) connection.end();
          attempt.reject(['password']);
        }
      });
      // The library rejects forwarding, because it is not accepted here.
      connection.on('ready', () =>
        connection.on('session', (accept) => serveSession(accept(), username)),
      );
    },
  );
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the demo target has no port');
  const { port } = address;
  return {
    host: '127.0.0.1',
    port,
    stop: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const connection of connections) connection.end();
      await closed;
    },
  };
}

function isRight(attempt: AuthContext, accounts: readonly DemoAccount[]): boolean {
  if (attempt.method !== 'password') return false;
  const { username, password } = attempt;
  const same = (a: string, b: string) =>
    timingSafeEqual(
      createHash('sha256').update(a).digest(),
      createHash('sha256').update(b).digest(),
    );
  return accounts.some((one) => same(username, one.username) && same(password, one.password));
}

function serveSession(session: Session, user: string): void {
  let size = { columns: 80, rows: 24 };
  let visit: Visit | undefined;
  const take = (info: Pick<PseudoTtyInfo, 'cols' | 'rows'>) => {
    size = {
      columns: Math.min(Math.max(info.cols, 2), 1000),
      rows: Math.min(Math.max(info.rows, 2), 1000),
    };
    visit?.resize(size.columns, size.rows);
  };
  session.on('pty', (accept, _reject, info) => {
    take(info);
    accept?.();
  });
  session.on('window-change', (accept, _reject, info) => {
    take(info);
    accept?.();
  });
  session.on('shell', (accept) => {
    visit = serveShell(accept(), user, size);
  });
  session.on('subsystem', (accept, reject, { name }) => {
    if (name === 'sftp') serveFiles(accept(), newState(user).files);
    else reject?.();
  });
  session.on('exec', (accept, _reject, info) => void serveCommand(accept(), user, info.command));
}

function serveShell(
  channel: ServerChannel,
  user: string,
  size: { columns: number; rows: number },
): Visit {
  const decoder = new TextDecoder();
  let waiting = '';
  let scheduled: NodeJS.Immediate | undefined;
  // Send the output of a tick as one packet: each packet has a cost, and a prompt has several
  // parts.
  const flush = () => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (channel.writable && waiting !== '') channel.write(waiting);
    waiting = '';
  };
  const visit = new Visit(user, size, {
    write: (text) => {
      waiting += text;
      scheduled ??= setImmediate(flush);
    },
    drained: async () => {
      flush();
      if (channel.writableNeedDrain && channel.writable)
        await Promise.race([once(channel, 'drain'), once(channel, 'close')]);
    },
    end: (status) => {
      flush();
      leave(channel, status);
    },
  });
  channel.on('data', (chunk: Buffer) => visit.keys(decoder.decode(chunk, { stream: true })));
  channel.on('error', () => undefined);
  channel.on('close', () => visit.leave());
  return visit;
}

async function serveCommand(channel: ServerChannel, user: string, command: string): Promise<void> {
  const state = newState(user);
  const stopped = new AbortController();
  channel.on('error', () => undefined);
  channel.on('close', () => stopped.abort());
  channel.resume();
  await runLine(command, {
    state,
    screen: undefined,
    signal: stopped.signal,
    write: (text) => {
      if (channel.writable) channel.write(text);
    },
  });
  leave(channel, state.status);
}

function leave(channel: ServerChannel, status: number): void {
  if (!channel.writable) return;
  channel.exit(status);
  channel.end();
}
