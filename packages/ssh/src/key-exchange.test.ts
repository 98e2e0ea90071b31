import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { expect, it } from 'vitest';
import { readOffer } from './key-exchange.ts';
import { type KexAlgorithm, ssh2 } from './ssh2.ts';
import { useIncoming } from './testing/incoming-server.ts';

const HYBRID = 'mlkem768x25519-sha256';
const KEXINIT = 20;
const NEWKEYS = 21;
const KEX_REPLY = 31;
const DISCONNECT = 1;

const server = useIncoming([HYBRID as KexAlgorithm, 'curve25519-sha256', 'ecdh-sha2-nistp256']);

async function connect(kex: readonly string[]) {
  const accepted = server.next();
  const client = new ssh2.Client();
  const algorithms = { kex: [...kex] as KexAlgorithm[] };
  client.connect({ host: '127.0.0.1', port: server.port(), username: 'a', algorithms });
  const [negotiated] = (await once(client, 'handshake')) as [{ kex: string }];
  await once(client, 'ready');
  return { client, negotiated, connection: await accepted };
}

it('negotiates the hybrid exchange when both sides support it, and rekeys', async () => {
  const { client, negotiated, connection } = await connect([HYBRID, 'curve25519-sha256']);
  expect(negotiated.kex).toBe(HYBRID);
  const again = once(client, 'handshake');
  await new Promise<void>((done) => connection.rekey(() => done()));
  expect(await again).toMatchObject([{ kex: HYBRID }]);
  client.end();
  await once(client, 'close');
});

it('negotiates a classical exchange when the client supports no other', async () => {
  const { client, negotiated } = await connect(['ecdh-sha2-nistp256', 'curve25519-sha256']);
  expect(negotiated.kex).toBe('ecdh-sha2-nistp256');
  client.end();
  await once(client, 'close');
});

/** Encodes an unencrypted packet (RFC 4253, section 6). */
function packet(payload: Buffer): Buffer {
  const padding = 16 - ((5 + payload.length) % 8);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/**
 * Connects like Dropbear with a guess right after the offer, and returns the types of received
 * packets.
 */
async function guess(kex: string, hostKey: string, first: readonly Buffer[]): Promise<number[]> {
  const lists = [
    kex,
    hostKey,
    ...Array<string>(2).fill('aes128-gcm@openssh.com'),
    ...Array<string>(2).fill('hmac-sha2-256'),
  ];
  const offer = Buffer.concat([
    Buffer.from([KEXINIT]),
    Buffer.alloc(16),
    ...[...lists, 'none', 'none', '', ''].map(text),
    Buffer.from([1, 0, 0, 0, 0]),
  ]);
  expect(readOffer(offer)).toMatchObject({ hasGuess: true });
  const socket = connectTcp(server.port(), '127.0.0.1');
  socket.write(
    Buffer.concat([Buffer.from('SSH-2.0-dropbear\r\n'), packet(offer), ...first.map(packet)]),
  );
  let read = Buffer.alloc(0);
  for await (const chunk of socket) {
    read = Buffer.concat([read, chunk as Buffer]);
    const types = typesIn(read);
    if (types.includes(NEWKEYS) || types.includes(DISCONNECT)) return types;
  }
  return typesIn(read);
}

function typesIn(read: Buffer): number[] {
  const types: number[] = [];
  for (
    let at = read.indexOf('\n') + 1;
    at > 0 && at + 5 < read.length;
    at += 4 + read.readUInt32BE(at)
  )
    types.push(read.readUInt8(at + 5));
  return types;
}

/** First message of a Curve25519 exchange, with the base point. */
const INIT = Buffer.concat([
  Buffer.from([30]),
  text(Buffer.concat([Buffer.from([9]), Buffer.alloc(31)])),
]);
const HYBRID_INIT = Buffer.concat([
  Buffer.from([30]),
  text(Buffer.concat([Buffer.alloc(1184), Buffer.from([9]), Buffer.alloc(31)])),
]);

it('answers a right guess of the client and ignores a wrong one', async () => {
  expect(await guess(`${HYBRID},curve25519-sha256`, 'ssh-ed25519', [HYBRID_INIT])).toEqual([
    KEXINIT,
    KEX_REPLY,
    NEWKEYS,
  ]);
  expect(
    await guess('curve25519-sha256', 'ssh-ed25519', [Buffer.from([30, 0, 0, 0, 0]), INIT]),
  ).toEqual([KEXINIT, KEX_REPLY, NEWKEYS]);
  expect(
    await guess(`${HYBRID},curve25519-sha256`, 'rsa-sha2-256,ssh-ed25519', [INIT, HYBRID_INIT]),
  ).toEqual([KEXINIT, KEX_REPLY, NEWKEYS]);
});

it('disconnects when a hybrid key has another length', async () => {
  expect(await guess(HYBRID, 'ssh-ed25519', [INIT])).toContain(DISCONNECT);
});
