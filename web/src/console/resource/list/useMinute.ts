import { useSyncExternalStore } from 'react';

const MINUTE = 60_000;

let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = new Date();
  for (const listener of listeners) listener();
}

/** One timer for all times of a page; it stops without subscribers. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = setInterval(tick, MINUTE);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** Returns the current time, and rerenders the caller every minute. */
export function useMinute(): Date {
  useSyncExternalStore(subscribe, () => now);
  // Rerenders for another reason get the exact time.
  return new Date();
}
