import { expect, it } from 'vitest';
import { SharedBudget } from './shared-budget.ts';

const KIB = 1024;
const budget = () => new SharedBudget({ total: 1024 * KIB, least: 48 * KIB, most: 256 * KIB });

it('gives a few members the maximum, and many an equal part of the total', () => {
  const shared = budget();
  expect(shared.share).toBe(256 * KIB);
  for (let member = 0; member < 4; member++) shared.join();
  expect(shared.share).toBe(256 * KIB);
  for (let member = 4; member < 16; member++) shared.join();
  expect(shared.share).toBe(64 * KIB);
});

it('leaves each member the minimum', () => {
  const shared = budget();
  for (let member = 0; member < 1000; member++) shared.join();
  expect(shared.share).toBe(48 * KIB);
});

it('returns the share of a member that leaves, once', () => {
  const shared = budget();
  const leave = Array.from({ length: 8 }, () => shared.join());
  expect(shared.share).toBe(128 * KIB);
  for (const one of leave.slice(0, 4)) one();
  leave[0]?.();
  expect(shared.share).toBe(256 * KIB);
  leave[4]?.();
  leave[5]?.();
  for (let member = 0; member < 6; member++) shared.join();
  expect(shared.share).toBe(128 * KIB);
});
