import type { Socket } from 'node:net';
import { startDevice, type TestDevice } from '../hosts/device.ts';
import { repeat, stall } from './hostile-server.ts';

/**
 * A server that accepts every VNC challenge and announces 64 by 48 pixels. Afterwards the test
 * controls its output, and receives all input of the gateway.
 */
export async function startScriptedVnc(
  talk: (socket: Socket) => void,
  hear: (bytes: Buffer) => void = () => undefined,
): Promise<TestDevice> {
  return startDevice((socket) => {
    const answers = [Buffer.from([1, 2]), Buffer.alloc(16, 7), Buffer.alloc(4), serverInit(64, 48)];
    // Each step of the handshake answers one message: version, security type, challenge response,
    // ClientInit.
    const lengths = [12, 1, 16, 1];
    let step = 0;
    let kept = Buffer.alloc(0);
    socket.write('RFB 003.008\n');
    socket.on('data', (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes]);
      for (
        let length = lengths[step];
        length !== undefined && kept.length >= length;
        length = lengths[step]
      ) {
        kept = kept.subarray(length);
        socket.write(answers[step] ?? Buffer.alloc(0));
        step += 1;
        if (step === lengths.length) talk(socket);
      }
      if (step === lengths.length && kept.length > 0) {
        hear(kept);
        kept = Buffer.alloc(0);
      }
    });
  });
}

function serverInit(width: number, height: number): Buffer {
  const init = Buffer.alloc(24 + 4);
  init.writeUInt16BE(width, 0);
  init.writeUInt16BE(height, 2);
  Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]).copy(init, 4);
  init.writeUInt32BE(4, 20);
  init.write('name', 24);
  return init;
}

/** One way in which a VNC server misbehaves before its first picture. */
export interface HostileVnc {
  readonly name: string;
  readonly serve: (socket: Socket) => unknown;
  readonly expected: string;
  /** It only ends by a timeout. */
  readonly stalls?: boolean;
}

const VERSION = Buffer.from('RFB 003.008\n');
/** Answers one message of the gateway for each step, and then calls `after`. */
const steps =
  (answers: readonly Buffer[], after: (socket: Socket) => void = () => undefined) =>
  (socket: Socket) => {
    let step = 0;
    socket.write(VERSION);
    socket.on('data', () => {
      const answer = answers[step];
      step += 1;
      if (answer) socket.write(answer);
      if (step === answers.length) after(socket);
    });
  };
const TYPES = Buffer.from([1, 2]);
const CHALLENGE = Buffer.alloc(16, 7);
const ACCEPTED = Buffer.alloc(4);
const init = (width: number, height: number, length = 4): Buffer => {
  const bytes = serverInit(width, height);
  bytes.writeUInt32BE(length, 20);
  return bytes;
};

/** Shows a desktop of a size, and then does as told. */
export const showing = (width: number, height: number, use: (socket: Socket) => void) =>
  steps([TYPES, CHALLENGE, ACCEPTED, init(width, height)], use);

/** Misbehavior of a VNC server, from its first byte to its missing picture. */
export const VNC_ATTACKS: readonly HostileVnc[] = [
  { name: 'says nothing', serve: stall, expected: 'connect_timeout', stalls: true },
  {
    name: 'greets without end',
    serve: (socket) => repeat(socket, Buffer.from('hello '.repeat(1000))),
    expected: 'connect_desktop_error',
  },
  {
    name: 'stalls in its version',
    serve: (socket) => socket.write('RFB 003'),
    expected: 'connect_timeout',
    stalls: true,
  },
  { name: 'stalls after its version', serve: steps([]), expected: 'connect_timeout', stalls: true },
  {
    name: 'stalls in its security types',
    serve: steps([Buffer.from([200, 2])]),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls in its challenge',
    serve: steps([TYPES, CHALLENGE.subarray(3)]),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'stalls before its verdict',
    serve: steps([TYPES, CHALLENGE]),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'refuses with a reason of 4 GiB without end',
    serve: steps([TYPES, CHALLENGE, Buffer.from([0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff])], (socket) =>
      repeat(socket, Buffer.alloc(65_536, 'x')),
    ),
    expected: 'connect_desktop_words',
  },
  {
    name: 'stalls before its size',
    serve: steps([TYPES, CHALLENGE, ACCEPTED]),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'announces 65,535 by 65,535 pixels',
    serve: steps([TYPES, CHALLENGE, ACCEPTED, init(65_535, 65_535)]),
    expected: 'connect_desktop_error',
  },
  {
    name: 'announces a name of 4 GiB and sends it',
    serve: steps([TYPES, CHALLENGE, ACCEPTED, init(64, 48, 0xffffffff)], (socket) =>
      repeat(socket, Buffer.alloc(65_536, 'x')),
    ),
    expected: 'connect_desktop_error',
  },
  {
    name: 'sends no picture',
    serve: steps([TYPES, CHALLENGE, ACCEPTED, init(64, 48)]),
    expected: 'connect_no_picture',
    stalls: true,
  },
  {
    name: 'rings bells instead of a picture',
    serve: steps([TYPES, CHALLENGE, ACCEPTED, init(64, 48)], (socket) => {
      const ring = () => {
        if (socket.write(Buffer.from([2]))) setTimeout(ring, 50);
      };
      ring();
    }),
    expected: 'connect_no_picture',
    stalls: true,
  },
];
