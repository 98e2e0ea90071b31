import type { Socket } from 'node:net';
import { drip, type HostileDatabase, repeat, SESSION_LASTS, stall } from './hostile-server.ts';

const OK = '+OK\r\n';
/** Accepts the sign-in, and answers the command of the user with bytes of the attack. */
const answers = (send: (socket: Socket) => void) => (socket: Socket) =>
  socket.on('data', (chunk) => {
    const text = chunk.toString('latin1').toLowerCase();
    if (text.includes('get')) send(socket);
    else socket.write(text.includes('ping') ? '+PONG\r\n' : OK);
  });
const text = (bytes: string) => answers((socket) => socket.write(bytes));

/** Misbehavior of a Redis server, and how the workspace ends. */
export const REDIS_ATTACKS: readonly HostileDatabase[] = [
  { name: 'says nothing', serve: stall, workspace: 'connect_timeout' },
  {
    name: 'greets without end',
    serve: (socket: Socket) => repeat(socket, Buffer.from('hello '.repeat(1000))),
    workspace: 'database_protocol',
  },
  {
    name: 'speaks another protocol',
    serve: (socket: Socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    workspace: 'database_protocol',
  },
  {
    name: 'answers before it is asked',
    serve: (socket: Socket) => socket.write(OK.repeat(10)),
    workspace: 'database_protocol',
  },
  {
    name: 'answers before it is asked without end',
    serve: (socket: Socket) => repeat(socket, Buffer.from(OK.repeat(100))),
    workspace: 'database_protocol',
  },
  {
    name: 'refuses with an unending line',
    serve: (socket: Socket) =>
      socket.once('data', () => {
        socket.write('-ERR ');
        repeat(socket, Buffer.alloc(65536, 'x'));
      }),
    workspace: 'database_protocol',
  },
  {
    name: 'drips its acceptance',
    serve: (socket: Socket) => socket.on('data', () => drip(socket, Buffer.from(OK))),
    workspace: SESSION_LASTS,
  },
  { name: 'answers nothing', serve: answers(() => undefined), workspace: SESSION_LASTS },
  {
    name: 'closes instead of an answer',
    serve: answers((socket) => socket.end()),
    workspace: 'connect_target_closed',
  },
  { name: 'answers an unknown type', serve: text('!x\r\n'), workspace: 'connect_target_broke' },
  {
    name: 'answers a line without an end',
    serve: answers((socket) => {
      socket.write('+');
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'connect_target_flooded',
  },
  {
    name: 'answers an error of 60 KB',
    serve: text(`-ERR ${'x'.repeat(60_000)}\r\n`),
    workspace: SESSION_LASTS,
  },
  {
    name: 'announces a value of 2 GiB and sends it',
    serve: answers((socket) => {
      socket.write('$2147483647\r\n');
      repeat(socket, Buffer.alloc(65536, 'x'));
    }),
    workspace: 'connect_target_flooded',
  },
  {
    name: 'announces a value of 32 MiB, byte by byte',
    serve: answers((socket) => {
      socket.write('$33554432\r\n');
      drip(socket, Buffer.alloc(33554432, 'x'));
    }),
    workspace: SESSION_LASTS,
  },
  {
    name: 'announces a list of ten digits and stalls',
    serve: text('*9999999999\r\n'),
    workspace: SESSION_LASTS,
  },
  {
    name: 'sends a list without end',
    serve: answers((socket) => {
      socket.write('*9999999999\r\n');
      repeat(socket, Buffer.from('$1\r\nx\r\n'.repeat(1000)));
    }),
    workspace: 'connect_target_closed',
  },
  {
    name: 'sends nil without end',
    serve: answers((socket) => {
      socket.write('*9999999999\r\n');
      repeat(socket, Buffer.from('$-1\r\n'.repeat(1000)));
    }),
    workspace: 'connect_target_closed',
  },
  {
    name: 'nests lists without end',
    serve: answers((socket) => repeat(socket, Buffer.from('*1\r\n'.repeat(1000)))),
    workspace: 'connect_target_broke',
  },
  {
    name: 'nests lists of ten digits',
    serve: text('*9999999999\r\n'.repeat(15)),
    workspace: SESSION_LASTS,
  },
  { name: 'answers negative lengths', serve: text('$-5\r\n'), workspace: 'connect_target_broke' },
  {
    name: 'answers a length that is none',
    serve: text('$abc\r\n'),
    workspace: 'connect_target_broke',
  },
  {
    name: 'answers twice',
    serve: text('$1\r\nx\r\n$1\r\ny\r\n'),
    workspace: 'connect_target_broke',
  },
  {
    name: 'answers without end',
    serve: answers((socket) => repeat(socket, Buffer.from('+x\r\n'.repeat(1000)))),
    workspace: 'connect_target_broke',
  },
  { name: 'answers a value without its end', serve: text('$1\r\nxyz'), workspace: SESSION_LASTS },
];
