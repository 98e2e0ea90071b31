import type { Socket } from 'node:net';
import { int32, message, zeroEnded } from '@sallyport/sql-relays';
import { drip, type HostileDatabase, repeat, SESSION_LASTS, stall } from './hostile-server.ts';

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
/** A message whose header announces another length than it has. */
const announced = (type: string, length: number, body = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.from(type, 'latin1'), int32(length), body]);

const ACCEPTED = message('R', int32(0));
const KEY = message('K', int32(1), int32(2));
const READY = message('Z', Buffer.from('I'));
const UTF8 = message('S', zeroEnded('client_encoding'), zeroEnded('UTF8'));
const WELCOME = Buffer.concat([ACCEPTED, UTF8, KEY, READY]);
const PARSED = message('1');
const BOUND = message('2');
const complete = (tag: string) => message('C', zeroEnded(tag));
const error = (text: string, code = '42601') =>
  message('E', zeroEnded('SERROR'), zeroEnded(`C${code}`), zeroEnded(`M${text}`), Buffer.from([0]));
const column = (name: string) =>
  Buffer.concat([
    zeroEnded(name),
    int32(0),
    int16(0),
    int32(25),
    int16(-1 & 0xffff),
    int32(-1),
    int16(0),
  ]);
const columns = (...names: readonly string[]) =>
  message('T', int16(names.length), ...names.map(column));
const row = (...values: readonly string[]) =>
  message(
    'D',
    int16(values.length),
    ...values.flatMap((value) => [int32(value.length), Buffer.from(value)]),
  );

/** Sends bytes instead of the answer to the startup message. */
const greets = (send: (socket: Socket) => void) => (socket: Socket) =>
  void socket.once('data', () => send(socket));

/** Accepts every account, and answers the first statement with bytes of the attack. */
const answers = (send: (socket: Socket, isExtended: boolean) => void) => (socket: Socket) => {
  socket.once('data', () => {
    socket.write(WELCOME);
    let isAnswered = false;
    socket.on('data', (chunk) => {
      const type = chunk.toString('latin1', 0, 1);
      if (isAnswered || (type !== 'P' && type !== 'Q')) return;
      isAnswered = true;
      send(socket, type === 'P');
    });
  });
};
/** The beginning of a result, for both ways of asking. */
const begun = (isExtended: boolean, description = columns('a')) =>
  Buffer.concat([...(isExtended ? [PARSED, BOUND] : []), description]);
const result = (body: Buffer, description?: Buffer) =>
  answers((socket, isExtended) =>
    socket.write(Buffer.concat([begun(isExtended, description), body])),
  );

/** Misbehavior of a PostgreSQL server: what it does, and how workspace and client program end. */
export const POSTGRESQL_ATTACKS: readonly HostileDatabase[] = [
  { name: 'says nothing', serve: stall, workspace: 'connect_timeout', listener: 'connect_timeout' },
  {
    name: 'greets without end',
    serve: (socket: Socket) => repeat(socket, Buffer.from('hello '.repeat(1000))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'speaks another protocol',
    serve: greets((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'stalls after the acceptance',
    serve: greets((socket) => socket.write(ACCEPTED)),
    workspace: 'connect_timeout',
    listener: 'connect_timeout',
  },
  {
    name: 'stalls in the middle of a message',
    serve: greets((socket) => socket.write(Buffer.concat([ACCEPTED, UTF8.subarray(0, 9)]))),
    workspace: 'connect_timeout',
    listener: 'connect_timeout',
  },
  {
    name: 'asks for a sign-in by GSSAPI',
    serve: greets((socket) => socket.write(message('R', int32(7)))),
    workspace: 'connect_desktop_sign_in',
    listener: 'connect_desktop_sign_in',
  },
  {
    name: 'asks for an unknown sign-in',
    serve: greets((socket) => socket.write(message('R', int32(999)))),
    workspace: 'connect_desktop_sign_in',
    listener: 'connect_desktop_sign_in',
  },
  {
    name: 'asks with an empty message',
    serve: greets((socket) => socket.write(message('R'))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'asks for MD5 with half a salt',
    serve: greets((socket) => socket.write(message('R', int32(5), Buffer.alloc(2)))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'offers mechanisms without an end',
    serve: greets((socket) => socket.write(message('R', int32(10), Buffer.from('SCRAM')))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'continues SCRAM that nobody began',
    serve: greets((socket) =>
      socket.write(message('R', int32(11), Buffer.from('r=x,s=eA==,i=4096'))),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'asks for the sign-in again and again',
    serve: greets((socket) =>
      repeat(socket, message('R', int32(10), zeroEnded('SCRAM-SHA-256'), Buffer.from([0]))),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'asks for two billion iterations',
    serve: greets((socket) => {
      socket.write(message('R', int32(10), zeroEnded('SCRAM-SHA-256'), Buffer.from([0])));
      socket.on('data', (chunk) => {
        const nonce = /r=([^,\0]+)/.exec(chunk.toString('latin1'))?.[1];
        if (nonce)
          socket.write(message('R', int32(11), Buffer.from(`r=${nonce}x,s=eA==,i=2147483647`)));
      });
    }),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'sends notices without end',
    serve: greets((socket) =>
      repeat(socket, message('N', zeroEnded(`M${'x'.repeat(500)}`), Buffer.from([0]))),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'sends notices after the acceptance without end',
    serve: greets((socket) => {
      socket.write(ACCEPTED);
      repeat(socket, message('N', zeroEnded(`M${'x'.repeat(50_000)}`), Buffer.from([0])));
    }),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'sends settings without end',
    serve: greets((socket) => {
      socket.write(ACCEPTED);
      repeat(socket, message('S', zeroEnded('x'.repeat(30_000)), zeroEnded('y'.repeat(30_000))));
    }),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'announces 2 GiB in the greeting and sends them',
    serve: greets((socket) => {
      socket.write(announced('N', 0x7fffffff));
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'announces 2 GiB after the acceptance and sends them',
    serve: greets((socket) => {
      socket.write(Buffer.concat([ACCEPTED, announced('S', 0x7fffffff)]));
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'announces a negative length',
    serve: greets((socket) => socket.write(Buffer.concat([ACCEPTED, announced('S', -5)]))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'announces a length of zero',
    serve: greets((socket) =>
      socket.write(Buffer.concat([ACCEPTED, announced('S', 0), Buffer.alloc(64)])),
    ),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'answers with an unending error',
    serve: greets((socket) => socket.write(message('E', Buffer.from('Mnever')))),
    workspace: 'database_protocol',
    listener: 'database_protocol',
  },
  {
    name: 'drips its greeting',
    serve: greets((socket) => drip(socket, WELCOME)),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
  },
  {
    name: 'answers nothing',
    serve: answers(() => undefined),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
  },
  {
    name: 'closes instead of an answer',
    serve: answers((socket) => socket.end()),
    workspace: 'connect_target_lost',
    listener: 'connect_target_closed',
  },
  {
    name: 'answers with an unknown message',
    serve: answers((socket) => socket.write(message('!', Buffer.from('x')))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with half a row',
    serve: result(message('D', int16(5), int32(3))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with a row of negative fields',
    serve: result(message('D', int16(0xfff0))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with a value longer than its row',
    serve: result(message('D', int16(1), int32(1000), Buffer.from('x'))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with a value of negative length',
    serve: result(message('D', int16(1), int32(-2), Buffer.from('x'))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'answers with columns without an end',
    serve: result(Buffer.alloc(0), message('T', int16(3), Buffer.from('abc'))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with 65,535 columns that it does not send',
    serve: result(Buffer.alloc(0), message('T', int16(65_535))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with 30,000 columns',
    serve: result(
      Buffer.concat([complete('SELECT 0'), READY]),
      message('T', int16(30_000), ...Array.from({ length: 30_000 }, () => column('x'.repeat(60)))),
    ),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with a column name of 20 MB',
    serve: result(Buffer.concat([complete('SELECT 0'), READY]), columns('x'.repeat(20_000_000))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with an error of 20 MB',
    serve: answers((socket) => socket.write(Buffer.concat([error('x'.repeat(20_000_000)), READY]))),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with errors without end',
    serve: answers((socket) => repeat(socket, error('no'.repeat(100)))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'answers with an error, and with more of them later',
    serve: answers((socket) => {
      const again = (left: number) => {
        socket.write(error('no'));
        if (left > 0) setTimeout(() => again(left - 1), 50);
      };
      again(20);
    }),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'answers with notices without end',
    serve: answers((socket) =>
      repeat(socket, message('N', zeroEnded(`M${'x'.repeat(5000)}`), Buffer.from([0]))),
    ),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'answers with notifications without end',
    serve: answers((socket) =>
      repeat(
        socket,
        message('A', int32(1), zeroEnded('x'.repeat(60)), zeroEnded('y'.repeat(8000))),
      ),
    ),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'announces a row of 2 GiB and sends it',
    serve: answers((socket, isExtended) => {
      socket.write(Buffer.concat([begun(isExtended), announced('D', 0x7fffffff)]));
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'announces an error of 2 GiB and sends it',
    serve: answers((socket, isExtended) => {
      socket.write(Buffer.concat([begun(isExtended), announced('E', 0x7fffffff)]));
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'connect_target_flooded',
    listener: 'connect_target_broke',
  },
  {
    name: 'answers with rows without end',
    serve: answers((socket, isExtended) => {
      socket.write(begun(isExtended));
      repeat(socket, row('x'.repeat(1000)));
    }),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'answers with empty rows without end',
    serve: answers((socket, isExtended) => {
      socket.write(begun(isExtended));
      repeat(socket, Buffer.concat(Array.from({ length: 5000 }, () => message('D', int16(0)))));
    }),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'answers with descriptions without end',
    serve: answers((socket, isExtended) => {
      socket.write(begun(isExtended));
      repeat(socket, columns('a', 'b'));
    }),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'is ready without end',
    serve: answers((socket) => repeat(socket, READY)),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'completes without end',
    serve: answers((socket, isExtended) => {
      socket.write(begun(isExtended));
      repeat(socket, complete('SELECT 1'));
    }),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'starts a copy in instead of an answer',
    serve: answers((socket) => socket.write(message('G', Buffer.from([0]), int16(0)))),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
  },
  {
    name: 'starts a copy out without end',
    serve: answers((socket, isExtended) => {
      socket.write(
        Buffer.concat([
          ...(isExtended ? [PARSED, BOUND] : []),
          message('H', Buffer.from([0]), int16(1), int16(0)),
        ]),
      );
      repeat(socket, message('d', Buffer.from('x'.repeat(1000))));
    }),
    workspace: SESSION_LASTS,
    listener: SESSION_LASTS,
    floods: true,
  },
  {
    name: 'starts a copy with 65,535 columns that it does not send',
    serve: answers((socket) => socket.write(message('G', Buffer.from([0]), int16(65_535)))),
    workspace: 'connect_target_flooded',
    listener: SESSION_LASTS,
  },
  {
    name: 'starts a replication',
    serve: answers((socket) => socket.write(message('W', Buffer.from([0]), int16(0)))),
    workspace: 'connect_target_broke',
    listener: 'connect_target_broke',
  },
  {
    name: 'sends rows that nobody asked for',
    serve: (socket: Socket) =>
      socket.once('data', () =>
        socket.write(Buffer.concat([WELCOME, columns('a'), row('b'), complete('SELECT 1'), READY])),
      ),
    workspace: 'database_protocol',
    listener: SESSION_LASTS,
  },
  {
    name: 'is ready in an unknown state',
    serve: answers((socket) => socket.write(message('Z', Buffer.from('?')))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
  {
    name: 'is ready without a state',
    serve: answers((socket) => socket.write(message('Z'))),
    workspace: 'connect_target_broke',
    listener: SESSION_LASTS,
  },
];
