import { createHash } from 'node:crypto';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProtocolViolation } from './byte-reader.ts';
import { readGreeting, readResponse } from './mysql/greeting.ts';
import { PacketFrames } from './mysql/packet-frames.ts';
import { packet, readColumnName, readErrorPacket, readOkPacket } from './mysql/packets.ts';
import { formatValues } from './mysql/prepared.ts';
import { isProved, makeNonce, scramble } from './mysql/target.ts';
import { Frames } from './postgresql/frames.ts';
import {
  message,
  readBind,
  readColumns,
  readError,
  readRow,
  readStartup,
} from './postgresql/messages.ts';
import { ScramClient, ScramServer, verifierOf } from './postgresql/scram.ts';

const LIMIT = 4096;
const PASSING = new Set(['D', 'd']);
const DROPPED = 'x';

/** Splits bytes at some positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  );
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

/** Splits a PostgreSQL stream. Returns the collected messages and the forwarded bytes, in order. */
function postgres(chunks: readonly Buffer[]): {
  readonly messages: readonly string[];
  readonly passed: string;
} {
  const frames = new Frames({
    onHeader: (type) => (type === DROPPED ? 'drop' : PASSING.has(type) ? 'pass' : 'collect'),
    maxCollected: LIMIT,
    maxPassed: 0x40000000,
  });
  const messages: string[] = [];
  const passed: Buffer[] = [];
  for (const chunk of chunks)
    for (const piece of frames.split(chunk)) {
      if (piece.type !== undefined) messages.push(`${piece.type}${piece.body.toString('hex')}`);
      passed.push(Buffer.from(piece.bytes));
    }
  return { messages, passed: Buffer.concat(passed).toString('hex') };
}

function mysql(chunks: readonly Buffer[]): {
  readonly packets: readonly string[];
  readonly passed: string;
} {
  const frames = new PacketFrames(
    ({ first }) => (first === 0x78 ? 'drop' : first === 0x44 ? 'pass' : 'collect'),
    LIMIT,
  );
  const packets: string[] = [];
  const passed: Buffer[] = [];
  for (const chunk of chunks)
    for (const piece of frames.split(chunk)) {
      if (piece.head) packets.push(`${piece.head.sequence}:${piece.payload.toString('hex')}`);
      passed.push(Buffer.from(piece.bytes));
    }
  return { packets, passed: Buffer.concat(passed).toString('hex') };
}

const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((array) => Buffer.from(array));
const places = fc.array(fc.nat(100_000), { maxLength: 20 });

/** Parses arbitrary bytes; the only allowed error is a protocol violation. */
function survives(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolViolation);
  }
}

describe('database codecs', () => {
  test(
    'splits a stream independently of its chunks, and forwards bytes unchanged',
    () => {
      const parts = fc.array(
        fc.tuple(fc.constantFrom('D', 'd', 'Q', 'Z', 'E', DROPPED), bytes(300)),
        { maxLength: 30 },
      );
      fc.assert(
        fc.property(parts, places, (messages, at) => {
          const stream = Buffer.concat(messages.map(([type, body]) => message(type, body)));
          const expected = {
            messages: messages
              .filter(([type]) => type !== DROPPED && !PASSING.has(type))
              .map(([type, body]) => `${type}${body.toString('hex')}`),
            passed: Buffer.concat(
              messages
                .filter(([type]) => type !== DROPPED)
                .map(([type, body]) => message(type, body)),
            ).toString('hex'),
          };
          expect(postgres(cut(stream, at))).toEqual(expected);
          const sent = messages.map(([type, body], sequence) =>
            packet(sequence, Buffer.from(type), body),
          );
          const kept = sent.filter((one) => one[4] !== 0x78);
          expect(mysql(cut(Buffer.concat(sent), at))).toEqual({
            packets: kept
              .filter((one) => one[4] !== 0x44)
              .map((one) => `${one[3]}:${one.subarray(4).toString('hex')}`),
            passed: Buffer.concat(kept).toString('hex'),
          });
        }),
        runs(200),
      );
    },
    limitOf(30_000),
  );

  test(
    'throws only protocol errors on arbitrary bytes, and never buffers more than the limit',
    () => {
      fc.assert(
        fc.property(bytes(2000), places, (stream, at) => {
          const chunks = cut(stream, at);
          survives(() => postgres(chunks));
          survives(() => mysql(chunks));
          const readers = [
            readStartup,
            readError,
            readBind,
            readColumns,
            readRow,
            readGreeting,
            readResponse,
            readOkPacket,
            readErrorPacket,
            readColumnName,
          ];
          for (const read of readers) survives(() => read(stream));
          const prepared = { text: '', parameters: stream.length % 70, types: [] };
          expect(formatValues(stream, prepared).length).toBeLessThan(60_000);
        }),
        runs(500),
      );
    },
    limitOf(30_000),
  );

  test('rejects an excessive length before its bytes arrive', () => {
    const huge = message('Q', Buffer.alloc(0));
    huge.writeInt32BE(0x7fffffff, 1);
    expect(() => postgres([huge])).toThrow(ProtocolViolation);
    huge.writeInt32BE(-5, 1);
    expect(() => postgres([huge])).toThrow(ProtocolViolation);
    expect(() => mysql([Buffer.from([0xff, 0xff, 0xff, 0, 3])])).toThrow(ProtocolViolation);
  });

  test('verifies passwords with SCRAM and both MySQL hashes, and rejects wrong ones', async () => {
    const verifier = verifierOf('right');
    const exchange = async (password: string) => {
      const [client, server] = [new ScramClient(password), new ScramServer(verifier)];
      const answer = server.last(await client.last(server.first(client.first)));
      return answer !== undefined && client.isServer(answer);
    };
    expect(await exchange('right')).toBe(true);
    expect(await exchange('wrong')).toBe(false);
    await expect(new ScramClient('right').last('r=other,s=QQ==,i=4096')).rejects.toThrow(
      ProtocolViolation,
    );
    const greedy = new ScramClient('right');
    await expect(
      greedy.last(`r=${greedy.first.split('r=')[1]}x,s=QQ==,i=100000000`),
    ).rejects.toThrow(ProtocolViolation);
    const bound = new ScramServer(verifier, Buffer.from('the certificate'), true);
    // A client that does not bind its proof as announced, or that believes we do not support
    // binding.
    expect(() => bound.first(new ScramClient('right').first)).toThrow(ProtocolViolation);
    expect(() =>
      new ScramServer(verifier, Buffer.from('the certificate')).first('y,,n=,r=abc'),
    ).toThrow(ProtocolViolation);
    for (const [plugin, name] of [
      ['mysql_native_password', 'sha1'],
      ['caching_sha2_password', 'sha256'],
    ] as const) {
      const hash = (value: Buffer) => createHash(name).update(value).digest();
      const twice = hash(hash(Buffer.from('right')));
      const nonce = makeNonce();
      expect(isProved(plugin, scramble(plugin, 'right', nonce), nonce, twice)).toBe(true);
      expect(isProved(plugin, scramble(plugin, 'wrong', nonce), nonce, twice)).toBe(false);
      expect(isProved(plugin, scramble(plugin, 'right', nonce), makeNonce(), twice)).toBe(false);
      expect(isProved(plugin, Buffer.alloc(0), nonce, twice)).toBe(false);
    }
  });
});
