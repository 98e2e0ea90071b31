import { describe, expect, it } from 'vitest';
import { createTranscoder } from './charset.ts';

describe('a target that speaks GBK', () => {
  it('is understood, however its characters are cut', () => {
    const bytes = Buffer.from('c4e3bac3612ccac0bde7', 'hex');
    for (let size = 1; size <= 3; size++) {
      const { fromTarget } = createTranscoder('gbk');
      let text = '';
      for (let at = 0; at < bytes.length; at += size)
        text += fromTarget(bytes.subarray(at, at + size)).toString('utf8');
      expect(text).toBe('你好a,世界');
    }
  });

  it('is answered in GBK, and in the four bytes of GB18030 for what GBK does not have, however the typed bytes are cut', () => {
    const typed = Buffer.from('你a\u{1f600}\u{20000}\r');
    for (let size = 1; size <= typed.length; size++) {
      const { toTarget } = createTranscoder('gbk');
      let sent = '';
      for (let at = 0; at < typed.length; at += size)
        sent += toTarget(typed.subarray(at, at + size)).toString('hex');
      expect(sent).toBe('c4e3619439fc36953282360d');
    }
  });

  it('reads the four bytes of GB18030, however they are cut', () => {
    const bytes = Buffer.from('619439fc3695328236c4e3', 'hex');
    for (let size = 1; size <= bytes.length; size++) {
      const { fromTarget } = createTranscoder('gbk');
      let text = '';
      for (let at = 0; at < bytes.length; at += size)
        text += fromTarget(bytes.subarray(at, at + size)).toString('utf8');
      expect(text).toBe('a\u{1f600}\u{20000}你');
    }
  });

  it('gets back what it sent, whatever character it is', () => {
    const { fromTarget, toTarget } = createTranscoder('gbk');
    const text = Array.from({ length: 0x2fffd }, (_, code) => code)
      // Not characters, or not of anybody: halves of surrogate pairs and the area for private use.
      .filter((code) => code < 0xd800 || code > 0xf8ff)
      .map((code) => String.fromCodePoint(code))
      .join('');
    expect(fromTarget(toTarget(Buffer.from(text))).equals(Buffer.from(text))).toBe(true);
  });
});
