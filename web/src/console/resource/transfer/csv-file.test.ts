import { describe, expect, it } from 'vitest';
import { csvText, decodeText, parseCsv, refusalOfFiles } from './csv-file.ts';

describe('a CSV file', () => {
  it.each([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['"a ""b""","c,d\r\ne"\n', [['a "b"', 'c,d\r\ne']]],
    ['a,\n\n,b', [['a', ''], [''], ['', 'b']]],
    ['', []],
    ['""', [['']]],
  ])('parses %j into the records %j', (text, records) => {
    expect(parseCsv(text)).toEqual(records);
  });

  it('writes records that parse to the same values', () => {
    const records = [
      ['a "b"', 'c,d\r\ne', ' f '],
      ['', "'=1+1", '上海;北京'],
    ];
    const text = csvText(records);
    expect(text.startsWith('\uFEFF')).toBe(true);
    expect(parseCsv(text.slice(1))).toEqual(records);
  });

  it('decodes every encoding that spreadsheets write', () => {
    const bytes = (...values: number[]) => new Uint8Array(values);
    expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0xe5, 0x90, 0x8d))).toBe('名');
    expect(decodeText(bytes(0xc3, 0xfb))).toBe('名');
    expect(decodeText(bytes(0xff, 0xfe, 0x0d, 0x54))).toBe('名');
  });

  it('accepts a single file whose name ends with csv', () => {
    expect(refusalOfFiles(['a.csv'])).toBeUndefined();
    expect(refusalOfFiles(['A.CSV'])).toBeUndefined();
    expect(refusalOfFiles(['a.xlsx'])).toBe('only-csv');
    expect(refusalOfFiles(['a.csv.exe'])).toBe('only-csv');
    expect(refusalOfFiles(['a.csv', 'b.csv'])).toBe('only-one');
  });
});
