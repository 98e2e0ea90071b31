import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type SecureContextOptions, TLSSocket } from 'node:tls';

/** Answers of a server until a client begins TLS; undefined when it may begin. */
type Dialog = (socket: Socket) => Promise<void>;

const next = async (socket: Socket): Promise<Buffer> =>
  ((await once(socket, 'data')) as [Buffer])[0];

const DIALOGS = {
  async smtp(socket) {
    socket.write('220 ready\r\n');
    await next(socket);
    socket.write('250-here\r\n250 STARTTLS\r\n');
    await next(socket);
    socket.write('220 go\r\n');
  },
  async ldap(socket) {
    // The message ID of a short request is its fifth byte.
    const id = (await next(socket))[4] ?? 0;
    socket.write(Buffer.from([0x30, 12, 2, 1, id, 0x78, 7, 10, 1, 0, 4, 0, 4, 0]));
  },
} satisfies Readonly<Record<string, Dialog>>;

/** Starts a mail server or a directory that knows nothing but the way to TLS. */
export async function startTlsServer(
  kind: keyof typeof DIALOGS,
  options: SecureContextOptions,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    DIALOGS[kind](socket).then(
      () => new TLSSocket(socket, { ...options, isServer: true }).on('error', () => undefined),
      () => socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
