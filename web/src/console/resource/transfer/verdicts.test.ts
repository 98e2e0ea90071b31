import { describe, expect, it } from 'vitest';
import { verdictsOf } from './verdicts.ts';

const label = (field: string) => ({ name: '名称' })[field] ?? field;
const RECORDS = [
  ['名称', '值'],
  ['a', '1'],
  ['', ''],
  ['b', '2'],
  ['c', '3'],
];

describe('the verdicts on a file', () => {
  it('number the lines as a person counts them, blank ones included', () => {
    const verdicts = verdictsOf(RECORDS, [{}, {}, { name: ['重复', '太长'] }, { non_field_errors: ['不是对象'], other: [] }], label);
    expect(verdicts).toEqual([
      { line: 2, cells: ['a', '1'], problems: [] },
      { line: 4, cells: ['b', '2'], problems: ['第 4 行. 名称: 重复; 太长'] },
      { line: 5, cells: ['c', '3'], problems: ['第 5 行. 不是对象'] },
    ]);
  });

  it('are all good when the server has nothing against the file', () => {
    expect(verdictsOf(RECORDS, undefined, label).map(({ problems }) => problems)).toEqual([[], [], []]);
  });
});
