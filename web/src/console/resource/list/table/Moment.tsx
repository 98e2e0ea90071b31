import { useSyncExternalStore } from 'react';
import { formatDate } from '../../../../kit/format/format.ts';
import { formatNear, formatWithZone } from '../../../../kit/format/relative-time.ts';
import styles from './Moment.module.css';

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

interface MomentProps {
  /** Server format or ISO. */
  readonly date: string;
  /** Shows the full date, with the relative time on hover; for dates that users compare. */
  readonly exact?: boolean;
}

/** A date: relative while near, else the day. The full date with time zone appears on hover. */
export function Moment({ date, exact = false }: MomentProps) {
  const now = useMinute();
  const near = formatNear(date, now);
  return (
    <time
      title={exact ? `${near} · ${formatWithZone(date)}` : formatWithZone(date)}
      className={exact ? styles.exact : styles.near}
    >
      {exact ? formatDate(date) : near}
    </time>
  );
}
