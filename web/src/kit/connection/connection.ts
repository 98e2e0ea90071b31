import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../api.ts';

/** State of the connection; when lost, with the age of the data on the screen. */
export type Connection =
  | { readonly lost: false }
  | { readonly lost: true; readonly offline: boolean; readonly dataFrom: number | null };

const PROBE = '/api/health/';

const PROBE_EVERY = 5_000;

const CONNECTED: Connection = { lost: false };

let state: Connection = CONNECTED;

let client: QueryClient | undefined;

let timer: ReturnType<typeof setTimeout> | undefined;

let probing: Promise<boolean> | undefined;

const listeners = new Set<() => void>();

function become(next: Connection): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Returns the fetch time of the oldest active query. */
function oldestShown(): number | null {
  const activeQueries =
    client?.getQueryCache().findAll({
      type: 'active',
      predicate: ({ state: { dataUpdatedAt } }) => dataUpdatedAt > 0,
    }) ?? [];
  const kept = activeQueries.filter((query) => query.isStale());
  const times = (kept.length > 0 ? kept : activeQueries).map((query) => query.state.dataUpdatedAt);
  return times.length > 0 ? Math.min(...times) : null;
}

function lose(): void {
  if (!state.lost) become({ lost: true, offline: !navigator.onLine, dataFrom: oldestShown() });
  clearTimeout(timer);
  timer = setTimeout(() => void retryConnection(), PROBE_EVERY);
}

async function answers(): Promise<boolean> {
  try {
    // Any status counts: something answered for the server.
    const { status } = await fetch(PROBE, {
      cache: 'no-store',
      signal: AbortSignal.timeout(PROBE_EVERY),
    });
    return status !== 502 && status !== 504;
  } catch {
    return false;
  }
}

/** Probes the server, and reloads the data of the page when it answers. */
export async function retryConnection(): Promise<void> {
  probing ??= answers().finally(() => {
    probing = undefined;
  });
  if (!(await probing)) {
    lose();
    return;
  }
  clearTimeout(timer);
  if (!state.lost) return;
  become(CONNECTED);
  await client?.refetchQueries({ type: 'active' });
}

/**
 * Reports a lost connection when a request of this cache gets no answer, or when the browser goes
 * offline.
 */
export function watchConnection(queries: QueryClient): void {
  client = queries;
  const judge = (event: {
    readonly type: string;
    readonly action?: { readonly type: string; readonly error?: unknown };
  }) => {
    const { type, error } = event.action ?? {};
    // A single failure may come from leaving the page: probe the server before reporting.
    if (
      (type === 'failed' || type === 'error') &&
      error instanceof ApiError &&
      [0, 502, 504].includes(error.status)
    )
      void retryConnection();
  };
  queries.getQueryCache().subscribe(judge);
  queries.getMutationCache().subscribe(judge);
  window.addEventListener('offline', lose);
  window.addEventListener('online', () => void retryConnection());
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Event of the window: the server may have become another version. */
export const SERVER_CHANGED = 'server-changed';

/** True while the live channel is open. Polling is unnecessary then. */
export const live = { isOpen: false };
