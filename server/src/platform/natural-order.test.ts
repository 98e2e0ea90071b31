import { expect, it } from 'vitest';
import { inNaturalOrder } from './natural-order.ts';

const sorted = (...names: string[]) => inNaturalOrder(names, (name) => name);

it('counts numbers within names', () => {
  expect(sorted('svc-10', 'svc-2', 'svc-1')).toEqual(['svc-1', 'svc-2', 'svc-10']);
});

it('puts names together that differ in case only, and keeps their order', () => {
  expect(sorted('bj-hadoop', 'BJ-WIN', 'bj-app', 'A', 'a')).toEqual([
    'A',
    'a',
    'bj-app',
    'bj-hadoop',
    'BJ-WIN',
  ]);
});

it('orders Chinese names by their pronunciation', () => {
  expect(sorted('上海', '北京', '广州')).toEqual(['北京', '广州', '上海']);
});
