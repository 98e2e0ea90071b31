import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const PROTOCOL_3 = 0x00030000;
const TLS_REQUEST = 80877103;
const CANCEL_REQUEST = 80877102;
const MOST_STARTUP = 4096;
const MOST_CONNECTIONS = 30;
const STARTUP_MS = 10_000;

/** Forwards one role of a PostgreSQL on a Unix socket to a loopback port. */
export interface Bridge {
  readonly port: number;
  stop(): Promise<void>;
}

/** Limits of the bridge: local users must not try the passwords of other roles. */
export interface BridgeOptions {
  readonly socketFile: string;
  readonly role: string;
  readonly database: string;
  /** 0: any free port. */
  readonly port: number;
}

/**
 * First message of a client: role and database, a TLS request, a cancel request, or an unknown one.
 */
type Beginning =
  | { readonly user: string | undefined; readonly database: string | undefined }
  | 'tls'
  | 'cancel'
  | 'unknown';

/** Parses the first message; undefined while incomplete. */
function readBeginning(
  bytes: Buffer,
): { readonly length: number; readonly beginning: Beginning } | undefined {
  if (bytes.length < 8) return undefined;
  const length = bytes.readUInt32BE(0);
  const code = bytes.readUInt32BE(4);
  if (length < 8 || length > MOST_STARTUP) return { length, beginning: 'unknown' };
  if (bytes.length < length) return undefined;
  if (code === TLS_REQUEST) return { length, beginning: 'tls' };
  if (code === CANCEL_REQUEST) return { length, beginning: 'cancel' };
  if (code !== PROTOCOL_3) return { length, beginning: 'unknown' };
  const words = bytes.toString('utf8', 8, length).split('\0');
  const parameters = new Map<string, string | undefined>();
  for (let at = 0; at + 1 < words.length; at += 2) parameters.set(words[at] ?? '', words[at + 1]);
  return {
    length,
    beginning: { user: parameters.get('user'), database: parameters.get('database') },
  };
}

/** @throws system error if the port is unavailable */
export async function startBridge({
  socketFile,
  role,
  database,
  port,
}: BridgeOptions): Promise<Bridge> {
  const open = new Set<Socket>();
  const join = (near: Socket, first: Buffer) => {
    const far = connect(socketFile);
    open.add(far);
    far.once('close', () => {
      open.delete(far);
      near.destroy();
    });
    far.on('error', () => near.destroy());
    near.once('close', () => far.destroy());
    far.write(first);
    near.pipe(far).pipe(near);
  };
  const server = createServer((near) => {
    open.add(near);
    const late = setTimeout(() => near.destroy(), STARTUP_MS);
    near.once('close', () => {
      clearTimeout(late);
      open.delete(near);
    });
    near.on('error', () => near.destroy());
    let bytes = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const begun = readBeginning(bytes);
      if (!begun) return;
      const { length, beginning } = begun;
      if (beginning === 'tls') {
        bytes = bytes.subarray(length);
        near.write('N');
        return;
      }
      near.off('data', take);
      clearTimeout(late);
      const isOurs =
        beginning === 'cancel' ||
        (typeof beginning === 'object' &&
          beginning.user === role &&
          beginning.database === database);
      if (isOurs) join(near, bytes);
      else near.destroy();
    };
    near.on('data', take);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
