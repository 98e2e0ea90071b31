import { expect, it } from 'vitest';
import { stagesOf } from './CommandStages.tsx';

const of = (done: number, failed: number, isFinished: boolean) =>
  stagesOf({ hosts_amount: 20, done_amount: done, failed_amount: failed, is_finished: isFinished });

it('draws the stages of a canary run: running, waiting, stopped and done', () => {
  expect(of(0, 0, false).map(({ size }) => size)).toEqual([1, 2, 17]);
  const states = (...values: Parameters<typeof of>) => of(...values).map(({ state }) => state);
  expect(states(0, 0, false)).toEqual(['running', 'queued', 'queued']);
  expect(states(2, 0, false)).toEqual(['succeeded', 'running', 'queued']);
  expect(states(3, 1, true)).toEqual(['succeeded', 'failed', 'canceled']);
  expect(states(20, 0, true)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});
