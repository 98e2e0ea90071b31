import type { Socket } from 'node:net';
import { drip, repeat, stall } from './hostile-server.ts';

const [SE, SB, WILL, WONT, DO, DONT, IAC] = [240, 250, 251, 252, 253, 254, 255] as const;
const NOP = 241;

/** The session continues until the user ends it. */
export const CONTINUES = 'session_finished';

/** An attack of a telnet server on the gateway. */
export interface HostileTelnet {
  readonly name: string;
  readonly serve: (socket: Socket) => unknown;
  /** Reason with which the session ends. */
  readonly expected: string;
  /** It only ends by a timeout, or asks nothing: the user then has the terminal. */
  readonly stalls?: boolean;
}

const bytes = (...values: readonly (number | string)[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from(typeof value === 'string' ? value : [value])));
/** 64 KiB of a part, so that one read of the gateway is full of it. */
const full = (...values: readonly (number | string)[]): Buffer => {
  const part = bytes(...values);
  return Buffer.concat(Array.from({ length: Math.floor(65_536 / part.length) }, () => part));
};
/** A server that asks for the account, accepts the password, and then does as told. */
const signedIn = (use: (socket: Socket) => void) => (socket: Socket) => {
  let lines = 0;
  socket.write('login: ');
  socket.on('data', (typed: Buffer) => {
    lines += typed.filter((byte) => byte === 13).length;
    if (lines === 1) socket.write('Password: ');
    else if (lines >= 2) {
      socket.removeAllListeners('data').resume();
      use(socket);
    }
  });
};
/** The same, with a prompt; the attack begins when the user types. */
const atPrompt = (use: (socket: Socket) => void) =>
  signedIn((socket) => {
    socket.write('\r\nLast login: today\r\nready> ');
    socket.once('data', () => use(socket));
  });

const STORMS: readonly (readonly [string, Buffer])[] = [
  ['offers of options', full(IAC, WILL, 200)],
  ['requests of options', full(IAC, DO, 200)],
  ['changes of the echo', full(IAC, WILL, 1, IAC, WONT, 1)],
  ['questions for the window size', full(IAC, DO, 31, IAC, DONT, 31)],
  ['questions for the terminal type', full(IAC, DO, 24, IAC, SB, 24, 1, IAC, SE)],
];

/** Misbehavior of a telnet server, from its first byte to the output of its shell. */
export const TELNET_ATTACKS: readonly HostileTelnet[] = [
  { name: 'says nothing', serve: stall, expected: 'connect_timeout', stalls: true },
  {
    name: 'drips options without data',
    serve: (socket) => drip(socket, full(IAC, NOP)),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls after the username',
    serve: (socket) => socket.write('login: '),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls after it echoed the username',
    serve: (socket) => {
      socket.write('login: ');
      socket.on('data', (typed: Buffer) => socket.write(typed));
    },
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls after the password',
    serve: signedIn((socket) => socket.write('\r\n')),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls after options behind the password',
    serve: signedIn((socket) => drip(socket, full(IAC, NOP))),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'greets without end',
    serve: (socket) => repeat(socket, Buffer.from('welcome '.repeat(1000))),
    expected: 'connect_target_flooded',
  },
  {
    name: 'puts a command behind each byte of its greeting',
    serve: (socket) => repeat(socket, full('x', IAC, NOP)),
    expected: 'connect_target_flooded',
  },
  {
    name: 'drips its greeting without end',
    serve: (socket) => drip(socket, Buffer.alloc(200_000, 'x')),
    expected: 'connect_target_flooded',
  },
  {
    name: 'puts a command behind each byte after the password',
    serve: signedIn((socket) => repeat(socket, full('x', IAC, NOP))),
    expected: 'connect_target_flooded',
  },
  {
    name: 'drips after the password without end',
    serve: signedIn((socket) => drip(socket, Buffer.alloc(200_000, 'last faile '))),
    expected: 'connect_target_flooded',
  },
  {
    name: 'asks for the account without end',
    serve: (socket) => repeat(socket, Buffer.from('\r\nlogin: ')),
    expected: 'connect_credentials',
  },
  {
    name: 'asks for the password without end',
    serve: (socket) => repeat(socket, Buffer.from('\r\nPassword: ')),
    expected: 'connect_credentials',
  },
  ...STORMS.map(([what, storm]) => ({
    name: `reads nothing and sends ${what}`,
    serve: (socket: Socket) => repeat(socket.pause(), storm),
    expected: 'connect_target_flooded',
  })),
  ...STORMS.map(([what, storm]) => ({
    name: `sends ${what} at its prompt without end`,
    serve: atPrompt((socket) => repeat(socket, storm)),
    expected: CONTINUES,
  })),
  {
    name: 'sends parameters without end',
    serve: atPrompt((socket) => {
      socket.write(bytes(IAC, SB, 24));
      repeat(socket, Buffer.alloc(65_536, 1));
    }),
    expected: CONTINUES,
  },
  {
    name: 'sends carriage returns and zero bytes without end',
    serve: atPrompt((socket) => repeat(socket, full('\r\0\0'))),
    expected: CONTINUES,
  },
];
