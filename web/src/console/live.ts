import { LIVE_SOCKET_PATH, type LiveMessage } from '@sallyport/contract';
import { queryClient } from '../kit/start-app.tsx';
import { live } from './base/live-state.ts';
import { findSummary } from './base/resources.ts';
import { cacheKey } from './resource/source.ts';

/** A lost connection is opened again after some of these, each up to half again as long, so that a thousand consoles do not come back at once. */
const RETRY_MILLISECONDS = [1_000, 3_000, 10_000, 30_000];

/** How long a lost connection may have looked well. */
const LOST_MILLISECONDS = 60_000;

/** What is on screen besides the resource itself: an asset's nodes are in the tree with it. */
const ALSO: Readonly<Record<string, string>> = { node: 'asset' };

/** Makes stale what changed elsewhere; what is on screen is read again. A form keeps what it began with. */
export function markStale(resources: Readonly<Record<string, unknown>> | null): void {
  const predicate = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey.at(-1) !== 'form';
  if (resources === null) {
    void queryClient.invalidateQueries({ queryKey: ['resource'], predicate });
    return;
  }
  const names = new Set(Object.keys(resources).flatMap((name) => [name, ALSO[name] ?? name]));
  for (const name of names) {
    // What is below another object is read with the path of that object.
    const path = findSummary(name)?.path.split('/{')[0];
    if (path) void queryClient.invalidateQueries({ queryKey: cacheKey({ path }), predicate });
  }
}

/** Hears from the server what others change in the organization on screen, until the signal. */
export function listenForChanges(organization: string, signal: AbortSignal): void {
  if (signal.aborted) return;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let hasEnded = false;
  /** When the page was read, and from then on when the connection was lost. */
  let since = 0;
  /** What came while nobody looked at the page. */
  let missed: Record<string, unknown> | null = {};

  const hear = (resources: Readonly<Record<string, unknown>> | null) => {
    if (document.visibilityState === 'visible') markStale(resources);
    else missed = resources && missed && { ...missed, ...resources };
  };
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    if (missed === null || Object.keys(missed).length > 0) markStale(missed);
    missed = {};
  };
  const connect = () => {
    const address = new URL(LIVE_SOCKET_PATH, location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.searchParams.set('oid', organization);
    address.searchParams.set('age', String(Math.ceil(performance.now() - since)));
    socket = new WebSocket(address);
    socket.onopen = () => {
      live.isOpen = true;
      failures = 0;
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === 'changed') hear(message.resources);
      // The next request meets the end of the sign-in by itself, and says so.
      else hasEnded ||= message.code !== 'rights_changed';
    };
    socket.onclose = () => {
      if (live.isOpen) since = performance.now() - LOST_MILLISECONDS;
      live.isOpen = false;
      if (hasEnded) return;
      const wait = RETRY_MILLISECONDS[Math.min(failures, RETRY_MILLISECONDS.length - 1)] ?? 0;
      failures += 1;
      timer = setTimeout(connect, wait * (1 + Math.random() / 2));
    };
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', () => {
    hasEnded = true;
    document.removeEventListener('visibilitychange', look);
    clearTimeout(timer);
    socket?.close();
  });
  connect();
}
