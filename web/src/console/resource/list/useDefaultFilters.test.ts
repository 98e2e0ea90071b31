import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emptyState } from './list-state.ts';
import { applyLater } from './useDefaultFilters.ts';

const FILTERS = { status: 'open' };
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('asks for what a list begins with after 400 ms, without a step in the history', () => {
  const change = vi.fn();
  applyLater(FILTERS, emptyState(), change);
  vi.advanceTimersByTime(399);
  expect(change).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(change).toHaveBeenCalledExactlyOnceWith({ filters: FILTERS }, true);
});

it('leaves a list alone that was left, or whose address has conditions already', () => {
  const change = vi.fn();
  applyLater(FILTERS, emptyState(), change)?.();
  applyLater(FILTERS, { ...emptyState(), search: 'x' }, change);
  applyLater(FILTERS, { ...emptyState(), filters: { status: 'closed' } }, change);
  applyLater(undefined, emptyState(), change);
  vi.advanceTimersByTime(1_000);
  expect(change).not.toHaveBeenCalled();
});
