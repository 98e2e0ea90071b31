import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../testing/property-runs.ts';
import { Frames } from './frames.ts';
import { dataPacketOf, Packet, PacketReader, packetOf } from './packets.ts';
import { joined, type Pieces } from './pieces.ts';

const MOST = 256 * 1024;

/** The packets that a stream is cut into, however it comes. */
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

it('a stream of packets is read the same however it is cut', () => {
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

it('the data of a large packet passes without a copy, and in few pieces however small it comes', () => {
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

it('a string that is longer than its packet is refused, in one piece and in several', () => {
  const stream = packetOf(Packet.DATA, 7, Buffer.alloc(100));
  // The length of the data, behind that of the packet, the type and the id.
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
