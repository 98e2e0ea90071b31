import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PduReader } from '@sallyport/rdp';
import type { KeyWithCertificate } from '../certificates.ts';
import { drip, repeat, stall } from './hostile-server.ts';

/** An attack of an RDP server on the gateway. */
export interface HostileRdp {
  readonly name: string;
  readonly serve: (socket: Socket, identity: KeyWithCertificate) => unknown;
  /** Reason with which the session ends. */
  readonly expected: string;
  /** It only ends by a timeout. */
  readonly stalls?: boolean;
  /** The timeout belongs to the picture: the handshake must be faster than its own. */
  readonly hasNoPicture?: boolean;
  /** The session has a drive. */
  readonly hasDrive?: boolean;
}

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const u16 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
};
const u16be = (value: number) => Buffer.from([value >> 8, value & 255]);
const [TLS, NETWORK_LEVEL] = [1, 2] as const;

/** The confirmation of a security protocol (MS-RDPBCGR 2.2.1.2). */
const confirm = (protocol: number) =>
  Buffer.concat([hex('03000013 0ed000001234 00 02000800'), Buffer.from([protocol, 0, 0, 0])]);
/** Settings of xrdp 0.9.21: I/O channel 1003, channels 1004 to 1006, user 1007. */
const CONNECT_RESPONSE = hex(`
  0300006d02f0807f66630a0100020100301a020116020103020100020101020100020101020300fff80201020
  43f000500147c00012a14760a01010001c0004d63446e80280
  10c0c000400080003000000 030c1000eb030300ec03ed03ee030000 020c0c000000000000000000`);
/** The same with the channels of drives, 1008, and of sound. */
const WITH_DRIVE = hex(`
  0300007102f0807f66670a0100020100301a020116020103020100020101020100020101020300fff80201020
  443000500147c00012e14760a01010001c0004d63446e802c0
  10c0c000400080003000000 030c1400eb030500ec03ed03ee03f003f1030000 020c0c000000000000000000`);
const [IO, CLIPBOARD, DRIVE] = [1003, 1004, 1008] as const;
const ATTACH_CONFIRM = hex('0300000b02f0802e000006');
const DEMAND = hex(
  '2200 1100 ea03 ea030100 0400 1400 52445000 0100 0000 0100 0800 00000000 00000000',
);
const DEACTIVATE = hex('0c00 1600 ea03 ea030100 0000');
const [CONNECT, ATTACH, JOIN, SEND] = [0x7f, 0x28, 0x38, 0x64] as const;

const tpkt = (data: Buffer) =>
  Buffer.concat([hex('0300'), u16be(data.length + 7), hex('02f080'), data]);
const indication = (channel: number, data: Buffer) =>
  tpkt(
    Buffer.concat([hex('680000'), u16be(channel), hex('70'), u16be(0x8000 | data.length), data]),
  );
const fastPath = (kind: number, body: Buffer) =>
  Buffer.concat([
    hex('00'),
    u16be(0x8000 | (body.length + 6)),
    Buffer.from([kind]),
    u16(body.length),
    body,
  ]);

/** A compressed bitmap of one color: a few bytes for each 65,535 pixels. */
function bomb(width: number, height: number, count = 1): Buffer {
  const runs: Buffer[] = [];
  for (let left = width * height; left > 0; left -= 65_535)
    runs.push(hex('f3'), u16(Math.min(left, 65_535)), hex('010203'));
  const data = Buffer.concat(runs);
  const rectangle = Buffer.concat([u16(0, 0, 0, 0, width, height, 24, 0x401, data.length), data]);
  return fastPath(
    1,
    Buffer.concat([u16(1, count), ...Array.from({ length: count }, () => rectangle)]),
  );
}

/** Waits for the first message of the gateway. */
const onRequest =
  (use: (socket: Socket, identity: KeyWithCertificate) => unknown) =>
  (socket: Socket, identity: KeyWithCertificate) =>
    socket.once('data', () => use(socket, identity));
/** Confirms a protocol, and completes TLS. */
const secured = (protocol: number, use: (stream: TLSSocket) => unknown) =>
  onRequest((socket, { key, certificate }) => {
    socket.write(confirm(protocol));
    const stream = new TLSSocket(socket, { isServer: true, key, cert: certificate });
    stream.on('error', () => undefined);
    stream.on('secure', () => use(stream.resume()));
  });
/** The same, and answers the settings of the page up to a step; then attacks. */
const connected = (last: number, use: (stream: TLSSocket) => unknown) =>
  secured(TLS, (stream) => {
    const reader = new PduReader();
    let isOver = false;
    stream.on('data', (bytes: Buffer) => {
      for (const pdu of isOver ? [] : reader.push(bytes)) {
        const kind = pdu[7] ?? 0;
        if (kind === CONNECT) stream.write(pdu.includes('rdpdr') ? WITH_DRIVE : CONNECT_RESPONSE);
        if (kind === ATTACH) stream.write(ATTACH_CONFIRM);
        if (kind === JOIN)
          stream.write(tpkt(Buffer.concat([hex('3e000006'), pdu.subarray(-2), pdu.subarray(-2)])));
        if (kind !== last) continue;
        isOver = true;
        use(stream);
      }
    });
  });
/** The same, with an active share. */
const active = (use: (stream: TLSSocket) => unknown) =>
  connected(SEND, (stream) => {
    stream.write(indication(IO, DEMAND));
    use(stream);
  });

/** Set Error Info (MS-RDPBCGR 2.2.5.1). */
const errorInfo = (code: number) => {
  const body = Buffer.alloc(4);
  body.writeUInt32LE(code);
  return indication(
    IO,
    Buffer.concat([u16(22, 0x17, 1002, 1, 0), hex('0001'), u16(8), hex('2f000000'), body]),
  );
};
/** The end that each reason of a server leads to. */
const ENDS: readonly (readonly [number, string])[] = [
  [1, 'connect_desktop_ended'],
  [2, 'connect_desktop_logged_off'],
  [3, 'connect_desktop_limit'],
  [5, 'connect_desktop_taken'],
  [7, 'connect_desktop_refused'],
  [12, 'connect_desktop_logged_off'],
  [0x102, 'connect_desktop_license'],
  [0, 'connect_rdp_no_bitmaps'],
  [0x10, 'connect_desktop_code'],
  [0x112f, 'connect_rdp_no_bitmaps'],
  [0xffff, 'connect_desktop_code'],
];

/**
 * Starts the desktop of each connection and calls back; the server shows nothing, and can end the
 * connection.
 */
export const serveDesktops =
  (use: (stream: TLSSocket) => unknown) => (socket: Socket, identity: KeyWithCertificate) =>
    active(use)(socket, identity);

/** Answers the request for a connection with these bytes. */
export const serveConfirm = (answer: Buffer) =>
  onRequest((socket) => {
    const head = hex('03000000 00d000001234 00');
    const pdu = Buffer.concat([head, answer]);
    pdu.writeUInt8(pdu.length, 3);
    pdu.writeUInt8(pdu.length - 5, 4);
    socket.write(pdu);
  });

/** Answers each message of network level authentication; closes after the last answer. */
export const serveSignIn = (answers: readonly Buffer[]) =>
  secured(NETWORK_LEVEL, (stream) => {
    const left = [...answers];
    stream.on('data', () => {
      const answer = left.shift();
      if (answer) stream.write(answer);
      else stream.end();
    });
  });

/** Misbehavior of an RDP server, from its first byte to its pictures. */
export const RDP_ATTACKS: readonly HostileRdp[] = [
  { name: 'says nothing', serve: stall, expected: 'connect_timeout', stalls: true },
  {
    name: 'greets without end',
    serve: onRequest((socket) => repeat(socket, Buffer.alloc(65_536, 3))),
    expected: 'connect_desktop_error',
  },
  {
    name: 'announces a first answer of 64 KiB',
    serve: onRequest((socket) => socket.write(hex('0300ffff'))),
    expected: 'connect_desktop_error',
  },
  {
    name: 'stalls in its first answer',
    serve: onRequest((socket) => socket.write(confirm(TLS).subarray(0, 9))),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'chooses a protocol that was not offered',
    serve: onRequest((socket) => socket.write(confirm(16))),
    expected: 'connect_desktop_sign_in',
  },
  {
    name: 'chooses to encrypt without TLS',
    serve: onRequest((socket) => socket.write(confirm(0))),
    expected: 'connect_rdp_no_tls',
  },
  {
    name: 'stalls before TLS',
    serve: onRequest((socket) => socket.write(confirm(TLS))),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'speaks no TLS',
    serve: onRequest((socket) => {
      socket.write(confirm(TLS));
      repeat(socket, Buffer.alloc(65_536, 'x'));
    }),
    expected: 'connect_desktop_error',
  },
  {
    name: 'stalls before its challenge',
    serve: secured(NETWORK_LEVEL, () => undefined),
    expected: 'connect_timeout',
    stalls: true,
  },
  {
    name: 'announces a challenge of 16 MB',
    serve: secured(NETWORK_LEVEL, (stream) => stream.write(hex('3083ffffff'))),
    expected: 'connect_desktop_error',
  },
  {
    name: 'drips its challenge',
    serve: secured(NETWORK_LEVEL, (stream) =>
      drip(stream, Buffer.concat([hex('3082ffff'), Buffer.alloc(65_535, 1)])),
    ),
    expected: 'connect_desktop_error',
  },
  {
    name: 'sends a challenge of nested values',
    serve: secured(NETWORK_LEVEL, (stream) => stream.write(Buffer.alloc(32_768, hex('30807fff')))),
    expected: 'connect_desktop_error',
  },
  {
    name: 'stalls before its settings',
    serve: secured(TLS, () => undefined),
    expected: 'connect_no_picture',
    stalls: true,
    hasNoPicture: true,
  },
  {
    name: 'sends settings of 8,000 kinds',
    serve: secured(TLS, (stream) =>
      stream.once('data', () => {
        const blocks = Buffer.concat(Array.from({ length: 8000 }, (_, kind) => u16(kind, 4)));
        const head = Buffer.concat([
          hex('7f66'),
          Buffer.from('McDn'),
          u16be(0x8000 | blocks.length),
        ]);
        stream.write(tpkt(Buffer.concat([head, blocks])));
      }),
    ),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'drips a message of 64 KiB',
    serve: secured(TLS, (stream) =>
      drip(stream, Buffer.concat([hex('0300ffff'), Buffer.alloc(65_531, 1)])),
    ),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'answers what was never asked',
    serve: secured(TLS, (stream) => stream.write(ATTACH_CONFIRM)),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'lets the user in again and again',
    serve: connected(ATTACH, (stream) => repeat(stream, ATTACH_CONFIRM)),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'confirms a channel without its number',
    serve: connected(ATTACH, (stream) => stream.write(tpkt(hex('3e')))),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'never begins the desktop',
    serve: connected(SEND, () => undefined),
    expected: 'connect_no_picture',
    stalls: true,
    hasNoPicture: true,
  },
  {
    name: 'sends licenses without end',
    serve: connected(SEND, (stream) =>
      repeat(stream, indication(IO, Buffer.concat([u16(0x80, 0, 0, 4), Buffer.alloc(0)]))),
    ),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'begins the desktop without end',
    serve: active((stream) => repeat(stream, indication(IO, DEMAND))),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'deactivates and begins the desktop without end',
    serve: active((stream) =>
      repeat(stream, Buffer.concat([indication(IO, DEACTIVATE), indication(IO, DEMAND)])),
    ),
    expected: 'desktop_unknown_data',
  },
  ...ENDS.map(([code, expected]) => ({
    name: `ends the desktop for reason ${code}`,
    serve: active((stream) => stream.end(errorInfo(code))),
    expected,
  })),
  {
    name: 'resets the desktop before its first picture',
    serve: active((stream) => stream.destroy()),
    expected: 'connect_rdp_no_bitmaps',
  },
  {
    name: 'sends a bitmap of 65,535 by 65,535',
    serve: active((stream) =>
      stream.write(fastPath(1, u16(1, 1, 0, 0, 65_534, 65_534, 65_535, 65_535, 32, 0x401, 0))),
    ),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'packs 35 million pixels into 3 KB',
    serve: active((stream) => repeat(stream, bomb(8192, 4320))),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'packs a hundred bitmaps of a million pixels into an update',
    serve: active((stream) => repeat(stream, bomb(1024, 1024, 100))),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'sends parts of an update without end',
    serve: active((stream) => {
      const part = (kind: number) => fastPath(1 | (kind << 4), Buffer.alloc(30_000));
      stream.write(part(2));
      repeat(stream, part(3));
    }),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'announces a clipboard of 4 GiB',
    serve: active((stream) =>
      stream.write(indication(CLIPBOARD, hex('ffffffff 01000000 0500 0100 ffffffff'))),
    ),
    expected: 'desktop_unknown_data',
  },
  {
    name: 'announces a write to the drive of 4 GiB',
    serve: active((stream) => stream.write(indication(DRIVE, hex('ffffffff 01000000 72445249')))),
    expected: 'desktop_unknown_data',
    hasDrive: true,
  },
  {
    name: 'announces its devices without end',
    serve: active((stream) =>
      repeat(stream, indication(DRIVE, hex('0c000000 03000000 7244 6e49 0100 0c00 01000000'))),
    ),
    expected: 'desktop_unknown_data',
    hasDrive: true,
  },
  {
    name: 'asks the drive and reads no answer',
    serve: active((stream) => {
      stream.pause();
      const request = hex('7244 5249 01000000 00000000 01000000 0a000000 00000000 03000000');
      const piece = Buffer.concat([u16(request.length, 0), hex('03000000'), request]);
      repeat(stream, Buffer.concat(Array.from({ length: 100 }, () => indication(DRIVE, piece))));
    }),
    expected: 'desktop_unknown_data',
    hasDrive: true,
  },
];
