import { once } from 'node:events';
import { constants, createDeflate, deflateRawSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SingleTight } from './single-tight.ts';
import { UnknownData } from './stream-parser.ts';

/** A Tight stream like that of servers: each rectangle depends on earlier ones. */
function stream() {
  const deflate = createDeflate();
  return async (plain: Buffer): Promise<Buffer> => {
    deflate.write(plain);
    await new Promise<void>((done) => deflate.flush(constants.Z_SYNC_FLUSH, () => done()));
    if (deflate.readableLength === 0) await once(deflate, 'readable');
    return deflate.read() as Buffer;
  };
}

const length = (bytes: number) =>
  bytes < 0x80
    ? Buffer.from([bytes])
    : bytes < 0x4000
      ? Buffer.from([(bytes & 0x7f) | 0x80, bytes >> 7])
      : Buffer.from([(bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14]);
function dataOf(content: Buffer, head: number): Buffer {
  let at = head;
  for (let byte = 0x80; at < head + 3 && byte & 0x80; ) byte = content[at++] ?? 0;
  return content.subarray(at);
}

describe('self-contained Tight rectangles', () => {
  it('rewrites rectangles with equal pixels and without dependence on earlier ones', async () => {
    const compress = stream();
    const tight = new SingleTight();
    for (let round = 0; round < 12; round++) {
      const plain = Buffer.from(
        Array.from({ length: 30_000 }, (_, at) => (at * 7 + round) & (at % 5 === 0 ? 255 : 15)),
      );
      const data = await compress(plain);
      const lengthBytes = length(data.length);
      const content = Buffer.concat([Buffer.from([0x10]), lengthBytes, data]);
      const alone = tight.rewrite(content, {
        head: 1,
        plainLength: plain.length,
        lengthBytes: lengthBytes.length,
      });
      // Resets stream 1.
      expect(alone[0]).toBe(0x12);
      expect(
        inflateSync(dataOf(alone, 1), { finishFlush: constants.Z_SYNC_FLUSH }).equals(plain),
      ).toBe(true);
    }
  });

  it('takes little more than the bytes of the server when many are compressed together', async () => {
    const compress = stream();
    const tight = new SingleTight();
    // Shapes of characters, three bytes a pixel, as a page of text has them in any order.
    const shapes = Array.from({ length: 60 }, (_, shape) =>
      Buffer.from(Array.from({ length: 300 }, (_, at) => (at * at * (shape + 3)) % 251)),
    );
    let sent = 0;
    const recorded: Buffer[] = [];
    for (let rectangle = 0; rectangle < 40; rectangle++) {
      const plain = Buffer.concat(
        Array.from({ length: 18 }, (_, at) => shapes[(rectangle * 7 + at * at) % 60] as Buffer),
      );
      const data = await compress(plain);
      const bytes = length(data.length);
      const content = Buffer.concat([Buffer.from([0]), bytes, data]);
      sent += content.length;
      const layout = { head: 1, plainLength: plain.length, lengthBytes: bytes.length };
      recorded.push(tight.rewrite(content, layout));
    }
    expect(deflateRawSync(Buffer.concat(recorded), { level: 3 }).length).toBeLessThan(2 * sent);
  });

  it('keeps filters, palettes, fills and JPEG, and resets a stream when the server does', async () => {
    const tight = new SingleTight();
    expect(tight.rewrite(Buffer.from([0x8f, 1, 2, 3]), undefined)).toEqual(
      Buffer.from([0x80, 1, 2, 3]),
    );
    expect(tight.rewrite(Buffer.from([0x91, 2, 0xff, 0xd8]), undefined)).toEqual(
      Buffer.from([0x90, 2, 0xff, 0xd8]),
    );
    expect(
      tight.rewrite(Buffer.from([0x00, 1, 2, 3]), { head: 1, plainLength: 3, lengthBytes: 0 }),
    ).toEqual(Buffer.from([0x00, 1, 2, 3]));
    const plain = Buffer.alloc(900, 'pixels');
    for (const control of [0x40, 0x41]) {
      const data = await stream()(plain);
      const lengthBytes = length(data.length);
      const content = Buffer.concat([
        Buffer.from([control, 1, 1, 9, 8, 7, 6, 5, 4]),
        lengthBytes,
        data,
      ]);
      const alone = tight.rewrite(content, {
        head: 9,
        plainLength: plain.length,
        lengthBytes: lengthBytes.length,
      });
      expect(alone.subarray(0, 9)).toEqual(Buffer.from([0x41, 1, 1, 9, 8, 7, 6, 5, 4]));
      expect(
        inflateSync(dataOf(alone, 9), { finishFlush: constants.Z_SYNC_FLUSH }).equals(plain),
      ).toBe(true);
    }
  });

  it('rejects data that is corrupt or has another length than its pixels', async () => {
    const data = await stream()(Buffer.alloc(5000));
    const lengthBytes = length(data.length);
    const content = Buffer.concat([Buffer.from([0]), lengthBytes, data]);
    for (const plainLength of [100, 6000]) {
      expect(() =>
        new SingleTight().rewrite(content, {
          head: 1,
          plainLength,
          lengthBytes: lengthBytes.length,
        }),
      ).toThrow(UnknownData);
    }
    expect(() =>
      new SingleTight().rewrite(Buffer.from([0, 4, 0x78, 0x9c, 0xff, 0xff]), {
        head: 1,
        plainLength: 100,
        lengthBytes: 1,
      }),
    ).toThrow(UnknownData);
  });
});
