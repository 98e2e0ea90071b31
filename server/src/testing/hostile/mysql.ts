import type { Socket } from 'node:net';
import {
  CAPABILITY,
  errorPacket,
  greeting,
  makeNonce,
  NATIVE,
  okPacket,
  packet,
  RELAYED,
} from '@sallyport/sql-relays';
import { drip, type HostileDatabase, repeat, SESSION_LASTS, stall } from './hostile-server.ts';

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length < 251) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = Buffer.alloc(9);
  length.writeUInt8(0xfe);
  length.writeBigUInt64LE(BigInt(bytes.length), 1);
  return Buffer.concat([length, bytes]);
};
const count = (value: number): Buffer => {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(0xfe);
  bytes.writeBigUInt64LE(BigInt(value), 1);
  return value < 251 ? Buffer.from([value]) : bytes;
};
const definition = (name: string) =>
  Buffer.concat([
    counted('def'),
    counted(''),
    counted(''),
    counted(''),
    counted(name),
    counted(''),
    Buffer.from([0x0c, 45, 0, 0, 1, 0, 0, 253, 0, 0, 0, 0, 0]),
  ]);
const eof = (status = 2) => Buffer.from([0xfe, 0, 0, status, 0]);
/** An announced length without its bytes. */
const head = (length: number, sequence: number) =>
  Buffer.from([length & 0xff, (length >> 8) & 0xff, length >> 16, sequence]);
/** Packets in sequence. */
const packets = (from: number, ...payloads: readonly Buffer[]) =>
  Buffer.concat(payloads.map((payload, at) => packet((from + at) & 0xff, payload)));

const CAPABILITIES =
  RELAYED | CAPABILITY.secureConnection | CAPABILITY.pluginAuth | CAPABILITY.connectWithDatabase;
const hello = (plugin = NATIVE, version = '8.0.36') =>
  packet(
    0,
    greeting({ capabilities: CAPABILITIES, connectionId: 7, nonce: makeNonce(), plugin }, version),
  );

/** Greets, and sends bytes instead of the answer to the credentials. */
const greets = (send: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(hello());
  socket.once('data', () => send(socket));
};
/** Signs every account in, and answers the first query with bytes of the attack. */
const answers = (send: (socket: Socket) => void) =>
  greets((socket) => {
    socket.write(okPacket(2, 2));
    let isAnswered = false;
    socket.on('data', (chunk) => {
      if (chunk[4] !== 3 || isAnswered) return;
      // Settings of the gateway itself.
      if (/^set /i.test(chunk.toString('latin1', 5))) {
        socket.write(okPacket(1, 2));
        return;
      }
      isAnswered = true;
      send(socket);
    });
  });
/** A result with its columns, up to its first row. */
const begun = (...names: readonly string[]) =>
  packets(1, count(names.length), ...names.map(definition), eof());
/** Endless packets of the same payload with right sequence numbers. */
const endless = (socket: Socket, from: number, payload: Buffer) =>
  repeat(socket, packets(from, ...Array.from({ length: 256 }, () => payload)));

/** Misbehavior of a MySQL server: what it does, and how workspace and client program end. */
export const MYSQL_ATTACKS: readonly HostileDatabase[] = [
  { name: 'says nothing', serve: stall, workspace: 'connect_timeout', listener: 'connect_timeout' },
  {
    name: 'greets without end',
    serve: (socket: Socket) => repeat(socket, Buffer.from('hello '.repeat(1000))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'speaks another protocol',
    serve: (socket: Socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'greets with an empty packet',
    serve: (socket: Socket) => socket.write(head(0, 0)),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'greets with half a greeting',
    serve: (socket: Socket) => socket.write(packet(0, hello().subarray(4, 20))),
    workspace: 'connect_timeout',
    listener: 'database_protocol',
  },
  {
    name: 'greets with a version without an end',
    serve: (socket: Socket) => socket.write(packet(0, Buffer.from(`\n${'9'.repeat(60_000)}`))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'greets with a version of 16 MB',
    serve: (socket: Socket) => socket.write(hello(NATIVE, '9'.repeat(16_000_000))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'announces a greeting of 16 MB and stalls',
    serve: (socket: Socket) => socket.write(head(0xffffff, 0)),
    workspace: 'connect_timeout',
    listener: 'database_protocol',
  },
  {
    name: 'greets with an error',
    serve: (socket: Socket) => socket.write(errorPacket(0, 1040, '08004', 'Too many connections')),
    workspace: 'connect_database_full',
    listener: 'connect_database_full',
  },
  {
    name: 'greets with an error of 60 KB',
    serve: (socket: Socket) => socket.write(errorPacket(0, 1040, '08004', 'x'.repeat(60_000))),
    workspace: 'connect_database_full',
    listener: 'connect_database_full',
  },
  {
    name: 'drips its greeting',
    serve: (socket: Socket) => drip(socket, hello()),
    workspace: 'connect_timeout',
    listener: 'connect_timeout',
  },
  {
    name: 'stalls after the credentials',
    serve: greets(() => undefined),
    workspace: 'connect_timeout',
    listener: 'connect_timeout',
  },
  {
    name: 'asks for an unknown plugin',
    serve: greets((socket) =>
      socket.write(packet(2, Buffer.from('\xfeauth_gssapi_client\0', 'latin1'))),
    ),
    workspace: 'connect_desktop_sign_in',
    listener: 'connect_desktop_sign_in',
  },
  {
    name: 'asks for a plugin name without an end',
    serve: greets((socket) => socket.write(packet(2, Buffer.from('\xfemysql_native', 'latin1')))),
    workspace: 'connect_desktop_sign_in',
    listener: 'database_protocol',
  },
  {
    name: 'asks for another plugin again and again',
    serve: greets((socket) =>
      endless(socket, 2, Buffer.from(`\xfe${NATIVE}\0${'x'.repeat(20)}\0`, 'latin1')),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'asks for more again and again',
    serve: greets((socket) => endless(socket, 2, Buffer.from([1, 3]))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'asks for the password in clear text',
    serve: greets((socket) =>
      socket.write(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1'))),
    ),
    workspace: 'connect_plain_password',
    listener: 'connect_plain_password',
  },
  {
    name: 'accepts twice',
    serve: greets((socket) => socket.write(Buffer.concat([okPacket(2, 2), okPacket(3, 2)]))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'answers nothing',
    serve: answers(() => undefined),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
  },
  {
    name: 'answers no setting',
    serve: greets((socket) => socket.write(okPacket(2, 2))),
    workspace: SESSION_LASTS,
    listener: 'connect_timeout',
  },
  {
    name: 'closes at a setting',
    serve: greets((socket) => {
      socket.write(okPacket(2, 2));
      socket.once('data', () => socket.end());
    }),
    workspace: 'connect_target_closed',
    listener: 'database_protocol',
  },
  {
    name: 'answers a setting with rows',
    serve: greets((socket) => {
      socket.write(okPacket(2, 2));
      socket.once('data', () => socket.write(begun('a')));
    }),
    workspace: SESSION_LASTS,
    listener: 'database_protocol',
  },
  {
    name: 'closes instead of an answer',
    serve: answers((socket) => socket.end()),
    workspace: 'connect_target_closed',
    listener: 'connect_target_closed',
  },
  {
    name: 'answers out of order',
    serve: answers((socket) => socket.write(packets(77, count(1), definition('a'), eof()))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'answers out of order without end',
    serve: answers((socket) =>
      repeat(socket, Buffer.concat(Array.from({ length: 100 }, () => okPacket(99, 10)))),
    ),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'answers with an empty packet',
    serve: answers((socket) => socket.write(head(0, 1))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'asks for a file',
    serve: answers((socket) => socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')))),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
  },
  {
    name: 'asks for a file without end',
    serve: answers((socket) => endless(socket, 1, Buffer.from('\xfb/etc/passwd', 'latin1'))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'announces 2 ** 52 columns',
    serve: answers((socket) => socket.write(packets(1, count(2 ** 52)))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends columns without end',
    serve: answers((socket) => {
      socket.write(packets(1, count(2 ** 52)));
      endless(socket, 2, definition('a'));
    }),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends 65,535 columns',
    serve: answers((socket) =>
      socket.write(
        packets(1, count(65_535), ...Array.from({ length: 65_535 }, () => definition('a')), eof()),
      ),
    ),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends a column name of 15 MB',
    serve: answers((socket) =>
      socket.write(packets(1, count(1), definition('x'.repeat(15_000_000)), eof(), eof())),
    ),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends a column definition cut short',
    serve: answers((socket) =>
      socket.write(packets(1, count(1), definition('a').subarray(0, 5), eof())),
    ),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends columns without their end',
    serve: answers((socket) =>
      socket.write(
        Buffer.concat([packets(1, count(1), definition('a')), packet(3, counted('row'))]),
      ),
    ),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends a row cut short',
    serve: answers((socket) =>
      socket.write(Buffer.concat([begun('a', 'b'), packet(5, Buffer.from([200, 1]))])),
    ),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends a value longer than its row',
    serve: answers((socket) =>
      socket.write(
        Buffer.concat([begun('a'), packet(4, Buffer.from([0xfe, 0, 0, 0, 0, 1, 0, 0, 0]))]),
      ),
    ),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends rows without end',
    serve: answers((socket) => {
      socket.write(begun('a'));
      endless(socket, 4, counted('x'.repeat(100)));
    }),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'sends empty rows without end',
    serve: answers((socket) => {
      socket.write(begun('a'));
      endless(socket, 4, Buffer.from([0xfb]));
    }),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'sends a row of packets without end',
    serve: answers((socket) => {
      socket.write(begun('a'));
      let sequence = 4;
      const body = Buffer.alloc(0xffffff, 'x');
      const more = (error?: Error | null) => {
        if (error || socket.destroyed) return;
        socket.write(Buffer.concat([head(0xffffff, sequence++ & 0xff), body]), more);
      };
      more();
    }),
    workspace: 'connect_target_flooded',
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'sends results without end',
    serve: answers((socket) => endless(socket, 1, Buffer.from([0, 0, 0, 10, 0, 0, 0]))),
    workspace: 'connect_target_flooded',
    listener: SESSION_LASTS,
  },
  {
    name: 'sends an error of 15 MB',
    serve: answers((socket) => socket.write(errorPacket(1, 1064, '42000', 'x'.repeat(15_000_000)))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends errors without end',
    serve: answers((socket) => repeat(socket, errorPacket(1, 1064, '42000', 'no'))),
    // The second one is without a command, which is how a server announces its end.
    workspace: 'connect_target_disconnected',
    listener: SESSION_LASTS,
  },
  {
    name: 'sends a warning text of 15 MB',
    serve: answers((socket) =>
      socket.write(
        packet(
          1,
          Buffer.concat([Buffer.from([0, 0, 0, 2, 0, 0, 0]), Buffer.alloc(15_000_000, 'x')]),
        ),
      ),
    ),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends rows that no statement asked for',
    serve: greets((socket) =>
      socket.write(Buffer.concat([okPacket(2, 2), begun('a'), packet(4, counted('b'))])),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
];
