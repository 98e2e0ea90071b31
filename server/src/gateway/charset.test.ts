import { describe, expect, it } from 'vitest';
import { createTranscoder } from './charset.ts';

describe('a target that speaks GBK', () => {
  it('is understood, however its characters are cut', () => {
    const bytes = Buffer.from('c4e3bac3612ccac0bde7', 'hex');
    for (let size = 1; size <= 3; size++) {
      const { fromTarget } = createTranscoder('gbk');
      let text = '';
      for (let at = 0; at < bytes.length; at += size) text += fromTarget(bytes.subarray(at, at + size)).toString('utf8');
      expect(text).toBe('你好a,世界');
    }
  });

  it('is answered in GBK; what it cannot write becomes a question mark', () => {
    const { toTarget } = createTranscoder('gbk');
    const typed = Buffer.from('你a\u{1f600}\r');
    const sent = Buffer.concat([toTarget(typed.subarray(0, 2)), toTarget(typed.subarray(2))]);
    expect(sent.toString('hex')).toBe('c4e3613f0d');
  });
});
