import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useTopArea } from './useTopArea.ts';

const KEPT = 'sallyport-top-area';

function Area() {
  return <div ref={useTopArea()} data-testid="top" />;
}

/** Renders the top area. Returns its reserved height. */
function start() {
  const top = render(<Area />).getByTestId('top');
  return () => top.style.minHeight;
}

afterEach(() => {
  cleanup();
  localStorage.removeItem(KEPT);
  document.documentElement.style.removeProperty('--top-area');
  vi.useRealTimers();
});

it.each(['click', 'keydown', 'resize'])(
  'starts with the last height, and gives it up at a %s',
  (act) => {
    localStorage.setItem(KEPT, `${window.innerWidth} 120`);
    const height = start();
    expect(height()).toBe('120px');
    window.dispatchEvent(new Event(act));
    expect(height()).toBe('');
  },
);

it('gives the height up when late notices have arrived, and keeps the one of now', () => {
  vi.useFakeTimers();
  localStorage.setItem(KEPT, `${window.innerWidth} 120`);
  const height = start();
  vi.advanceTimersByTime(10_000);
  expect(height()).toBe('');
  expect(localStorage.getItem(KEPT)).toBe(`${window.innerWidth} 0`);
});

it.each(['', 'x y', `${window.innerWidth + 1} 120`, `${window.innerWidth}`, '{"a":1}'])(
  'reserves nothing for %j',
  (kept) => {
    localStorage.setItem(KEPT, kept);
    expect(start()()).toBe('0px');
  },
);
