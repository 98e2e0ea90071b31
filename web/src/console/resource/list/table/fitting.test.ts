import { expect, it } from 'vitest';
import { columnsToLeaveOut } from './useFittingColumns.ts';

const columns = [
  { name: 'name' },
  { name: 'ip' },
  { name: 'city' },
  { name: 'agent' },
  { name: 'datetime', essential: true },
];
const hundred = () => 100;

it.each([
  [0, []],
  [1, ['agent']],
  [100, ['agent']],
  [101, ['agent', 'city']],
  [250, ['agent', 'city', 'ip']],
  [9_999, ['agent', 'city', 'ip']],
])('narrows a table by %d pixels by leaving out %j', (excess, expected) => {
  expect(columnsToLeaveOut(columns, excess, hundred)).toEqual(expected);
});
