import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeBinaryInput, encodeInput } from './frame-codec.ts';

describe('the frames of the socket', () => {
  it('reads output and messages', () => {
    expect(decodeFrame(Uint8Array.of(1, 2).buffer)).toEqual({
      kind: 'output',
      bytes: Uint8Array.of(1, 2),
    });
    expect(decodeFrame('{"type":"stage","stage":"checking"}')).toEqual({
      kind: 'message',
      message: { type: 'stage', stage: 'checking' },
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"type":"toString"}',
    '{"type":"open","session":"s"}',
    '{"type":"closed","code":1,"message":"","retry":true}',
    '{"type":"stage"',
  ])('does not take %s for a message', (text) => {
    expect(decodeFrame(text)).toEqual({ kind: 'unreadable' });
  });

  it('decodes any input without an exception', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.anything()),
        (data) => void decodeFrame(data),
      ),
    );
  });

  it('writes text as UTF-8 and bytes as they are', () => {
    expect(encodeInput('é你')).toEqual(Uint8Array.of(0xc3, 0xa9, 0xe4, 0xbd, 0xa0));
    expect(encodeBinaryInput('\x1b[M\xff')).toEqual(Uint8Array.of(0x1b, 0x5b, 0x4d, 0xff));
  });
});
