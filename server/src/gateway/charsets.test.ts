import { CHARSETS } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import {
  decodeExactly,
  encodeExactly,
  textDecoder,
  textEncoder,
  withoutLacking,
} from './charsets.ts';

/** Texts that each charset has, and one of its characters in bytes. */
const TEXTS = {
  utf8: ['日本語 é €\u{1f600}', '日', 'e697a5'],
  gbk: ['华为 VRP 设备 \u{1f600}', '华', 'bbaa'],
  big5: ['交換機 設定 許功蓋', '功', 'a55c'],
  shift_jis: ['表示 ソース ｱｲｳ', '表', '955c'],
  euc_jp: ['表示 ソース ｱｲｳ', '表', 'c9bd'],
  euc_kr: ['스위치 설정 똠', '스', 'bdba'],
  latin1: ['Größe déjà ñ', 'ö', 'f6'],
  latin9: ['Größe déjà 5 €', '€', 'a4'],
  koi8_r: ['Пароль', 'П', 'f0'],
} as const;

describe.each(CHARSETS.map(({ value }) => value))('%s', (charset) => {
  const [text, character, hex] = TEXTS[charset];

  it('encodes a text and decodes it in pieces of every size', () => {
    const bytes = encodeExactly(text, charset) ?? Buffer.alloc(0);
    expect(encodeExactly(character, charset)?.toString('hex')).toBe(hex);
    expect(decodeExactly(bytes, charset)).toBe(text);
    for (let size = 1; size <= 4; size++) {
      const decode = textDecoder(charset);
      let decoded = '';
      for (let at = 0; at < bytes.length; at += size)
        decoded += decode(bytes.subarray(at, at + size));
      expect(decoded).toBe(text);
    }
    const encode = textEncoder(charset);
    expect(Buffer.concat([...text].map(encode))).toEqual(bytes);
  });

  it('passes control keys and ASCII unchanged', () => {
    const ascii = Buffer.from(Array.from({ length: 128 }, (_, code) => code));
    expect(Buffer.from(textDecoder(charset)(ascii))).toEqual(ascii);
    expect(textEncoder(charset)(ascii.toString())).toEqual(ascii);
  });

  it('names what it lacks instead of changing it', () => {
    const isUnicode = charset === 'utf8' || charset === 'gbk';
    const typed = `a${character}\u{1f600}b`;
    expect(encodeExactly(typed, charset) !== undefined).toBe(isUnicode);
    expect(withoutLacking(typed, charset)).toBe(isUnicode ? typed : `a${character}b`);
  });
});
