import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AuthContext, type ServerChannel, ssh2 } from '../../platform/ssh/ssh2.ts';

/** Host key of all servers of a worker. */
const { privateKey: HOST_KEY } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** An SSH server whose misbehavior a test defines. Accepts every sign-in by default. */
export interface HostileServer {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts a server on loopback. `shell` handles each terminal, `exec` each command, and `accepts`
 * decides on sign-ins.
 */
export async function startHostileServer(
  shell: (channel: ServerChannel, packets: RawPackets) => void,
  exec?: (command: string, channel: ServerChannel) => void,
  accepts: (context: AuthContext) => boolean = () => true,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
    const socket: unknown = Reflect.get(client, '_sock');
    if (isSocket(socket)) sockets.add(socket);
    client.on('error', () => undefined);
    client.on('authentication', (context) =>
      accepts(context) ? context.accept() : context.reject(),
    );
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (allow) => allow?.());
      session.on('window-change', (allow) => allow?.());
      session.on('exec', (open, refuse, { command }) => {
        if (exec) exec(command, open());
        else refuse();
      });
      session.on('shell', (open) => {
        const channel = open();
        channel.on('error', () => undefined);
        shell(channel, rawPacketsOf(client, channel));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  return {
    host: '127.0.0.1',
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Packets that violate the protocol. */
export interface RawPackets {
  /** Sends output beyond the window; returns false if the connection is closed. */
  data(bytes: Buffer): boolean;
  /** Sends a request that requires an answer. */
  ping(): boolean;
  /** True while sent packets still wait in this process. */
  readonly isFull: boolean;
  /** Stops reading from the client. */
  deafen(): void;
  hear(): void;
}

/** Accesses internals of ssh2 to break the rules of the protocol. */
function rawPacketsOf(client: object, channel: ServerChannel): RawPackets {
  const protocol: unknown = Reflect.get(client, '_protocol');
  const socket: unknown = Reflect.get(client, '_sock');
  const outgoing: unknown = Reflect.get(channel, 'outgoing');
  if (
    !isProtocol(protocol) ||
    !isSocket(socket) ||
    typeof outgoing !== 'object' ||
    outgoing === null
  )
    throw new Error('ssh2 has changed inside');
  const id = Number(Reflect.get(outgoing, 'id'));
  return {
    data: (bytes) => {
      if (!socket.writable) return false;
      protocol.channelData(id, bytes);
      return true;
    },
    ping: () => {
      if (!socket.writable) return false;
      protocol.ping();
      return true;
    },
    get isFull() {
      return socket.writableLength > 1024 * 1024;
    },
    deafen: () => void socket.pause(),
    hear: () => void socket.resume(),
  };
}

interface Protocol {
  channelData(id: number, bytes: Buffer): void;
  ping(): void;
}

function isProtocol(value: unknown): value is Protocol {
  return typeof value === 'object' && value !== null && 'channelData' in value && 'ping' in value;
}

function isSocket(value: unknown): value is Socket {
  return (
    typeof value === 'object' && value !== null && 'writableLength' in value && 'pause' in value
  );
}

/** Sends packets at full speed until the connection closes or `until` returns true. */
export function flood(
  packets: RawPackets,
  send: () => boolean,
  until: () => boolean = () => false,
): void {
  const more = () => {
    for (let turn = 0; turn < 256 && !packets.isFull; turn++) if (until() || !send()) return;
    setImmediate(more);
  };
  more();
}
