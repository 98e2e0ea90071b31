import { createHash } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { repeat, SESSION_LASTS } from './hostile-server.ts';
import { type HostileVnc, showing } from './vnc.ts';

/** A part that a VNC server repeats instead of its picture, and how the session ends. */
interface PictureFlood {
  readonly name: string;
  readonly part: Buffer;
  readonly expected: string;
  /** Sent once, and then nothing more. */
  readonly stalls?: boolean;
}

/** The largest desktop that passes. */
const [WIDTH, HEIGHT] = [7680, 4320] as const;
const [COPY, RRE, HEXTILE, TIGHT, ZRLE, SIZE, CURSOR] = [1, 2, 5, 7, 16, -223, -239] as const;
const BROKEN = 'desktop_unknown_data';

/**
 * A kilobyte that does not shrink. Thousands of smaller texts would measure the garbage collector
 * of the test process, whose heap holds other tests.
 */
const NOISE = Buffer.concat(
  Array.from({ length: 32 }, (_, index) => createHash('sha256').update(`${index}`).digest()),
);

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A rectangle, without the update around it. */
const rectangle = (
  encoding: number,
  width: number,
  height: number,
  content: Buffer = Buffer.alloc(0),
) => {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(width, 4);
  head.writeUInt16BE(height, 6);
  head.writeInt32BE(encoding, 8);
  return Buffer.concat([head, content]);
};
const update = (...rectangles: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(rectangles.length, 2);
  return Buffer.concat([head, ...rectangles]);
};
/** A length of Tight in three bytes. */
const compact = (length: number) =>
  Buffer.from([(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]);
/** A rectangle of black pixels, of a stream of Tight that begins with it. */
const tight = (width: number, height: number): Buffer => {
  const data = deflateSync(Buffer.alloc(width * height * 3));
  return update(
    rectangle(TIGHT, width, height, Buffer.concat([Buffer.from([1]), compact(data.length), data])),
  );
};
const many = (count: number, one: Buffer): Buffer =>
  update(...Array.from({ length: count }, () => one));
/** A text of the extended clipboard whose inside announces `announced` bytes. */
const provided = (announced: number, plain: Buffer): Buffer => {
  const content = Buffer.concat([
    u32((1 << 28) | 1),
    deflateSync(Buffer.concat([u32(announced), plain])),
  ]);
  const head = Buffer.alloc(8);
  head.writeUInt8(3, 0);
  head.writeInt32BE(-content.length, 4);
  return Buffer.concat([head, content]);
};

const flood = (name: string, part: Buffer): PictureFlood => ({
  name,
  part,
  expected: SESSION_LASTS,
});
const broken = (name: string, part: Buffer): PictureFlood => ({ name, part, expected: BROKEN });

/** Pictures, texts and signals that fill memory or processor time of a gateway and its viewers. */
export const VNC_FLOODS: readonly PictureFlood[] = [
  broken('announces a picture of 65,535 by 65,535 pixels', update(rectangle(0, 65_535, 65_535))),
  broken(
    'changes to a desktop of 65,535 by 65,535 pixels',
    update(rectangle(SIZE, 65_535, 65_535)),
  ),
  broken('packs 33 million pixels into a rectangle of Tight', tight(WIDTH, HEIGHT)),
  broken('packs a million pixels into a rectangle of Tight', tight(1024, 1024)),
  broken(
    'announces a JPEG of 4 MiB',
    update(
      rectangle(
        TIGHT,
        WIDTH,
        HEIGHT,
        Buffer.concat([Buffer.from([0x90]), compact(2 ** 22 - 1), Buffer.alloc(65_536, 0xff)]),
      ),
    ),
  ),
  broken('announces 4 GiB of ZRLE', update(rectangle(ZRLE, WIDTH, HEIGHT, u32(0xffffffff)))),
  broken(
    'announces 4 billion parts of RRE',
    update(rectangle(RRE, WIDTH, HEIGHT, u32(0xffffffff))),
  ),
  broken('announces a text of 2 GiB', Buffer.from([3, 0, 0, 0, 0x80, 0, 0, 0])),
  broken('has a pointer of 65,535 by 65,535 pixels', update(rectangle(CURSOR, 65_535, 65_535))),
  {
    ...flood(
      'stops in the middle of a rectangle of Tight',
      update(
        rectangle(
          TIGHT,
          256,
          256,
          Buffer.concat([Buffer.from([1]), compact(190_000), Buffer.alloc(180_000)]),
        ),
      ),
    ),
    stalls: true,
  },
  flood('packs pixels into small rectangles of Tight without end', tight(256, 256)),
  flood(
    'sends pictures without pause',
    update(rectangle(0, 512, 512, Buffer.alloc(512 * 512 * 4, 'pixels'))),
  ),
  flood(
    'packs pixels into ZRLE without end',
    update(
      rectangle(
        ZRLE,
        2048,
        2048,
        Buffer.concat([
          u32(50_000),
          deflateRawSync(Buffer.alloc(1024)),
          Buffer.alloc(50_000),
        ]).subarray(0, 50_004),
      ),
    ),
  ),
  flood('draws 65,535 empty rectangles without end', many(65_535, rectangle(0, 0, 0))),
  flood('draws 65,535 rectangles of a pixel without end', many(65_535, rectangle(0, 1, 1, u32(7)))),
  flood('copies its whole picture without end', many(1000, rectangle(COPY, WIDTH, HEIGHT, u32(1)))),
  flood(
    'draws tiles of a byte without end',
    update(rectangle(HEXTILE, WIDTH, HEIGHT, Buffer.alloc(480 * 270))),
  ),
  flood(
    'draws tiles of 255 parts without end',
    update(
      rectangle(
        HEXTILE,
        1024,
        16,
        Buffer.concat(
          Array.from({ length: 64 }, () =>
            Buffer.concat([Buffer.from([8, 255]), Buffer.alloc(510)]),
          ),
        ),
      ),
    ),
  ),
  flood(
    'fills its picture without end',
    many(1000, rectangle(TIGHT, WIDTH, HEIGHT, Buffer.from([0x80, 1, 2, 3]))),
  ),
  flood(
    'changes its size without end',
    update(rectangle(SIZE, 1, 1), rectangle(SIZE, WIDTH, HEIGHT)),
  ),
  flood(
    'changes its pointer without end',
    update(rectangle(CURSOR, 1024, 1024, Buffer.alloc(1024 * 1024 * 4 + 128 * 1024, 9))),
  ),
  flood('rings bells without end', Buffer.alloc(65_536, 2)),
  flood('ends continuous updates without end', Buffer.alloc(65_536, 150)),
  flood(
    'sends fences without end',
    Buffer.concat(
      Array.from({ length: 1000 }, () => Buffer.from([248, 0, 0, 0, 0x80, 0, 0, 0, 0])),
    ),
  ),
  flood(
    'sends tables of 65,535 colors without end',
    Buffer.concat([Buffer.from([1, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(65_535 * 6)]),
  ),
  flood(
    'copies texts of 256 KiB without end',
    Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 4, 0, 0]), Buffer.alloc(256 * 1024, 'text')]),
  ),
  flood('copies texts that announce 4 GiB inside', provided(0xffffffff, NOISE)),
  flood('copies texts of 64 MB in 64 KB', provided(64_000_000, Buffer.alloc(64_000_000, 'text'))),
];

/** Misbehavior of a VNC server from its first picture on. */
export const VNC_PICTURE_ATTACKS: readonly (HostileVnc & { readonly part: Buffer })[] =
  VNC_FLOODS.map(({ name, part, expected, stalls }) => ({
    name,
    part,
    expected,
    serve: showing(WIDTH, HEIGHT, (socket) => {
      if (stalls) socket.write(part);
      else repeat(socket, part);
    }),
  }));
