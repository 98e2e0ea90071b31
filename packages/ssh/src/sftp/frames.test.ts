import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Frames } from './frames.ts';
import { dataPacketOf, joined, Packet, PacketReader, type Pieces, packetOf } from './packets.ts';

const MOST = 256 * 1024;

/** Returns the packets of a stream that arrives in chunks of these sizes. */
function cut(stream: Buffer, sizes: readonly number[]): Pieces[] {
  const packets: Pieces[] = [];
  const frames = new Frames(MOST, (pieces) => packets.push(pieces));
  for (let at = 0, index = 0; at < stream.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    frames.push(stream.subarray(at, at + size));
    at += size;
  }
  return packets;
}

const packet = fc.record({ id: fc.nat(), data: fc.uint8Array({ maxLength: 400 }), rest: fc.nat() });

it('reads the same packets regardless of chunk boundaries', () => {
  fc.assert(
    fc.property(
      fc.array(packet, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }),
      (packets, sizes) => {
        const stream = Buffer.concat(
          packets.map(({ id, data, rest }) => packetOf(Packet.WRITE, id, Buffer.from(data), rest)),
        );
        const read = (take: (body: PacketReader) => Buffer) =>
          cut(stream, sizes).map((pieces) => {
            const body = new PacketReader(pieces);
            const [type, id, data, rest] = [body.byte(), body.uint32(), take(body), body.uint32()];
            return { type, id, data: [...data], rest, isAtEnd: body.isAtEnd };
          });
        const expected = packets.map(({ id, data, rest }) => ({
          type: Packet.WRITE,
          id,
          data: [...data],
          rest,
          isAtEnd: true,
        }));
        expect(read((body) => body.string())).toEqual(expected);
        expect(read((body) => joined(body.pieces()))).toEqual(expected);
      },
    ),
    runs(200),
  );
});

it('passes the data of a large packet without copying it, and limits its number of pieces', () => {
  const data = Buffer.alloc(200_000, 'x');
  const stream = packetOf(Packet.DATA, 7, data);
  const [large = []] = cut(stream, [32_768]);
  expect(large.every((piece) => piece.buffer === stream.buffer)).toBe(true);
  const body = new PacketReader(large);
  body.byte();
  body.uint32();
  const pieces = body.pieces();
  expect([
    pieces.every((piece) => piece.buffer === stream.buffer),
    pieces.length,
    body.isAtEnd,
  ]).toEqual([true, 7, true]);
  expect(Buffer.concat(dataPacketOf(7, pieces))).toEqual(stream);
  const [small = []] = cut(stream, [1]);
  expect([small.length, joined(small).equals(stream.subarray(4))]).toEqual([1, true]);
});

it('rejects a string that is longer than its packet, in one piece or several', () => {
  const stream = packetOf(Packet.DATA, 7, Buffer.alloc(100));
  // Overwrite the length of the data, which follows packet length, type and id.
  stream.writeUInt32BE(101, 9);
  for (const sizes of [[1000], [40]]) {
    const [pieces = []] = cut(stream, sizes);
    for (const take of ['string', 'pieces'] as const) {
      const body = new PacketReader(pieces);
      body.byte();
      body.uint32();
      expect(() => body[take]()).toThrow('too short');
    }
  }
});

it('takes larger packets of one type only, whatever the chunks', () => {
  const larger = { type: Packet.NAME, most: 4 * MOST };
  for (const size of [3, 4, 5, 70_000, 2 * MOST]) {
    const read = (stream: Buffer) => {
      let count = 0;
      const frames = new Frames(MOST, () => count++, larger);
      for (let at = 0; at < stream.length; at += size) frames.push(stream.subarray(at, at + size));
      return count;
    };
    const body = Buffer.alloc(2 * MOST);
    expect(read(packetOf(Packet.NAME, 1, body))).toBe(1);
    expect(() => read(packetOf(Packet.DATA, 1, body))).toThrow('type 103');
    expect(() => read(packetOf(Packet.NAME, 1, Buffer.alloc(4 * MOST)))).toThrow('a packet of');
  }
});
