import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../api.ts';

/** Whether the server can be reached, and if not, how old what is on the screen may be. */
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

/** When the oldest of what the page shows and keeps up to date was read. */
function oldestShown(): number | null {
  const shown =
    client?.getQueryCache().findAll({
      type: 'active',
      predicate: ({ state: { dataUpdatedAt } }) => dataUpdatedAt > 0,
    }) ?? [];
  const kept = shown.filter((query) => query.isStale());
  const times = (kept.length > 0 ? kept : shown).map((query) => query.state.dataUpdatedAt);
  return times.length > 0 ? Math.min(...times) : null;
}

function lose(): void {
  if (!state.lost) become({ lost: true, offline: !navigator.onLine, dataFrom: oldestShown() });
  clearTimeout(timer);
  timer = setTimeout(() => void retryConnection(), PROBE_EVERY);
}

async function answers(): Promise<boolean> {
  try {
    // Whatever its status: something that speaks for the server has answered.
    const { status } = await fetch(PROBE, {
      cache: 'no-store',
      signal: AbortSignal.timeout(PROBE_EVERY),
    });
    return status !== 502 && status !== 504;
  } catch {
    return false;
  }
}

/** Asks the server for a sign of life; reads what the page shows again when it answers. */
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

/** Announces a lost connection as soon as a request of this cache gets no answer, or the browser says that there is no network. */
export function watchConnection(queries: QueryClient): void {
  client = queries;
  const judge = (event: {
    readonly type: string;
    readonly action?: { readonly type: string; readonly error?: unknown };
  }) => {
    const { type, error } = event.action ?? {};
    // One failure may be a page that is being left: the server is asked before anything is said.
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

/** The state of the connection, for components. */
export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
