import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RushMemory } from './rush-memory.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function begin() {
  const collect = vi.fn();
  return { collect, memory: new RushMemory(collect) };
}

it('collects once, ten seconds after most of many sessions have ended', () => {
  const { collect, memory } = begin();
  for (const live of [1000, 600, 251, 250, 100]) memory.note(live);
  vi.advanceTimersByTime(9_999);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  memory.note(0);
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledOnce();
});

it.each([
  ['few sessions end', [199, 0]],
  ['many stay', [1000, 251]],
  ['others begin at once', [1000, 200, 300]],
])('does not collect when %s', (_what, counts) => {
  const { collect, memory } = begin();
  for (const live of counts) memory.note(live);
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
});

it('collects again after the next rush', () => {
  const { collect, memory } = begin();
  for (const rush of [1, 2]) {
    for (const live of [300, 0]) memory.note(live);
    vi.advanceTimersByTime(10_000);
    expect(collect).toHaveBeenCalledTimes(rush);
  }
});

it('collects objects that nothing refers to', async () => {
  const left = new WeakRef({ of: 'a session' });
  // A reference is kept until the end of its turn of the event loop.
  vi.useRealTimers();
  await new Promise((done) => setImmediate(done));
  vi.useFakeTimers();
  const memory = new RushMemory();
  for (const live of [200, 0]) memory.note(live);
  vi.advanceTimersByTime(10_000);
  expect(left.deref()).toBeUndefined();
});
