import { expect, it } from 'vitest';
import { outcomeOf } from './bulk-change.ts';

it('distinguishes success, partial failure, failure and skipped work', () => {
  const of = (succeeded: number, failed: number, skipped: number) =>
    outcomeOf({ succeeded, failed, skipped });
  expect([
    of(3, 0, 0),
    of(3, 0, 1),
    of(2, 1, 0),
    of(0, 3, 0),
    of(0, 1, 2),
    of(0, 0, 2),
    of(0, 0, 0),
  ]).toEqual(['succeeded', 'succeeded', 'partly', 'failed', 'failed', 'nothing', 'succeeded']);
});
