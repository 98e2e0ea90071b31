import { expect, it } from 'vitest';
import { inNaturalOrder } from './natural-order.ts';

const sorted = (...names: string[]) => inNaturalOrder(names, (name) => name);

it('compares numbers within names by value', () => {
  expect(sorted('svc-10', 'svc-2', 'svc-1')).toEqual(['svc-1', 'svc-2', 'svc-10']);
});

it('groups names that differ only in case, in their given order', () => {
  expect(sorted('bj-hadoop', 'BJ-WIN', 'bj-app', 'A', 'a')).toEqual([
    'A',
    'a',
    'bj-app',
    'bj-hadoop',
    'BJ-WIN',
  ]);
});

it('orders Chinese names by pronunciation', () => {
  expect(sorted('上海', '北京', '广州')).toEqual(['北京', '广州', '上海']);
});
