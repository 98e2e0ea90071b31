import { describe, expect, it } from 'vitest';
import { unzip } from '../testing/unzip.ts';
import { type Cell, xlsxFile } from './xlsx.ts';

const MOMENT = new Date('2026-03-04T05:06:08Z');

async function partsOf(
  headers: readonly string[],
  batches: readonly (readonly (readonly Cell[])[])[],
  mostRows?: number,
): Promise<Map<string, string>> {
  const all = async function* () {
    yield* batches;
  };
  const chunks: Buffer[] = [];
  for await (const chunk of xlsxFile(headers, all(), {
    moment: MOMENT,
    ...(mostRows && { mostRows }),
  }))
    chunks.push(chunk);
  return unzip(Buffer.concat(chunks));
}

const textsOf = (sheet = '') =>
  [...sheet.matchAll(/<row r="\d+">(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t [^>]*>(.*?)<\/t>|<v>(.*?)<\/v>|<c r="\w+"\/>/gs)].map(
      ([, text, number]) => text ?? number ?? '',
    ),
  );

describe('an Excel workbook', () => {
  it('writes a header and rows with escaped texts, numbers and no formulas', async () => {
    const parts = await partsOf(
      ['Name', 'Count'],
      [
        [['=1+1', 3]],
        [
          ['<a & "b">', 0.5],
          ['bell\u0007 服务器 😀', null],
          ['\ud800', -1],
          ['', 1234567890123456],
        ],
      ],
    );
    const sheet = parts.get('xl/worksheets/sheet1.xml');
    expect(textsOf(sheet)).toEqual([
      ['Name', 'Count'],
      ['=1+1', '3'],
      ['&lt;a &amp; &quot;b&quot;&gt;', '0.5'],
      ['bell\ufffd 服务器 😀', ''],
      ['\ufffd', '-1'],
      ['', '1234567890123456'],
    ]);
    // Excel keeps 15 digits of a number, and a text as it is.
    expect(sheet).toContain(
      '<c r="B6" t="inlineStr"><is><t xml:space="preserve">1234567890123456</t>',
    );
    expect(sheet).toContain('服务器 😀</t></is></c><c r="B4"/></row>');
    expect(sheet).toContain(
      '<row r="6"><c r="A6" t="inlineStr"><is><t xml:space="preserve"></t></is></c>',
    );
    expect(sheet).not.toContain('<f>');
    expect([...parts.keys()].toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
    ]);
    for (const part of parts.keys())
      if (part.startsWith('xl/') && !part.includes('_rels'))
        expect(parts.get('[Content_Types].xml')).toContain(`PartName="/${part}"`);
  });

  it('names columns beyond Z, and numbers the rows of each sheet from one', async () => {
    const headers = Array.from({ length: 704 }, (_, index) => String(index));
    const parts = await partsOf(headers, [[['x'], ['y']]], 2);
    const references = (sheet: number) =>
      [...(parts.get(`xl/worksheets/sheet${sheet}.xml`) ?? '').matchAll(/<c r="(\w+)"/g)].map(
        ([, reference]) => reference,
      );
    const [first, second] = [references(1), references(2)];
    expect([0, 25, 26, 51, 52, 701, 702, 703].map((index) => first[index])).toEqual(
      ['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA', 'AAB'].map((letters) => `${letters}1`),
    );
    expect([first.at(-1), second.at(-1)]).toEqual(['A2', 'A2']);
  });

  it('shows texts that look like escaped characters, and keeps carriage returns', async () => {
    const texts = [
      'prod_x0031_',
      '_x005F_x0041_',
      'a_x000a_x0041_b',
      '_x41_ x0041_ _x00410_',
      'a\rb',
    ];
    const parts = await partsOf(['Name_x0041_'], [texts.map((text) => [text])]);
    expect(textsOf(parts.get('xl/worksheets/sheet1.xml')).flat()).toEqual([
      'Name_x005F_x0041_',
      'prod_x005F_x0031_',
      '_x005F_x005F_x005F_x0041_',
      'a_x005F_x000a_x005F_x0041_b',
      '_x41_ x0041_ _x00410_',
      'a&#13;b',
    ]);
  });

  it('continues on another sheet when one is full, and truncates long cells', async () => {
    const parts = await partsOf(['Name'], [[['1'], ['2'], ['3']], [['x'.repeat(40_000)]]], 3);
    expect(textsOf(parts.get('xl/worksheets/sheet1.xml'))).toEqual([['Name'], ['1'], ['2']]);
    const [header, third, [long = ''] = []] = textsOf(parts.get('xl/worksheets/sheet2.xml'));
    expect([header, third, long.length, long.at(-1)]).toEqual([['Name'], ['3'], 32_767, '…']);
    expect(parts.get('xl/workbook.xml')).toContain('<sheet name="2" sheetId="2" r:id="rId2"/>');
  });

  it('propagates an error of its rows', async () => {
    const broken = async function* (): AsyncGenerator<Cell[][]> {
      yield [['1']];
      throw new Error('lost');
    };
    await expect(async () => {
      for await (const chunk of xlsxFile(['Name'], broken(), { moment: MOMENT }))
        expect(chunk.length).toBeGreaterThan(0);
    }).rejects.toThrow('lost');
  });
});
