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

type Use = (client: Connection, socket: Socket) => void;

/** A server that completes the key exchange, and then does as told. */
const keyed = (use: Use) => (socket: Socket) => {
  const server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => {
    client.on('error', () => undefined);
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
/** An unencrypted packet whose header announces a length. */
const announced = (length: number) => Buffer.concat([uint32(length), Buffer.from([4, 20])]);

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
  ...[
    ['ignored messages', payload(2, text('x'.repeat(30_000)))],
    ['debug messages', payload(4, Buffer.from([1]), text('x'.repeat(30_000)), text('en'))],
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
