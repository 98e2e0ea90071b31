import { describe, expect, it } from 'vitest';
import { FrameError, type FramePart, FrameReader } from './frame-reader.ts';
import {
  CANCEL,
  ENDS,
  encodeData,
  encodeHeader,
  type Format,
  MAX_SUBPACKET,
  TYPES,
} from './frames.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const text = (from: Uint8Array) => String.fromCharCode(...from);
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** Reads a stream in pieces of a length. */
function readAll(stream: Uint8Array, length = stream.length): FramePart[] {
  const reader = new FrameReader();
  const parts: FramePart[] = [];
  for (let at = 0; at < stream.length; at += length) {
    reader.feed(stream.subarray(at, at + length));
    for (let part = reader.next(); part; part = reader.next()) {
      parts.push(part);
      if (part.kind === 'stray') return parts;
    }
  }
  return parts;
}

/** As lrzsz 0.12.21 wrote them. */
const RECORDED = {
  requestInit: '**\x18B00000000000000\r\x8a\x11',
  init: '**\x18B0100000023be50\r\x8a\x11',
  file: '*\x18C\x04\x00\x00\x00\x00\xddQ\xa23a.bin\x003000 15302410006 100644 0 2 3693\x00\x18k|\xeb\xe43\x11',
  endOfFile: '*\x18C\x0b\xb8\x0b\x00\x00\x98Oae',
  escaped:
    '*\x18C\x18D\x18@\x18@\x18@\x18@\xddQ\xa23a.bin\x18@3000 15302410006 100644 0 1 3000\x18@\x18k\xec\xe8eM\x11',
  senderInit: '**\x18B02000000400c47\r\x8a\x11\x18@\x18k\xdd\xcd\x11',
  finish: '**\x18B0800000000022d\r\x8a',
};

describe('recorded frames', () => {
  const stream = bytes(Object.values(RECORDED).join(''));
  const expected = [
    { kind: 'header', header: { format: 'hexadecimal', type: TYPES.requestInit, value: 0 } },
    { kind: 'header', header: { format: 'hexadecimal', type: TYPES.init, value: 0x23000000 } },
    { kind: 'header', header: { format: 'binary32', type: TYPES.file, value: 0 } },
    {
      kind: 'data',
      content: bytes('a.bin\x003000 15302410006 100644 0 2 3693\x00'),
      end: ENDS.frameAnswer,
    },
    { kind: 'header', header: { format: 'binary32', type: TYPES.endOfFile, value: 3000 } },
    { kind: 'header', header: { format: 'binary32', type: TYPES.file, value: 0 } },
    {
      kind: 'data',
      content: bytes('a.bin\x003000 15302410006 100644 0 1 3000\x00'),
      end: ENDS.frameAnswer,
    },
    {
      kind: 'header',
      header: { format: 'hexadecimal', type: TYPES.senderInit, value: 0x40000000 },
    },
    { kind: 'data', content: bytes('\0'), end: ENDS.frameAnswer },
    { kind: 'header', header: { format: 'hexadecimal', type: TYPES.finish, value: 0 } },
  ];

  it.each([stream.length, 1, 2, 3, 5, 7, 11])('reads them in pieces of %i bytes', (length) => {
    expect(readAll(stream, length)).toEqual(expected);
  });

  it('encodes the headers in the same bytes', () => {
    const header = (format: Format, type: number, value: number) =>
      text(encodeHeader({ format, type, value }));
    expect(header('hexadecimal', TYPES.requestInit, 0)).toBe(RECORDED.requestInit);
    expect(header('hexadecimal', TYPES.init, 0x23000000)).toBe(RECORDED.init);
    expect(header('hexadecimal', TYPES.finish, 0)).toBe(RECORDED.finish);
  });
});

describe('our frames', () => {
  const content = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);

  it.each(['binary16', 'binary32'] as const)('reads back what it encodes in %s', (format) => {
    const header = { format, type: TYPES.data, value: 0xfedc0a0d };
    const stream = join(
      encodeHeader(header),
      encodeData(content, ENDS.more, format === 'binary32'),
      encodeData(new Uint8Array(), ENDS.frame, format === 'binary32'),
    );
    for (const length of [stream.length, 1, 13])
      expect(readAll(stream, length)).toEqual([
        { kind: 'header', header },
        { kind: 'data', content, end: ENDS.more },
        { kind: 'data', content: new Uint8Array(), end: ENDS.frame },
      ]);
  });

  it('escapes all control characters', () => {
    for (const format of ['binary16', 'binary32'] as const) {
      const stream = join(
        encodeHeader({ format, type: TYPES.data, value: 0x0a0d0f04 }),
        encodeData(content, ENDS.frameAnswer, format === 'binary32'),
      );
      const controls = stream.filter((byte) => (byte & 0x60) === 0 && byte !== 0x18);
      expect([...controls]).toEqual([]);
    }
  });
});

describe('other bytes', () => {
  it('reports text between frames, and returns it', () => {
    const reader = new FrameReader();
    reader.feed(bytes(`${RECORDED.init}**ready> `));
    expect(reader.next()).toMatchObject({ kind: 'header' });
    expect(reader.next()).toEqual({ kind: 'stray' });
    expect(text(reader.rest())).toBe('**ready> ');
  });

  it('returns text that begins in an earlier piece', () => {
    const reader = new FrameReader();
    reader.feed(bytes('*'));
    expect(reader.next()).toBeUndefined();
    reader.feed(bytes('\x18'));
    expect(reader.next()).toBeUndefined();
    reader.feed(bytes('x'));
    expect(reader.next()).toEqual({ kind: 'stray' });
    expect(text(reader.rest())).toBe('*\x18x');
  });

  it('reports a cancellation between and within frames', () => {
    expect(readAll(join(bytes(RECORDED.init), CANCEL))[1]).toEqual({ kind: 'cancel' });
    const header = encodeHeader({ format: 'binary32', type: TYPES.data, value: 0 });
    expect(readAll(join(header, bytes('abc'), CANCEL), 1)[1]).toEqual({ kind: 'cancel' });
  });

  it.each([
    ['a wrong checksum of a header', '**\x18B0100000023be51\r\x8a'],
    ['another digit', '**\x18B01x0000023be50\r\x8a'],
    ['a wrong checksum of a binary header', '*\x18C\x0b\xb8\x0b\x00\x00\x98Oaf'],
    ['an unknown escape', `${RECORDED.file.slice(0, 12)}a\x18\x01`],
    ['a wrong checksum of a subpacket', RECORDED.file.replace('a.bin', 'b.bin')],
  ])('rejects %s', (_, stream) => {
    for (const length of [stream.length, 1])
      expect(() => readAll(bytes(stream), length)).toThrow(FrameError);
  });

  it('rejects a subpacket that is too long', () => {
    const header = encodeHeader({ format: 'binary32', type: TYPES.data, value: 0 });
    const long = new Uint8Array(MAX_SUBPACKET + 1).fill(0x61);
    expect(() => readAll(join(header, long))).toThrow(FrameError);
    expect(() => readAll(join(header, long), 100)).toThrow(FrameError);
  });
});
