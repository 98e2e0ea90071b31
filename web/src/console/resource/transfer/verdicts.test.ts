import { label } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { columnOrder, noteOf, tableOf, verdictsOf, withMissingColumns } from './verdicts.ts';

const labelOf = (field: string) => ({ name: '名称' })[field] ?? field;
const { rows } = tableOf([
  ['名称', '值'],
  ['a', '1'],
  ['', ''],
  ['b', '2'],
  ['c', '3'],
]);

describe('the verdicts on a file', () => {
  it('numbers the lines as a spreadsheet does, blank ones included', () => {
    const verdicts = verdictsOf(
      rows,
      [{}, {}, { name: ['重复', '太长'] }, { non_field_errors: ['不是对象'], other: [] }],
      labelOf,
    );
    expect(verdicts).toEqual([
      { line: 2, cells: ['a', '1'], problems: [], fields: [] },
      { line: 4, cells: ['b', '2'], problems: ['第 4 行. 名称: 重复; 太长'], fields: ['name'] },
      { line: 5, cells: ['c', '3'], problems: ['第 5 行. 不是对象'], fields: ['non_field_errors'] },
    ]);
    expect(verdicts.map(noteOf)).toEqual(['', '名称: 重复; 太长', '不是对象']);
  });

  it('reports no problems for a file that the server accepts', () => {
    expect(verdictsOf(rows, undefined, labelOf).map(({ problems }) => problems)).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('drops the column of problems, in either language', () => {
    for (const problem of ['问题', 'Problem']) {
      const table = tableOf([
        ['name', problem, 'value'],
        ['a', 'bad', '1'],
      ]);
      expect([table.header, table.rows[0]?.cells, table.hadProblems]).toEqual([
        ['name', 'value'],
        ['a', '1'],
        true,
      ]);
    }
  });

  it('adds columns for missing fields, and shows columns with problems first', () => {
    const verdicts = verdictsOf(rows, [{ value: ['x'], is_active: ['y'] }], labelOf);
    expect(
      withMissingColumns(['name', 'comment', 'value'], verdicts, label.fields, labelOf),
    ).toEqual(['name', 'comment', 'value', 'is_active']);
    expect(columnOrder(['name', 'comment', 'value', 'is_active'], verdicts)).toEqual([0, 2, 3, 1]);
  });
});
