import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Connection, ssh2 } from '@sallyport/ssh';
import { drip, repeat, stall } from './hostile-server.ts';

const { privateKey: HOST_KEY } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** The session of a terminal continues. */
export const CONTINUES = 'continues';

/** One way in which an SSH server misbehaves. */
export interface HostileSsh {
  readonly name: string;
  readonly serve: (socket: Socket) => unknown;
  /** Reason with which the session ends, or `CONTINUES`. */
  readonly expected: string;
  /** It only ends by a timeout. */
  readonly stalls?: boolean;
}

/** The members of a private class of ssh2 that send packets. */
interface Sender {
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number;
      alloc(length: number): Buffer;
      finalize(packet: Buffer): Buffer;
    };
  };
  readonly _cipher: { encrypt(packet: Buffer): void };
  rekey(): void;
  serviceAccept(name: string): void;
  channelOpenConfirm(theirs: number, ours: number, window: number, packetSize: number): void;
}

const senderOf = (client: object): Sender => Reflect.get(client, '_protocol') as Sender;

/** Sends a packet with any payload. */
export function send(client: object, payload: Buffer): void {
  const { _packetRW: packets, _cipher: cipher } = senderOf(client);
  const packet = packets.write.alloc(payload.length);
  packet.set(payload, packets.write.allocStart);
  cipher.encrypt(packets.write.finalize(packet));
}

/** Sends packets without end, as fast as the gateway reads them. */
function sendAlways(client: Connection, socket: Socket, payload: Buffer): void {
  const more = () => {
    for (let turn = 0; turn < 64 && socket.writableLength < 256 * 1024; turn++) {
      if (socket.destroyed || !socket.writable) return;
      send(client, payload);
    }
    if (!socket.destroyed) setImmediate(more);
  };
  more();
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A string of the protocol, in ASCII. */
export const text = (value: string): Buffer =>
  Buffer.concat([uint32(value.length), Buffer.from(value)]);
export const payload = (type: number, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([type]), ...parts]);

/** Sends the first packets of a server, and drops the rest. */
function stopAfter(socket: Socket, count: number): Socket {
  const write = socket.write.bind(socket);
  let sent = 0;
  return Object.assign(socket, {
    write: (bytes: Buffer) => {
      sent += 1;
      return sent > count || write(bytes);
    },
  });
}

type Use = (client: Connection, socket: Socket) => void;

/** A server that completes the key exchange, and then does as told. */
const keyed =
  (use: Use) =>
  (socket: Socket, prepare: (client: Connection) => void = () => undefined) => {
    const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
      client.on('error', () => undefined);
      prepare(client);
      use(client, socket);
    });
    server.injectSocket(socket);
  };
/** The same, for a server that accepts every account. */
const accepting = (use: Use) =>
  keyed((client, socket) => {
    client.on('authentication', (context) => context.accept());
    use(client, socket);
  });
/** The same, with a terminal that shows a prompt before the attack. */
const terminal = (use: Use) =>
  accepting((client, socket) => {
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (allow) => allow?.());
      session.on('window-change', (allow) => allow?.());
      session.on('shell', (open) => {
        const channel = open();
        channel.on('error', () => undefined);
        channel.resume();
        channel.write('ready> ');
        setImmediate(() => use(client, socket));
      });
    });
  });
/** Starts the attack with the first request to sign in, which stays unanswered. */
const unanswered = (use: Use) =>
  keyed((client, socket) => client.once('authentication', () => use(client, socket)));

const IDENTIFICATION = 'SSH-2.0-OpenSSH_9.2\r\n';
const CHANNEL = uint32(0);
/** A question of keyboard-interactive with `count` hidden prompts. */
const question = (count: number): Buffer =>
  payload(
    60,
    text(''),
    text(''),
    text(''),
    uint32(count),
    ...Array.from({ length: Math.min(count, 5000) }, () =>
      Buffer.concat([text('P'), Buffer.from([0])]),
    ),
  );
/** An unencrypted packet. */
const plain = (body: Buffer): Buffer => {
  const padding = 12 - ((body.length + 1) % 8);
  return Buffer.concat([
    uint32(body.length + 1 + padding),
    Buffer.from([padding]),
    body,
    Buffer.alloc(padding),
  ]);
};
/** Algorithms of a server that has one of each kind. */
const algorithms = (exchange: string): Buffer =>
  plain(
    payload(
      20,
      Buffer.alloc(16),
      ...[exchange, 'rsa-sha2-512'].map(text),
      ...['aes128-ctr', 'hmac-sha2-256', 'none'].flatMap((name) => [text(name), text(name)]),
      ...[text(''), text('')],
      Buffer.alloc(5),
    ),
  );
const [GROUP_EXCHANGE, GROUP_REQUEST, GROUP] = [
  'diffie-hellman-group-exchange-sha256',
  34,
  31,
] as const;
/** Answers the request for a group (RFC 4419) with one whose prime has these bytes. */
const group =
  (prime: Buffer, generator = Buffer.from([2])) =>
  (socket: Socket): void => {
    socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), algorithms(GROUP_EXCHANGE)]));
    let received = Buffer.alloc(0);
    const wait = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!received.includes(Buffer.from([GROUP_REQUEST, 0, 0, 8, 0]))) return;
      socket.off('data', wait).resume();
      const parts = [prime, generator].flatMap((part) => [uint32(part.length), part]);
      socket.write(plain(payload(GROUP, ...parts)));
    };
    socket.on('data', wait);
  };
/** An odd number of this size, as a positive integer of the protocol. */
const odd = (bits: number): Buffer =>
  Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xff)]);
/** Replaces how a server opens channels, before its first one. */
function openChannels(client: object, window: number, packetSize: number): void {
  const protocol = senderOf(client);
  const { channelOpenConfirm } = protocol;
  protocol.channelOpenConfirm = (theirs, ours) =>
    channelOpenConfirm.call(protocol, theirs, ours, window, packetSize);
}
/** A terminal whose channel has a window and a packet size, and floods once the user types. */
const channelOf = (window: number, packetSize: number) => (socket: Socket) =>
  terminal((client) => sendAlways(client, socket, payload(94, CHANNEL, text('x'.repeat(16_000)))))(
    socket,
    (client) => openChannels(client, window, packetSize),
  );
/** An unencrypted packet whose header announces a length. */
const announced = (length: number) => Buffer.concat([uint32(length), Buffer.from([4, 20])]);

/**
 * Messages before a terminal is open: identification, algorithms, key exchange, new keys, service,
 * sign-in, channel.
 */
const MESSAGES_TO_SHELL = 7;

/** Misbehavior of an SSH server, from its first byte to the output of its shell. */
export const SSH_ATTACKS: readonly HostileSsh[] = [
  { name: 'says nothing', serve: stall, expected: 'connect_timeout', stalls: true },
  {
    name: 'greets with a line without an end',
    serve: (socket) => repeat(socket, Buffer.from('hello '.repeat(1000))),
    expected: 'connect_protocol_error',
  },
  {
    name: 'greets with lines without end',
    serve: (socket) => repeat(socket, Buffer.from('hello\r\n'.repeat(1000))),
    expected: 'connect_protocol_error',
  },
  {
    name: 'greets with long lines without end',
    serve: (socket) => repeat(socket, Buffer.from(`${'x'.repeat(8000)}\r\n`)),
    expected: 'connect_protocol_error',
  },
  {
    name: 'drips a greeting without end',
    serve: (socket) => drip(socket, Buffer.alloc(1_000_000, 'x')),
    expected: 'connect_protocol_error',
  },
  {
    name: 'stalls after its identification',
    serve: (socket) => socket.write(IDENTIFICATION),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'announces a packet of 4 GiB',
    serve: (socket) =>
      socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), announced(2 ** 32 - 1)])),
    expected: 'connect_protocol_error',
  },
  {
    name: 'announces an empty packet',
    serve: (socket) => socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), announced(0)])),
    expected: 'connect_protocol_error',
  },
  {
    name: 'stalls in the middle of its algorithms',
    serve: (socket) => socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), announced(1036)])),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls after its algorithms',
    serve: (socket) =>
      socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), algorithms('curve25519-sha256')])),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'answers no request for a group',
    serve: (socket) =>
      socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), algorithms(GROUP_EXCHANGE)])),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'chooses a group of 10,000 bits',
    serve: group(odd(10_000)),
    expected: 'connect_protocol_error',
  },
  {
    name: 'chooses a group of 1,024 bits',
    serve: group(odd(1024)),
    expected: 'connect_protocol_error',
  },
  {
    name: 'chooses a group of 64,000 bits',
    serve: group(odd(64_000)),
    expected: 'connect_protocol_error',
  },
  {
    name: 'chooses an empty group',
    serve: group(Buffer.alloc(0), Buffer.alloc(0)),
    expected: 'connect_protocol_error',
  },
  {
    name: 'sends a list of algorithms of 30 KB',
    serve: (socket) =>
      socket.write(Buffer.concat([Buffer.from(IDENTIFICATION), algorithms('a,'.repeat(15_000))])),
    expected: 'connect_protocol_error',
  },
  {
    name: 'accepts no service',
    serve: keyed((client) => {
      senderOf(client).serviceAccept = () => undefined;
    }),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'refuses with endless lists of methods',
    serve: unanswered((client, socket) =>
      sendAlways(client, socket, payload(51, text('a,'.repeat(15_000)), Buffer.from([1]))),
    ),
    expected: 'connect_credentials',
  },
  {
    name: 'asks for a new password without end',
    serve: unanswered((client, socket) =>
      sendAlways(client, socket, payload(60, text('x'.repeat(30_000)), text('en'))),
    ),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'disconnects with a text of 30 KB',
    serve: unanswered((client) =>
      send(client, payload(1, uint32(2), text('x'.repeat(30_000)), text(''))),
    ),
    expected: 'connect_disconnected_words',
  },
  {
    name: 'opens no window and prints without end',
    serve: channelOf(0, 32_768),
    expected: CONTINUES,
  },
  {
    name: 'takes packets of zero bytes and prints without end',
    serve: channelOf(2 ** 21, 0),
    expected: CONTINUES,
  },
  {
    name: 'answers no sign-in',
    serve: unanswered(() => undefined),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'sends banners without end',
    serve: unanswered((client, socket) =>
      sendAlways(client, socket, payload(53, text('x'.repeat(30_000)), text('en'))),
    ),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'asks 5,000 questions at a time',
    serve: keyed((client) =>
      client.on('authentication', (context) => {
        if (context.method === 'keyboard-interactive') send(client, question(5000));
        else context.reject(['keyboard-interactive']);
      }),
    ),
    expected: 'connect_credentials',
  },
  {
    name: 'asks questions without end and reads no answer',
    serve: keyed((client, socket) =>
      client.on('authentication', (context) => {
        if (context.method !== 'keyboard-interactive') context.reject(['keyboard-interactive']);
        else {
          socket.pause();
          sendAlways(client, socket, question(1));
        }
      }),
    ),
    expected: 'connect_credentials',
  },
  {
    name: 'opens no session',
    serve: accepting((client) => client.on('session', () => undefined)),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'starts no shell',
    serve: accepting((client) =>
      client.on('session', (accept) => {
        const session = accept();
        session.on('pty', (allow) => allow?.());
        session.on('shell', () => undefined);
      }),
    ),
    expected: 'connect_timeout',
    stalls: true,
  },
  ...Array.from({ length: MESSAGES_TO_SHELL }, (_, count) => ({
    name: `stalls after ${count + 1} of its messages`,
    serve: (socket: Socket) => terminal(() => undefined)(stopAfter(socket, count + 1)),
    expected: 'connect_timeout',
    stalls: true,
  })),
  {
    name: 'exchanges keys without end',
    serve: terminal((client, socket) => {
      const again = () => {
        if (socket.destroyed) return;
        senderOf(client).rekey();
      };
      client.on('rekey', () => setImmediate(again));
      again();
    }),
    expected: 'connect_target_flooded',
  },
  {
    // They exceed the window of the channel.
    name: 'sends errors of 30 KB without end',
    serve: terminal((client, socket) =>
      sendAlways(client, socket, payload(95, CHANNEL, uint32(1), text('x'.repeat(30_000)))),
    ),
    expected: 'connect_target_flooded',
  },
  ...[
    ['ignored messages', payload(2, text('x'.repeat(30_000)))],
    ['debug messages', payload(4, Buffer.from([1]), text('x'.repeat(30_000)), text('en'))],
    ['confirmations of requests', payload(99, CHANNEL)],
    ['refusals of requests', payload(100, CHANNEL)],
    ['answers to global requests', payload(81)],
    ['data of an unknown kind', payload(95, CHANNEL, uint32(7), text('x'.repeat(30_000)))],
    ['data of an unknown channel', payload(94, uint32(77), text('x'.repeat(30_000)))],
    ['requests of everyone', payload(80, text('x'.repeat(30_000)), Buffer.from([1]))],
    [
      'channels that were not requested',
      payload(
        90,
        text('forwarded-tcpip'),
        CHANNEL,
        uint32(2 ** 31),
        uint32(32_768),
        ...[text('h'), CHANNEL, text('h'), CHANNEL],
      ),
    ],
    ['more extensions', payload(7, uint32(1), text('x'), text('y'.repeat(30_000)))],
    ['window adjustments', payload(93, CHANNEL, uint32(2 ** 32 - 1))],
    ['exit codes', payload(98, CHANNEL, text('exit-status'), Buffer.from([0]), uint32(1))],
    [
      'exit signals of 30 KB',
      payload(
        98,
        CHANNEL,
        text('exit-signal'),
        Buffer.from([0]),
        text('X'.repeat(30_000)),
        Buffer.from([0]),
        text(''),
        text(''),
      ),
    ],
    ['unknown requests', payload(98, CHANNEL, text('x'.repeat(30_000)), Buffer.from([0]))],
  ].map(([what, bytes]) => ({
    name: `sends ${String(what)} without end`,
    serve: terminal((client, socket) => sendAlways(client, socket, bytes as Buffer)),
    expected: CONTINUES,
  })),
];

/** Output after each message of `NONSENSE`. */
export const AFTER_NONSENSE = 'after the message';

/** Every message number with an empty body, and with one of nonsense. */
export const NONSENSE: readonly HostileSsh[] = [Buffer.alloc(0), Buffer.alloc(40, 0xff)].flatMap(
  (body) =>
    Array.from({ length: 101 }, (_, type) => ({
      name: `sends message ${type} with ${body.length} bytes`,
      serve: terminal((client) => {
        send(client, payload(type, body));
        send(client, payload(94, CHANNEL, text(AFTER_NONSENSE)));
      }),
      expected: '',
    })),
);
