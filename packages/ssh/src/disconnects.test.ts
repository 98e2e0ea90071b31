import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { expect, it } from 'vitest';
import { DisconnectReason, disconnectMessage, endConnection } from './disconnects.ts';
import { protocolOf, sendMessage } from './internals.ts';
import { reportDisconnect, ServerDisconnect } from './program-ends.ts';
import { type Client, type Connection, ssh2 } from './ssh2.ts';
import { useIncoming } from './testing/incoming-server.ts';
import { counted } from './texts.ts';

const [DISCONNECT, SERVICE_REQUEST, KEXINIT] = [1, 5, 20] as const;

const server = useIncoming(['curve25519-sha256']);

async function connect() {
  const accepted = server.next();
  const client = new ssh2.Client();
  const disconnected = new Promise<ServerDisconnect>((done) => {
    client.on('error', (error) => {
      if (error instanceof ServerDisconnect) done(error);
    });
  });
  client.connect({ host: '127.0.0.1', port: server.port(), username: 'a' });
  reportDisconnect(client);
  await once(client, 'ready');
  return { client, connection: await accepted, disconnected };
}

it('ends a connection with the reason and the text of the caller, also during a key exchange', async () => {
  for (const isExchanging of [false, true]) {
    const { client, connection, disconnected } = await connect();
    if (isExchanging) connection.rekey(() => undefined);
    endConnection(connection, DisconnectReason.noMoreMethods, 'Too many failures.');
    expect(await disconnected).toMatchObject({ reason: 14, text: 'Too many failures.' });
    client.end();
  }
});

it.each<[string, (parts: { client: Client; connection: Connection }) => unknown, object]>([
  [
    'an end without a text',
    ({ connection }) => connection.end(),
    { reason: 11, text: 'The server closed the connection.' },
  ],
  [
    'a service after the sign-in',
    ({ client }) =>
      sendMessage(
        protocolOf(client),
        Buffer.concat([Buffer.from([SERVICE_REQUEST]), counted('ssh-userauth')]),
      ),
    { reason: 7, text: expect.stringContaining('service') },
  ],
  [
    'a malformed message',
    ({ client }) => sendMessage(protocolOf(client), Buffer.from([SERVICE_REQUEST, 0, 0])),
    { reason: 2, text: expect.stringContaining('protocol does not allow') },
  ],
])('explains %s', async (_, act, expected) => {
  const { client, connection, disconnected } = await connect();
  act({ client, connection });
  expect(await disconnected).toMatchObject(expected);
  client.end();
});

/** Encodes an unencrypted packet (RFC 4253, section 6). */
function packet(payload: Buffer): Buffer {
  const padding = 16 - ((5 + payload.length) % 8);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

it('explains an offer without a common algorithm, which no client of this library sends', async () => {
  const lists = ['diffie-hellman-group1-sha1', 'ssh-dss', 'des', 'des', 'hmac-md5', 'hmac-md5'];
  const offer = Buffer.concat([
    Buffer.from([KEXINIT]),
    Buffer.alloc(16),
    ...[...lists, 'none', 'none', '', ''].map(counted),
    Buffer.alloc(5),
  ]);
  const socket = connectTcp(server.port(), '127.0.0.1');
  socket.write(Buffer.concat([Buffer.from('SSH-2.0-old\r\n'), packet(offer)]));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const read = Buffer.concat(chunks);
  const text = 'The key exchange failed. Client and server may have no algorithm in common.';
  expect(read.includes(disconnectMessage(DisconnectReason.keyExchangeFailed, text))).toBe(true);
  expect(disconnectMessage(3, text)[0]).toBe(DISCONNECT);
});
