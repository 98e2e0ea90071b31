import { describe, expect, it } from 'vitest';
import { createTranscoder } from './charset.ts';

describe('a target that speaks GBK', () => {
  it('decodes GBK characters that chunks split anywhere', () => {
    const bytes = Buffer.from('c4e3bac3612ccac0bde7', 'hex');
    for (let size = 1; size <= 3; size++) {
      const { fromTarget } = createTranscoder('gbk');
      let text = '';
      for (let at = 0; at < bytes.length; at += size)
        text += fromTarget(bytes.subarray(at, at + size)).toString('utf8');
      expect(text).toBe('你好a,世界');
    }
  });

  it('encodes typed text as GBK, with four-byte GB18030 for other characters, when chunks split it anywhere', () => {
    const typed = Buffer.from('你a\u{1f600}\u{20000}\r');
    for (let size = 1; size <= typed.length; size++) {
      const { toTarget } = createTranscoder('gbk');
      let sent = '';
      for (let at = 0; at < typed.length; at += size)
        sent += toTarget(typed.subarray(at, at + size)).toString('hex');
      expect(sent).toBe('c4e3619439fc36953282360d');
    }
  });

  it('decodes four-byte GB18030 characters that chunks split anywhere', () => {
    const bytes = Buffer.from('619439fc3695328236c4e3', 'hex');
    for (let size = 1; size <= bytes.length; size++) {
      const { fromTarget } = createTranscoder('gbk');
      let text = '';
      for (let at = 0; at < bytes.length; at += size)
        text += fromTarget(bytes.subarray(at, at + size)).toString('utf8');
      expect(text).toBe('a\u{1f600}\u{20000}你');
    }
  });

  it('returns every character unchanged after encoding and decoding', () => {
    const { fromTarget, toTarget } = createTranscoder('gbk');
    const text = Array.from({ length: 0x2fffd }, (_, code) => code)
      // Skip surrogates and the private use area.
      .filter((code) => code < 0xd800 || code > 0xf8ff)
      .map((code) => String.fromCodePoint(code))
      .join('');
    expect(fromTarget(toTarget(Buffer.from(text))).equals(Buffer.from(text))).toBe(true);
  });
});
